/* The planner in galernad: sends facts, applies outputs, supervises the process. */
#include "daemon/planner/planner.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/planner/planner_inside.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

_Static_assert(PLANNER_FDS == (int)MODULES_FDS, "room for the descriptors of both processes");

enum {
    QUESTION_LIMIT = 2000,     /* milliseconds until a question is answered with "busy" */
    MEMORY_OF_HOST = 64 << 10, /* bytes per host, */
    MEMORY_OF_VM = 32 << 10,   /* and per VM, beyond the process's initial memory */
};

struct planner *planner_create(const struct planner_settings *settings, struct store *store,
                               struct world *world, struct error *err)
{
    struct planner *planner = memory_new(1, sizeof *planner);

    planner->settings = *settings;
    /* OpenNebula migrates the VMs: for the engine they keep running, whether they move live or
     * cold. */
    planner->moves_cold = settings->engine.migration_mode == MOVING_COLD;
    planner->settings.engine.migration_mode = MOVING_LIVE;
    planner->store = store;
    planner->world = world;
    planner->retry = planner->next_time = INSTANT_NEVER;
    map_init(&planner->planned, sizeof(struct planned *));
    map_init(&planner->ahead, sizeof(int64_t));
    sent_init(&planner->sent);
    planner->modules = modules_create(settings->configuration, store, err);
    planner_recall_risks(planner);
    if (planner->modules)
        return planner;
    planner_destroy(planner);
    return NULL;
}

void planner_destroy(struct planner *planner)
{
    if (!planner)
        return;
    planner_stop(planner);
    modules_destroy(planner->modules);
    planned_drop_all(&planner->planned);
    map_finish(&planner->planned);
    map_finish(&planner->ahead);
    sent_finish(&planner->sent);
    snapshot_drop(&planner->snapshot);
    wire_writer_finish(&planner->events);
    free(planner->step_leases);
    free(planner->arrivals);
    free(planner->departures);
    free(planner);
}

