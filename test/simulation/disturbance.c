/* What goes wrong in a simulation. */
#include <signal.h>
#include <string.h>

#include "sandbox/fault.h"
#include "sandbox/host.h"
#include "simulation.h"
#include "test/daemon/planner_here.h"
#include "util/crash_point.h"

/* When something happens to a request: its last VM is there, or its start or end is due. */
static int64_t moment_of(const struct simulation *simulation, struct random *random)
{
    size_t i = (size_t)random_between(random, 0, (int64_t)simulation->n_requests - 1);
    const struct request *request = &simulation->requests[i];
    int64_t at = request->members[request->n_members - 1].at;

    if (random_once_in(random, 3))
        at += (request->ahead ? request->ahead : request->duration) * 1000;
    return at;
}

static void plan_crash(const struct simulation *simulation, struct random *random,
                       struct crash *crash)
{
    crash->kind = (enum crash_kind)random_between(random, CRASH_BEFORE_WRITE, STOPS);
    crash->from = random_once_in(random, 3) ? random_between(random, 500, BUSY_UNTIL)
                                            : moment_of(simulation, random);
    crash->count = (int)random_between(random, 0, 9);
    crash->next = STORE_SAME;
    if (random_once_in(random, 2))
        crash->next = (enum next_store)random_between(random, STORE_EMPTY, STORE_OLDER);
    crash->away = random_between(random, 200, random_once_in(random, 4) ? 40000 : 2000);
}

static void sort_crashes(struct simulation *simulation)
{
    for (size_t i = 1; i < simulation->n_crashes; i++)
        for (size_t j = i; j > 0 && simulation->crashes[j].from < simulation->crashes[j - 1].from;
             j--) {
            struct crash other = simulation->crashes[j];

            simulation->crashes[j] = simulation->crashes[j - 1];
            simulation->crashes[j - 1] = other;
        }
}

static void boots_fail(struct simulation *simulation)
{
    static const char some[] = "FAULT = [ KIND = \"fail\", PHASE = \"boot\", COUNT = \"3\","
                               " PROBABILITY = \"20\" ]";
    struct error err;

    oned_faults_add(&simulation->oned->faults, some, &err);
}

enum { RAFT_FOLLOWER = 2, RAFT_LEADER = 3 };
enum { TAKES_OVER = 15000 /* milliseconds until it acts again, with calls that are repeated */ };

/* One seed in three has a zone with several front-ends. Shortly before the moments at which
 * something happens, commands are prepared. Other numbers do not depend on this. */
static void plan_zone(struct simulation *simulation)
{
    struct random random;

    random_init(&random, simulation->seed + (UINT64_C(1) << 41));
    if (!random_once_in(&random, 3))
        return;
    simulation->oned->raft_state = RAFT_LEADER;
    simulation->oned->raft_term = 1;
    simulation->n_depositions = (size_t)random_between(&random, 1, DEPOSITIONS_MAX);
    for (size_t i = 0; i < simulation->n_depositions; i++)
        simulation->depositions[i] = (struct deposition){
            .from = moment_of(simulation, &random) - random_between(&random, 0, 5000),
            .count = (int)random_between(&random, 0, 3),
            .away = random_between(&random, 2000, 30000)};
}

void disturbance_plan(struct simulation *simulation)
{
    struct random *random = &simulation->calls_random;

    simulation->calls_fail = random_once_in(random, 3);
    simulation->calls_are_slow = random_once_in(random, 3);
    simulation->plans_are_slow = random_once_in(random, 4);
    simulation->host_breaks = simulation->host_repaired = -1;
    simulation->n_crashes = (size_t)random_between(random, 0, CRASHES_MAX);
    for (size_t i = 0; i < simulation->n_crashes; i++)
        plan_crash(simulation, random, &simulation->crashes[i]);
    sort_crashes(simulation);
    if (random_once_in(random, 6)) {
        simulation->host_breaks = random_between(random, 5000, 60000);
        simulation->host_repaired = simulation->host_breaks + random_between(random, 5000, 40000);
    }
    simulation->boots_fail = random_once_in(random, 6);
    if (simulation->boots_fail)
        boots_fail(simulation);
    plan_zone(simulation);
}

