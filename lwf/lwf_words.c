/* The grammar of LWF: the allowed places of elements and attributes. */
#include "lwf/lwf_words.h"

#include <stddef.h>

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

const struct lwf_rule lwf_rules[ELEMENTS] = {
    [ELEMENT_UNKNOWN] = {"", 0, NULL, 0, 0},
    [ELEMENT_WORKLOAD] = {"lease-workload", E(DOCUMENT), "the document as its root", 0, A(NAME)},
    [ELEMENT_DESCRIPTION] = {"description", E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_ATTRIBUTES] = {"attributes", E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_ATTR] = {"attr", E(ATTRIBUTES) | E(EXTRA), "<attributes> or <extra>", 0,
                      A(NAME) | A(VALUE)},
    [ELEMENT_SITE] = {"site", E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_RESOURCE_TYPES] = {"resource-types", E(SITE), "<site>", A(NAMES), 0},
    [ELEMENT_NODES] = {"nodes", E(SITE) | E(LEASE), "<site> or <lease>", 0, 0},
    [ELEMENT_NODE_SET] = {"node-set", E(NODES), "<nodes>", A(NUMNODES), 0},
    [ELEMENT_RES] = {"res", E(NODE_SET), "<node-set>", A(TYPE), A(AMOUNT)},
    [ELEMENT_INSTANCE] = {"instance", E(RES), "<res>", A(AMOUNT), 0},
    [ELEMENT_REQUESTS] = {"lease-requests", E(WORKLOAD), "<lease-workload>", 0, 0},
    [ELEMENT_REQUEST] = {"lease-request", E(REQUESTS), "<lease-requests>", A(ARRIVAL), 0},
    [ELEMENT_REALDURATION] = {"realduration", E(REQUEST), "<lease-request>", A(TIME), 0},
    [ELEMENT_LEASE] = {"lease", E(REQUEST), "<lease-request>", TERM_A(preemptible),
                       A(ID) | A(STATE) | A(USER) | ALL_TERMS},
    [ELEMENT_START] = {"start", E(LEASE), "<lease>", 0, A(EARLIEST)},
    [ELEMENT_NOW] = {"now", E(START), "<start>", 0, 0},
    [ELEMENT_EXACT] = {"exact", E(START), "<start>", A(TIME), 0},
    [ELEMENT_DURATION] = {"duration", E(LEASE), "<lease>", A(TIME), 0},
    [ELEMENT_DEADLINE] = {"deadline", E(LEASE), "<lease>", A(TIME), 0},
    [ELEMENT_SOFTWARE] = {"software", E(LEASE), "<lease>", 0, 0},
    [ELEMENT_NONE] = {"none", E(SOFTWARE), "<software>", 0, 0},
    [ELEMENT_DISK_IMAGE] = {"disk-image", E(SOFTWARE), "<software>", A(ID) | A(SIZE), 0},
    [ELEMENT_EXTRA] = {"extra", E(LEASE), "<lease>", 0, 0},
};