void planner_set_learned(struct planner *planner, const struct learned *learned)
{
    planner->learned = learned;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Discards the engine and its state. A forecast in progress continues and is answered. */
static void lose_engine(struct planner *planner)
{
    planner->ready = false;
    planner->next_time = INSTANT_NEVER;
    planner->forecast_wanted = 0;
}

static void is_over(struct planner *planner, bool made)
{
    planner->in_flight = false;
    planner->answering = clock_monotonic();
    if (planner->settings.planned)
        planner->settings.planned(planner->settings.context, made);
}

/* Refuses leases that the engine cannot handle; all others are planned, one by one. */
static void take_failure(struct planner *planner, const struct plan_reply *reply)
{
    const struct lease_record *lease = NULL;

    log_error("the plan is discarded and rebuilt: %s", reply->error);
    if (reply->failed_step >= 0 && planner->careful)
        lease = store_lease(planner->store, planner->step_leases[reply->failed_step]);
    if (lease && lease_can(lease, EVENT_REFUSED))
        lease_refuse(planner->store, lease, planner->planned_at,
                     &(struct reason){.id = REASON_NOT_UNDERSTOOD, .text = reply->error}, NULL);
    if (reply->failed_step >= 0 && planner->n_requests)
        planner->careful = true;
    lose_engine(planner);
}

/* Was the lease sent to the engine? A module that corrupts the engine's memory can change ids. */
static bool is_ours(const struct planner *planner, int64_t lease)
{
    bool ours = planned_of(&planner->planned, lease) != NULL;

    if (!ours)
        log_error("the plan has an entry for lease %lld, which was not in the request",
                  (long long)lease);
    return ours;
}

static bool is_about_ours(const struct planner *planner, const struct plan_reply *reply)
{
    size_t n_requested = 0;

    for (size_t i = 0; i < reply->n_outputs; i++) {
        if (!is_ours(planner, reply->outputs[i].lease))
            return false;
        n_requested += reply->outputs[i].kind == OUTPUT_REQUESTED;
    }
    for (size_t i = 0; i < reply->n_views; i++)
        if (!is_ours(planner, reply->views[i].lease))
            return false;
    if (!reply->error[0] && n_requested != planner->n_requests)
        log_error("the plan answers %zu of %zu requests", n_requested, planner->n_requests);
    return reply->error[0] || n_requested == planner->n_requests;
}

static bool take_plan(struct planner *planner, struct wire_reader *reader)
{
    struct plan_reply reply = {0};
    bool sound = planner->in_flight &&
                 wire_get_plan_reply(reader, (uint32_t)planner->snapshot.hosts->pool.n, &reply) &&
                 is_about_ours(planner, &reply);
    bool failed = sound && reply.error[0];

    if (failed) {
        take_failure(planner, &reply);
    } else if (sound) {
        planner->ready = true;
        planner->careful = false;
        planner_take_reply(planner, &reply);
        planner->next_time = reply.next_time;
        planner->forecast_wanted = reply.stamp;
    }
    plan_reply_finish(&reply);
    if (sound)
        is_over(planner, !failed);
    return sound;
}

static bool take_question(struct planner *planner, enum frame kind, struct wire_reader *reader)
{
    struct waiting waiting;
    struct error err = {0};
    bool sound;

    if (planner->n_waiting == 0 || planner->waiting[0].kind != kind)
        return false;
    waiting = planner->waiting[0];
    memmove(planner->waiting, planner->waiting + 1, --planner->n_waiting * sizeof waiting);
    planner->answering = clock_monotonic();
    if (waiting.is_told)
        return true;
    sound = kind == FRAME_TRIED ? planner_take_trial(planner, &waiting, reader)
                                : planner_take_operations(&waiting, reader);
    if (!sound) { /* the question is unanswered */
        error_set(&err, EAGAIN, "the answer of the planner is malformed; try again in a moment");
        question_fails(&waiting, &err);
    }
    return sound;
}

static bool take(void *context, enum frame kind, struct wire_reader *reader)
{
    struct planner *planner = context;

    switch (kind) {
    case FRAME_PLANNED:
        return take_plan(planner, reader);
    case FRAME_FORECASTED:
        return planner_take_forecast(planner, reader);
    case FRAME_TRIED:
    case FRAME_OPERATIONS_OF:
        return take_question(planner, kind, reader);
    default:
        return false;
    }
}

/* --- the process ------------------------------------------------------------------------------ */

unsigned planner_waitfds(const struct planner *planner, struct pollfd *fds)
{
    return modules_waitfds(planner->modules, fds);
}

/* When the question is answered with "busy" because a plan or a slow question delays it;
 * INSTANT_NEVER: its answer is in progress, or the caller has been informed. */
static int64_t patience_of(const struct planner *planner, size_t i)
{
    const struct waiting *waiting = &planner->waiting[i];
    int64_t since = waiting->since;

    if (waiting->is_told || (!planner->in_flight && i == 0))
        return INSTANT_NEVER;
    if (!planner->in_flight && planner->answering > since)
        since = planner->answering;
    return since + QUESTION_LIMIT;
}

int64_t planner_due(const struct planner *planner)
{
    int64_t due = modules_due(planner->modules);

    for (size_t i = 0; i < planner->n_waiting; i++)
        if (patience_of(planner, i) < due)
            due = patience_of(planner, i);
    return due;
}

static void forget_process(struct planner *planner, const char *why)
{
    bool planning = planner->in_flight;

    lose_engine(planner);
    planner->forecasting = false;
    planner->recalled = false;
    planner->attributes = 0;
    planner->n_events = 0;
    wire_writer_finish(&planner->events);
    planner_disappoint(planner, why);
    if (planning)
        is_over(planner, false);
}

/* The answers to these questions are dropped when they arrive. */
static void answer_impatient_ones(struct planner *planner)
{
    for (size_t i = 0; i < planner->n_waiting; i++) {
        struct waiting *waiting = &planner->waiting[i];
        struct error err = {0};

        if (clock_monotonic() < patience_of(planner, i))
            continue;
        error_set(&err, EAGAIN, "the planner is busy; try again in a moment");
        waiting->is_told = true;
        question_fails(waiting, &err);
    }
}

void planner_serve(struct planner *planner)
{
    enum modules_event event = modules_serve(planner->modules, take, planner);

    if (event == MODULES_ENDED)
        forget_process(planner, "the planner has ended and is being restarted");
    else if (event == MODULES_LOADED)
        forget_process(planner, "policy modules are being reloaded");
    if ((event == MODULES_READY || event == MODULES_LOADED) && planner->settings.changed)
        planner->settings.changed(planner->settings.context);
    answer_impatient_ones(planner);
}

int planner_reload(struct planner *planner, const struct modules_wanted *wanted,
                   modules_loaded *loaded, void *context, struct error *err)
{
    return modules_reload(planner->modules, wanted, loaded, context, err);
}

void planner_stop(struct planner *planner)
{
    planner_disappoint(planner, "galernad is stopping");
    if (planner->modules)
        modules_abandon(planner->modules);
}

void planner_each_module(const struct planner *planner,
                         void (*visit)(void *context, const struct planner_module *module),
                         void *context)
{
    modules_each(planner->modules, visit, context);
}

uint64_t planner_ended(const struct planner *planner)
{
    return planner->modules->n_ended;
}

/* --- events for modules ----------------------------------------------------------------------- */

bool planner_wants_events(const struct planner *planner)
{
    return planner->modules->current.ready && planner->modules->current.wants_events;
}

void planner_tell(struct planner *planner, const struct policy_event *event)
{
    const struct lease_request *request = &event->lease->request;

    if (!planner_wants_events(planner) || !planner->recalled)
        return;
    wire_put(&planner->events, event->kind);
    wire_put(&planner->events, event->time);
    wire_put(&planner->events, event->other);
    wire_put(&planner->events, event->accepted);
    wire_put(&planner->events, event->lease->accumulated);
    wire_put_request(&planner->events, request, NULL);
    planner->n_events++;
}

/* --- plans ------------------------------------------------------------------------------------ */

/* Drops moves that were planned but not commanded: the new engine plans the best moves at that
 * time. */
static void forget_moves(struct planner *planner)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(planner->store, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->move != MOVE_NONE && !vms[i]->move_sent)
            vm_end_move(planner->store, vms[i]);
}

