/* The hosts that a VM may use in a plan, or the reason why there are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/base/clock.h"
#include "daemon/planner/in_vain.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

enum {
    SOON = 60,  /* seconds */
    PAUSE = 10, /* seconds until room on datastores and missing documents are checked again */
};

/* Leases that need a promise are refused at once while promises are impossible. */
static void cannot_be_placed(struct facts *facts, const struct lease_record *lease,
                             const struct reason *reason, int64_t retry)
{
    enum note_kind kind = NOTE_REASON;

    if (lease->kind != LEASE_BEST_EFFORT && !lease->accepted)
        kind = reason->id == REASON_HOSTS_EXCLUDED && planner_has_old_rules(facts->planner, lease)
                   ? NOTE_DOUBTED
                   : NOTE_REFUSED;
    facts_note(facts, kind, lease->id, reason, retry);
}

/* The filter without hosts where the VM failed recently or would start in vain. If no host in
 * service remains, the filter applies unchanged, unless `always`; then a start in vain waits. */
static int32_t filter_without_failures(struct facts *facts, const struct vm_record *vm,
                                       const struct host_filter *filter, bool always)
{
    const struct host_pool *pool = &facts->snapshot->hosts->pool;
    struct host_filter own = filter ? *filter : (struct host_filter){0};
    uint64_t *allowed = memory_new(bitmap_words(pool->n), sizeof *allowed);
    int32_t number = NO_FILTER;
    int64_t opens;
    size_t left = 0;

    for (size_t i = 0; i < pool->n; i++)
        if (host_filter_allows(filter, i) && !vm_avoids(vm, pool->items[i].id, facts->now))
            bitmap_add(allowed, i);
    opens = facts_leave_out_in_vain(facts, vm, allowed);
    for (size_t i = 0; i < pool->n; i++)
        left += bitmap_has(allowed, i) && pool->items[i].state == HOST_ON;
    if (!left && opens > facts->not_before)
        facts->not_before = opens;
    own.allowed = allowed;
    if (left || always)
        number = facts_put_filter(facts, vm, &own);
    else if (filter) /* no other hosts */
        number = facts_shared_filter(facts, vm, filter);
    free(allowed);
    return number;
}

static int32_t filter_number(struct facts *facts, const struct vm_record *vm,
                             const struct host_filter *filter)
{
    return vm_avoids_any(vm, facts->now) || facts_leave_out_in_vain(facts, vm, NULL) != INSTANT_NONE
               ? filter_without_failures(facts, vm, filter, false)
               : facts_shared_filter(facts, vm, filter);
}

/* Only the VM's planned host. */
static int32_t stay_filter(struct facts *facts, const struct vm_record *vm)
{
    const struct host_pool *pool = &facts->snapshot->hosts->pool;
    uint64_t *allowed = memory_new(bitmap_words(pool->n), sizeof *allowed);
    const struct host_filter stay = {.allowed = allowed};
    int32_t number;

    for (size_t i = 0; i < pool->n; i++)
        if (pool->items[i].id == vm_planned_host(vm))
            bitmap_add(allowed, i);
    number = facts_put_filter(facts, vm, &stay);
    free(allowed);
    return number;
}

int32_t facts_relocation_filter(struct facts *facts, const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(facts->planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};
    uint64_t *none;
    int32_t number;

    if (!observed->full)
        return filter_without_failures(facts, vm, NULL, true);
    eligibility_of(facts->snapshot->eligibility, observed->full, &eligible);
    if (eligible.filter)
        return filter_without_failures(facts, vm, eligible.filter, true);
    none = memory_new(bitmap_words(facts->snapshot->hosts->pool.n), sizeof *none);
    number = facts_put_filter(facts, vm, &(struct host_filter){.allowed = none});
    free(none);
    return number;
}

/* For a lease with VMs that must leave: the hosts that this VM may go to, or its own. */
static int32_t leave_or_stay_filter(struct facts *facts, const struct vm_record *vm)
{
    int32_t filter;

    if (vm_leaves_by(facts->planner, facts->drains, vm, facts->now) != INSTANT_NONE &&
        facts_leave_filter(facts, vm, vm->host, &filter)) {
        facts->n_leaving++;
        return filter;
    }
    return stay_filter(facts, vm);
}

