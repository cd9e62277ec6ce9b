/* The grammar of LWF: the allowed places of elements and attributes. */
#include "lwf/lwf_words.h"

const char *const lwf_element_names[ELEMENTS] = {
    [ELEMENT_UNKNOWN] = "",
    [ELEMENT_WORKLOAD] = "lease-workload",
    [ELEMENT_DESCRIPTION] = "description",
    [ELEMENT_ATTRIBUTES] = "attributes",
    [ELEMENT_ATTR] = "attr",
    [ELEMENT_SITE] = "site",
    [ELEMENT_RESOURCE_TYPES] = "resource-types",
    [ELEMENT_NODES] = "nodes",
    [ELEMENT_NODE_SET] = "node-set",
    [ELEMENT_RES] = "res",
    [ELEMENT_INSTANCE] = "instance",
    [ELEMENT_REQUESTS] = "lease-requests",
    [ELEMENT_REQUEST] = "lease-request",
    [ELEMENT_REALDURATION] = "realduration",
    [ELEMENT_LEASE] = "lease",
    [ELEMENT_START] = "start",
    [ELEMENT_NOW] = "now",
    [ELEMENT_EXACT] = "exact",
    [ELEMENT_DURATION] = "duration",
    [ELEMENT_DEADLINE] = "deadline",
    [ELEMENT_SOFTWARE] = "software",
    [ELEMENT_NONE] = "none",
    [ELEMENT_DISK_IMAGE] = "disk-image",
    [ELEMENT_EXTRA] = "extra",
};

static const char *const attribute_names[ATTRIBUTE_TERM] = {
    [ATTRIBUTE_UNKNOWN] = "",          [ATTRIBUTE_NAME] = "name",
    [ATTRIBUTE_NAMES] = "names",       [ATTRIBUTE_VALUE] = "value",
    [ATTRIBUTE_NUMNODES] = "numnodes", [ATTRIBUTE_TYPE] = "type",
    [ATTRIBUTE_AMOUNT] = "amount",     [ATTRIBUTE_ARRIVAL] = "arrival",
    [ATTRIBUTE_TIME] = "time",         [ATTRIBUTE_ID] = "id",
    [ATTRIBUTE_STATE] = "state",       [ATTRIBUTE_USER] = "user",
    [ATTRIBUTE_EARLIEST] = "earliest", [ATTRIBUTE_SIZE] = "size",
};

const char *lwf_attribute_name(enum lwf_attribute attribute)
{
    return attribute < ATTRIBUTE_TERM ? attribute_names[attribute]
                                      : lease_terms[attribute - ATTRIBUTE_TERM].name;
}

#define E(name)      (1u << ELEMENT_##name)
#define A(name)      (1u << ATTRIBUTE_##name)
#define TERM_A(name) (1u << (ATTRIBUTE_TERM + TERM_ID_##name))
#define ALL_TERMS    (((1u << LEASE_TERM_COUNT) - 1) << ATTRIBUTE_TERM)

struct rule {
    uint32_t parents;
    const char *parents_text;
    uint32_t needed, optional;
};

static const struct rule rules[ELEMENTS] = {
    [ELEMENT_WORKLOAD] = {E(DOCUMENT), "the document as its root", 0, A(NAME)},
    [ELEMENT_DESCRIPTION] = {E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_ATTRIBUTES] = {E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_ATTR] = {E(ATTRIBUTES) | E(EXTRA), "<attributes> or <extra>", 0, A(NAME) | A(VALUE)},
    [ELEMENT_SITE] = {E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_RESOURCE_TYPES] = {E(SITE), "<site>", A(NAMES), 0},
    [ELEMENT_NODES] = {E(SITE) | E(LEASE), "<site> or <lease>", 0, 0},
    [ELEMENT_NODE_SET] = {E(NODES), "<nodes>", A(NUMNODES), 0},
    [ELEMENT_RES] = {E(NODE_SET), "<node-set>", A(TYPE), A(AMOUNT)},
    [ELEMENT_INSTANCE] = {E(RES), "<res>", A(AMOUNT), 0},
    [ELEMENT_REQUESTS] = {E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_REQUEST] = {E(REQUESTS), "<lease-requests>", A(ARRIVAL), 0},
    [ELEMENT_REALDURATION] = {E(REQUEST), "<lease-request>", A(TIME), 0},
    [ELEMENT_LEASE] = {E(REQUEST), "<lease-request>", TERM_A(preemptible),
                       A(ID) | A(STATE) | A(USER) | ALL_TERMS},
    [ELEMENT_START] = {E(LEASE), "<lease>", 0, A(EARLIEST)},
    [ELEMENT_NOW] = {E(START), "<start>", 0, 0},
    [ELEMENT_EXACT] = {E(START), "<start>", A(TIME), 0},
    [ELEMENT_DURATION] = {E(LEASE), "<lease>", A(TIME), 0},
    [ELEMENT_DEADLINE] = {E(LEASE), "<lease>", A(TIME), 0},
    [ELEMENT_SOFTWARE] = {E(LEASE), "<lease>", 0, 0},
    [ELEMENT_NONE] = {E(SOFTWARE), "<software>", 0, 0},
    [ELEMENT_DISK_IMAGE] = {E(SOFTWARE), "<software>", A(ID) | A(SIZE), 0},
    [ELEMENT_EXTRA] = {E(LEASE), "<lease>", 0, 0},
};

bool lwf_element_fits(enum lwf_element element, enum lwf_element parent)
{
    return rules[element].parents >> parent & 1;
}

const char *lwf_element_parents(enum lwf_element element)
{
    return rules[element].parents_text;
}

uint32_t lwf_attributes_known(enum lwf_element element)
{
    return rules[element].needed | rules[element].optional;
}

uint32_t lwf_attributes_needed(enum lwf_element element)
{
    return rules[element].needed;
}
