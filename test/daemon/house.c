/* A store, a planner and hosts of 4 CPUs, each for one VM. */
#include "test/daemon/house.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void open_house(struct house *house, struct store *store, int n_hosts)
{
    struct engine_settings *engine = &house->scene.settings.engine;

    scene_open(&house->scene, store);
    for (int32_t i = 0; i < n_hosts; i++)
        fake_cloud_add_host(house->scene.fake, i, CPU, 8 * MEMORY);
    scene_poll(&house->scene);
    engine->override_suspend_time = engine->override_resume_time = 10;
    engine->shutdown_time = 0;
    house->planner = scene_renew_planner(&house->scene);
}

void close_house(struct house *house)
{
    scene_close(&house->scene);
}

void rebuild(struct house *house, int64_t now)
{
    scene_plan(&house->scene, true, now);
}

void all_may_be_preempted(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = batch->victims[i].lease->request.preemptible ? 1 : POLICY_VETO;
}

struct lease_record *add_lease(struct store *store, int64_t id, enum lease_phase phase,
                               enum lease_kind kind, int64_t duration)
{
    struct lease_record *lease = store_add_lease(store, id);
    struct vm_record *vm = store_add_vm(store, (int32_t)id, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->terms = TERMS_SUSPENDABLE;
    lease->preemptible = true;
    lease->accepted = true;
    lease->submit = NOW - 1000;
    lease->duration = duration;
    vm->cpu = CPU;
    vm->memory = MEMORY;
    vm->host = 0;
    return lease;
}

static void count_line(void *context, const struct store_event *event)
{
    ++*(size_t *)context;
}

void look_at_store(struct store *store, struct picture_of_store *picture)
{
    const struct lease_record *const *leases = store_leases(store, &picture->n_leases);
    const struct vm_record *const *vms = store_vms(store, &picture->n_vms);

    assert_in_range(picture->n_leases, 1, 8);
    for (size_t i = 0; i < picture->n_leases; i++)
        picture->leases[i] = *leases[i];
    for (size_t i = 0; i < picture->n_vms; i++)
        picture->vms[i] = *vms[i];
    picture->n_lines = 0;
    assert_int_equal(
        store_each_event(store, STORE_NO_LEASE, 0, count_line, &picture->n_lines, NULL), 0);
    picture->changes = store_has_changes(store);
}
