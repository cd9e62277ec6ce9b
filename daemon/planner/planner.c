#include "daemon/planner/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/live/lease_state.h"
#include "daemon/log.h"
#include "daemon/planner/planner_inside.h"
#include "util/memory.h"

enum { RELOCATED_MAX = 8 /* in one plan: each is thought over on its own */ };

struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world)
{
    struct planner *planner = memory_new(1, sizeof *planner);

    planner->settings = *settings;
    /* OpenNebula migrates: to the engine the VMs go on, whichever way it is done. */
    planner->moves_cold = settings->engine.migration_mode == MOVING_COLD;
    planner->settings.engine.migration_mode = MOVING_LIVE;
    planner->store = store;
    planner->world = world;
    planner->retry = INSTANT_NEVER;
    engine_outputs_init(&planner->outputs);
    return planner;
}

static void drop_engine(struct planner *planner)
{
    if (planner->engine && planner->settings.site_changed)
        planner->settings.site_changed(planner->settings.site_context, NULL);
    engine_destroy(planner->engine);
    planner->engine = NULL;
}

static void drop_picture(struct planner *planner)
{
    drop_engine(planner);
    eligibility_destroy(planner->eligibility);
    planner->eligibility = NULL;
    hosts_release(planner->hosts);
    planner->hosts = NULL;
    site_release(planner->site);
    planner->site = NULL;
}

void planner_destroy(struct planner *planner)
{
    size_t n;
    const struct lease_record *const *leases;

    if (!planner)
        return;
    leases = store_leases(planner->store, &n);
    for (size_t i = 0; i < n; i++)
        planned_drop(planner->store, leases[i]);
    planner_drop_forecast(planner);
    drop_picture(planner);
    engine_outputs_finish(&planner->outputs);
    free(planner->news);
    free(planner->gone);
    free(planner);
}

