/* VM groups: those that the texts of VMs name, each with one role. */
#include <errno.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

/* The name of the VM's group, and its policy; NULL: it is in none. */
static const char *group_of(const struct attributes *vm, enum role_policy *policy)
{
    const char *word = attributes_find(vm, "VMGROUP/POLICY");

    *policy = ROLE_FREE;
    if (word && strcmp(word, "AFFINED") == 0)
        *policy = ROLE_TOGETHER;
    else if (word && strcmp(word, "ANTI_AFFINED") == 0)
        *policy = ROLE_APART;
    return attributes_find(vm, "VMGROUP/NAME");
}

bool simulated_is_in_group(const struct attributes *vm)
{
    enum role_policy policy;

    return group_of(vm, &policy) != NULL;
}

int simulated_check_group(const struct attributes *vector, struct error *err)
{
    enum role_policy policy;

    if (!group_of(vector, &policy) || policy == ROLE_FREE)
        return error_set(err, EINVAL,
                         "a VMGROUP needs a NAME, and the POLICY AFFINED or ANTI_AFFINED");
    return 0;
}

/* The role of the group with that name, which is added if there is none. */
static struct vmgroup_role *role_of(struct vmgroup_pool *pool, const char *name,
                                    enum role_policy policy)
{
    struct vmgroup *group;

    for (size_t i = pool->n; i > 0; i--)
        if (strcmp(pool->items[i - 1].name, name) == 0)
            return pool->items[i - 1].roles;
    MEMORY_GROW(pool->items, pool->allocated, pool->n + 1);
    group = &pool->items[pool->n];
    *group = (struct vmgroup){.id = (int32_t)pool->n++, .name = name, .n_roles = 1};
    group->roles = pool_memory_array(pool->memory, 1, sizeof *group->roles);
    group->roles[0] = (struct vmgroup_role){.name = name, .policy = policy};
    return group->roles;
}

/* The ids double their room when it is full. */
static void add_vm(struct pool_memory *memory, struct id_set *vms, int32_t id)
{
    if ((vms->n & (vms->n - 1)) == 0) {
        int32_t *ids = pool_memory_array(memory, vms->n ? 2 * vms->n : 1, sizeof *ids);

        if (vms->n)
            memcpy(ids, vms->ids, vms->n * sizeof *ids);
        vms->ids = ids;
    }
    vms->ids[vms->n++] = id;
}

void simulated_show_vmgroups(const struct simulated *self, struct vmgroup_pool *pool)
{
    pool->memory = pool_memory_create();
    for (size_t i = 0; i < self->n_vms; i++) {
        const struct simulated_vm *vm = &self->vms[i];
        struct attributes attributes;
        enum role_policy policy;
        const char *name;

        if (vm->state == VM_DONE || !strstr(vm->text, "VMGROUP"))
            continue;
        simulated_read(vm->text, pool->memory, &attributes);
        name = group_of(&attributes, &policy);
        if (name)
            add_vm(pool->memory, &role_of(pool, name, policy)->vms, vm->id);
    }
    vmgroup_pool_index(pool);
}