bool disturbance_is_write(const char *method)
{
    static const char *const reads[] = {".info", "pool.", "one.zone.", "one.system."};

    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (strstr(method, reads[i]))
            return false;
    return true;
}

enum call_fate disturbance_fate(const char *method)
{
    struct random *random = &simulation()->calls_random;

    if (!simulation()->calls_fail || simulation_now() > BUSY_UNTIL || !simulation()->lives ||
        !random_once_in(random, disturbance_is_write(method) ? 15 : 80))
        return CALL_DONE;
    return (enum call_fate)random_between(random, CALL_NOT_SENT, CALL_TWICE);
}

int64_t disturbance_latency(void)
{
    struct random *random = &simulation()->calls_random;

    return simulation()->calls_are_slow && random_once_in(random, 4)
               ? random_between(random, 50, 1500)
               : random_between(random, 1, 8);
}

int64_t planner_here_takes(void)
{
    struct random *random = &simulation()->calls_random;

    return simulation()->plans_are_slow && random_once_in(random, 3)
               ? random_between(random, 100, 3000)
               : random_between(random, 1, 20);
}

static struct crash *next_crash(void)
{
    struct simulation *now = simulation();

    if (!now->is_alive || now->crash >= now->n_crashes ||
        now->crashes[now->crash].from > simulation_now())
        return NULL;
    return &now->crashes[now->crash];
}

static void depose_at_write(struct simulation *now)
{
    for (size_t i = 0; i < now->n_depositions && now->leads_again < 0; i++) {
        struct deposition *deposition = &now->depositions[i];

        if (deposition->from > simulation_now() || deposition->count < 0 ||
            deposition->count-- > 0 ||
            !life_is_deposed(simulation_now() + deposition->away + TAKES_OVER))
            continue;
        simulation_note("oned follows");
        now->oned->raft_state = RAFT_FOLLOWER;
        now->deposed_since = simulation_now();
        now->leads_again = simulation_now() + deposition->away;
    }
}

/* Another front-end led in the term between. */
static void elect(struct simulation *now)
{
    if (now->leads_again < 0 || simulation_now() < now->leads_again)
        return;
    simulation_note("oned leads");
    now->oned->raft_state = RAFT_LEADER;
    now->oned->raft_term += 2;
    now->deposed_since = now->leads_again = -1;
}

void disturbance_at_write(bool is_after)
{
    struct crash *crash = next_crash();

    if (!is_after)
        depose_at_write(simulation());
    simulation()->n_writes += is_after;
    if (crash && crash->kind == (is_after ? CRASH_AFTER_WRITE : CRASH_BEFORE_WRITE) &&
        crash->count-- == 0)
        life_end(is_after ? "killed after a write" : "killed before a write");
}

/* In place of util/crash_point.c: the points of the product. */
void crash_point(const char *name)
{
    struct crash *crash = next_crash();
    bool has_read = strcmp(name, "polled") == 0;

    if (has_read)
        life_has_read();
    if (crash && crash->kind == CRASH_AT_POINT && !has_read && strcmp(name, "looked") != 0 &&
        crash->count-- == 0)
        life_end(name);
}

static void change_host(struct simulation *now)
{
    struct oned_host *host = oned_host(now->oned, 0);

    if (now->host_breaks >= 0 && simulation_now() >= now->host_breaks) {
        simulation_note("host %d breaks", host->id);
        oned_host_break(now->oned, host);
        now->host_breaks = -1;
    } else if (now->host_breaks < 0 && now->host_repaired >= 0 &&
               simulation_now() >= now->host_repaired) {
        simulation_note("host %d is repaired", host->id);
        oned_host_monitor(now->oned, host);
        now->host_repaired = -1;
    }
}

void disturbance_of_site(void)
{
    struct crash *crash = next_crash();

    change_host(simulation());
    elect(simulation());
    if (crash && crash->kind == CRASH_ANY_TIME)
        life_end("killed while it waited");
    if (crash && crash->kind == STOPS && crash->count >= 0) {
        simulation_note("galernad is stopped");
        crash->count = -1;
        raise(SIGTERM);
    }
}
