/* usage: CPU and memory that users or groups used and reserved. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/account.h"
#include "daemon/control/answers_private.h"

enum { PERIOD_DEFAULT = 30 * 86400 /* seconds */ };

/* Reads the period and the user (NULL: all). NULL, or the answer with the error. */
static json_t *read_period(const struct question *question, struct account_period *period,
                           const char **user)
{
    const char *by = NULL;
    json_t *wrong;

    period->now = period->until = question->now;
    if ((wrong = question_time(question, "until", &period->until)))
        return wrong;
    period->from = period->until - PERIOD_DEFAULT;
    if ((wrong = question_time(question, "since", &period->from)) ||
        (wrong = question_text(question, "by", &by)) ||
        (wrong = question_text(question, "user", user)))
        return wrong;
    if (period->from >= period->until)
        return answer_error(EINVAL, "since: must be before until");
    if (by && strcmp(by, "user") != 0 && strcmp(by, "group") != 0)
        return answer_error(EINVAL, "by: expected user or group");
    period->by_group = by && strcmp(by, "group") == 0;
    if (period->by_group && *user)
        return answer_error(EINVAL, "user: only allowed with by user");
    return NULL;
}

static json_t *hours(double amount, double unit)
{
    return json_real(amount / unit / 3600);
}

static json_t *json_from_row(const struct account_row *row, bool by_group)
{
    json_t *line = json_object();

    json_put(line, by_group ? "user_group" : "user", json_from_text(row->name));
    json_put(line, "leases", json_integer(row->leases));
    json_put(line, "cpu_hours", hours((double)row->cpu, 100));
    json_put(line, "memory_gb_hours", hours((double)row->memory, 1024));
    json_put(line, "reserved_cpu_hours", hours((double)row->cpu_reserved, 100));
    json_put(line, "reserved_used_cpu_hours", hours((double)row->cpu_kept, 100));
    json_put(line, "started", json_integer(row->waits));
    json_put(line, "mean_wait", row->waits ? json_integer(row->waited / row->waits) : json_null());
    json_put(line, "preemptions", json_integer(row->preemptions));
    json_put(line, "late", json_integer(row->late));
    json_put(line, "refused", json_integer(row->refused));
    return line;
}

json_t *answer_usage(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct account_period period;
    const char *user = NULL;
    json_t *answer, *list, *wrong = read_period(question, &period, &user);
    struct account_row *rows;
    struct error err;
    size_t n;

    if (wrong)
        return wrong;
    rows = daemon->usage(daemon->context, &period, &n, &err);
    if (!rows)
        return answers_refused(&err);
    list = json_array();
    for (size_t i = 0; i < n; i++)
        if (!user || strcmp(user, rows[i].name) == 0)
            json_array_append_new(list, json_from_row(&rows[i], period.by_group));
    free(rows);
    answer = answer_begin(question, "galerna-usage/1");
    json_put(answer, "since", json_from_instant(period.from));
    json_put(answer, "until", json_from_instant(period.until));
    json_put(answer, "usage", list);
    return answer;
}
