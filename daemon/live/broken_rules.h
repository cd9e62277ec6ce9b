/* broken_rules.h: VMs on hosts that break rules of their VM groups.
 *
 * VM group rules hold for placements: the enactor does not send a command that would break one
 * (enactor_keeps_rules()). VMs that already break a rule, because a user moved them or added
 * them to a group while they were running, stay where they are; their owners are notified.
 */
#pragma once

#include "daemon/state/world.h"
#include "util/map.h"

/* A VM on a host that breaks a rule of its role. Preferences do not count as rules. */
struct broken_rule {
    int32_t vm, host;
    int32_t other; /* the VM to be apart from, or together with; -1: the host itself breaks the
                    * rule */
    bool apart;
    int32_t group;
    const char *role; /* of `vm`; owned by the pool */
};

struct rule_places {
    int32_t (*host_of)(void *context, int32_t vm); /* -1: the VM is on no host */
    int32_t (*cluster_of)(void *context, int32_t host);
    int32_t (*next_host_of)(void *context, int32_t vm); /* the VM's next host; -1: it stays; NULL:
                                                         * no VM moves */
    /* The second host of a migrating VM; -1: none; NULL: no VM migrates. */
    int32_t (*other_host_of)(void *context, int32_t vm);
    void *context;
};

/* Calls `broken` for each rule that a VM breaks. If two VMs must be apart, the VM with the higher
 * id breaks the rule. O(members x log members x rules). */
void broken_rules_each(const struct vmgroup_pool *pool, const struct rule_places *places,
                       void (*broken)(void *context, const struct broken_rule *rule),
                       void *context);

/* Would the VM break a rule on that host, with the other VMs where they are? A rule that VMs be
 * together is kept if one of them is on the host or is to move there. O(log members + members of
 * its groups x rules). */
bool would_break_rule(const struct vmgroup_pool *pool, const struct rule_places *places, int32_t vm,
                      int32_t host);

/* Replaces *broken by the first rule that each VM of the world breaks: struct broken_rule by VM id,
 * valid as long as the world's VM groups. */
void broken_rules_find(struct map *broken, const struct world *world);

/* Add the detail of the rule. */
void broken_rule_add(const struct broken_rule *rule, char *text, size_t size);
