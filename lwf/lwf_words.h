/* lwf_words.h: the element and attribute names of LWF. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease_terms.h"

enum lwf_element {
    ELEMENT_UNKNOWN,
    ELEMENT_WORKLOAD,
    ELEMENT_DESCRIPTION,
    ELEMENT_ATTRIBUTES,
    ELEMENT_ATTR,
    ELEMENT_SITE,
    ELEMENT_RESOURCE_TYPES,
    ELEMENT_NODES,
    ELEMENT_NODE_SET,
    ELEMENT_RES,
    ELEMENT_INSTANCE,
    ELEMENT_REQUESTS,
    ELEMENT_REQUEST,
    ELEMENT_REALDURATION,
    ELEMENT_LEASE,
    ELEMENT_START,
    ELEMENT_NOW,
    ELEMENT_EXACT,
    ELEMENT_DURATION,
    ELEMENT_DEADLINE,
    ELEMENT_SOFTWARE,
    ELEMENT_NONE,
    ELEMENT_DISK_IMAGE,
    ELEMENT_EXTRA,
    ELEMENTS,
    ELEMENT_DOCUMENT = ELEMENTS, /* the parent of the root */
};

enum lwf_attribute {
    ATTRIBUTE_UNKNOWN,
    ATTRIBUTE_NAME,
    ATTRIBUTE_NAMES,
    ATTRIBUTE_VALUE,
    ATTRIBUTE_NUMNODES,
    ATTRIBUTE_TYPE,
    ATTRIBUTE_AMOUNT,
    ATTRIBUTE_ARRIVAL,
    ATTRIBUTE_TIME,
    ATTRIBUTE_ID,
    ATTRIBUTE_STATE,
    ATTRIBUTE_USER,
    ATTRIBUTE_EARLIEST,
    ATTRIBUTE_SIZE,
    ATTRIBUTE_TERM, /* of <lease>: lease_terms[0], followed by the others */
    ATTRIBUTES = ATTRIBUTE_TERM + LEASE_TERM_COUNT
};

_Static_assert(ATTRIBUTES <= 32, "a bit of uint32_t for each");

extern const char *const lwf_element_names[ELEMENTS];

const char *lwf_attribute_name(enum lwf_attribute attribute);

/* May `element` be a child of `parent`? */
bool lwf_element_fits(enum lwf_element element, enum lwf_element parent);

/* The allowed parents of an element, for error texts: "<site> or <lease>". */
const char *lwf_element_parents(enum lwf_element element);

/* Bits (1 << enum lwf_attribute) of the allowed and of the required attributes of an element. */
uint32_t lwf_attributes_known(enum lwf_element element);
uint32_t lwf_attributes_needed(enum lwf_element element);
