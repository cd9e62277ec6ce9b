/* Totals over all leases, recomputed only after a lease has changed. */
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "util/memory.h"

enum { FAR_AHEAD = 24 * 3600 /* seconds */, LARGEST = 3 };

struct far_reservation {
    const struct lease_record *lease;
    int64_t cpu, memory;
};

static struct far_reservation far_of(const struct store *store, const struct lease_record *lease)
{
    struct far_reservation far = {.lease = lease};
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
        if (!largest[at].lease || far.cpu > largest[at].cpu) {
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
    return line;
}

/* Lists the largest reservations far ahead: other leases may wait for their capacity. */
static json_t *far_reservations(const struct question *question, struct overview *overview)
{
    const struct store *store = question->answers->store;
    struct far_reservation largest[LARGEST] = {{0}};
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);
    json_t *list = json_array(), *answer = json_object();
    json_int_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (leases[i]->phase != PHASE_RESERVED || leases[i]->kind != LEASE_RESERVATION ||
            leases[i]->start < question->now + FAR_AHEAD)
            continue;
        count++;
        if (leases[i]->start - FAR_AHEAD < overview->until)
            overview->until = leases[i]->start - FAR_AHEAD;
        insert(largest, far_of(store, leases[i]));
    }
    for (size_t i = 0; i < LARGEST && largest[i].lease; i++)
        json_array_append_new(list, json_from_far(&largest[i]));
    json_put(answer, "count", json_integer(count));
    json_put(answer, "largest", list);
    return answer;
}

/* Has the lease begun, left its hosts, and is it waiting to be resumed? */
static bool is_suspended(const struct lease_record *lease)
{
    return (lease->phase == PHASE_WAITING || lease->phase == PHASE_RESERVED) &&
           lease->accumulated > 0;
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