/* The hosts that a running lease's requirements allow if its terms allow moves. */
static int32_t move_filter(struct facts *facts, const struct lease_record *lease,
                           const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(facts->planner->world, vm->id);
    struct eligible eligible = {.filter = NULL};

    if (facts->leave_by != INSTANT_NONE)
        return leave_or_stay_filter(facts, vm);
    if (!planner_may_move(facts->planner, lease))
        return facts_any_host(facts, vm);
    if (observed && observed->hardware && observed->hardware->n_devices)
        return stay_filter(facts, vm); /* hypervisors do not save a VM with devices */
    if (observed && observed->full)
        eligibility_of(facts->snapshot->eligibility, observed->full, &eligible);
    if (!eligible.filter || eligible.n_hosts == 0)
        return stay_filter(facts, vm);
    return filter_number(facts, vm, eligible.filter);
}

bool planner_may_move(const struct planner *planner, const struct lease_record *lease)
{
    return planner->settings.engine.migration_interval > 0 && lease->terms == TERMS_MIGRATABLE &&
           lease->kind != LEASE_RESERVATION &&
           (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STARTING);
}

/* Datastores that are full now affect neither distant starts nor promises already made. */
static void look_at_hosts(struct facts *facts, const struct lease_record *lease,
                          const struct vm *vm, struct eligible *eligible)
{
    if (lease->phase == PHASE_RESERVED ||
        (lease->start != INSTANT_NONE && lease->start > facts->now + SOON))
        eligibility_of_later(facts->snapshot->eligibility, vm, eligible);
    else
        eligibility_of(facts->snapshot->eligibility, vm, eligible);
    if (eligible->lacks_room)
        facts_retry_at(facts, facts->now + PAUSE);
}

static void note_pause(struct facts *facts, const struct lease_record *lease,
                       const struct vm_record *vm, int64_t again)
{
    struct reason reason = {.id = lease->reason_id, .text = lease->reason};

    /* The failure itself is a better reason than the number of attempts. */
    if (reason.id == REASON_VM_FAILED || reason.id == REASON_COMMAND_REFUSED)
        memcpy(reason.n, lease->reason_n, sizeof reason.n);
    else
        reason = (struct reason){.id = REASON_PAUSE, .n = {vm->id, vm->attempts}};
    cannot_be_placed(facts, lease, &reason, again);
}

static void note_rank(struct facts *facts, const struct lease_record *lease,
                      const struct vm_record *vm, const char *why)
{
    char text[STORE_TEXT_MAX];

    snprintf(text, sizeof text, "VM %d: %s", vm->id, why);
    facts_note(facts, NOTE_RANK, lease->id, &(struct reason){.text = text}, INSTANT_NONE);
}

/* The reason if all hosts that the lease may use are quarantined, or drained without a planned end;
 * else REASON_NONE. A promise keeps its hosts. */
static struct reason hosts_are_out(const struct facts *facts, const struct lease_record *lease,
                                   const struct host_filter *filter)
{
    const struct reason none = {0};
    struct reason quarantined = {.id = REASON_QUARANTINED, .n = {0, 0, INSTANT_NEVER}};
    const struct host_pool *pool = &facts->snapshot->hosts->pool;
    const struct quarantine *quarantine = facts->planner->settings.quarantine;
    int64_t until;
    size_t n = 0;
    int32_t drained = -1;

    if (lease->phase == PHASE_RESERVED || *lease->booking ||
        ((!quarantine || quarantine->n == 0) && (!facts->drains || facts->drains->n == 0)))
        return none;
    for (size_t i = 0; i < pool->n; i++) {
        int32_t host = pool->items[i].id;
        const struct drain *drain = facts->drains ? drains_of(facts->drains, host) : NULL;

        if (!host_filter_allows(filter, i))
            continue;
        n++;
        if (drain && drain->from <= facts->now && drain->until == INSTANT_NEVER) {
            drained = drained < 0 ? host : drained;
            continue;
        }
        until = quarantine ? quarantine_until(quarantine, host, clock_now()) : INSTANT_NONE;
        if (until == INSTANT_NONE)
            return none;
        quarantined.n[0]++;
        if (until < quarantined.n[2])
            quarantined.n[1] = host, quarantined.n[2] = until;
    }
    if (drained < 0)
        return quarantined.n[0] ? quarantined : none;
    return (struct reason){.id = REASON_DRAINED, .n = {(int64_t)n, drained, quarantined.n[0] > 0}};
}

