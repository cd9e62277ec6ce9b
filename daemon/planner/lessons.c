/* Reports events of leases to policy modules. */
#include "daemon/planner/lessons.h"

#include <stdlib.h>
#include <string.h>

#include "core/lease.h"
#include "daemon/base/log.h"
#include "daemon/planner/planner_inside.h"
#include "plugin/policy_host.h"
#include "util/memory.h"
#include "util/search.h"

#define LOG_SUBSYSTEM LOG_OF_POLICIES

enum { RECALLED_LINES = 20000 };

/* Events of an unfinished lease that modules have received. */
struct known {
    int64_t lease;
    bool started;
};

struct lessons {
    struct store *store;
    struct lesson_listener listener;
    bool begun;
    struct known *known; /* ascending */
    size_t n_known, allocated;

    const struct lease_record *past; /* a lease that is no longer in memory, and its VMs */
    struct vm_record *past_vms;
    size_t n_past_vms, past_vms_allocated;
};

/* --- known leases ----------------------------------------------------------------------------- */

static size_t place_of(const struct lessons *lessons, int64_t lease)
{
    return search_place(&lease, lessons->known, lessons->n_known, sizeof *lessons->known,
                        search_by_number);
}

static struct known *find(const struct lessons *lessons, int64_t lease)
{
    size_t place = place_of(lessons, lease);

    return place < lessons->n_known && lessons->known[place].lease == lease ? &lessons->known[place]
                                                                            : NULL;
}

static void add(struct lessons *lessons, int64_t lease)
{
    size_t place = place_of(lessons, lease);

    MEMORY_GROW(lessons->known, lessons->allocated, lessons->n_known + 1);
    memmove(&lessons->known[place + 1], &lessons->known[place],
            (lessons->n_known++ - place) * sizeof *lessons->known);
    lessons->known[place] = (struct known){.lease = lease};
}

static void drop(struct lessons *lessons, struct known *known)
{
    struct known *end = lessons->known + lessons->n_known--;

    memmove(known, known + 1, (size_t)(end - known - 1) * sizeof *known);
}

/* --- the lease as a module sees it ------------------------------------------------------------ */

static void keep_past_vm(void *context, const struct vm_record *vm)
{
    struct lessons *lessons = context;

    MEMORY_GROW(lessons->past_vms, lessons->past_vms_allocated, lessons->n_past_vms + 1);
    lessons->past_vms[lessons->n_past_vms] = *vm;
    lessons->past_vms[lessons->n_past_vms].message = "";
    lessons->past_vms[lessons->n_past_vms].stays = "";
    lessons->past_vms[lessons->n_past_vms++].asked = "";
}

/* A lease that is no longer in memory; NULL: its records have been deleted too. */
static const struct lease_record *read_past(struct lessons *lessons, int64_t id)
{
    struct error err = {0};

    if (lessons->past && lessons->past->id == id)
        return lessons->past;
    lessons->n_past_vms = 0;
    if (store_past_lease(lessons->store, id, &lessons->past, &err) == 1 &&
        store_each_past_vm(lessons->store, id, keep_past_vm, lessons, &err) == 0)
        return lessons->past;
    if (err.text[0])
        log_warning_of(id, -1, "policy modules receive no events of lease %lld: %s", (long long)id,
                       err.text);
    lessons->past = NULL;
    return NULL;
}

static void add_vm(struct node_set *sets, size_t *n, const struct vm_record *vm)
{
    const struct amounts amounts = {
        .of = {[RESOURCE_CPU] = vm->cpu, [RESOURCE_MEMORY] = vm->memory}};

    if (*n && memcmp(&sets[*n - 1].amounts, &amounts, sizeof amounts) == 0)
        sets[*n - 1].count++;
    else
        sets[(*n)++] = (struct node_set){.count = 1, .amounts = amounts};
}

