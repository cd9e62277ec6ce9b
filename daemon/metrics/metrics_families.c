/* The metrics: names, labels, and where their values come from. */
#include <stddef.h>

#include "daemon/base/clock.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/metrics/exposition.h"
#include "daemon/metrics/metrics_inside.h"
#include "daemon/state/learned.h"
#include "daemon/store/words.h"

static const char *const operation_words[OPERATIONS] = {
    [OPERATION_SUSPEND] = "suspend", [OPERATION_RESUME] = "resume", [OPERATION_BOOT] = "start"};

static const char *const preempted_words[PREEMPTION_KINDS] = {[PREEMPTED_SUSPEND] = "suspend",
                                                              [PREEMPTED_REQUEUE] = "requeue",
                                                              [PREEMPTED_CANCEL] = "cancel"};

static void put_gauge(struct exposition *exposition, const char *name, const char *help,
                      double value)
{
    exposition_metric(exposition, name, METRIC_GAUGE, help);
    exposition_number(exposition, NULL, value);
}

static void put_counter(struct exposition *exposition, const char *name, const char *help,
                        uint64_t value)
{
    exposition_metric(exposition, name, METRIC_COUNTER, help);
    exposition_count(exposition, NULL, value);
}

/* --- galernad --------------------------------------------------------------------------------- */

static void put_problems(const struct daemon *daemon, struct exposition *exposition)
{
    exposition_metric(exposition, "galerna_problem", METRIC_GAUGE,
                      "1 while galernad has this problem: galerna status describes it.");
    for (size_t i = 0; i < PROBLEMS; i++)
        exposition_count(exposition, METRIC_LABELS("problem", problem_words[i]),
                         daemon->problems[i].text[0] != '\0');
}

static void put_daemon(const struct daemon *daemon, struct exposition *exposition)
{
    char reason[ERROR_TEXT_MAX + 64];
    int64_t age = (clock_monotonic() - daemon->polled) / 1000;

    exposition_metric(exposition, "galerna_build_info", METRIC_GAUGE,
                      "1; the labels are the version of galernad and that of OpenNebula.");
    exposition_count(exposition,
                     METRIC_LABELS("version", GALERNA_VERSION, "opennebula", daemon->oned_version,
                                   "mode", daemon->mode),
                     1);
    put_gauge(exposition, "galerna_start_time_seconds", "When galernad started, in Unix time.",
              (double)daemon->started);
    put_gauge(exposition, "galerna_ready", "1 if /readyz answers 200, else 0.",
              metrics_ready(daemon, reason, sizeof reason));
    put_problems(daemon, exposition);
    if (daemon->polled)
        put_gauge(exposition, "galerna_last_poll_timestamp_seconds",
                  "When OpenNebula was last read completely, in Unix time.",
                  (double)(clock_now() - age));
    put_counter(exposition, "galerna_cycles", "Scheduling cycles.", daemon->n_cycles);
}

/* --- leases ----------------------------------------------------------------------------------- */

struct lease_figures {
    uint64_t leases[LEASE_KINDS][PHASES];
    uint64_t waiting;
    int64_t oldest;
};

static struct lease_figures count_leases(const struct store *store, int64_t now)
{
    struct lease_figures figures = {0};
    size_t n;
    const struct lease_record *const *leases = store_leases(store, &n);

    for (size_t i = 0; i < n; i++) {
        int64_t age = now - leases[i]->submit;

        figures.leases[leases[i]->kind][leases[i]->phase]++;
        if (leases[i]->phase != PHASE_WAITING)
            continue;
        figures.waiting++;
        if (age > figures.oldest)
            figures.oldest = age;
    }
    return figures;
}

static void put_leases(const struct daemon *daemon, struct exposition *exposition)
{
    struct lease_figures figures = count_leases(daemon->store, clock_now());

    exposition_metric(exposition, "galerna_leases", METRIC_GAUGE,
                      "Unfinished leases, by type and state.");
    for (int kind = 0; kind < LEASE_KINDS; kind++)
        for (int phase = 0; phase < PHASE_ENDED; phase++)
            exposition_count(
                exposition,
                METRIC_LABELS("type", lease_kind_words[kind], "state", store_phase_words[phase]),
                figures.leases[kind][phase]);
    put_gauge(exposition, "galerna_queue_leases", "Leases that wait in the queue.",
              (double)figures.waiting);
    put_gauge(exposition, "galerna_queue_oldest_seconds",
              "Time since the oldest lease in the queue was submitted.", (double)figures.oldest);
}

static void put_events(const struct metrics *metrics, struct exposition *exposition)
{
    exposition_metric(exposition, "galerna_lease_events", METRIC_COUNTER,
                      "Events in the histories of leases, by type.");
    for (size_t i = 0; i < metrics->n_events; i++)
        exposition_count(exposition, METRIC_LABELS("event", metrics->events[i].word),
                         metrics->events[i].n);
    exposition_metric(exposition, "galerna_preemptions", METRIC_COUNTER,
                      "Leases that made room for others: suspended, requeued or ended.");
    for (int how = 0; how < PREEMPTION_KINDS; how++)
        exposition_count(exposition, METRIC_LABELS("how", preempted_words[how]),
                         metrics->preemptions[how]);
    put_counter(exposition, "galerna_late_starts", "Leases that started later than promised.",
                metrics_events(metrics, "late"));
    put_counter(exposition, "galerna_quarantines", "Quarantines of hosts.",
                metrics_events(metrics, "host-quarantined"));
}

