/* Finds the hosts, datastores and networks that the owner of a VM may use. */
#include <stdio.h>
#include <stdlib.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/memory.h"

static void permit_all(const struct eligibility *eligibility, struct access *access)
{
    for (size_t i = 0; i < eligibility->hosts->n; i++)
        bitmap_add(access->hosts, i);
    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++)
        access->datastores[i] = true;
    for (size_t i = 0; eligibility->networks && i < eligibility->networks->n; i++)
        access->networks[i] = true;
}

static void permit_hosts(const struct eligibility *eligibility, const struct acl_subject *subject,
                         struct access *access)
{
    struct acl rules = {0};

    acl_rules_for(eligibility->acl, subject, ACL_HOST, eligibility->settings.zone, &rules);
    for (size_t i = 0; i < eligibility->hosts->n; i++) {
        const struct host *host = &eligibility->hosts->items[i];
        struct acl_object object = {ACL_HOST, host->id, &host->cluster, 1};

        if (acl_rules_grant(&rules, &object))
            bitmap_add(access->hosts, i);
    }
    free(rules.rules);
}

static bool is_number(const struct attributes *attributes, const char *name, int64_t number)
{
    const char *text = attributes_find(attributes, name);
    int64_t value;

    return text && value_integer(text, &value) && value == number;
}

/* Checks the object's own permissions: USE for its owner, its group, or all others. */
static bool is_permitted_by_itself(const struct attributes *attributes,
                                   const struct acl_subject *subject)
{
    if (is_number(attributes, "PERMISSIONS/OTHER_U", 1))
        return true;
    if (is_number(attributes, "PERMISSIONS/OWNER_U", 1) &&
        is_number(attributes, "UID", subject->user))
        return true;
    for (size_t i = 0; i < subject->n_groups; i++)
        if (is_number(attributes, "PERMISSIONS/GROUP_U", 1) &&
            is_number(attributes, "GID", subject->groups[i]))
            return true;
    return false;
}

/* May the owner use a datastore or network, by an access rule or the object's permissions? */
static bool may_use(const struct acl *rules, const struct acl_object *object,
                    const struct attributes *attributes, const struct acl_subject *subject)
{
    return acl_rules_grant(rules, object) || is_permitted_by_itself(attributes, subject);
}

static void permit_datastores(const struct eligibility *eligibility,
                              const struct acl_subject *subject, struct access *access)
{
    struct acl rules = {0};

    acl_rules_for(eligibility->acl, subject, ACL_DATASTORE, eligibility->settings.zone, &rules);
    for (size_t i = 0; eligibility->datastores && i < eligibility->datastores->n; i++) {
        const struct datastore *datastore = &eligibility->datastores->items[i];
        const struct acl_object object = {ACL_DATASTORE, datastore->id, datastore->clusters,
                                          datastore->n_clusters};

        access->datastores[i] = may_use(&rules, &object, &datastore->attributes, subject);
    }
    free(rules.rules);
}

static void permit_networks(const struct eligibility *eligibility,
                            const struct acl_subject *subject, struct access *access)
{
    struct acl rules = {0};

    acl_rules_for(eligibility->acl, subject, ACL_NETWORK, eligibility->settings.zone, &rules);
    for (size_t i = 0; eligibility->networks && i < eligibility->networks->n; i++) {
        const struct network *network = &eligibility->networks->items[i];
        const struct acl_object object = {ACL_NETWORK, network->id, network->clusters,
                                          network->n_clusters};

        access->networks[i] = may_use(&rules, &object, &network->attributes, subject);
    }
    free(rules.rules);
}

static void read_access(const struct eligibility *eligibility, const struct vm *vm,
                        struct access *access)
{
    const struct user *user =
        eligibility->users ? user_pool_find(eligibility->users, vm->uid) : NULL;
    struct acl_subject subject = {.user = vm->uid, .groups = &vm->gid, .n_groups = 1};
    size_t n_datastores = eligibility->datastores ? eligibility->datastores->n : 0;
    size_t n_networks = eligibility->networks ? eligibility->networks->n : 0;

    if (user && user->n_groups) {
        subject.groups = user->groups;
        subject.n_groups = user->n_groups;
    }
    *access = (struct access){0};
    access->hosts = memory_new(host_columns_words(eligibility->columns), sizeof *access->hosts);
    access->datastores = memory_new(n_datastores, sizeof *access->datastores);
    access->networks = memory_new(n_networks, sizeof *access->networks);
    if (!eligibility->acl || vm->gid == 0 || acl_is_administrator(&subject)) {
        permit_all(eligibility, access);
    } else {
        access->by_rules = true;
        permit_hosts(eligibility, &subject, access);
        permit_datastores(eligibility, &subject, access);
        permit_networks(eligibility, &subject, access);
    }
}

uint32_t eligibility_access_of(struct eligibility *eligibility, const struct vm *vm)
{
    char key[32];
    bool is_new;
    uint32_t number;

    snprintf(key, sizeof key, "%d %d", vm->uid, vm->gid);
    number = eligibility_number(&eligibility->access_texts, key, &is_new);
    if (is_new) {
        MEMORY_GROW(eligibility->accesses, eligibility->accesses_allocated, (size_t)number + 1);
        read_access(eligibility, vm, &eligibility->accesses[number]);
    }
    return number;
}

bool eligibility_follows_rules(struct eligibility *eligibility, const struct vm *vm)
{
    return eligibility->accesses[eligibility_access_of(eligibility, vm)].by_rules;
}
