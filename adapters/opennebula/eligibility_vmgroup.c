/* Finds the hosts that the roles of a VM in its VM groups allow and prefer. */
#include <stdio.h>
#include <stdlib.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "core/reason_details.h"
#include "util/append.h"
#include "util/memory.h"
#include "util/printable.h"

enum { KEY_MAX = VMGROUPS_OF_VM_MAX * 18 + 1, SHOWN_MAX = 48 };

static bool has_lists(const struct vmgroup_role *role)
{
    return role->hosts.n || role->not_hosts.n || role->clusters.n || role->not_clusters.n;
}

static const struct vmgroup_role *role_of(const struct vmgroup_pool *pool,
                                          const struct vmgroup_member *member)
{
    return &pool->items[member->group].roles[member->role];
}

static void add_role(struct eligibility *eligibility, const struct vmgroup_role *role,
                     struct role_hosts *hosts)
{
    for (size_t i = 0; i < eligibility->hosts->n; i++) {
        const struct host *host = &eligibility->hosts->items[i];

        if (vmgroup_role_allows(role, host->id, host->cluster)) {
            if (role->weight > 0 && hosts->preferences)
                hosts->preferences[i] += role->weight * ELIGIBILITY_WEIGHT;
        } else if (role->weight == 0) {
            bitmap_remove(hosts->allowed, i);
        }
    }
}

static void fill(struct eligibility *eligibility, const struct vmgroup_member *members, size_t n,
                 struct role_hosts *hosts)
{
    const struct vmgroup_pool *pool = eligibility->vmgroups;
    const struct vmgroup_role *first = NULL;
    char name[SHOWN_MAX];

    *hosts = (struct role_hosts){
        .allowed = memory_new(host_columns_words(eligibility->columns), sizeof *hosts->allowed)};
    for (size_t i = 0; i < eligibility->hosts->n; i++)
        bitmap_add(hosts->allowed, i);
    for (size_t i = 0; i < n; i++) {
        const struct vmgroup_role *role = role_of(pool, &members[i]);

        if (role->weight > 0 && has_lists(role) && !hosts->preferences)
            hosts->preferences = memory_new(eligibility->hosts->n, sizeof *hosts->preferences);
        if (!first && role->weight == 0 && has_lists(role)) {
            first = role;
            hosts->role = memory_text(printable(name, sizeof name, role->name));
            hosts->group = pool->items[members[i].group].id;
        }
        add_role(eligibility, role, hosts);
    }
}

uint32_t eligibility_roles_of(struct eligibility *eligibility, const struct vm *vm)
{
    char key[KEY_MAX];
    size_t n = 0, length = 0;
    const struct vmgroup_member *members =
        eligibility->vmgroups ? vmgroup_pool_roles_of(eligibility->vmgroups, vm->id, &n) : NULL;
    bool any = false, is_new;
    uint32_t number;

    for (size_t i = 0; i < n && i < VMGROUPS_OF_VM_MAX; i++) {
        any |= has_lists(role_of(eligibility->vmgroups, &members[i]));
        length = append_text(key, sizeof key, length, "%x/%x ", members[i].group, members[i].role);
    }
    if (!any)
        return MAP_NONE;
    number = eligibility_number(&eligibility->role_texts, key, &is_new);
    if (is_new) {
        MEMORY_GROW(eligibility->roles, eligibility->roles_allocated, (size_t)number + 1);
        fill(eligibility, members, n, &eligibility->roles[number]);
    }
    return number;
}

void eligibility_forget_roles(struct eligibility *eligibility)
{
    for (size_t i = 0; i < eligibility->role_texts.n; i++) {
        free(eligibility->roles[i].allowed);
        free(eligibility->roles[i].preferences);
        free(eligibility->roles[i].role);
    }
    free(eligibility->roles);
    map_finish(&eligibility->role_texts);
}

void eligibility_use_vmgroups(struct eligibility *eligibility, const struct vmgroup_pool *vmgroups)
{
    eligibility->vmgroups = vmgroups;
}

bool eligibility_fault_of_groups(const struct eligibility *eligibility, const struct vm *vm,
                                 char *reason, size_t size)
{
    size_t n = 0;

    if (eligibility->vmgroups)
        vmgroup_pool_roles_of(eligibility->vmgroups, vm->id, &n);
    if (n > VMGROUPS_OF_VM_MAX)
        details_add(
            reason, size,
            &(struct detail){.id = DETAIL_TOO_MANY_GROUPS, .n = {(int64_t)n, VMGROUPS_OF_VM_MAX}});
    else if (n == 0 && vm->in_vmgroup)
        details_add(reason, size,
                    &(struct detail){.id = DETAIL_GROUP_NOT_READ, .n = {vm->vmgroup}});
    else
        return false;
    return true;
}
