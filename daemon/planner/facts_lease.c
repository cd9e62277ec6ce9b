/* Facts about one lease or VM, and notes about them. */
#include <stdio.h>

#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

/* Seconds after its estimated end when a suspension becomes overdue: it is then assumed to need as
 * long again as it has taken, and leases promised its hosts are placed elsewhere. */
enum { OVERDUE = 10 };

const struct lease_record *facts_lease(const struct facts *facts, const struct lease_record *lease)
{
    return facts->changed && facts->changed->lease->id == lease->id ? facts->changed->lease : lease;
}

struct amounts facts_size(const struct facts *facts, const struct vm_record *vm)
{
    const struct changed_lease *changed = facts->changed;
    struct amounts size = {{0}};

    size.of[RESOURCE_CPU] = vm->cpu;
    size.of[RESOURCE_MEMORY] = vm->memory;
    if (changed && changed->lease->id == vm->lease && changed->cpu)
        size.of[RESOURCE_CPU] = changed->cpu;
    if (changed && changed->lease->id == vm->lease && changed->memory)
        size.of[RESOURCE_MEMORY] = changed->memory;
    return size;
}

bool lease_holds_hosts(const struct lease_record *lease)
{
    return lease->phase == PHASE_STARTING || lease->phase == PHASE_RUNNING ||
           lease->phase == PHASE_STOPPING;
}

int64_t planner_seen_under_rules(const struct planner *planner, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);
    int64_t seen = 0;

    for (size_t i = 0; i < n && planner->snapshot.eligibility; i++) {
        const struct vm_observation *observed = world_vm(planner->world, vms[i]->id);

        if (observed && observed->full && observed->since > seen &&
            eligibility_follows_rules(planner->snapshot.eligibility, observed->full))
            seen = observed->since;
    }
    return seen;
}

bool planner_has_old_rules(const struct planner *planner, const struct lease_record *lease)
{
    int64_t seen = lease->accepted ? 0 : planner_seen_under_rules(planner, lease);

    return seen > 0 && seen >= world_site_asked(planner->world);
}

bool planner_has_sent_nothing(const struct planner *planner, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(planner->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed = world_vm(planner->world, vms[i]->id);
        bool is_suspended = vms[i]->suspended_by_us && observed && observed->state == VM_SUSPENDED;

        if (vms[i]->command || vms[i]->last || (!is_suspended && observed_holds_host(observed)))
            return false;
    }
    return lease->phase == PHASE_STARTING;
}

int64_t lease_remaining(const struct lease_record *lease, int64_t now)
{
    int64_t ran = store_has_run(lease, now);

    if (lease->duration == SPAN_UNLIMITED)
        return SPAN_UNLIMITED;
    return lease->duration > ran ? lease->duration - ran : 0;
}

void request_set_start(const struct lease_record *lease, int64_t at, int64_t now,
                       struct lease_request *request)
{
    int64_t left;

    request->start = at > now ? at : now;
    if (lease->duration == SPAN_UNLIMITED)
        return;
    left = lease->start + lease->duration - request->start;
    request->duration = request->duration_original = left > 0 ? left : 0;
}

bool vm_avoids(const struct vm_record *vm, int32_t host, int64_t now)
{
    for (size_t i = 0; vm->avoided && i < AVOIDED_MAX; i++)
        if (vm->avoided->host[i] == host && vm->avoided->until[i] > now)
            return true;
    return false;
}

bool vm_avoids_any(const struct vm_record *vm, int64_t now)
{
    for (size_t i = 0; vm->avoided && i < AVOIDED_MAX; i++)
        if (vm->avoided->host[i] >= 0 && vm->avoided->until[i] > now)
            return true;
    return false;
}

int64_t facts_leaving_until(const struct facts *facts, const struct lease_record *lease,
                            int64_t now, bool *overdue)
{
    struct estimate estimate = {0};
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);
    int64_t until = now + 1;

    *overdue = false;
    if (facts->planner->learned)
        estimate = learned_of(facts->planner->learned, OPERATION_SUSPEND);
    for (size_t i = 0; i < n; i++) {
        int64_t span = estimate.n ? estimate_seconds(&estimate, vms[i]->memory) : SETTLING;
        int64_t begun = now, end;

        if (vms[i]->gone || vms[i]->goal != GOAL_STOP)
            continue;
        /* `suspended_by_us` is set when the command is prepared. */
        if (vms[i]->suspended_by_us && vms[i]->sent != INSTANT_NONE && vms[i]->sent < now)
            begun = vms[i]->sent;
        end = begun + span;
        if (end + OVERDUE < now) {
            end = now + (now - begun);
            *overdue = true;
        } else if (end <= now) {
            end = now + SETTLING;
        }
        until = end > until ? end : until;
    }
    return until;
}

bool facts_leaves_for_promise(const struct facts *facts, const struct lease_record *lease)
{
    bool overdue;

    if (lease->phase != PHASE_STOPPING || lease->kind != LEASE_DEADLINE)
        return false;
    facts_leaving_until(facts, lease, facts->now, &overdue);
    return !overdue;
}

bool facts_may_leave(const struct facts *facts, const struct lease_record *lease)
{
    return lease->phase == PHASE_RUNNING ||
           (lease->phase == PHASE_STARTING && facts->drains != facts->planner->settings.drains);
}

int64_t facts_leaves_by(const struct facts *facts, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);
    int64_t by = INSTANT_NONE;

    for (size_t i = 0; i < n; i++) {
        int64_t vm_by = vm_leaves_by(facts->planner, facts->drains, vms[i], facts->now);

        if (vm_by != INSTANT_NONE && (by == INSTANT_NONE || vm_by < by))
            by = vm_by;
    }
    return by;
}

void facts_note(struct facts *facts, enum note_kind kind, int64_t lease,
                const struct reason *reason, int64_t retry)
{
    struct note *note;

    MEMORY_GROW(facts->notes, facts->notes_allocated, facts->n_notes + 1);
    note = &facts->notes[facts->n_notes++];
    *note = (struct note){.kind = kind, .lease = lease, .reason = *reason, .retry = retry};
    snprintf(note->text, sizeof note->text, "%s", reason->text ? reason->text : "");
}

void facts_retry_at(struct facts *facts, int64_t at)
{
    if (at < facts->retry)
        facts->retry = at;
}