static int begin_rebuild(struct planner *planner, struct error *err)
{
    planner->n_arrivals = planner->n_departures = planner->n_unplaced = 0;
    planner->outdated = false;
    planner->doubted = 0;
    planner->built = clock_monotonic();
    planner->retry = INSTANT_NEVER;
    lose_engine(planner);
    planned_drop_all(&planner->planned);
    sent_finish(&planner->sent);
    sent_init(&planner->sent);
    if (snapshot_take(&planner->snapshot, planner, planner->settings.drains, err) < 0)
        return -1;
    planner->compared = planner->snapshot.hosts->number;
    planner->same = true;
    forget_moves(planner);
    return 0;
}

static void allow_memory(const struct planner *planner)
{
    const struct live_configuration *live = &planner->modules->configuration->live;
    size_t n_vms;

    store_vms(planner->store, &n_vms);
    planner_process_allow_memory(
        planner->modules->current.process,
        (live->planner_memory << 20) +
            (int64_t)(planner->snapshot.hosts->pool.n + planner->snapshot.n_insides) *
                MEMORY_OF_HOST +
            (int64_t)n_vms * MEMORY_OF_VM);
}

static void recall(struct planner *planner)
{
    if (planner->recalled)
        return;
    planner->recalled = true;
    if (planner_wants_events(planner) && planner->settings.begins)
        planner->settings.begins(planner->settings.context);
}

static void add_steps(struct planner *planner, struct facts *facts)
{
    facts_add_step(facts, planner->departures, planner->n_departures, planner->arrivals,
                   planner->careful ? 0 : planner->n_arrivals);
    for (size_t i = 0; planner->careful && i < planner->n_arrivals; i++)
        facts_add_step(facts, NULL, 0, &planner->arrivals[i], 1);
    planner->n_departures = planner->n_arrivals = 0;
}

