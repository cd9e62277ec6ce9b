/* external.h: shared by the admission policies for external requests: the leases on the site, and
 * the configured or measured load. */
#pragma once

#include "external_queue.h"
#include "unfinished.h"

/* The load measured over a time. Times are weighted by the lease's share of the site: the site is
 * one server, as in the model. */
struct external_sums {
    double arrivals[2]; /* by origin; local: accepted ones */
    double ended[2], time[2], square[2];
};

struct external_site {
    const struct galerna_host *host;
    struct live_leases live;
    double capacity; /* CPU of all hosts; 0: unknown */
    uint32_t n_hosts;
    double window;
    int64_t first; /* first observation; GALERNA_NONE: none */
    int64_t began; /* start of the present window */
    struct external_sums before, present;
    double time[2], square[2]; /* the last means known, by origin */
    double ever_ended[2];
};

/* Configured values; 0 (variation: negative): use the measured one. */
struct external_settings {
    double external_gap, local_gap, local_time, local_variation, external_time;
    double least; /* number of ended external requests required before measurements are used */
};

/* Options of the settings, in this order, and of the window. */
enum {
    EXTERNAL_GAP,
    LOCAL_GAP,
    LOCAL_TIME,
    LOCAL_VARIATION,
    EXTERNAL_TIME,
    EXTERNAL_LEAST,
    EXTERNAL_WINDOW,
    EXTERNAL_OPTIONS
};

#define EXTERNAL_OPTION_TABLE                                                                      \
    [EXTERNAL_GAP] = {.name = "external-gap",                                                      \
                      .type = GALERNA_NUMBER,                                                      \
                      .default_value = "0",                                                        \
                      .minimum = 0,                                                                \
                      .maximum = 1e9,                                                              \
                      .description =                                                               \
                          "Mean time in seconds between external requests; 0: as observed"},       \
    [LOCAL_GAP] = {.name = "local-gap",                                                            \
                   .type = GALERNA_NUMBER,                                                         \
                   .default_value = "0",                                                           \
                   .minimum = 0,                                                                   \
                   .maximum = 1e9,                                                                 \
                   .description = "Mean time in seconds between local requests; 0: as observed"},  \
    [LOCAL_TIME] = {.name = "local-time",                                                          \
                    .type = GALERNA_NUMBER,                                                        \
                    .default_value = "0",                                                          \
                    .minimum = 0,                                                                  \
                    .maximum = 1e9,                                                                \
                    .description = "Mean time in seconds for which a local request would keep "    \
                                   "the whole site busy; 0: as observed"},                         \
    [LOCAL_VARIATION] = {.name = "local-variation",                                                \
                         .type = GALERNA_NUMBER,                                                   \
                         .default_value = "-1",                                                    \
                         .minimum = -1,                                                            \
                         .maximum = 1e6,                                                           \
                         .description =                                                            \
                             "Variance of those seconds over the square of their mean: 0 all "     \
                             "alike, 1 exponential; negative: as observed"},                       \
    [EXTERNAL_TIME] = {.name = "external-time",                                                    \
                       .type = GALERNA_NUMBER,                                                     \
                       .default_value = "0",                                                       \
                       .minimum = 0,                                                               \
                       .maximum = 1e9,                                                             \
                       .description = "Mean time in seconds for which an uninterrupted external "  \
                                      "request would keep the whole site busy; 0: as observed"},   \
    [EXTERNAL_LEAST] = {.name = "least",                                                           \
                        .type = GALERNA_INTEGER,                                                   \
                        .default_value = "10",                                                     \
                        .minimum = 1,                                                              \
                        .maximum = 1e6,                                                            \
                        .description = "Number of external requests that must have ended before "  \
                                       "observations count; until then all are accepted"},         \
    [EXTERNAL_WINDOW] = {.name = "window",                                                         \
                         .type = GALERNA_DURATION,                                                 \
                         .default_value = "7d",                                                    \
                         .minimum = 60,                                                            \
                         .maximum = 3.2e9,                                                         \
                         .description =                                                            \
                             "Time after which observations are forgotten, at most twice this"}

