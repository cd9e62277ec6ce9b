/* Ranks hosts by estimated compute and transfer time (Montero, Huedo, Llorente: Grid Resource
 * Selection for Opportunistic Job Migration, equations 1 to 4).
 *
 *     T = T_cpu + T_xfer
 *     T_cpu  = sum t_i + (1 - sum t_i / S(h_i)) S(h)      S(h) = work / (speed(h) CPU(h))
 *     T_xfer = sum x_i + sum over j of Data_j / bandwidth(h, j)
 *
 * t_i: seconds the lease has run on h_i. CPU(h): free processors, if less than one is free, else 1.
 * x_i: the transfers when the lease moved to h_i. The sums over j are the transfers of a move to h:
 * the lease's data and image, and its memory from its previous host. Data already on a host is not
 * sent again. A lease of several VMs takes as long as its slowest VM.
 *
 * The work is set by an option; by default, it is the work of a host of the reference speed in the
 * requested duration. An unlimited lease counts as a lease of a day.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

enum option {
    SPEEDS,
    SPEED_ATTRIBUTE,
    REFERENCE_SPEED,
    WORK,
    DATA,
    IMAGES,
    RESTART_DATA,
    BANDWIDTHS,
    BANDWIDTH,
    LEAST_CPU,
    LEAST_MEMORY,
};

static const struct galerna_option options[] = {
    [SPEEDS] = {.name = "speeds",
                .type = GALERNA_TEXT,
                .default_value = "",
                .description =
                    "Speeds of hosts, by id or name: 1:175,solea:350, in MFLOPS or any "
                    "unit that is the same for all. In a replay, hosts have ids only, and "
                    "an unknown one is an error"},
    [SPEED_ATTRIBUTE] = {.name = "speed-attribute",
                         .type = GALERNA_TEXT,
                         .default_value = "MFLOPS",
                         .description = "Live: the attribute of a host that contains its speed, "
                                        "for hosts not listed in speeds"},
    [REFERENCE_SPEED] = {.name = "reference-speed",
                         .type = GALERNA_NUMBER,
                         .default_value = "1000",
                         .minimum = 1e-6,
                         .maximum = 1e12,
                         .description = "Speed of a host on which a lease takes its requested "
                                        "time; also assumed for hosts of unknown speed"},
    [WORK] = {.name = "work",
              .type = GALERNA_NUMBER,
              .default_value = "0",
              .minimum = 0,
              .maximum = 1e18,
              .description = "Work of every lease, in million operations if speeds are MFLOPS; 0: "
                             "derived from its requested time"},
    [DATA] = {.name = "data",
              .type = GALERNA_TEXT,
              .default_value = "",
              .description = "Data that a lease needs on its hosts, in MB by location: a host's id "
                             "or name, or any word: client:4.5,nas:9"},
    [IMAGES] = {.name = "images",
                .type = GALERNA_TEXT,
                .default_value = "",
                .description = "Location of disk images: IMAGE:PLACE,..., * for any image; the "
                               "nearest place is used. Images that are not listed do not count"},
    [RESTART_DATA] = {.name = "restart-data",
                      .type = GALERNA_NUMBER,
                      .default_value = "-1",
                      .minimum = -1,
                      .maximum = 1e12,
                      .description = "MB transferred between hosts when a VM moves; -1: its "
                                     "memory, or the time planned for the move, if longer"},
    [BANDWIDTHS] = {.name = "bandwidths",
                    .type = GALERNA_TEXT,
                    .default_value = "",
                    .description = "MB/s between two places, in both directions: "
                                   "1/client:0.4,solea/*:0.2; the first match counts"},
    [BANDWIDTH] = {.name = "bandwidth",
                   .type = GALERNA_NUMBER,
                   .default_value = "12.5",
                   .minimum = 1e-6,
                   .maximum = 1e12,
                   .description = "MB/s between places not listed in bandwidths"},
    [LEAST_CPU] = {.name = "least-free-cpu",
                   .type = GALERNA_NUMBER,
                   .default_value = "0",
                   .minimum = 0,
                   .maximum = 1e9,
                   .description = "Free CPU that a host must have before the lease, in percent of "
                                  "a processor (the paper: 90)"},
    [LEAST_MEMORY] = {.name = "least-memory",
                      .type = GALERNA_NUMBER,
                      .default_value = "0",
                      .minimum = 0,
                      .maximum = 1e15,
                      .description = "Memory that a host must have in all, in MB (the paper: 128)"},
};

enum { A_DAY = 86400 };

struct policy {
    const struct galerna_host *host;
    const char *speed_attribute;
    double reference, work, restart, bandwidth, least_cpu, least_memory;
    struct places_list speeds, data, images, bandwidths;

    /* By place of the site. */
    int32_t *ids;
    double *speed_of;
    uint32_t n_places;
    int64_t known_at; /* time of the last query of attributes */
    bool *told;       /* by item of speeds: the missing host has been reported */
};