static void put_hosts(const struct daemon *daemon, struct exposition *exposition)
{
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    int64_t now = clock_now();
    uint64_t n = 0;

    for (size_t i = 0; hosts && i < hosts->pool.n; i++)
        n += quarantine_has(&daemon->quarantine, hosts->pool.items[i].id, now);
    put_gauge(exposition, "galerna_hosts", "Hosts of OpenNebula.",
              hosts ? (double)hosts->pool.n : 0);
    put_gauge(exposition, "galerna_hosts_quarantined", "Hosts that are quarantined.", (double)n);
}

/* --- commands --------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct command_counts *counts)
{
    uint64_t sum = 0;

    for (int outcome = 0; outcome < CLOUD_OUTCOMES; outcome++)
        sum += counts->outcomes[outcome];
    return sum;
}

static void put_commands(const struct daemon *daemon, struct exposition *exposition)
{
    static const char *const outcomes[CLOUD_OUTCOMES] = {[CLOUD_DONE] = "accepted",
                                                         [CLOUD_REFUSED] = "refused",
                                                         [CLOUD_NOT_SENT] = "not-sent",
                                                         [CLOUD_UNKNOWN] = "unknown"};

    put_gauge(exposition, "galerna_commands_in_flight",
              "Commands that OpenNebula has not answered.",
              (double)enactor_in_flight(daemon->enactor));
    exposition_metric(exposition, "galerna_commands", METRIC_COUNTER,
                      "Commands for VMs that OpenNebula has answered, by outcome.");
    for (int command = 1; command < COMMAND_KINDS; command++) {
        const struct command_counts *counts =
            enactor_counts(daemon->enactor, (enum command)command);

        for (int outcome = 0; outcome < CLOUD_OUTCOMES && sum_of(counts) > 0; outcome++)
            exposition_count(
                exposition,
                METRIC_LABELS("command", command_words[command], "outcome", outcomes[outcome]),
                counts->outcomes[outcome]);
    }
    exposition_metric(exposition, "galerna_command_duration_seconds", METRIC_HISTOGRAM,
                      "Time from sending a command to OpenNebula's answer.");
    for (int command = 1; command < COMMAND_KINDS; command++) {
        const struct command_counts *counts =
            enactor_counts(daemon->enactor, (enum command)command);

        if (sum_of(counts) > 0)
            exposition_histogram(exposition, METRIC_LABELS("command", command_words[command]),
                                 &counts->latency);
    }
}

static void put_errors(const struct daemon *daemon, struct exposition *exposition)
{
    exposition_metric(exposition, "galerna_prediction_error_seconds", METRIC_HISTOGRAM,
                      "Difference between the time an operation took and its estimate (with its "
                      "margin): longer, or not.");
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int longer = 0; longer <= 1; longer++)
            exposition_histogram(
                exposition,
                METRIC_LABELS("operation", operation_words[operation], "took",
                              longer ? "longer" : "shorter"),
                learned_errors(daemon->learned, (enum operation)operation, longer));
}

/* --- plans ------------------------------------------------------------------------------------ */

static void put_calls(void *context, const struct planner_module *module)
{
    exposition_count(context, METRIC_LABELS("policy", module->name, "kind", module->kind),
                     module->calls);
}

static void put_spent(void *context, const struct planner_module *module)
{
    exposition_number(context, METRIC_LABELS("policy", module->name, "kind", module->kind),
                      (double)module->spent / 1e9);
}

static void put_outage(void *context, const struct planner_module *module)
{
    exposition_count(context, METRIC_LABELS("policy", module->name, "kind", module->kind),
                     module->offence != NULL);
}

static void put_plans(const struct metrics *metrics, struct exposition *exposition)
{
    const struct planner *planner = metrics->daemon->planner;

    exposition_metric(exposition, "galerna_plan_duration_seconds", METRIC_HISTOGRAM,
                      "Time from asking the planner for a plan to its answer.");
    exposition_histogram(exposition, NULL, &metrics->plans);
    put_counter(exposition, "galerna_plans_failed", "Plans that failed.", metrics->plans_failed);
    put_counter(exposition, "galerna_plans_rebuilt", "Plans that were rebuilt from the beginning.",
                metrics->daemon->n_replans);
    put_counter(exposition, "galerna_planner_restarts",
                "Planner processes that ended unexpectedly and were replaced.",
                planner_ended(planner));
    exposition_metric(exposition, "galerna_policy_calls", METRIC_COUNTER,
                      "Calls of a policy module, since its process started.");
    planner_each_module(planner, put_calls, exposition);
    exposition_metric(exposition, "galerna_policy_decision_seconds", METRIC_COUNTER,
                      "Time spent in calls of a policy module, since its process started.");
    planner_each_module(planner, put_spent, exposition);
    exposition_metric(exposition, "galerna_policy_out_of_service", METRIC_GAUGE,
                      "1 while the built-in default replaces the policy module.");
    planner_each_module(planner, put_outage, exposition);
}

void metrics_write_all(const struct metrics *metrics, struct exposition *exposition)
{
    put_daemon(metrics->daemon, exposition);
    put_leases(metrics->daemon, exposition);
    put_events(metrics, exposition);
    put_hosts(metrics->daemon, exposition);
    put_commands(metrics->daemon, exposition);
    put_errors(metrics->daemon, exposition);
    put_plans(metrics, exposition);
}