/* --- hosts ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t digest, const char *text)
{
    for (; text && *text; text++)
        digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return digest * UINT64_C(1099511628211) + 1;
}

static uint64_t mix_number(uint64_t digest, int64_t number)
{
    return (digest ^ (uint64_t)number) * UINT64_C(1099511628211) + 1;
}

/* Figures that monitoring changes all the time do not make another site. */
static bool changes_all_the_time(const char *name)
{
    static const char *const names[] = {"FREE_CPU",    "FREE_MEMORY", "USED_CPU",  "USED_MEMORY",
                                        "RUNNING_VMS", "CPU_USAGE",   "MEM_USAGE", "CURRENT_VMS",
                                        "NETRX",       "NETTX",       "STATE",     "TIMESTAMP"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static uint64_t hosts_digest(const struct host_pool *pool)
{
    uint64_t digest = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < pool->n; i++) {
        const struct host *host = &pool->items[i];

        digest = mix_number(digest, host->id);
        digest = mix_number(digest, host->state);
        digest = mix_number(digest, host->cpu);
        digest = mix_number(digest, host->memory);
        digest = mix_number(digest, host->cluster);
        for (size_t j = 0; j < host->attributes.n; j++)
            if (!changes_all_the_time(host->attributes.items[j].name)) {
                digest = mix(digest, host->attributes.items[j].name);
                digest = mix(digest, host->attributes.items[j].value);
            }
    }
    return digest;
}

bool planner_sees_same_hosts(struct planner *planner)
{
    const struct hosts_seen *seen = world_hosts(planner->world);

    if (!planner->engine || !seen)
        return false;
    if (seen->number != planner->compared) {
        planner->compared = seen->number;
        planner->same = hosts_digest(&seen->pool) == planner->hosts_digest;
    }
    return planner->same;
}

static bool takes_vms(const struct host *host)
{
    return host->state == HOST_ON;
}

/* A host that was never monitored has no capacity that one could plan with. */
static int make_site(const struct planner *planner, struct site *site, struct error *err)
{
    const struct host_pool *pool = &planner->hosts->pool;

    site_init(site);
    for (size_t i = 0; i < pool->n; i++) {
        struct amounts capacity = {{0}};

        capacity.of[RESOURCE_CPU] = pool->items[i].cpu > 0 ? pool->items[i].cpu : 0;
        capacity.of[RESOURCE_MEMORY] = pool->items[i].memory > 0 ? pool->items[i].memory : 0;
        if (site_add_hosts(site, 1, &capacity, err) < 0)
            return -1;
        site->hosts[site->n_hosts - 1].id = pool->items[i].id;
        site->hosts[site->n_hosts - 1].closed =
            !takes_vms(&pool->items[i]) ||
            quarantine_has(planner->settings.quarantine, pool->items[i].id, clock_now());
    }
    return 0;
}

/* --- building --------------------------------------------------------------------------------- */

void planner_set_estimates(struct planner *planner, const struct estimates *estimates)
{
    planner->estimates = estimates;
}

static void use_estimate(const struct planner *planner, enum operation operation, int64_t *seconds,
                         double *rate)
{
    struct estimate estimate = estimates_of(planner->estimates, operation);

    if (estimate.n == 0 || *seconds != SPAN_NONE)
        return;
    if (estimate.seconds)
        *seconds = estimate.seconds;
    else
        *rate = estimate.rate;
}

static int make_engine(struct planner *planner, int64_t now, struct error *err)
{
    struct engine_settings settings = planner->settings.engine;
    struct site site;

    if (planner->estimates) {
        use_estimate(planner, OPERATION_SUSPEND, &settings.override_suspend_time,
                     &settings.suspend_rate);
        use_estimate(planner, OPERATION_RESUME, &settings.override_resume_time,
                     &settings.resume_rate);
    }
    drop_engine(planner);
    if (make_site(planner, &site, err) == 0)
        planner->engine = engine_create(&site, &settings, planner->settings.policies, err);
    site_finish(&site);
    if (!planner->engine)
        return -1;
    if (planner->settings.site_changed)
        planner->settings.site_changed(planner->settings.site_context,
                                       engine_site(planner->engine));
    return engine_begin(planner->engine, now, err);
}

/* What was sent to datastores lately and is not in their figures yet. */
static void repeat_promises(struct planner *planner)
{
    size_t n;
    const struct room_promise *promises = world_promises(planner->world, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t place = host_place(planner, promises[i].host);

        if (place != HOST_NONE)
            eligibility_promise(planner->eligibility, promises[i].datastore, place,
                                promises[i].amount);
    }
}

static int look_anew(struct planner *planner, struct error *err)
{
    drop_picture(planner);
    if (!world_hosts(planner->world) || !world_site(planner->world))
        return error_set(err, EAGAIN, "OpenNebula's hosts have not been seen yet");
    planner->hosts = hosts_retain(world_hosts(planner->world));
    planner->site = site_retain(world_site(planner->world));
    planner->hosts_digest = hosts_digest(&planner->hosts->pool);
    planner->compared = planner->hosts->number;
    planner->same = true;
    planner->eligibility = eligibility_create(
        &planner->hosts->pool, &planner->site->datastores, &planner->site->clusters,
        &planner->site->users, &planner->site->acl, &planner->settings.eligibility, err);
    if (!planner->eligibility)
        return -1;
    repeat_promises(planner);
    return 0;
}

int planner_rebuild(struct planner *planner, int64_t now, struct error *err)
{
    planner->n_news = planner->n_gone = 0;
    planner->outdated = false;
    planner->built = clock_monotonic();
    planner->retry = INSTANT_NEVER;
    if (look_anew(planner, err) < 0)
        return -1;
    if (!planner->hosts || planner->hosts->pool.n == 0)
        return error_set(err, EAGAIN, "OpenNebula has no hosts");
    if (make_engine(planner, now, err) < 0) {
        drop_picture(planner);
        return -1;
    }
    planner_adopt_all(planner, now);
    for (int i = 0; i < RELOCATED_MAX && planner_relocate(planner, now); i++) {
        if (make_engine(planner, now, err) < 0) {
            drop_picture(planner);
            return -1;
        }
        planner_adopt_all(planner, now);
    }
    return planner_step(planner, now, err);
}

void planner_forget(struct planner *planner)
{
    drop_picture(planner);
}

bool planner_is_ready(const struct planner *planner)
{
    return planner->engine != NULL;
}

bool planner_is_outdated(const struct planner *planner)
{
    return planner->outdated;
}

size_t planner_unplaced(const struct planner *planner)
{
    return planner->n_unplaced;
}

int64_t planner_built(const struct planner *planner)
{
    return planner->built;
}

/* --- stepping --------------------------------------------------------------------------------- */

static void append(int64_t **ids, size_t *n, size_t *allocated, int64_t id)
{
    *ids = memory_grow(*ids, allocated, *n + 1, sizeof **ids);
    (*ids)[(*n)++] = id;
}

void planner_new(struct planner *planner, int64_t lease)
{
    append(&planner->news, &planner->n_news, &planner->news_allocated, lease);
}

void planner_gone(struct planner *planner, int64_t id)
{
    const struct lease_record *lease = store_lease(planner->store, id);

    if (planner->engine && lease && lease->planned && lease->planned->in_engine &&
        engine_lease(planner->engine, id))
        append(&planner->gone, &planner->n_gone, &planner->gone_allocated, id);
    if (lease && lease->planned)
        lease->planned->in_engine = false;
}

static size_t add_gone(const struct planner *planner, struct engine_input *inputs)
{
    size_t n = 0;

    for (size_t i = 0; i < planner->n_gone; i++) {
        const struct lease *known = engine_lease(planner->engine, planner->gone[i]);

        if (known && !lease_state_is_final(known->state))
            inputs[n++] = (struct engine_input){.kind = INPUT_CANCEL, .lease = planner->gone[i]};
    }
    return n;
}

/* The world has moved past the time a reservation was asked for. */
static bool is_over(struct planner *planner, const struct lease_record *lease, int64_t now)
{
    char start[64], text[STORE_TEXT_MAX];

    if (lease->kind != LEASE_RESERVATION || !lease_is_over(lease, now))
        return false;
    lease_time_text(lease->start, start, sizeof start);
    snprintf(text, sizeof text,
             "The reservation is refused: its time, %s for %lld s, had passed when it was seen",
             start, (long long)lease->duration);
    lease_refuse(planner->store, lease, now, "start-passed", text);
    return true;
}

/* What a new lease asks for; false when it cannot be asked at present. */
static bool make_request(struct planner *planner, int64_t id, int64_t now,
                         struct lease_request *request)
{
    const struct lease_record *lease = store_lease(planner->store, id);

    if (!lease || lease->phase != PHASE_WAITING || lease->accepted ||
        engine_lease(planner->engine, id) || (lease->planned && lease->planned->in_engine) ||
        is_over(planner, lease, now))
        return false;
    if (!planned_make(planner, lease, now, request)) {
        if (lease->kind == LEASE_IMMEDIATE)
            lease_refuse(planner->store, lease, now, lease->reason_word, lease->reason);
        return false;
    }
    lease->planned->in_engine = true;
    return true;
}

static int step(struct planner *planner, int64_t now, const struct engine_input *inputs, size_t n,
                struct error *err)
{
    if (engine_step(planner->engine, now, inputs, n, &planner->outputs, err) < 0) {
        drop_picture(planner);
        return -1;
    }
    planner_take_outputs(planner, now);
    return 0;
}

/* A lease the engine cannot make sense of is refused; all others are planned. */
static int step_one_by_one(struct planner *planner, const int64_t *news, size_t n, int64_t now,
                           struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct lease_request request;
        struct engine_input input = {.kind = INPUT_REQUEST, .request = &request};

        if (!make_request(planner, news[i], now, &request))
            continue;
        if (step(planner, now, &input, 1, err) < 0) {
            lease_refuse(planner->store, store_lease(planner->store, news[i]), now,
                         "not-understood", err->text);
            return -1;
        }
    }
    planner->careful = false;
    return 0;
}