/* Sends the host attributes for modules, unless the planner has them. */
static void put_attributes(struct planner *planner, struct wire_writer *frame)
{
    const struct hosts_seen *hosts = planner->snapshot.hosts;

    if (planner->attributes == hosts->number)
        return;
    wire_begin(frame);
    wire_put(frame, FRAME_ATTRIBUTES);
    facts_put_attributes(&hosts->pool, frame);
    wire_end(frame);
    planner->attributes = hosts->number;
}

static int send_plan(struct planner *planner, struct facts *facts, bool rebuild, struct error *err)
{
    struct wire_writer frames = {0}, frame = {0};
    int result;

    if (rebuild)
        put_attributes(planner, &frames);
    wire_begin(&frame);
    wire_put(&frame, FRAME_PLAN);
    facts_put(facts, rebuild, &frame);
    wire_end(&frame);
    wire_move(&frames, &frame);
    planner->in_flight = true;
    planner->n_plans++;
    planner->is_rebuild = rebuild;
    planner->planned_at = facts->now;
    free(planner->step_leases);
    planner->step_leases = facts->step_leases;
    facts->step_leases = NULL;
    planner->n_requests = facts->n_requests;
    planner->n_events = 0;
    wire_writer_finish(&planner->events);
    result = planner_send(planner, &frames, 1, err);
    if (result < 0)
        planner->in_flight = false;
    wire_writer_finish(&frames);
    return result;
}

int planner_plan(struct planner *planner, bool rebuild, int64_t now, struct error *err)
{
    struct facts facts;
    int result;

    if (planner->in_flight)
        return error_set(err, EAGAIN, "a plan is in progress");
    if (planner_is_starting(planner))
        return error_set(err, EAGAIN, "%s", planner_delay(planner));
    rebuild = rebuild || !planner->ready;
    if (rebuild && begin_rebuild(planner, err) < 0)
        return -1;
    if (rebuild)
        allow_memory(planner);
    recall(planner);
    facts_init(&facts, planner, now);
    facts.snapshot = &planner->snapshot;
    facts.planned = &planner->planned;
    facts.sent = &planner->sent;
    if (rebuild)
        facts_gather(&facts);
    else
        add_steps(planner, &facts);
    planner_take_notes(planner, &facts);
    result = send_plan(planner, &facts, rebuild, err);
    facts_finish(&facts);
    return result;
}

uint64_t planner_plans(const struct planner *planner)
{
    return planner->n_plans;
}

bool planner_is_planning(const struct planner *planner)
{
    return planner->in_flight;
}

bool planner_is_ready(const struct planner *planner)
{
    return planner->ready;
}

bool planner_is_starting(const struct planner *planner)
{
    return !planner->modules->current.ready;
}

bool planner_is_asked(const struct planner *planner)
{
    return planner->n_waiting > 0;
}

bool planner_doubts_rules(const struct planner *planner)
{
    return planner->doubted && planner->doubted >= world_site_asked(planner->world);
}

size_t planner_unplaced(const struct planner *planner)
{
    return planner->n_unplaced;
}

int64_t planner_built(const struct planner *planner)
{
    return planner->built;
}

int64_t planner_retry_time(const struct planner *planner)
{
    return planner->in_flight ? INSTANT_NEVER : planner->retry;
}

bool planner_knows(const struct planner *planner, int64_t lease)
{
    const struct planned *planned = planned_of(&planner->planned, lease);

    return planned && (planned->in_engine || planned->gone);
}

int64_t planner_next_time(const struct planner *planner)
{
    return planner->in_flight ? INSTANT_NEVER : planner->next_time;
}

int64_t planner_end(const struct planner *planner, int64_t id)
{
    const struct planned *planned = planned_of(&planner->planned, id);

    return planned && planned->in_engine ? planned->end : INSTANT_NONE;
}
