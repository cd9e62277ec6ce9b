/* Requests of leases to the engine. */
#include <stdlib.h>
#include <string.h>

#include "daemon/planner/in_vain.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

enum { BOOTS_SEEN = 3 }; /* with fewer observations, the site's setting applies */

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
    int64_t opens;

    *asking = (struct asking){.planned = planned,
                              .sets = memory_new(n, sizeof *asking->sets),
                              .numbers = memory_new(n, sizeof *asking->numbers)};
    facts->not_before = lease->earliest;
    opens = lease->phase == PHASE_WAITING ? facts_booking_opens(facts, lease) : INSTANT_NONE;
    if (opens > facts->not_before)
        facts->not_before = opens;
    planned->vms = memory_new(n, sizeof *planned->vms);
    set_of = memory_new(n, sizeof *set_of);
    for (size_t i = 0; i < n && possible; i++) {
        struct amounts amounts = facts_size(facts, vms[i]);
        struct set_numbers numbers;

        if (vms[i]->gone)
            continue;
        possible = facts_filter(facts, lease, vms[i], &numbers.filter);
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