static int step_together(struct planner *planner, const int64_t *news, size_t n_news, int64_t now,
                         struct error *err)
{
    struct engine_input *inputs = memory_new(n_news + planner->n_gone, sizeof *inputs);
    struct lease_request *requests = memory_new(n_news, sizeof *requests);
    size_t n = add_gone(planner, inputs), n_requests = 0;
    int result;

    for (size_t i = 0; i < n_news; i++)
        if (make_request(planner, news[i], now, &requests[n_requests]))
            inputs[n++] =
                (struct engine_input){.kind = INPUT_REQUEST, .request = &requests[n_requests++]};
    result = step(planner, now, inputs, n, err);
    if (result < 0 && n_requests)
        planner->careful = true;
    free(inputs);
    free(requests);
    return result;
}

int planner_step(struct planner *planner, int64_t now, struct error *err)
{
    size_t n = planner->n_news;
    int64_t *news;
    int result;

    if (!planner->engine)
        return error_set(err, EAGAIN, "there is no plan yet");
    news = memory_copy(planner->news, n * sizeof *news);
    planner->n_news = 0;
    result = step_together(planner, news, planner->careful ? 0 : n, now, err);
    if (result == 0 && planner->careful)
        result = step_one_by_one(planner, news, n, now, err);
    planner->n_gone = 0;
    free(news);
    if (result == 0)
        planner_note_expectations(planner, now);
    return result;
}

void planner_retry_at(struct planner *planner, int64_t at)
{
    if (at < planner->retry)
        planner->retry = at;
}

int64_t planner_retry_time(const struct planner *planner)
{
    return planner->retry;
}

bool planner_knows(const struct planner *planner, int64_t lease)
{
    return planner->engine && engine_lease(planner->engine, lease);
}

int64_t planner_next_time(const struct planner *planner)
{
    return planner->engine ? engine_next_time(planner->engine) : INSTANT_NEVER;
}

int64_t planner_end(const struct planner *planner, int64_t id)
{
    const struct lease_record *lease = store_lease(planner->store, id);

    return lease && lease->planned && lease->planned->in_engine ? lease->planned->end
                                                                : INSTANT_NONE;
}

int32_t planner_datastore(struct planner *planner, int32_t id, int32_t host, char *reason,
                          size_t size)
{
    const struct vm_observation *observed = world_vm(planner->world, id);
    uint32_t place;
    int32_t datastore;

    if (!planner->eligibility || !observed || !observed->full)
        return -1;
    place = host_place(planner, host);
    if (place == HOST_NONE) {
        snprintf(reason, size, "host %d is gone", host);
        return -1;
    }
    datastore = eligibility_datastore(planner->eligibility, observed->full, place, reason, size);
    if (datastore >= 0) {
        int64_t amount = eligibility_room_needed(planner->eligibility, observed->full);

        eligibility_promise(planner->eligibility, datastore, place, amount);
        world_promise(planner->world,
                      &(struct room_promise){
                          .vm = id, .datastore = datastore, .host = host, .amount = amount});
    }
    return datastore;
}
