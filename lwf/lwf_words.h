/* lwf_words.h: the element and attribute names of LWF. */
#pragma once

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

const char *lwf_attribute_name(enum lwf_attribute attribute);

struct lwf_rule {
    const char *name;
    uint32_t parents;          /* bits 1 << enum lwf_element */
    const char *parents_text;  /* for error texts: "<site> or <lease>" */
    uint32_t needed, optional; /* attributes: bits 1 << enum lwf_attribute */
};

extern const struct lwf_rule lwf_rules[ELEMENTS];