static void destroy(void *self)
{
    struct policy *policy = self;

    if (!policy)
        return;
    places_finish(&policy->speeds);
    places_finish(&policy->data);
    places_finish(&policy->images);
    places_finish(&policy->bandwidths);
    free(policy->ids);
    free(policy->speed_of);
    free(policy->told);
    free(policy);
}

static bool is_known(const struct policy *policy, const char *name)
{
    uint32_t n = policy->host->host_count(policy->host);

    for (uint32_t place = 0; place < n; place++)
        if (place_is(policy->host, place, name))
            return true;
    return n == 0; /* unknown */
}

/* In the daemon, hosts appear later and change: tell_unknown() checks them then. */
static bool check_speeds(const struct policy *policy, struct galerna_result *result)
{
    const struct galerna_host *host = policy->host;

    for (size_t i = 0; i < policy->speeds.n; i++) {
        const char *name = policy->speeds.items[i].name;

        if (is_known(policy, name))
            continue;
        host->answer(result, GALERNA_ERROR, "unknown-host",
                     "speeds: host '%.60s' is not among the %lu of the site%s", name,
                     (unsigned long)host->host_count(host),
                     host->host_attribute(host, 0, "NAME")
                         ? ""
                         : ", which have no names here, only numbers from 1 on");
        return false;
    }
    return true;
}

static void tell_unknown(const struct policy *policy)
{
    for (size_t i = 0; i < policy->speeds.n; i++) {
        const char *name = policy->speeds.items[i].name;

        if (!policy->told[i] && !is_known(policy, name)) {
            policy->host->log(policy->host, GALERNA_LOG_ERROR,
                              "speeds: host '%.60s' does not exist; its speed is not used", name);
            policy->told[i] = true;
        }
    }
}

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = calloc(1, sizeof *policy);
    struct places_reader reader = {.host = host, .result = result};

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct policy){
        .host = host,
        .speed_attribute = values[SPEED_ATTRIBUTE].text,
        .reference = values[REFERENCE_SPEED].number,
        .work = values[WORK].number,
        .restart = values[RESTART_DATA].number,
        .bandwidth = values[BANDWIDTH].number,
        .least_cpu = values[LEAST_CPU].number,
        .least_memory = values[LEAST_MEMORY].number,
        .known_at = GALERNA_NONE,
    };
    *self = policy;
    if (places_read(&reader, "speeds", values[SPEEDS].text, PLACES_ONE, &policy->speeds) &&
        places_read(&reader, "data", values[DATA].text, PLACES_ONE, &policy->data) &&
        places_read(&reader, "images", values[IMAGES].text, PLACES_NAMES, &policy->images) &&
        places_read(&reader, "bandwidths", values[BANDWIDTHS].text, PLACES_PAIR,
                    &policy->bandwidths) &&
        check_speeds(policy, result)) {
        policy->told = calloc(policy->speeds.n + 1, sizeof *policy->told);
        if (policy->told)
            return GALERNA_OK;
        host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    }
    destroy(policy);
    *self = NULL;
    return GALERNA_ERROR;
}

/* ---- hosts ---- */

static double find_speed(const struct policy *policy, uint32_t place)
{
    const char *written;
    double speed;

    for (size_t i = 0; i < policy->speeds.n; i++)
        if (place_is(policy->host, place, policy->speeds.items[i].name) &&
            policy->speeds.items[i].number > 0)
            return policy->speeds.items[i].number;
    written = policy->host->host_attribute(policy->host, place, policy->speed_attribute);
    speed = written ? strtod(written, NULL) : 0;
    return isfinite(speed) && speed > 0 ? speed : policy->reference;
}

/* Sites and attributes change in the daemon, not in a replay. */
static bool knows_hosts(const struct policy *policy)
{
    const struct galerna_host *host = policy->host;

    if (policy->n_places != host->host_count(host))
        return false;
    for (uint32_t place = 0; place < policy->n_places; place++)
        if (policy->ids[place] != host->host_id(host, place))
            return false;
    return policy->n_places == 0 || !host->host_attribute(host, 0, "NAME") ||
           policy->known_at == host->now(host);
}

