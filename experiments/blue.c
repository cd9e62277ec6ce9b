/* 30 days of the Blue Horizon machine, with advance reservations between its jobs. */
#include "experiments/blue.h"

#include <stdlib.h>

#include "experiments/data.h"
#include "experiments/generated.h"
#include "lwf/generate_random.h"
#include "lwf/trace_combine.h"

/* The next number of the text; false at its end. */
static bool take(const char **text, int64_t *number)
{
    char *end;

    *number = strtoll(*text, &end, 10);
    if (end == *text)
        return false;
    *text = end;
    return true;
}

static int64_t later(const struct blue *blue, struct generate_random *random)
{
    if (blue->seed == 0 || blue->shift <= 0)
        return 0;
    return (int64_t)generate_random_below(random, (uint64_t)blue->shift + 1);
}

static struct trace *open_jobs(const struct blue *blue)
{
    const char *text = data_blue_30days;
    struct generate_random random;
    struct trace_list list;
    int64_t at = 0, gap, asked, real, nodes;

    trace_list_init(&list);
    generate_random_init(&random, blue->seed, 0, 0);
    while (take(&text, &gap) && take(&text, &asked) && take(&text, &real) && take(&text, &nodes)) {
        at += gap;
        if (blue->span > 0 && at >= blue->span)
            break;
        generated_add(&list,
                      &(struct lease_request){.kind = LEASE_BEST_EFFORT,
                                              .submit = at + later(blue, &random),
                                              .duration = asked,
                                              .duration_known = real,
                                              .terms = TERMS_SUSPENDABLE},
                      (uint32_t)nodes, blue->memory);
    }
    trace_list_sort(&list);
    return trace_list_open(&list, NULL);
}

static struct trace *open_reservations(const struct blue *blue)
{
    const char *text = blue->reservations == 10   ? data_reservations_10
                       : blue->reservations == 20 ? data_reservations_20
                                                  : data_reservations_30;
    struct trace_list list;
    int64_t at, start, duration, nodes;

    trace_list_init(&list);
    while (take(&text, &at) && take(&text, &start) && take(&text, &duration) &&
           take(&text, &nodes)) {
        if (blue->span > 0 && start >= blue->span)
            break;
        generated_add(&list,
                      &(struct lease_request){.kind = LEASE_RESERVATION,
                                              .submit = at,
                                              .start = start,
                                              .duration = duration,
                                              .terms = TERMS_NON_PREEMPTABLE},
                      (uint32_t)nodes, blue->memory);
    }
    return trace_list_open(&list, NULL);
}

struct trace *blue_open(const struct blue *blue, struct error *err)
{
    struct trace *jobs = open_jobs(blue);

    return blue->reservations ? trace_merge(jobs, open_reservations(blue), err) : jobs;
}
