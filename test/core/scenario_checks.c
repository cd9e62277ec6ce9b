/* Invariants of the engine after every step of a scenario. */
#include "scenario_checks.h"

#include <string.h>

static bool may_follow(enum lease_state from, enum lease_state to)
{
    static const char *const table[LEASE_STATES] = {
        [LEASE_NEW] = "Pending",
        [LEASE_PENDING] = "Scheduled Queued Cancelled Rejected",
        [LEASE_SCHEDULED] = "Preparing Queued Pending Ready Cancelled Fail",
        [LEASE_QUEUED] = "Scheduled Cancelled",
        [LEASE_PREPARING] = "Ready Pending Cancelled Fail",
        [LEASE_READY] = "Active Queued Pending Cancelled Fail",
        [LEASE_ACTIVE] = "Suspending Migrating Queued Done Cancelled Fail",
        [LEASE_SUSPENDING] = "Suspended-Pending Cancelled Fail",
        [LEASE_SUSPENDED_PENDING] = "Suspended-Queued Suspended-Scheduled Cancelled Fail",
        [LEASE_SUSPENDED_QUEUED] = "Suspended-Scheduled Cancelled Fail",
        [LEASE_SUSPENDED_SCHEDULED] =
            "Suspended-Queued Suspended-Pending Migrating Resuming Cancelled Fail",
        [LEASE_MIGRATING] = "Active Done Cancelled Fail",
        [LEASE_RESUMING] = "Resumed-Ready Suspended-Queued Cancelled Fail",
        [LEASE_RESUMED_READY] = "Active Cancelled Fail",
    };
    char wanted[32], list[96];

    snprintf(wanted, sizeof wanted, " %s ", lease_state_name(to));
    snprintf(list, sizeof list, " %s ", table[from] ? table[from] : "");
    return strstr(list, wanted) != NULL;
}

/* Amounts that reservations hold on a host at a time, from the leases' own lists. */
struct held {
    int64_t time;
    uint32_t host;
    int64_t amounts[RESOURCE_TYPES_MAX];
};

static void add_held(void *context, const struct lease *lease)
{
    struct held *held = context;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if (r->state == RESERVATION_DONE || held->time < r->from || held->time >= r->until)
            continue;
        for (uint32_t k = 0; k < r->placement->n_hosts; k++)
            if (r->placement->hosts[k] == held->host)
                for (uint32_t type = 0; type < r->placement->n_types; type++)
                    held->amounts[type] += r->placement->amounts[k * r->placement->n_types + type];
    }
}

static void check_instant(const struct scenario *s, int64_t time)
{
    if (time < s->now || time == INSTANT_NEVER)
        return;
    for (uint32_t host = 0; host < s->site.n_hosts; host++) {
        struct held held = {.time = time, .host = host};

        engine_each_lease(s->engine, add_held, &held);
        for (int type = 0; type < s->site.types.count; type++) {
            int64_t left = s->site.hosts[host].capacity.of[type] - held.amounts[type];

            /* Migrations that run on for a withdrawn plan are in no list of the lease. */
            if (s->settings.behaviour.running_migrations_stay &&
                (type == RESOURCE_NET_IN || type == RESOURCE_NET_OUT))
                continue;
            if (engine_free(s->engine, host, type, time) != left)
                fail_msg(
                    "seed %u, at %d: host %u at %d: %d %s free by the slot table, %d by the leases",
                    s->seed, (int)s->now, host + 1, (int)time,
                    (int)engine_free(s->engine, host, type, time), s->site.types.names[type],
                    (int)left);
            if (left < 0 && !s->settings.behaviour.suspension_holds_memory_only)
                fail_msg("seed %u, at %d: host %u has %d %s too little at %d", s->seed, (int)s->now,
                         host + 1, (int)-left, s->site.types.names[type], (int)time);
        }
    }
}

static void check_lease(void *context, const struct lease *lease)
{
    struct scenario *s = context;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        if (r->state != RESERVATION_DONE && lease_state_is_final(lease->state))
            fail_msg("seed %u, at %d: lease %d is over but its %s from %d is %s", s->seed,
                     (int)s->now, (int)lease->request.id, reservation_kind_name(r->kind),
                     (int)r->from, reservation_state_name(r->state));
        if (r->state == RESERVATION_SCHEDULED && r->from <= s->now)
            fail_msg("seed %u, at %d: %s of lease %d was to begin at %d", s->seed, (int)s->now,
                     reservation_kind_name(r->kind), (int)lease->request.id, (int)r->from);
        if (r->state == RESERVATION_ACTIVE && r->until <= s->now)
            fail_msg("seed %u, at %d: %s of lease %d was to end at %d", s->seed, (int)s->now,
                     reservation_kind_name(r->kind), (int)lease->request.id, (int)r->until);
        if (r->state != RESERVATION_DONE) {
            check_instant(s, r->from);
            check_instant(s, r->until);
        }
    }
    if (lease->request.kind == LEASE_DEADLINE && lease->state == LEASE_DONE &&
        lease->end > lease->request.deadline)
        fail_msg("lease %d ended at %d, after its deadline %d", (int)lease->request.id,
                 (int)lease->end, (int)lease->request.deadline);
}

void check_transition(const struct scenario *s, const struct engine_output *output)
{
    /* The transfer that a lease left behind when it was placed anew. */
    if (s->settings.behaviour.transfers_never_cancelled && output->from == LEASE_READY &&
        output->to == LEASE_PREPARING)
        return;
    if (!may_follow(output->from, output->to))
        fail_msg("seed %u, at %d: lease %d goes from %s to %s", s->seed, (int)s->now,
                 (int)output->lease->request.id, lease_state_name(output->from),
                 lease_state_name(output->to));
}

void check_everything(struct scenario *s)
{
    check_instant(s, s->now);
    engine_each_lease(s->engine, check_lease, s);
}
