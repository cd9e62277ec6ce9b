/* A log of the operations that engines had carried out, judged by the checker. */
#include "test/property/carried_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "verify/verify.h"

enum { LEASES_MAX = 64 };

struct operation {
    int64_t lease;
    struct schedule_reservation as; /* until: SCHEDULE_NEVER while it is under way */
    bool lost;                      /* its work was thrown away */
};

struct carried_out {
    const struct site *site;
    const struct engine_settings *settings;
    struct operation *operations;
    size_t n, allocated;
    struct schedule_move *moves;
    size_t n_moves, moves_allocated;
    enum schedule_state states[LEASES_MAX];
    int64_t ends[LEASES_MAX];
    struct schedule_lease leases[LEASES_MAX];
    size_t n_leases;
    int64_t credits[LEASES_MAX];
};

struct carried_out *carried_out_create(const struct site *site,
                                       const struct engine_settings *settings)
{
    struct carried_out *log = memory_new(1, sizeof *log);

    log->site = site;
    log->settings = settings;
    return log;
}

static void drop_operation(struct operation *operation)
{
    free(operation->as.holdings);
    free(operation->as.places);
}

void carried_out_destroy(struct carried_out *log)
{
    for (size_t i = 0; i < log->n; i++)
        drop_operation(&log->operations[i]);
    for (size_t i = 0; i < log->n_leases; i++) {
        free(log->leases[i].reservations);
        free(log->leases[i].vms);
    }
    free(log->operations);
    free(log->moves);
    free(log);
}

/* --- noting ----------------------------------------------------------------------------------- */

/* The names of kinds are in the same order up to here. */
static enum schedule_kind kind_of(enum reservation_kind kind)
{
    return (enum schedule_kind)kind;
}

static void begin(struct carried_out *log, int64_t lease, enum reservation_kind kind, int64_t from,
                  const struct placement *placement)
{
    struct operation *operation;
    uint32_t n_types = placement->n_types;

    MEMORY_GROW(log->operations, log->allocated, log->n + 1);
    operation = &log->operations[log->n++];
    *operation = (struct operation){.lease = lease,
                                    .as = {.kind = kind_of(kind),
                                           .progress = PROGRESS_DONE,
                                           .from = from,
                                           .until = SCHEDULE_NEVER,
                                           .n_places = placement->n_vms}};
    operation->as.holdings =
        memory_new(placement->n_hosts * n_types + 1, sizeof(struct schedule_holding));
    operation->as.places = memory_new(placement->n_vms + 1, sizeof(struct schedule_place));
    for (uint32_t i = 0; i < placement->n_hosts; i++)
        for (uint32_t type = 0; type < n_types; type++)
            if (placement->amounts[i * n_types + type])
                operation->as.holdings[operation->as.n_holdings++] =
                    (struct schedule_holding){log->site->hosts[placement->hosts[i]].id, type,
                                              placement->amounts[i * n_types + type]};
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        const struct placed_vm *vm = &placement->vms[i];

        operation->as.places[i] = (struct schedule_place){vm->vm + 1, log->site->hosts[vm->host].id,
                                                          log->site->hosts[vm->from].id, vm->lease};
    }
}

static bool is_the_same(const struct operation *operation, const struct reservation *r)
{
    if (operation->as.kind != kind_of(r->kind) || operation->as.from != r->from)
        return false;
    return operation->as.n_places == 0 || r->placement->n_vms == 0 ||
           operation->as.places[0].vm == r->placement->vms[0].vm + 1;
}

/* Of one kind that began then, or all of the lease. */
static void finish(struct carried_out *log, int64_t lease, const struct reservation *r, int64_t now)
{
    for (size_t i = 0; i < log->n; i++) {
        struct operation *operation = &log->operations[i];

        if (operation->lease != lease || operation->as.until != SCHEDULE_NEVER)
            continue;
        if (r && !is_the_same(operation, r))
            continue;
        operation->as.until = now;
        if (r)
            return;
    }
}

static void lose(struct carried_out *log, int64_t lease, int64_t now)
{
    for (size_t i = 0; i < log->n; i++)
        if (log->operations[i].lease == lease && log->operations[i].as.until == SCHEDULE_NEVER &&
            log->operations[i].as.kind == SCHEDULE_VM)
            log->operations[i].lost = true;
    finish(log, lease, NULL, now);
    /* What resumed it is lost, too. */
    for (size_t i = log->n; i-- > 0;) {
        if (log->operations[i].lease != lease || log->operations[i].lost)
            continue;
        if (log->operations[i].as.kind != SCHEDULE_RESUME)
            return;
        log->operations[i].lost = true;
    }
}

void carried_out_note(struct carried_out *log, const struct engine_output *output)
{
    int64_t lease = output->lease->request.id;

    switch (output->kind) {
    case OUTPUT_STATE:
        MEMORY_GROW(log->moves, log->moves_allocated, log->n_moves + 1);
        log->moves[log->n_moves++] =
            (struct schedule_move){output->time, lease, (enum schedule_state)output->from,
                                   (enum schedule_state)output->to};
        log->states[lease] = (enum schedule_state)output->to;
        break;
    case OUTPUT_OPERATION_STARTED:
        begin(log, lease, output->reservation->kind, output->reservation->from,
              output->reservation->placement);
        break;
    case OUTPUT_OPERATION_ENDED:
        finish(log, lease, output->reservation, output->time);
        break;
    case OUTPUT_VM_WITHDRAWN:
        lose(log, lease, output->time);
        break;
    case OUTPUT_FINISHED:
        finish(log, lease, NULL, output->time);
        log->ends[lease] = output->time;
        break;
    default:
        break;
    }
}

