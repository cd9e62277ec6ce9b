/* Requests of leases to the engine, and the hosts that their VMs may use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/planner/in_vain.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

enum {
    BOOTS_SEEN = 3, /* with fewer observations, the site's setting applies */
    SOON = 60,      /* seconds */
    PAUSE = 10,     /* seconds until room on datastores and missing documents are checked again */
    NO_FILTER = -1,
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

/* --- filters ---------------------------------------------------------------------------------- */

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
        cannot_be_placed(facts, lease,
                         &(struct reason){.id = REASON_NOT_SUPPORTED,
                                          .text = "its VM group has too many rules for it"},
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

/* Finds the number of the filter of the VM's hosts. False: the VM cannot be placed at present; a
 * note gives the reason. */
static bool filter_of(struct facts *facts, const struct lease_record *lease,
                      const struct vm_record *vm, int32_t *filter)
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

/* --- requests --------------------------------------------------------------------------------- */

static void add_to_set(struct asking *asking, const struct amounts *amounts,
                       const struct set_numbers *numbers, size_t *set_of)
{
    size_t set = 0, n = asking->request.n_node_sets;

    while (set < n && (memcmp(&asking->numbers[set], numbers, sizeof *numbers) != 0 ||
                       memcmp(&asking->sets[set].amounts, amounts, sizeof *amounts) != 0))
        set++;
    if (set == n) {
        asking->sets[set] = (struct node_set){.amounts = *amounts};
        asking->numbers[set] = *numbers;
        asking->request.n_node_sets++;
    }
    asking->sets[set].count++;
    *set_of = set;
}

/* The engine numbers VMs in the order of the sets. */
static void order_by_set(struct planned *planned, const size_t *set_of, size_t n_sets)
{
    int32_t *ordered = memory_new(planned->n_vms, sizeof *ordered);
    size_t n = 0;

    for (size_t set = 0; set < n_sets; set++)
        for (size_t i = 0; i < planned->n_vms; i++)
            if (set_of[i] == set)
                ordered[n++] = planned->vms[i];
    free(planned->vms);
    planned->vms = ordered;
}

/* Seconds by which a reservation's VMs are commanded before its start, to run by then: the observed
 * boot time once there are enough observations. Without a configured boot time, reservations never
 * begin before their start. */
static int64_t boot_lead(const struct facts *facts, const struct lease_record *lease)
{
    struct estimate estimate = {0};
    int64_t lead = 0;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);

    if (facts->planner->settings.boot_time == 0)
        return 0;
    if (facts->planner->learned)
        estimate = learned_of(facts->planner->learned, OPERATION_BOOT);
    if (estimate.n < BOOTS_SEEN)
        return facts->planner->settings.boot_time;
    for (size_t i = 0; i < n; i++) {
        int64_t span = vms[i]->gone ? 0 : estimate_seconds(&estimate, vms[i]->memory);

        lead = span > lead ? span : lead;
    }
    return lead;
}

/* Would suspending the running lease not free all its hosts? A VM that its user has powered off
 * keeps its host, and OpenNebula cannot save the memory of one in UNKNOWN, which can only be ended.
 */
static bool cannot_be_suspended(const struct facts *facts, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);

    for (size_t i = 0; i < n && lease->phase == PHASE_RUNNING; i++) {
        const struct vm_observation *observed = world_vm(facts->planner->world, vms[i]->id);

        if (!vms[i]->gone && observed && !vms[i]->suspended_by_us &&
            (observed->state == VM_POWEROFF || observed->state == VM_SUSPENDED ||
             (observed->state == VM_UNKNOWN && lease->terms != TERMS_CANCELABLE)))
            return true;
    }
    return false;
}

struct lease_request request_of(const struct lease_record *lease)
{
    return (struct lease_request){.id = lease->id,
                                  .kind = lease->kind,
                                  .submit = lease->submit,
                                  .start = lease->start,
                                  .deadline = lease->deadline,
                                  .duration_original = lease->duration,
                                  .duration = lease->duration,
                                  .duration_known = SPAN_NONE,
                                  .term_values = lease->term_values,
                                  .user = lease->uid,
                                  .group = lease->gid,
                                  .user_name = lease->user,
                                  .group_name = lease->user_group};
}

static void fill_request(const struct facts *facts, const struct lease_record *lease,
                         struct asking *asking)
{
    struct lease_request *request = &asking->request;
    size_t n_sets = request->n_node_sets;

    *request = request_of(lease);
    request->start = INSTANT_NONE;
    request->node_sets = asking->sets;
    request->n_node_sets = n_sets;
    if (lease->kind == LEASE_IMMEDIATE && lease->accepted)
        request->kind = LEASE_BEST_EFFORT; /* the start was promised: the lease waits if
                                              necessary */
    if (cannot_be_suspended(facts, lease)) {
        request->preemptible = false;
        request->terms = TERMS_NON_PREEMPTABLE;
    }
    if (lease->kind == LEASE_RESERVATION) {
        int64_t at = lease->start - boot_lead(facts, lease);
        int64_t opens = facts_begins_inside(facts, lease);

        request_set_start(lease, opens != INSTANT_NONE && opens > at ? opens : at, facts->now,
                          request);
    } else if (asking->not_before > facts->now) {
        request->start = asking->not_before;
    } else if (lease->kind == LEASE_DEADLINE) {
        request->start = facts->now;
    }
    asking->planned->may_fit_later =
        request->kind == LEASE_BEST_EFFORT && request->deadline == INSTANT_NONE;
}