static struct lease snapshot_of(const struct lease_record *lease, enum policy_event_kind kind)
{
    static const enum lease_state states[] = {
        [POLICY_EVENT_REQUESTED] = LEASE_PENDING,
        [POLICY_EVENT_STARTED] = LEASE_ACTIVE,
        [POLICY_EVENT_PREEMPTED] = LEASE_SUSPENDING,
        [POLICY_EVENT_RESUMED] = LEASE_ACTIVE,
        [POLICY_EVENT_FINISHED] = LEASE_DONE,
        [POLICY_EVENT_PARKED] = LEASE_SUSPENDED_PENDING,
        [POLICY_EVENT_RELEASED] = LEASE_PENDING,
    };

    return (struct lease){
        .request = request_of(lease),
        .state = states[kind],
        .start_actual = INSTANT_NONE,
        .end = INSTANT_NONE,
        .accumulated =
            kind == POLICY_EVENT_FINISHED || kind == POLICY_EVENT_RESUMED ? lease->accumulated : 0,
        .duration_actual = SPAN_NONE,
    };
}

static void tell(struct lessons *lessons, const struct lease_record *lease,
                 const struct policy_event *what)
{
    struct policy_event event = *what;
    struct lease snapshot = snapshot_of(lease, event.kind);
    size_t n = 0, n_sets = 0;
    const struct vm_record *const *vms = store_vms_of(lessons->store, lease->id, &n);
    struct node_set *sets;

    n = lease == lessons->past ? lessons->n_past_vms : n;
    sets = memory_new(n, sizeof *sets);
    for (size_t i = 0; i < n; i++)
        add_vm(sets, &n_sets, lease == lessons->past ? &lessons->past_vms[i] : vms[i]);
    snapshot.n_vms = (uint32_t)n;
    snapshot.request.node_sets = sets;
    snapshot.request.n_node_sets = n_sets;
    event.lease = &snapshot;
    lessons->listener.tell(lessons->listener.context, &event);
    free(sets);
}

/* --- from history words to policy events ------------------------------------------------------ */

static void requested(struct lessons *lessons, const struct lease_record *lease, int64_t at)
{
    if (find(lessons, lease->id))
        return;
    add(lessons, lease->id);
    tell(lessons, lease,
         &(struct policy_event){.kind = POLICY_EVENT_REQUESTED, .time = at, .accepted = true});
}

static void runs(struct lessons *lessons, const struct lease_record *lease, int64_t at)
{
    struct known *known;

    requested(lessons, lease, at);
    known = find(lessons, lease->id);
    tell(lessons, lease,
         &(struct policy_event){
             .kind = known->started ? POLICY_EVENT_RESUMED : POLICY_EVENT_STARTED, .time = at});
    known->started = true;
}

static void preempted(struct lessons *lessons, const struct lease_record *lease, int64_t at)
{
    if (find(lessons, lease->id))
        tell(lessons, lease,
             &(struct policy_event){
                 .kind = POLICY_EVENT_PREEMPTED, .time = at, .other = lease->preempted_for});
}

/* The lease is over; it may have been refused before it was accepted. */
static void over(struct lessons *lessons, const struct lease_record *lease, int64_t at,
                 bool refused)
{
    struct known *known = find(lessons, lease->id);

    if (!known && !refused)
        return;
    if (!known)
        tell(lessons, lease, &(struct policy_event){.kind = POLICY_EVENT_REQUESTED, .time = at});
    tell(lessons, lease, &(struct policy_event){.kind = POLICY_EVENT_FINISHED, .time = at});
    if (known)
        drop(lessons, known);
}

/* The user parked the lease, or returned it to scheduling. */
static void is_parked(struct lessons *lessons, const struct lease_record *lease, int64_t at,
                      bool parked)
{
    if (!find(lessons, lease->id))
        return;
    tell(lessons, lease,
         &(struct policy_event){.kind = parked ? POLICY_EVENT_PARKED : POLICY_EVENT_RELEASED,
                                .time = at});
}

