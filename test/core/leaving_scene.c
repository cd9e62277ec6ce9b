/* The site of the tests about leases that must leave. */
#include "leaving_scene.h"

enum { CLOSED = 90 };

void leaving_begin(struct scenario *s, size_t n_hosts)
{
    scenario_begin(s, n_hosts);
    s->now = 1000;
    s->settings.transfer_bandwidth = 100;
    s->settings.migration = MIGRATION_YES;
    s->settings.migration_mode = MOVING_LIVE;
}

void runs(struct scenario *s, struct ask what, const uint32_t *hosts, int64_t until,
          int64_t leave_by)
{
    adopt(s, what,
          (struct adoption){.as = ADOPTED_RUNNING,
                            .vm_host = hosts,
                            .since = 900,
                            .until = until,
                            .leave_by = leave_by});
}

struct ask half(int64_t id, int64_t duration)
{
    return (struct ask){.id = id, .cpu = 50, .memory = 512, .duration = duration};
}

void close_host(struct scenario *s, const uint32_t *host, int64_t from, int64_t until)
{
    struct ask whole = {.id = CLOSED + *host, .duration = SPAN_UNLIMITED, .non_preemptable = true};

    adopt(s, whole,
          (struct adoption){.as = ADOPTED_CLOSING, .vm_host = host, .since = from, .until = until});
}