bool asking_make(struct facts *facts, const struct lease_record *lease, struct asking *asking)
{
    size_t n, *set_of;
    const struct vm_record *const *vms = store_vms_of(facts->store, lease->id, &n);
    struct planned *planned = planned_add(facts, lease->id);
    bool possible = true;

    *asking = (struct asking){.planned = planned,
                              .sets = memory_new(n, sizeof *asking->sets),
                              .numbers = memory_new(n, sizeof *asking->numbers)};
    facts->not_before = lease->earliest;
    planned->vms = memory_new(n, sizeof *planned->vms);
    set_of = memory_new(n, sizeof *set_of);
    for (size_t i = 0; i < n && possible; i++) {
        struct amounts amounts = facts_size(facts, vms[i]);
        struct set_numbers numbers;

        if (vms[i]->gone)
            continue;
        possible = filter_of(facts, lease, vms[i], &numbers.filter);
        numbers.demand = facts_demand(facts, lease, world_vm(facts->planner->world, vms[i]->id));
        planned->vms[planned->n_vms] = vms[i]->id;
        add_to_set(asking, &amounts, &numbers, &set_of[planned->n_vms++]);
    }
    if (asking->request.n_node_sets > 1)
        order_by_set(planned, set_of, asking->request.n_node_sets);
    asking->not_before = facts->not_before;
    free(set_of);
    if (possible && planned->n_vms) {
        fill_request(facts, lease, asking);
        return true;
    }
    asking_finish(asking);
    return false;
}

void asking_finish(struct asking *asking)
{
    free(asking->sets);
    free(asking->numbers);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Did the reservation's time end before it could be planned? */
static bool is_over(struct facts *facts, const struct lease_record *lease)
{
    if (lease->kind != LEASE_RESERVATION || !lease_is_over(lease, facts->now))
        return false;
    facts_note(facts, NOTE_REFUSED, lease->id,
               &(struct reason){.id = REASON_START_PASSED, .n = {lease->start, facts->now}},
               INSTANT_NONE);
    return true;
}

/* Adds the request of a new lease. False: impossible at present. */
static bool add_request(struct facts *facts, int64_t id, struct wire_writer *section)
{
    const struct lease_record *lease = store_lease(facts->store, id);
    const struct planned *before = planned_of(facts->planned, id);
    struct asking asking;

    lease = lease ? facts_lease(facts, lease) : NULL;
    if (!lease || lease->phase != PHASE_WAITING || lease->accepted ||
        (before && (before->in_engine || before->gone)) || is_over(facts, lease) ||
        !asking_make(facts, lease, &asking))
        return false;
    asking.planned->in_engine = true;
    facts->n_requests++;
    wire_put(section, STEP_REQUEST);
    wire_put_request(section, &asking.request, asking.numbers);
    asking_finish(&asking);
    return true;
}

/* Adds the request of a dry run, to the first step: like a new lease, it comes before those that
 * wait in the queue. */
static void add_asked(struct facts *facts, struct wire_writer *section)
{
    const struct lease_record anybody = {.phase = PHASE_WAITING,
                                         .term_values = facts->asked->term_values,
                                         .user = "",
                                         .user_group = ""};
    const struct set_numbers usual = {facts_usual_hosts_of(facts, &anybody), NO_FILTER};
    struct set_numbers *numbers = memory_new(facts->asked->n_node_sets, sizeof *numbers);

    for (size_t i = 0; i < facts->asked->n_node_sets; i++)
        numbers[i] = usual;
    wire_put(section, STEP_REQUEST);
    wire_put_request(section, facts->asked, numbers);
    free(numbers);
    facts->asked = NULL;
}

/* A start or resumption that is planned, but not sent, because its VMs wait for others to leave or
 * for their turn, is taken back for a new lease that needs the room, instead of starting the VMs
 * and stopping them. */
static size_t add_unsent(struct facts *facts, struct wire_writer *section)
{
    size_t n, n_added = 0;
    const struct lease_record *const *leases = store_awake_leases(facts->planner->store, &n);

    for (size_t i = 0; i < n; i++) {
        if (leases[i]->kind != LEASE_BEST_EFFORT ||
            !planner_has_sent_nothing(facts->planner, leases[i]))
            continue;
        wire_put(section, STEP_UNSENT);
        wire_put(section, leases[i]->id);
        n_added++;
    }
    return n_added;
}

void facts_add_step(struct facts *facts, const int64_t *departures, size_t n_departures,
                    const int64_t *arrivals, size_t n_arrivals)
{
    struct wire_writer section = {0};
    size_t n = n_departures;

    for (size_t i = 0; i < n_departures; i++) {
        wire_put(&section, STEP_CANCEL);
        wire_put(&section, departures[i]);
    }
    if (n_arrivals)
        n += add_unsent(facts, &section);
    for (size_t i = 0; i < n_arrivals; i++)
        n += add_request(facts, arrivals[i], &section);
    n += facts->asked != NULL;
    if (facts->asked)
        add_asked(facts, &section);
    wire_put(&facts->step_section, (int64_t)n);
    wire_move(&facts->step_section, &section);
    MEMORY_GROW(facts->step_leases, facts->steps_allocated, facts->n_steps + 1);
    facts->step_leases[facts->n_steps++] = n_departures == 0 && n_arrivals == 1 ? arrivals[0] : -1;
}
