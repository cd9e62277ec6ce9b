/* Reads and writes the figures of a cell as columns. */
#include "sweep/figures.h"

#include <string.h>

#include "util/instant.h"

#define AT(member) offsetof(struct sweep_outcome, member)
#define KIND_FIGURES(name, kind)                                                                   \
    {name "_requested", FIGURE_INTEGER, AT(figures.kinds[kind].requested)},                        \
        {name "_accepted", FIGURE_INTEGER, AT(figures.kinds[kind].accepted)},                      \
        {name "_rejected", FIGURE_INTEGER, AT(figures.kinds[kind].rejected)},                      \
        {name "_completed", FIGURE_INTEGER, AT(figures.kinds[kind].completed)},                    \
        {name "_failed", FIGURE_INTEGER, AT(figures.kinds[kind].failed)},                          \
    {                                                                                              \
        name "_cancelled", FIGURE_INTEGER, AT(figures.kinds[kind].cancelled)                       \
    }

#define DISTRIBUTION_FIGURES(name, member)                                                         \
    {name "_mean", FIGURE_REAL, AT(figures.service.member.mean)},                                  \
        {name "_median", FIGURE_REAL, AT(figures.service.member.median)},                          \
        {name "_p95", FIGURE_REAL, AT(figures.service.member.p95)},                                \
        {name "_p99", FIGURE_REAL, AT(figures.service.member.p99)},                                \
    {                                                                                              \
        name "_max", FIGURE_REAL, AT(figures.service.member.max)                                   \
    }

const struct figure figure_table[] = {
    {"end_time", FIGURE_INTEGER, AT(figures.end_time)},
    KIND_FIGURES("best_effort", LEASE_BEST_EFFORT),
    KIND_FIGURES("reservation", LEASE_RESERVATION),
    KIND_FIGURES("immediate", LEASE_IMMEDIATE),
    KIND_FIGURES("deadline", LEASE_DEADLINE),
    {"local_requested", FIGURE_INTEGER, AT(requested[ORIGIN_LOCAL])},
    {"local_rejected", FIGURE_INTEGER, AT(rejected[ORIGIN_LOCAL])},
    {"external_requested", FIGURE_INTEGER, AT(requested[ORIGIN_EXTERNAL])},
    {"external_rejected", FIGURE_INTEGER, AT(rejected[ORIGIN_EXTERNAL])},
    {"waiting_leases", FIGURE_INTEGER, AT(figures.service.waiting.count)},
    DISTRIBUTION_FIGURES("waiting", waiting),
    DISTRIBUTION_FIGURES("turnaround", turnaround),
    DISTRIBUTION_FIGURES("slowdown", slowdown),
    DISTRIBUTION_FIGURES("bounded_slowdown", bounded_slowdown),
    {"users", FIGURE_INTEGER, AT(figures.service.users)},
    {"fairness", FIGURE_REAL, AT(figures.service.fairness)},
    {"haizea_slowdown_mean", FIGURE_REAL, AT(figures.haizea_slowdown_mean)},
    {"utilization", FIGURE_REAL, AT(figures.utilization)},
    {"queue_mean", FIGURE_REAL, AT(figures.queue_mean)},
    {"preempted_suspend", FIGURE_INTEGER, AT(figures.preemptions[PREEMPTED_SUSPEND])},
    {"preempted_requeue", FIGURE_INTEGER, AT(figures.preemptions[PREEMPTED_REQUEUE])},
    {"preempted_cancel", FIGURE_INTEGER, AT(figures.preemptions[PREEMPTED_CANCEL])},
    {"suspensions", FIGURE_INTEGER, AT(figures.suspensions)},
    {"resumptions", FIGURE_INTEGER, AT(figures.resumptions)},
    {"migrations", FIGURE_INTEGER, AT(figures.migrations)},
    {"best_effort_end", FIGURE_INTEGER, AT(figures.best_effort_end)},
    {"all_best_effort", FIGURE_INTEGER, AT(figures.all_best_effort)},
    {"first_submit", FIGURE_INSTANT, AT(figures.first_submit)},
    {"last_end", FIGURE_INSTANT, AT(figures.last_end)},
    {"makespan", FIGURE_INTEGER, AT(figures.makespan)},
    {"attempts", FIGURE_INTEGER, AT(figures.attempts)},
    {"steps", FIGURE_INTEGER, AT(figures.steps)},
};

const size_t figure_count = sizeof figure_table / sizeof *figure_table;

char *figures_list(bool with_types)
{
    sqlite3_str *text = sqlite3_str_new(NULL);

    for (size_t i = 0; i < figure_count; i++) {
        sqlite3_str_appendf(text, "%s%s", i ? ", " : "", figure_table[i].name);
        if (with_types)
            sqlite3_str_appendall(text, figure_table[i].type == FIGURE_REAL ? " REAL" : " INTEGER");
    }
    return sqlite3_str_finish(text);
}

static int bind(sqlite3_stmt *statement, int at, const struct figure *figure,
                const struct sweep_outcome *outcome)
{
    const char *place = (const char *)outcome + figure->offset;
    double real;
    int64_t integer;

    if (figure->type == FIGURE_REAL) {
        memcpy(&real, place, sizeof real);
        return sqlite3_bind_double(statement, at, real);
    }
    memcpy(&integer, place, sizeof integer);
    if (figure->type == FIGURE_INSTANT && integer == INSTANT_NONE)
        return sqlite3_bind_null(statement, at);
    return sqlite3_bind_int64(statement, at, integer);
}

int figures_bind(sqlite3_stmt *statement, int first, const struct sweep_outcome *outcome)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < figure_count && code == SQLITE_OK; i++)
        code = outcome->status == SWEEP_OK
                   ? bind(statement, first + (int)i, &figure_table[i], outcome)
                   : sqlite3_bind_null(statement, first + (int)i);
    return code;
}

void figures_read(sqlite3_stmt *statement, int first, struct sweep_outcome *outcome)
{
    for (size_t i = 0; i < figure_count; i++) {
        const struct figure *figure = &figure_table[i];
        char *place = (char *)outcome + figure->offset;
        int at = first + (int)i;

        if (figure->type == FIGURE_REAL) {
            double real = sqlite3_column_double(statement, at);

            memcpy(place, &real, sizeof real);
        } else {
            int64_t integer = sqlite3_column_int64(statement, at);

            if (figure->type == FIGURE_INSTANT && sqlite3_column_type(statement, at) == SQLITE_NULL)
                integer = INSTANT_NONE;
            memcpy(place, &integer, sizeof integer);
        }
    }
}