static void learn(struct lessons *lessons, const struct lease_record *lease,
                  const struct store_event *event)
{
    const char *word = event->event;

    if (strcmp(word, "accepted") == 0 || strcmp(word, "adopted") == 0 ||
        (strcmp(word, "requested") == 0 && lease->plain && lease->accepted))
        requested(lessons, lease, event->at);
    else if (strcmp(word, "parked") == 0 || strcmp(word, "released") == 0)
        is_parked(lessons, lease, event->at, *word == 'p');
    else if (strcmp(word, "running") == 0)
        runs(lessons, lease, event->at);
    else if (strcmp(word, "preempted") == 0)
        preempted(lessons, lease, event->at);
    else if (strcmp(word, "refused") == 0)
        over(lessons, lease, event->at, true);
    else if (strcmp(word, "ended") == 0 || strcmp(word, "given-up") == 0 ||
             strcmp(word, "missed") == 0)
        over(lessons, lease, event->at, false);
    if (strcmp(word, "adopted") == 0 && lease->phase == PHASE_PARKED)
        is_parked(lessons, lease, event->at, true);
}

static void happened(void *context, const struct store_event *event)
{
    struct lessons *lessons = context;
    const struct lease_record *lease = store_lease(lessons->store, event->lease);

    if (lease && lessons->begun && lessons->listener.wants(lessons->listener.context))
        learn(lessons, lease, event);
}

struct lessons *lessons_create(struct store *store, const struct lesson_listener *listener)
{
    struct lessons *lessons = memory_new(1, sizeof *lessons);

    lessons->store = store;
    lessons->listener = *listener;
    store_listen(store, happened, lessons);
    return lessons;
}

void lessons_destroy(struct lessons *lessons)
{
    if (!lessons)
        return;
    store_ignore(lessons->store, lessons);
    free(lessons->known);
    free(lessons->past_vms);
    free(lessons);
}

/* --- the past --------------------------------------------------------------------------------- */

struct recall {
    struct lessons *lessons;
    int64_t oldest; /* time of the oldest line; INSTANT_NONE: no lines */
};

static void find_oldest(void *context, const struct store_event *event)
{
    struct recall *recall = context;

    if (recall->oldest == INSTANT_NONE)
        recall->oldest = event->at;
}

static void recall_line(void *context, const struct store_event *event)
{
    struct lessons *lessons = ((const struct recall *)context)->lessons;
    const struct lease_record *lease = store_lease(lessons->store, event->lease);

    if (!lease && event->lease >= 0)
        lease = read_past(lessons, event->lease);
    if (lease)
        learn(lessons, lease, event);
}

/* Reports leases that began before the oldest line that is read. */
static void recall_long_ones(struct lessons *lessons, int64_t oldest)
{
    size_t n;
    const struct lease_record *const *leases = store_leases(lessons->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = leases[i];

        if (!lease->accepted || lease->phase >= PHASE_ENDED || lease->submit >= oldest)
            continue;
        requested(lessons, lease, lease->submit);
        if (lease->since != INSTANT_NONE && lease->since < oldest)
            runs(lessons, lease, lease->since);
        if (lease->phase == PHASE_PARKED)
            is_parked(lessons, lease, lease->submit, true);
    }
}

void lessons_recall(struct lessons *lessons)
{
    struct recall recall = {.lessons = lessons, .oldest = INSTANT_NONE};
    struct error err = {0};

    lessons->begun = true;
    lessons->n_known = 0;
    if (!lessons->listener.wants(lessons->listener.context))
        return;
    if (store_each_event(lessons->store, STORE_NO_LEASE, RECALLED_LINES, find_oldest, &recall,
                         &err) < 0)
        log_warning("policy modules receive no past events: %s", err.text);
    recall_long_ones(lessons, recall.oldest == INSTANT_NONE ? INSTANT_NEVER : recall.oldest);
    if (store_each_event(lessons->store, STORE_NO_LEASE, RECALLED_LINES, recall_line, &recall,
                         &err) < 0)
        log_warning("policy modules receive only part of the past events: %s", err.text);
    lessons->past = NULL;
}
