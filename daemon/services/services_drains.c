/* Shows the drains of a host, for answers. */
#include "daemon/base/clock.h"
#include "daemon/services/services_question.h"
#include "util/instant.h"

const char *services_drain_word(const struct drain *drain, bool used)
{
    if (*drain->booking)
        return "booked";
    return used ? "draining" : "drained";
}

size_t services_drains_of(const struct daemon *daemon, int32_t host,
                          struct drain_times times[DRAINS_OF_HOST_MOST])
{
    size_t n = 0;

    for (size_t i = 0; i < daemon->drains.n && n < DRAINS_OF_HOST_MOST; i++)
        if (daemon->drains.items[i].host == host)
            times[n++] = (struct drain_times){.from = daemon->drains.items[i].from,
                                              .until = daemon->drains.items[i].until,
                                              .booking = daemon->drains.items[i].booking};
    return n;
}

void services_visit_drains(const struct daemon *daemon, int32_t host,
                           void (*visit)(void *visitor, const struct operation_view *operation),
                           void *visitor)
{
    struct drain_times drains[DRAINS_OF_HOST_MOST];
    size_t n = services_drains_of(daemon, host, drains);

    for (size_t i = 0; i < n; i++)
        visit(visitor, &(struct operation_view){.lease = -1,
                                                .vm = -1,
                                                .what = *drains[i].booking ? "booking" : "drain",
                                                .from = drains[i].from,
                                                .until = drains[i].until,
                                                .planned = drains[i].from > clock_now()});
}
