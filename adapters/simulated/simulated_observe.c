/* Observations of the simulated cloud. */
#include <string.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

enum { PLENTY = 1 << 30 /* MB */, SYSTEM_DATASTORE = 1 };

static const char owner[] = "oneadmin";

/* --- VMs -------------------------------------------------------------------------------------- */

static bool is_asked_for(const struct cloud_question *question, const struct simulated_vm *vm)
{
    if (question->subject == CLOUD_VMS)
        return vm->state != VM_DONE;
    if (question->subject == CLOUD_WAITING)
        return vm->state == VM_PENDING;
    for (size_t i = 0; i < question->n_ids; i++)
        if (question->ids[i] == vm->id)
            return true;
    return false;
}

static void show_extended(struct pool_memory *memory, const struct simulated_vm *from,
                          struct vm *vm)
{
    simulated_read(from->text, memory, &vm->user_template);
    if (from->message) {
        vm->user_template.items[vm->user_template.n++] = (struct attribute){
            "SCHED_MESSAGE", pool_memory_text(memory, from->message, strlen(from->message))};
    }
    vm->template = (struct attributes){0};
    vm->in_vmgroup = simulated_is_in_group(&vm->user_template);
    vm->hardware = simulated_show_demand(from, memory);
    simulated_show_nics(from, memory, vm);
    vm->is_extended = true;
}

/* All records count at once: both forms have the times. */
static void show_vm(struct vm_pool *pool, const struct simulated_vm *from, bool extended)
{
    struct vm *vm = &pool->items[pool->n++];

    *vm = (struct vm){
        .id = from->id,
        .user = owner,
        .group = owner,
        .name = pool_memory_text(pool->memory, from->name, strlen(from->name)),
        .state = from->state,
        .state_name = vm_state_traits[from->state].word,
        .stime = from->created,
        .etime = from->state == VM_DONE ? from->ended : 0,
        .cpu = from->cpu,
        .memory = from->memory,
        .history = {.sequence = from->sequence,
                    .host = from->host,
                    .cluster = from->sequence < 0 ? -1 : 0,
                    .datastore = from->sequence < 0 ? -1 : SYSTEM_DATASTORE,
                    .stime = from->started,
                    .etime = from->ended,
                    .rstime = from->started,
                    .retime = from->ended,
                    .recreated = from->recreated},
        .n_records = from->sequence + 1,
        .ran_for = from->ran_for,
    };
    if (extended)
        show_extended(pool->memory, from, vm);
}

static void show_vms(const struct simulated *self, const struct cloud_question *question,
                     struct vm_pool *pool)
{
    pool->memory = pool_memory_create();
    for (size_t i = 0; i < self->n_vms; i++) {
        if (!is_asked_for(question, &self->vms[i]))
            continue;
        MEMORY_GROW(pool->items, pool->allocated, pool->n + 1);
        show_vm(pool, &self->vms[i], question->subject != CLOUD_VMS);
    }
}

/* --- the site --------------------------------------------------------------------------------- */

static void show_hosts(const struct simulated *self, struct host_pool *pool)
{
    pool->memory = pool_memory_create();
    pool->items = memory_new(self->site.n_hosts, sizeof *pool->items);
    pool->n = pool->allocated = self->site.n_hosts;
    for (size_t i = 0; i < pool->n; i++) {
        const struct amounts *capacity = &self->site.hosts[i].capacity;
        char name[HOST_NAME_ROOM];

        simulated_host_name(i, name);
        pool->items[i] = (struct host){.id = (int32_t)i,
                                       .name = pool_memory_text(pool->memory, name, strlen(name)),
                                       .cluster_name = "default",
                                       .state = HOST_ON,
                                       .state_name = "on",
                                       .cpu = capacity->of[RESOURCE_CPU],
                                       .memory = capacity->of[RESOURCE_MEMORY],
                                       .disk = -1};
    }
    for (size_t i = 0; i < self->n_vms; i++) {
        const struct simulated_vm *vm = &self->vms[i];

        if (vm->host < 0 || !vm_state_traits[vm->state].holds)
            continue;
        pool->items[vm->host].cpu_usage += vm->cpu;
        pool->items[vm->host].memory_usage += vm->memory;
        pool->items[vm->host].running_vms++;
    }
    simulated_show_units(self, pool);
}

/* Room on storage is not simulated. */
static void show_datastores(struct datastore_pool *pool)
{
    pool->memory = pool_memory_create();
    pool->items = memory_new(1, sizeof *pool->items);
    pool->n = pool->allocated = 1;
    pool->items[0] =
        (struct datastore){.id = SYSTEM_DATASTORE,
                           .name = "system",
                           .type = 1,
                           .shared = true,
                           .clusters = pool_memory_array(pool->memory, 1, sizeof(int32_t)),
                           .n_clusters = 1,
                           .free = PLENTY,
                           .total = PLENTY};
    pool->items[0].clusters[0] = 0;
}

static void show_clusters(struct cluster_pool *pool)
{
    pool->items = memory_new(1, sizeof *pool->items);
    pool->n = pool->allocated = 1;
    pool->items[0] = (struct cluster){.name = "default"};
}

static void show_users(struct user_pool *pool)
{
    pool->memory = pool_memory_create();
    pool->items = memory_new(1, sizeof *pool->items);
    pool->n = pool->allocated = 1;
    pool->items[0] = (struct user){.name = owner,
                                   .group = owner,
                                   .groups = pool_memory_array(pool->memory, 1, sizeof(int32_t)),
                                   .n_groups = 1,
                                   .enabled = true};
    pool->items[0].groups[0] = 0;
}

void simulated_answer(const struct simulated *self, const struct cloud_question *question,
                      struct cloud_answer *answer)
{
    switch (question->subject) {
    case CLOUD_LEADERSHIP:
        answer->leadership = (struct cloud_leadership){.leads = true, .role = "solo", .server = -1};
        break;
    case CLOUD_HOSTS:
        show_hosts(self, &answer->hosts);
        break;
    case CLOUD_VMS:
    case CLOUD_WAITING:
    case CLOUD_SOME:
        show_vms(self, question, &answer->vms);
        break;
    case CLOUD_HISTORY:
        show_vms(self, question, &answer->vms);
        answer->no_vm = answer->vms.n == 0;
        answer->error = answer->no_vm ? "the VM does not exist" : NULL;
        break;
    case CLOUD_DATASTORES:
        show_datastores(&answer->datastores);
        break;
    case CLOUD_CLUSTERS:
        show_clusters(&answer->clusters);
        break;
    case CLOUD_USERS:
        show_users(&answer->users);
        break;
    case CLOUD_VMGROUPS:
        simulated_show_vmgroups(self, &answer->vmgroups);
        break;
    case CLOUD_NETWORKS:
        simulated_show_networks(self, &answer->networks);
        break;
    case CLOUD_RULES:
    case CLOUD_USES:
        break;
    }
}
