/* Decides by OpenNebula's rules what the owner of a VM may use. */
#include "adapters/opennebula/acl_check.h"

#include "util/memory.h"

/* The meaning of the lower half of a field (include/AclRule.h of OpenNebula). */
#define ONE_OBJECT ((uint64_t)0x100000000)
#define GROUP      ((uint64_t)0x200000000)
#define ALL        ((uint64_t)0x400000000)
#define CLUSTER    ((uint64_t)0x800000000)
#define NUMBER     ((uint64_t)0xffffffff)
#define KIND       (ONE_OBJECT | GROUP | ALL | CLUSTER)

/* The rights that a rule must grant: the type of the objects (include/PoolObjectSQL.h), and the
 * right to place VMs on them (include/AuthRequest.h). */
enum { USE = 1, MANAGE = 2 };
static const struct {
    uint64_t type;
    uint64_t right;
} needed[] = {
    [ACL_HOST] = {0x2000000000, MANAGE},
    [ACL_NETWORK] = {0x4000000000, USE},
    [ACL_DATASTORE] = {0x100000000000, USE},
};

bool acl_is_administrator(const struct acl_subject *subject)
{
    if (subject->user == 0)
        return true;
    for (size_t i = 0; i < subject->n_groups; i++)
        if (subject->groups[i] == 0)
            return true;
    return false;
}

static bool names(uint64_t field, uint64_t kind, int32_t id)
{
    return (field & KIND) == kind && (field & NUMBER) == (uint32_t)id;
}

static bool concerns(const struct acl_rule *rule, const struct acl_subject *subject, int32_t zone)
{
    if (!(rule->zone & ALL) && !names(rule->zone, ONE_OBJECT, zone))
        return false;
    if (rule->user & ALL || names(rule->user, ONE_OBJECT, subject->user))
        return true;
    for (size_t i = 0; i < subject->n_groups; i++)
        if (names(rule->user, GROUP, subject->groups[i]))
            return true;
    return false;
}

void acl_rules_for(const struct acl *acl, const struct acl_subject *subject, enum acl_type type,
                   int32_t zone, struct acl *rules)
{
    for (size_t i = 0; i < acl->n; i++) {
        const struct acl_rule *rule = &acl->rules[i];

        if (!(rule->resource & needed[type].type) || !(rule->rights & needed[type].right) ||
            !concerns(rule, subject, zone))
            continue;
        MEMORY_GROW(rules->rules, rules->allocated, rules->n + 1);
        rules->rules[rules->n++] = *rule;
    }
}

bool acl_rules_grant(const struct acl *rules, const struct acl_object *object)
{
    for (size_t i = 0; i < rules->n; i++) {
        uint64_t resource = rules->rules[i].resource;

        if (resource & ALL || names(resource, ONE_OBJECT, object->id))
            return true;
        for (size_t k = 0; k < object->n_clusters; k++)
            if (names(resource, CLUSTER, object->clusters[k]))
                return true;
    }
    return false;
}
