/* What must hold in a story of VM groups, at any time and at its end. */
#include "test/property/group_stage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

void fail_story(struct stage *stage, const char *format, ...)
{
    va_list args;
    int length;

    if (stage->failed)
        return;
    stage->failed = true;
    length = snprintf(stage->text, stage->size, "at %" PRId64 ": ", stage->now - BEGIN);
    va_start(args, format);
    vsnprintf(stage->text + length, stage->size - (size_t)length, format, args);
    va_end(args);
}

static bool counts(const struct stage *stage, const struct vm *vm)
{
    const struct vm_record *record = store_vm(stage->store, vm->id);

    return vm->history.host >= 0 && vm_state_traits[vm->state].holds &&
           (vm_state_traits[vm->state].uses || !record || !record->suspended_by_us);
}

/* A group's rules do not keep VMs that their user moved; so no user of the story does. */
static struct vm_places places_of(void *context, int32_t id)
{
    const struct stage *stage = context;
    const struct vm *vm = moving_cloud_vm(&stage->cloud, id);
    const struct vm_record *record = store_vm(stage->store, id);
    struct vm_places places = {.next = -1};

    if (!vm || !counts(stage, vm))
        return places;
    places.hosts[places.n++] = vm->history.host;
    if (stage->cloud.vms[id].from >= 0)
        places.hosts[places.n++] = stage->cloud.vms[id].from;
    places.ends = record && (record->goal == GOAL_END || record->goal == GOAL_STOP);
    places.left_behind = record && record->move_failures > 0;
    if (record && vm_moves(record))
        places.next = record->move_to;
    return places;
}

static void check_capacity(struct stage *stage)
{
    const struct fake_cloud *fake = stage->scene.fake;

    for (size_t i = 0; i < fake->n_hosts; i++) {
        int64_t cpu = 0, memory = 0;

        for (size_t k = 0; k < fake->n_vms; k++) {
            const struct vm *vm = &fake->vms[k];
            int32_t from = stage->cloud.vms[vm->id].from;

            if (!counts(stage, vm) ||
                (vm->history.host != fake->hosts[i].id && from != fake->hosts[i].id))
                continue;
            cpu += vm->cpu;
            memory += vm->memory;
        }
        if (cpu > CPU || memory > MEMORY)
            fail_story(stage, "host %zu has VMs of %" PRId64 " CPU and %" PRId64 " MB", i, cpu,
                       memory);
    }
}

static void check_promises(struct stage *stage)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(stage->store, &n);

    for (size_t i = 0; i < n; i++) {
        char why[STORE_SENTENCE_MAX];

        if (leases[i]->kind != LEASE_RESERVATION || !leases[i]->accepted ||
            leases[i]->submit < stage->excused ||
            (!leases[i]->late && leases[i]->reason_id != REASON_MISSED))
            continue;
        store_reason_sentence(leases[i], true, why, sizeof why);
        fail_story(stage, "reservation %" PRId64 " is late or missed: %s", leases[i]->id, why);
    }
}

void group_story_check(struct stage *stage)
{
    const struct places_of_vms places = {places_of, stage};
    char text[256];

    if (!groups_are_kept(&stage->groups, &places, text, sizeof text))
        fail_story(stage, "%s", text);
    check_capacity(stage);
    check_promises(stage);
}