static bool learn_hosts(struct policy *policy)
{
    const struct galerna_host *host = policy->host;
    uint32_t n = host->host_count(host);
    bool others = policy->n_places != n;
    int32_t *ids;
    double *speeds;

    if (knows_hosts(policy))
        return true;
    ids = reallocarray(policy->ids, n + 1, sizeof *ids);
    if (ids)
        policy->ids = ids;
    speeds = reallocarray(policy->speed_of, n + 1, sizeof *speeds);
    if (speeds)
        policy->speed_of = speeds;
    policy->n_places = 0;
    if (!ids || !speeds)
        return false;
    for (uint32_t place = 0; place < n; place++) {
        ids[place] = host->host_id(host, place);
        speeds[place] = find_speed(policy, place);
    }
    if (others)
        tell_unknown(policy);
    policy->n_places = n;
    policy->known_at = host->now(host);
    return true;
}

/* ---- transfers ---- */

/* Seconds to send `data` MB between a host and a named place. */
static double send_from(const struct policy *policy, uint32_t to, const char *name, double data)
{
    if (data <= 0 || place_is(policy->host, to, name))
        return 0;
    for (size_t i = 0; i < policy->bandwidths.n; i++) {
        const struct places_item *item = &policy->bandwidths.items[i];

        if ((place_is(policy->host, to, item->name) && name_fits(name, item->other)) ||
            (place_is(policy->host, to, item->other) && name_fits(name, item->name)))
            return data / item->number;
    }
    return data / policy->bandwidth;
}

static double send_between(const struct policy *policy, uint32_t from, uint32_t to, double data)
{
    if (from == to || data <= 0)
        return 0;
    for (size_t i = 0; i < policy->bandwidths.n; i++) {
        const struct places_item *item = &policy->bandwidths.items[i];

        if ((place_is(policy->host, to, item->name) && place_is(policy->host, from, item->other)) ||
            (place_is(policy->host, to, item->other) && place_is(policy->host, from, item->name)))
            return data / item->number;
    }
    return data / policy->bandwidth;
}

static double send_image(const struct policy *policy, const struct galerna_lease *lease,
                         uint32_t to)
{
    const char *image = policy->host->lease_image(lease);
    double size = (double)policy->host->lease_image_size(lease), best = -1;

    for (size_t i = 0; image && i < policy->images.n; i++) {
        const struct places_item *item = &policy->images.items[i];
        double seconds;

        if (!name_fits(image, item->name))
            continue;
        seconds = send_from(policy, to, item->other, size);
        if (best < 0 || seconds < best)
            best = seconds;
    }
    return best < 0 ? 0 : best;
}

/* Seconds to send the lease's external data to a host. */
static double send_data(const struct policy *policy, const struct galerna_lease *lease, uint32_t to)
{
    double seconds = send_image(policy, lease, to);

    for (size_t i = 0; i < policy->data.n; i++)
        seconds += send_from(policy, to, policy->data.items[i].name, policy->data.items[i].number);
    return seconds;
}

static double send_restart(const struct policy *policy, const struct galerna_lease *lease,
                           uint32_t from, uint32_t to)
{
    double data = policy->restart;

    if (data < 0)
        data = (double)policy->host->lease_amount(lease, 0, GALERNA_MEMORY);
    return send_between(policy, from, to, data);
}

/* ---- the estimate ---- */

/* Seconds that the whole work would take on one host. */
static double alone_on(const struct policy *policy, const struct galerna_lease *lease,
                       uint32_t place, double cpu)
{
    int64_t duration = policy->host->lease_duration(lease);
    double seconds = duration == GALERNA_UNLIMITED ? A_DAY : (double)duration;
    double work = policy->work > 0 ? policy->work : seconds * policy->reference;

    return work / (policy->speed_of[place] * (cpu > 0 && cpu < 1 ? cpu : 1));
}

/* The past of a VM: seconds run and spent on transfers, and the share of the work done. */
struct past {
    double ran, sent, share;
    uint32_t place; /* of the last stretch */
    bool began;
};