static inline struct external_settings external_settings_read(const union galerna_value *values)
{
    return (struct external_settings){
        .external_gap = values[EXTERNAL_GAP].number,
        .local_gap = values[LOCAL_GAP].number,
        .local_time = values[LOCAL_TIME].number,
        .local_variation = values[LOCAL_VARIATION].number,
        .external_time = values[EXTERNAL_TIME].number,
        .least = (double)values[EXTERNAL_LEAST].integer,
    };
}

/* In a live site, the hosts become known only after the instance is created, and new ones are
 * added. */
static inline void external_measure(struct external_site *site)
{
    const struct galerna_host *host = site->host;

    if (host->host_count(host) == site->n_hosts || host->host_count(host) == 0)
        return;
    site->n_hosts = host->host_count(host);
    site->capacity = 0;
    for (uint32_t place = 0; place < site->n_hosts; place++)
        site->capacity += (double)host->host_capacity(host, place, GALERNA_CPU);
}

/* Creates a policy of `size` bytes, which begins with a struct external_site. NULL: failed, with
 * the result filled. */
static inline void *external_create(const struct galerna_host *host, size_t size, double window,
                                    struct galerna_result *result)
{
    struct external_site *site = (struct external_site *)calloc(1, size);

    if (!site) {
        host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
        return NULL;
    }
    *site = (struct external_site){.host = host, .window = window, .first = GALERNA_NONE};
    external_measure(site);
    return site;
}

/* The module's `destroy`. */
static inline void external_destroy(void *self)
{
    if (self)
        live_finish(&((struct external_site *)self)->live);
    free(self);
}

/* Two windows are kept: the present one and the one before it. */
static inline void external_roll(struct external_site *site, int64_t now)
{
    external_measure(site);
    if (site->first == GALERNA_NONE || now < site->began) {
        site->first = now;
        site->began = now;
        return;
    }
    if ((double)(now - site->began) < site->window)
        return;
    site->before =
        (double)(now - site->began) < 2 * site->window ? site->present : (struct external_sums){0};
    site->present = (struct external_sums){0};
    site->began += (int64_t)(floor((double)(now - site->began) / site->window) * site->window);
}

/* The lease's share of the site's CPU; 1 if unknown. */
static inline double external_share(const struct external_site *site,
                                    const struct galerna_lease *lease)
{
    const struct galerna_host *host = site->host;
    double cpu = 0;

    for (uint32_t vm = 0; vm < host->lease_vms(lease); vm++)
        cpu += (double)host->lease_amount(lease, vm, GALERNA_CPU);
    return site->capacity > 0 && cpu > 0 ? fmin(1, cpu / site->capacity) : 1;
}

static inline void external_saw_end(struct external_site *site, const struct galerna_lease *lease)
{
    int origin = site->host->lease_origin(lease) == GALERNA_ORIGIN_EXTERNAL;
    double ran = (double)site->host->lease_accumulated(lease);
    double time = ran * external_share(site, lease);

    if (!(ran > 0)) /* cancelled before it began */
        return;
    site->present.ended[origin]++;
    site->present.time[origin] += time;
    site->present.square[origin] += time * time;
    site->ever_ended[origin]++;
    site->time[origin] = (site->before.time[origin] + site->present.time[origin]) /
                         (site->before.ended[origin] + site->present.ended[origin]);
    site->square[origin] = (site->before.square[origin] + site->present.square[origin]) /
                           (site->before.ended[origin] + site->present.ended[origin]);
}

static inline void external_saw_request(struct external_site *site,
                                        const struct galerna_event *event)
{
    int origin = site->host->lease_origin(event->lease) == GALERNA_ORIGIN_EXTERNAL;
    int64_t id = site->host->lease_id(event->lease);
    const struct live_lease *known = live_find(&site->live, id);

    if (known && known->accepted) /* repeated event */
        return;
    if (event->accepted || origin == GALERNA_ORIGIN_EXTERNAL)
        site->present.arrivals[origin]++;
    if (!event->accepted)
        live_remove(&site->live, id);
    else if (!live_add(&site->live, site->host, event->lease, event->time, true))
        site->host->log(site->host, GALERNA_LOG_WARNING, "out of memory: a lease is not counted");
}