void carried_out_take_over(struct carried_out *log, const struct lease *lease, int64_t now)
{
    finish(log, lease->request.id, NULL, now);
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if (r->state != RESERVATION_ACTIVE)
            continue;
        begin(log, lease->request.id, r->kind, r->from, r->placement);
        /* Which of its VMs were suspended before is not known any more. */
        if (r->kind == RESERVATION_SUSPEND)
            log->operations[log->n - 1].as.n_places = 0;
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct schedule_reservation *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->until > y->until) - (x->until < y->until);
}

static void collect(struct carried_out *log, struct schedule_lease *lease)
{
    size_t n = 0;

    lease->reservations = memory_new(log->n + 1, sizeof *lease->reservations);
    for (size_t i = 0; i < log->n; i++)
        if (log->operations[i].lease == lease->id && !log->operations[i].lost)
            lease->reservations[n++] = log->operations[i].as;
    lease->n_reservations = n;
    qsort(lease->reservations, n, sizeof *lease->reservations, by_time);
}

void carried_out_lease(struct carried_out *log, const struct lease_request *request, int64_t credit)
{
    static const enum schedule_lease_kind kinds[] = {SCHEDULE_BEST_EFFORT, SCHEDULE_IMMEDIATE,
                                                     SCHEDULE_RESERVED, SCHEDULE_DEADLINE};
    struct schedule_lease *lease = &log->leases[log->n_leases];
    uint32_t n_types = (uint32_t)log->site->types.count, vm = 0;

    log->credits[log->n_leases++] = credit;
    *lease = (struct schedule_lease){
        .id = request->id,
        .kind = kinds[request->kind],
        .state = log->states[request->id],
        .submit = request->submit,
        .start_requested = request->start,
        .start_actual = SCHEDULE_UNSET,
        .end = log->ends[request->id],
        .duration_original = request->duration,
        .duration_requested = request->duration,
        .duration_actual = SCHEDULE_UNSET,
        .duration_known = SCHEDULE_UNSET,
        .deadline = request->deadline,
    };
    for (size_t set = 0; set < request->n_node_sets; set++)
        lease->n_vms += request->node_sets[set].count;
    lease->vms = memory_new(lease->n_vms * n_types, sizeof *lease->vms);
    for (size_t set = 0; set < request->n_node_sets; set++)
        for (uint32_t i = 0; i < request->node_sets[set].count; i++, vm++)
            memcpy(&lease->vms[vm * n_types], request->node_sets[set].amounts.of,
                   n_types * sizeof *lease->vms);
    collect(log, lease);
}

/* What is done ran for its full time, no more and no less. */
static bool check_durations(const struct carried_out *log, char *text, size_t size)
{
    for (size_t i = 0; i < log->n_leases; i++) {
        const struct schedule_lease *lease = &log->leases[i];
        int64_t ran = -log->credits[i];

        for (size_t k = 0; k < lease->n_reservations; k++)
            if (lease->reservations[k].kind == SCHEDULE_VM)
                ran += lease->reservations[k].until - lease->reservations[k].from;
        if (lease->state == STATE_DONE && ran != lease->duration_requested) {
            snprintf(text, size, "lease %" PRId64 " ran %" PRId64 " s of %" PRId64 " s", lease->id,
                     ran, lease->duration_requested);
            return false;
        }
    }
    return true;
}

/* The checks that hold whichever engine did what; states and windows differ where one took over. */
static bool judge(const struct verification *verification, char *text, size_t size)
{
    static const enum verify_check held[] = {CHECK_CAPACITY, CHECK_START, CHECK_DEADLINE,
                                             CHECK_HOSTS, CHECK_SUBMISSION};

    for (size_t i = 0; i < verification->n_kept; i++)
        for (size_t k = 0; k < sizeof held / sizeof *held; k++)
            if (verification->violations[i].check == held[k]) {
                const struct violation *violation = &verification->violations[i];

                snprintf(text, size, "%s, lease %" PRId64 ", host %" PRId64 ", at %" PRId64 ": %s",
                         verify_check_name(held[k]), violation->lease, violation->host,
                         violation->time, violation->text);
                return false;
            }
    return true;
}

bool carried_out_is_clean(struct carried_out *log, int64_t end, char *text, size_t size)
{
    const struct verify_options options = {.compatibility = VERIFY_DEFAULT, .complete = true};
    struct schedule schedule = {.n_types = (size_t)log->site->types.count,
                                .memory = RESOURCE_MEMORY,
                                .leases = log->leases,
                                .n_leases = log->n_leases,
                                .moves = log->moves,
                                .n_moves = log->n_moves,
                                .end_time = end};
    struct verification verification;
    struct error err = {0};
    bool clean;

    for (int type = 0; type < log->site->types.count; type++)
        schedule.types[type] = log->site->types.names[type];
    schedule.hosts = memory_new(log->site->n_hosts, sizeof *schedule.hosts);
    schedule.n_hosts = log->site->n_hosts;
    for (size_t i = 0; i < log->site->n_hosts; i++)
        schedule.hosts[i] = (struct schedule_host){.id = log->site->hosts[i].id,
                                                   .capacity = log->site->hosts[i].capacity.of};
    clean = verify_schedule(&schedule, &options, &verification, &err) == 0;
    if (clean) {
        clean = judge(&verification, text, size) && check_durations(log, text, size);
        verification_finish(&verification);
    } else {
        snprintf(text, size, "%s", err.text);
    }
    free(schedule.hosts);
    return clean;
}