/* Has the VM failed recently, and must it wait for its next attempt? */
static bool pauses(struct facts *facts, const struct lease_record *lease,
                   const struct vm_record *vm)
{
    int64_t again = vm->next_try > vm->pause_until ? vm->next_try : vm->pause_until;

    if (again == INSTANT_NONE || again <= facts->now)
        return false;
    if (!lease->reason_word[0]) /* otherwise the reason already gives the failure and the next
                                   attempt */
        note_pause(facts, lease, vm, again);
    if (lease->phase == PHASE_WAITING)
        facts_note(facts, NOTE_ESTIMATE, lease->id, &(struct reason){0}, again);
    facts_retry_at(facts, again);
    return true;
}

/* The VM's hosts are unknown until its document is read. A promise keeps its place. */
static bool filter_without_document(struct facts *facts, const struct lease_record *lease,
                                    const struct vm_record *vm, int32_t *filter)
{
    facts_retry_at(facts, facts->now + PAUSE);
    if (lease->phase == PHASE_RESERVED) {
        *filter = stay_filter(facts, vm);
        return true;
    }
    facts_note(facts, NOTE_REASON, lease->id,
               &(struct reason){.id = REASON_TEMPLATE_NOT_READ, .n = {vm->id}}, facts->now + PAUSE);
    return false;
}

static bool filter_of_document(struct facts *facts, const struct lease_record *lease,
                               const struct vm_record *vm, const struct vm *document,
                               int32_t *filter)
{
    char text[STORE_TEXT_MAX] = "";
    struct eligible eligible;
    struct reason out;

    look_at_hosts(facts, lease, document, &eligible);
    if (!eligible.filter || eligible.n_hosts == 0) {
        cannot_be_placed(facts, lease,
                         &(struct reason){.id = eligible.malformed ? REASON_REQUIREMENT_MALFORMED
                                                                   : REASON_HOSTS_EXCLUDED,
                                          .text = eligible.reason},
                         INSTANT_NONE);
        return false;
    }
    if (facts_has_too_many_rules(facts, vm->id)) {
        details_add(text, sizeof text, &(struct detail){.id = DETAIL_TOO_MANY_RULES});
        cannot_be_placed(facts, lease, &(struct reason){.id = REASON_NOT_SUPPORTED, .text = text},
                         INSTANT_NONE);
        return false;
    }
    if (eligible.rank_ignored)
        note_rank(facts, lease, vm, eligible.reason);
    out = hosts_are_out(facts, lease, eligible.filter);
    if (out.id != REASON_NONE) {
        cannot_be_placed(facts, lease, &out, INSTANT_NONE);
        return false;
    }
    *filter = filter_number(facts, vm, eligible.filter);
    return true;
}

bool facts_filter(struct facts *facts, const struct lease_record *lease, const struct vm_record *vm,
                  int32_t *filter)
{
    const struct vm_observation *observed = world_vm(facts->planner->world, vm->id);
    char text[STORE_TEXT_MAX];

    *filter = store_is_queued(lease) ? facts_any_host(facts, vm) : move_filter(facts, lease, vm);
    if (!store_is_queued(lease))
        return true;
    if (facts_are_kept_out(facts, lease, text)) {
        facts_note(facts, lease->accepted ? NOTE_REASON : NOTE_REFUSED, lease->id,
                   &(struct reason){.id = REASON_BOOKING, .text = text}, INSTANT_NONE);
        return false;
    }
    if (!observed)
        return true;
    if (pauses(facts, lease, vm))
        return false;
    if (observed->locked) {
        cannot_be_placed(facts, lease, &(struct reason){.id = REASON_LOCKED, .n = {vm->id}},
                         INSTANT_NONE);
        return false;
    }
    if (!observed->full)
        return filter_without_document(facts, lease, vm, filter);
    return filter_of_document(facts, lease, vm, observed->full, filter);
}
