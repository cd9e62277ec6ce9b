/* broken_rules.h: VMs on hosts that break rules of their VM groups.
 *
 * Rules hold for placements: a command that would break one is not sent (keeps_rules() in
 * enactor.c). VMs that break one, because a user moved them or put them into a group while they
 * were running, stay where they are; their owners are told.
 */
#pragma once

#include "daemon/live/world.h"
#include "util/map.h"

/* A VM on a host that breaks a rule of its role; preferences are no rules. */
struct broken_rule {
    int32_t vm, host;
    int32_t other; /* the VM that it must be apart from, or together with; -1: the host itself */
    bool apart;
    int32_t group;
    const char *role; /* of `vm`; the pool's */
};

struct rule_places {
    int32_t (*host_of)(void *context, int32_t vm); /* -1: on none */
    int32_t (*cluster_of)(void *context, int32_t host);
    int32_t (*next_host_of)(void *context, int32_t vm); /* it is to move there; -1; NULL: none is */
    /* It is on that host, too, while it migrates; -1; NULL: none is. */
    int32_t (*other_host_of)(void *context, int32_t vm);
    void *context;
};

/* Calls `broken` for each rule that a VM breaks. Of two VMs that must be apart, it is the one with
 * the higher id. O(members x log members x rules). */
void broken_rules_each(const struct vmgroup_pool *pool, const struct rule_places *places,
                       void (*broken)(void *context, const struct broken_rule *rule),
                       void *context);

/* Would the VM break a rule on that host, with the others where they are? Of VMs that must be
 * together, one that is there, or is to move there, is enough. O(log members + members of its
 * groups x rules). */
bool would_break_rule(const struct vmgroup_pool *pool, const struct rule_places *places, int32_t vm,
                      int32_t host);

/* Replaces *broken by the first rule that each VM of the world breaks: struct broken_rule by VM, as
 * long as the world's VM groups live. */
void broken_rules_find(struct map *broken, const struct world *world);

/* "role web of VM group 3 keeps it apart from VM 7" */
void broken_rule_text(const struct broken_rule *rule, char *text, size_t size);