/* The module's `event`. */
static inline void external_saw(void *self, const struct galerna_event *event)
{
    struct external_site *site = (struct external_site *)self;

    external_roll(site, event->time);
    if (event->kind == GALERNA_EVENT_REQUESTED)
        external_saw_request(site, event);
    if (event->kind == GALERNA_EVENT_FINISHED && event->lease) {
        const struct live_lease *known = live_find(&site->live, site->host->lease_id(event->lease));

        if (known && known->accepted)
            external_saw_end(site, event->lease);
        live_remove(&site->live, site->host->lease_id(event->lease));
    }
}

/* The number of admitted, unfinished external leases. */
static inline size_t external_present(const struct external_site *site)
{
    size_t n = 0;

    for (size_t i = 0; i < site->live.n; i++)
        n += site->live.items[i].external;
    return n;
}

static inline double external_rate_seen(const struct external_site *site, int origin, int64_t now)
{
    double since = (double)now - fmax((double)site->first, (double)site->began - site->window);
    double seen = site->before.arrivals[origin] + site->present.arrivals[origin];

    return since > 0 ? seen / since : 0;
}

/* The configured or measured load. False: too few observations so far. */
static inline bool external_load_find(const struct external_site *site,
                                      const struct external_settings *settings, int64_t now,
                                      struct external_load *load)
{
    bool sees = settings->external_gap == 0 || settings->external_time == 0;
    double variation = settings->local_variation;

    if (sees && site->ever_ended[GALERNA_ORIGIN_EXTERNAL] < settings->least)
        return false;
    if (site->first == GALERNA_NONE && settings->local_gap == 0)
        return false;
    load->external_rate = settings->external_gap > 0
                              ? 1 / settings->external_gap
                              : external_rate_seen(site, GALERNA_ORIGIN_EXTERNAL, now);
    load->local_rate = settings->local_gap > 0
                           ? 1 / settings->local_gap
                           : external_rate_seen(site, GALERNA_ORIGIN_LOCAL, now);
    load->external_time =
        settings->external_time > 0 ? settings->external_time : site->time[GALERNA_ORIGIN_EXTERNAL];
    load->local_time =
        settings->local_time > 0 ? settings->local_time : site->time[GALERNA_ORIGIN_LOCAL];
    if (variation < 0 && site->time[GALERNA_ORIGIN_LOCAL] > 0)
        variation = site->square[GALERNA_ORIGIN_LOCAL] /
                        (site->time[GALERNA_ORIGIN_LOCAL] * site->time[GALERNA_ORIGIN_LOCAL]) -
                    1;
    variation = variation < 0 ? 1 : variation; /* no observations: exponential */
    load->local_square = (1 + variation) * load->local_time * load->local_time;
    return true;
}

/* Admits a request, and remembers it until its event arrives. */
static inline enum galerna_verdict external_pass(struct external_site *site,
                                                 const struct galerna_admission_request *request,
                                                 struct galerna_result *result)
{
    if (!live_add(&site->live, site->host, request->lease, request->now, false))
        return site->host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    return GALERNA_OK;
}

/* Is the request external? If so, prepares the decision. */
static inline bool external_asks(struct external_site *site,
                                 const struct galerna_admission_request *request)
{
    int64_t id = site->host->lease_id(request->lease);
    const struct live_lease *known;

    if (site->host->lease_origin(request->lease) != GALERNA_ORIGIN_EXTERNAL)
        return false;
    live_forget(&site->live, request->now);
    known = live_find(&site->live, id);
    if (known && !known->accepted) /* repeated request */
        live_remove(&site->live, id);
    return true;
}