static struct past past_of(const struct policy *policy, const struct galerna_lease *lease,
                           uint32_t vm)
{
    const struct galerna_host *host = policy->host;
    uint32_t n = host->lease_stretches(lease), place;
    double earlier = (double)host->lease_accumulated(lease);
    struct past past = {0};

    for (uint32_t i = 0; i < n; i++) {
        double span = (double)host->lease_stretch(host, lease, i, vm, &place);

        if (span < 0 || place >= policy->n_places)
            continue;
        if (!past.began || place != past.place) {
            past.sent += send_data(policy, lease, place);
            if (past.began)
                past.sent += send_restart(policy, lease, past.place, place);
        }
        past.place = place;
        past.began = true;
        past.ran += span;
        past.share += span / alone_on(policy, lease, place, 1);
        if (i + 1 < n)
            earlier -= span;
    }
    /* Run time on hosts that no longer exist counts as run time on this host. */
    if (past.began && earlier > 0 && past.ran < earlier) {
        past.share += (earlier - past.ran) / alone_on(policy, lease, past.place, 1);
        past.ran = earlier;
    }
    return past;
}

/* Total seconds for one VM that moves to a host, or stays there. */
static double total(const struct policy *policy, const struct galerna_lease *lease,
                    const struct past *past, uint32_t to, double cpu)
{
    double left = past->share < 1 ? 1 - past->share : 0;
    double seconds = past->ran + past->sent + left * alone_on(policy, lease, to, cpu);

    if (past->began && past->place == to)
        return seconds;
    seconds += send_data(policy, lease, to);
    if (past->began)
        seconds += send_restart(policy, lease, past->place, to);
    return seconds;
}

static enum galerna_verdict out_of_memory(const struct policy *policy,
                                          struct galerna_result *result)
{
    return policy->host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
}

/* The score of an estimate: shorter is better, and a second in a year still counts. */
static int64_t score_of(double seconds)
{
    return (int64_t)((double)GALERNA_SCORE_MAX / (1 + seconds / 1000));
}

static enum galerna_verdict score(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result)
{
    struct policy *policy = self;
    struct past past;

    if (!learn_hosts(policy))
        return out_of_memory(policy, result);
    past = past_of(policy, batch->lease, 0);
    for (size_t i = 0; i < batch->n_hosts; i++) {
        double cpu = (double)batch->free[i * batch->n_types + GALERNA_CPU];

        if (cpu < policy->least_cpu ||
            (double)galerna_capacity(batch, i)[GALERNA_MEMORY] < policy->least_memory)
            scores[i] = GALERNA_VETO;
        else
            scores[i] = score_of(total(policy, batch->lease, &past, batch->hosts[i], cpu / 100));
    }
    return GALERNA_OK;
}

/* Free processors for a VM on its host; for a new host, from the slot table. */
static double cpu_on(const struct policy *policy, const struct galerna_estimate *estimate,
                     uint32_t vm)
{
    const struct galerna_host *host = policy->host;
    int64_t amounts[64] = {0};
    uint32_t place = estimate->hosts[vm];

    if (place == estimate->from[vm] || host->type_count(host) > 64 ||
        !host->host_free(host, place, estimate->at, amounts))
        return 1;
    return (double)amounts[GALERNA_CPU] / 100;
}

static enum galerna_verdict estimate(void *self, const struct galerna_estimate *estimate,
                                     int64_t *milliseconds, struct galerna_result *result)
{
    struct policy *policy = self;
    double longest = 0;

    if (!learn_hosts(policy))
        return out_of_memory(policy, result);
    for (uint32_t vm = 0; vm < estimate->n_vms; vm++) {
        struct past past = past_of(policy, estimate->lease, vm);
        uint32_t to = estimate->hosts[vm];
        double seconds = total(policy, estimate->lease, &past, to, cpu_on(policy, estimate, vm));
        double sent = past.began ? send_restart(policy, estimate->lease, past.place, to) : 0;

        if (policy->restart < 0 && to != estimate->from[vm] && (double)estimate->overhead > sent)
            seconds += (double)estimate->overhead - sent;
        if (seconds > longest)
            longest = seconds;
    }
    *milliseconds = longest < 1e15 ? llround(longest * 1000) : INT64_C(1000000000000000000);
    return GALERNA_OK;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations,
    .columns = GALERNA_COLUMN_FREE,
    .score = score,
    .estimate = estimate,
};

GALERNA_POLICY(gridway) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_HOST_SELECTION),
    .name = "gridway",
    .version = "1.0",
    .summary =
        "Prefers the host with the shortest compute and transfer time; estimates the gain of moves",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = destroy,
    .host_selection = &operations,
};
