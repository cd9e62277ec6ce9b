/* Keeps the last observation of OpenNebula. */
#include "daemon/state/world.h"

#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/state/world_inside.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_OPENNEBULA

/* --- asking for some VMs ---------------------------------------------------------------------- */

static void look_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (answer->error)
        log_warning("%s", answer->error);
    for (size_t i = 0; i < answer->vms.n; i++)
        observation_see(world, &answer->vms.items[i], world->look_asked);
    if (!answer->more)
        world->look_seen(world->look_context, !answer->error);
}

void world_look(struct world *world, const int32_t *ids, size_t n,
                void (*seen)(void *context, bool ok), void *context)
{
    world->look_asked = clock_monotonic();
    world->look_seen = seen;
    world->look_context = context;
    cloud_ask(
        world->settings.cloud,
        &(struct cloud_question){
            .subject = CLOUD_SOME, .ids = ids, .n_ids = n, .told = look_in, .context = world});
}

static void history_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (answer->error)
        log_warning("%s", answer->error);
    for (size_t i = 0; i < answer->vms.n; i++) {
        const struct vm *vm = &answer->vms.items[i];
        struct vm_observation *observed = observation_make(world, vm->id);

        observed->n_records = vm->n_records;
        observed->ran_for = vm->ran_for;
        observation_is_new(world, vm->id);
    }
}

void world_read_history(struct world *world, int32_t id)
{
    cloud_ask(world->settings.cloud, &(struct cloud_question){.subject = CLOUD_HISTORY,
                                                              .ids = &id,
                                                              .n_ids = 1,
                                                              .told = history_in,
                                                              .context = world});
}

void world_want_full(struct world *world, const int32_t *ids, size_t n)
{
    free(world->wanted);
    world->wanted = memory_copy(ids, n * sizeof *ids);
    world->n_wanted = n;
}

void world_want_uses(struct world *world, bool wanted)
{
    world->wants_uses = wanted;
}

const struct vm_use *world_use(const struct world *world, int32_t vm)
{
    return vm_use_pool_find(&world->uses, vm);
}

int64_t world_uses_asked(const struct world *world)
{
    return world->uses_asked;
}

/* --- the world -------------------------------------------------------------------------------- */

struct world *world_create(const struct world_settings *settings, world_polled *polled,
                           void *context)
{
    struct world *world = memory_new(1, sizeof *world);

    world->settings = *settings;
    world->polled = polled;
    world->context = context;
    world->leadership = (struct cloud_leadership){.leads = !settings->check_leader, .server = -1};
    map_init(&world->observations, sizeof(struct vm_observation));
    return world;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    full_forms_finish(&world->full);
    full_forms_finish(&world->full_next);
    hosts_release(world->hosts);
    hosts_release(world->hosts_next);
    site_release(world->site);
    site_release(world->site_next);
    vmgroups_release(world->vmgroups);
    vmgroups_release(world->vmgroups_next);
    free(world->promises);
    free(world->refusing);
    free(world->addresses);
    free(world->wanted);
    free(world->changed_vms);
    free(world->forms);
    vm_use_pool_finish(&world->uses);
    for (uint32_t i = 0; i < world->observations.n; i++)
        observation_finish(map_value(&world->observations, i));
    map_finish(&world->observations);
    free(world->leaving);
    free(world->absent);
    free(world);
}

struct hosts_seen *world_hosts(const struct world *world)
{
    return world->hosts;
}

struct site_seen *world_site(const struct world *world)
{
    return world->site;
}

struct hosts_seen *hosts_retain(struct hosts_seen *hosts)
{
    if (hosts)
        hosts->references++;
    return hosts;
}

void hosts_release(struct hosts_seen *hosts)
{
    if (!hosts || --hosts->references > 0)
        return;
    host_pool_finish(&hosts->pool);
    free(hosts);
}

struct site_seen *site_retain(struct site_seen *site)
{
    if (site)
        site->references++;
    return site;
}

void site_release(struct site_seen *site)
{
    if (!site || --site->references > 0)
        return;
    datastore_pool_finish(&site->datastores);
    network_pool_finish(&site->networks);
    cluster_pool_finish(&site->clusters);
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
    free(site);
}

struct vmgroups_seen *world_vmgroups(const struct world *world)
{
    return world->vmgroups;
}

struct vmgroups_seen *vmgroups_retain(struct vmgroups_seen *vmgroups)
{
    if (vmgroups)
        vmgroups->references++;
    return vmgroups;
}

void vmgroups_release(struct vmgroups_seen *vmgroups)
{
    if (!vmgroups || --vmgroups->references > 0)
        return;
    vmgroup_pool_finish(&vmgroups->pool);
    free(vmgroups);
}

bool world_leads(const struct world *world)
{
    return world->leadership.leads;
}

const struct cloud_leadership *world_leadership(const struct world *world)
{
    return &world->leadership;
}

int64_t world_asked(const struct world *world)
{
    return world->asked;
}
