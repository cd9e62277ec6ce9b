/* Totals over all leases, recomputed only after a lease has changed. */
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "util/memory.h"
#include "util/search.h"

enum { FAR_AHEAD = 24 * 3600 /* seconds */, LARGEST = 3 };

struct far_reservation {
    const struct lease_record *lease;
    int64_t cpu, memory;
    int64_t waiting; /* number of leases whose reason names it */
};

/* The leases named by the reasons of waiting ones, ascending; an id for each that waits. */
struct named {
    int64_t *ids;
    size_t n;
};

static struct named named_by(const struct lease_record *const *leases, size_t n)
{
    struct named named = {.ids = memory_new(n + 1, sizeof(int64_t))};

    for (size_t i = 0; i < n; i++) {
        const int64_t *reason = leases[i]->reason_n;

        if (leases[i]->phase == PHASE_WAITING && reason[3] > 0 && reason[1] >= 0 &&
            (leases[i]->reason_id == REASON_ROOM_RESERVED ||
             leases[i]->reason_id == REASON_PLANNED))
            named.ids[named.n++] = reason[1];
    }
    qsort(named.ids, named.n, sizeof *named.ids, search_by_number);
    return named;
}

static int64_t count_named(const struct named *named, int64_t id)
{
    const int64_t next = id + 1;
    const size_t size = sizeof *named->ids;

    return (int64_t)(search_place(&next, named->ids, named->n, size, search_by_number) -
                     search_place(&id, named->ids, named->n, size, search_by_number));
}

/* Accepted, and far ahead or in the way of a waiting lease. */
static bool is_listed(const struct lease_record *lease, int64_t waiting, int64_t now)
{
    return lease->phase == PHASE_RESERVED && instant_is_set(lease->start) &&
           (lease->start >= now + FAR_AHEAD || (waiting > 0 && lease->start > now));
}

static bool is_before(const struct far_reservation *far, const struct far_reservation *other)
{
    return (far->waiting > 0) != (other->waiting > 0) ? far->waiting > 0 : far->cpu > other->cpu;
}

static struct far_reservation far_of(const struct store *store, const struct lease_record *lease,
                                     int64_t waiting)
{
    struct far_reservation far = {.lease = lease, .waiting = waiting};
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        far.cpu += vms[i]->cpu;
        far.memory += vms[i]->memory;
    }
    return far;
}

static void insert(struct far_reservation largest[LARGEST], struct far_reservation far)
{
    for (size_t at = 0; at < LARGEST && far.lease; at++)
        if (!largest[at].lease || is_before(&far, &largest[at])) {
            struct far_reservation smaller = largest[at];

            largest[at] = far;
            far = smaller;
        }
}

static json_t *json_from_far(const struct far_reservation *far)
{
    json_t *line = json_object();

    json_put(line, "lease", json_integer(far->lease->id));
    json_put(line, "user", json_from_text(far->lease->user));
    json_put(line, "start", json_from_instant(far->lease->start));
    json_put(line, "cpu", json_real((double)far->cpu / 100));
    json_put(line, "memory", json_integer(far->memory));
    json_put(line, "waiting", json_integer(far->waiting));
    return line;
}

/* Lists the reservations that waiting leases name as the cause, then the largest far ahead. */
static json_t *far_reservations(const struct question *question, struct overview *overview)
{
    const struct store *store = question->answers->store;
    struct far_reservation largest[LARGEST] = {{0}};
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);
    const struct named named = named_by(leases, n);
    json_t *list = json_array(), *answer = json_object();
    json_int_t count = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t waiting = count_named(&named, leases[i]->id), until = leases[i]->start;

        if (!is_listed(leases[i], waiting, question->now))
            continue;
        count++;
        if (until >= question->now + FAR_AHEAD)
            until -= FAR_AHEAD;
        if (until < overview->until)
            overview->until = until;
        insert(largest, far_of(store, leases[i], waiting));
    }
    free(named.ids);
    for (size_t i = 0; i < LARGEST && largest[i].lease; i++)
        json_array_append_new(list, json_from_far(&largest[i]));
    json_put(answer, "count", json_integer(count));
    json_put(answer, "largest", list);
    return answer;
}

/* Has the lease begun, left its hosts, and is it waiting to be resumed? */
static bool is_suspended(const struct lease_record *lease)
{
    return store_is_queued(lease) && lease->accumulated > 0;
}

static void look_again(const struct question *question, struct overview *overview)
{
    const struct store *store = question->answers->store;
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);

    json_decref(overview->far);
    *overview = (struct overview){.changes = store_changes(store), .until = INSTANT_NEVER};
    for (size_t i = 0; i < n; i++) {
        overview->in_phase[leases[i]->phase]++;
        overview->late += leases[i]->late;
        overview->suspended += is_suspended(leases[i]);
    }
    overview->far = far_reservations(question, overview);
}

const struct overview *overview_look(const struct question *question)
{
    struct overview *overview = question->answers->overview;

    if (!overview->far || overview->changes != store_changes(question->answers->store) ||
        question->now > overview->until)
        look_again(question, overview);
    return overview;
}

struct overview *overview_create(void)
{
    return memory_new(1, sizeof(struct overview));
}

void overview_destroy(struct overview *overview)
{
    json_decref(overview->far);
    free(overview);
}
