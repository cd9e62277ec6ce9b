/* Queries: would a lease fit, and what is planned on a host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/planner/planner_inside.h"

static size_t add_line(struct planner_trial *trial, size_t length, const char *line)
{
    size_t room = sizeof trial->text - length;
    int written = snprintf(trial->text + length, room, "%s%s", length ? "\n" : "", line);

    return written < 0 || (size_t)written >= room ? sizeof trial->text - 1
                                                  : length + (size_t)written;
}

static size_t describe_victims(const struct plan_reply *reply, struct planner_trial *trial,
                               size_t length)
{
    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];
        char when[64], line[160];

        if (output->kind != OUTPUT_PREEMPTED || output->other != TRIAL_ID)
            continue;
        lease_time_text(output->at, when, sizeof when);
        snprintf(line, sizeof line, "Lease %lld would be %s at %s", (long long)output->lease,
                 output->how == PREEMPTED_SUSPEND   ? "suspended"
                 : output->how == PREEMPTED_REQUEUE ? "restarted"
                                                    : "ended",
                 when);
        length = add_line(trial, length, line);
    }
    return length;
}

static size_t describe_wait(int64_t probable, struct planner_trial *trial, size_t length)
{
    char line[160], when[64];

    trial->start = probable;
    lease_time_text(trial->start, when, sizeof when);
    if (trial->start == INSTANT_NONE)
        snprintf(line, sizeof line, "It would wait in the queue; start time unknown");
    else if (trial->start == INSTANT_NEVER)
        snprintf(line, sizeof line,
                 "It would wait in the queue; what holds the hosts it may use "
                 "has no planned end");
    else
        snprintf(line, sizeof line, "It would wait in the queue and probably start at %s", when);
    return add_line(trial, length, line);
}

static void describe(const struct plan_reply *reply, const struct lease_view *lease,
                     enum lease_kind kind, struct planner_trial *trial)
{
    char line[STORE_TEXT_MAX], when[64];
    size_t length = 0;

    trial->accepted = lease->state != LEASE_REJECTED;
    trial->start = lease->start;
    trial->contract = trial->accepted && kind == LEASE_RESERVATION;
    snprintf(trial->word, sizeof trial->word, "%s",
             trial->accepted ? "" : reason_word(&lease->reason));
    if (!trial->accepted) {
        reason_format_body(&lease->reason, line, sizeof line, lease_time_text);
        add_line(trial, length, line);
        return;
    }
    if (trial->start == INSTANT_NONE) {
        length = describe_wait(reply->probable, trial, length);
    } else {
        lease_time_text(trial->start, when, sizeof when);
        snprintf(line, sizeof line, "It would start at %s", when);
        length = add_line(trial, length, line);
    }
    describe_victims(reply, trial, length);
}

/* --- asking ----------------------------------------------------------------------------------- */

static int ask(struct planner *planner, const struct wire_writer *frame,
               const struct waiting *waiting, struct error *err)
{
    if (planner->n_waiting == sizeof planner->waiting / sizeof *planner->waiting)
        return error_set(err, EAGAIN, "the planner is busy; try again in a moment");
    if (planner->n_waiting == 0)
        planner->answering = clock_monotonic();
    planner->waiting[planner->n_waiting] = *waiting;
    planner->waiting[planner->n_waiting++].since = clock_monotonic();
    if (planner_send(planner, frame, 1, err) == 0)
        return 0;
    if (planner->n_waiting)
        planner->n_waiting--;
    return -1;
}

/* Uses separate facts, from a store that they cannot change, and a temporary engine. */
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err)
{
    const int32_t no_filter = -1;
    struct lease_request asked = *request;
    struct picture picture = {0};
    struct map planned, filters;
    size_t n_filters = 0;
    struct wire_writer frame = {0};
    struct facts facts;
    int result = picture_take(&picture, planner, err);

    map_init(&planned, sizeof(struct planned *));
    map_init(&filters, sizeof(int32_t));
    facts_init(&facts, planner, now);
    facts.picture = &picture;
    facts.planned = &planned;
    facts.filters = &filters;
    facts.n_filters = &n_filters;
    facts.is_trial = true;
    if (result == 0) {
        facts_gather(&facts);
        asked.id = TRIAL_ID;
        asked.submit = now;
        wire_put(&facts.step_section, 1);
        wire_put(&facts.step_section, false);
        wire_put_request(&facts.step_section, &asked, &no_filter);
        facts.n_steps++;
        wire_begin(&frame);
        wire_put(&frame, FRAME_TRY);
        wire_put(&frame, planner->settings.forecast);
        facts_put(&facts, true, false, &frame);
        wire_end(&frame);
        result = ask(planner, &frame,
                     &(struct waiting){.kind = FRAME_TRIED,
                                       .tried = tried,
                                       .context = context,
                                       .lease_kind = request->kind,
                                       .n_hosts = (uint32_t)picture.hosts->pool.n},
                     err);
    }
    wire_writer_finish(&frame);
    facts_finish(&facts);
    planned_drop_all(&planned);
    map_finish(&planned);
    map_finish(&filters);
    picture_drop(&picture);
    return result;
}

bool planner_take_trial(struct planner *planner, const struct waiting *waiting,
                        struct wire_reader *reader)
{
    struct planner_trial trial = {.start = INSTANT_NONE};
    struct plan_reply reply = {0};
    struct error err = {0};
    const struct lease_view *found = NULL;
    bool sound = wire_get_plan_reply(reader, waiting->n_hosts, &reply);

    (void)planner;
    for (size_t i = 0; sound && i < reply.n_views; i++)
        if (reply.views[i].lease == TRIAL_ID)
            found = &reply.views[i];
    if (found)
        describe(&reply, found, waiting->lease_kind, &trial);
    else
        error_set(&err, EINVAL, "%s", reply.error[0] ? reply.error : "the lease cannot be planned");
    if (sound)
        waiting->tried(waiting->context, found ? &trial : NULL, &err);
    plan_reply_finish(&reply);
    return sound;
}

int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err)
{
    uint32_t place = planner->picture.hosts ? picture_place(&planner->picture, host) : HOST_NONE;
    struct wire_writer frame = {0};
    int result;

    if (!planner->ready || place == HOST_NONE)
        return error_set(err, EAGAIN, "no plan has been made yet");
    wire_begin(&frame);
    wire_put(&frame, FRAME_OPERATIONS);
    wire_put(&frame, place);
    wire_end(&frame);
    result =
        ask(planner, &frame,
            &(struct waiting){.kind = FRAME_OPERATIONS_OF, .told = told, .context = context}, err);
    wire_writer_finish(&frame);
    return result;
}

bool planner_take_operations(struct planner *planner, const struct waiting *waiting,
                             struct wire_reader *reader)
{
    struct planned_operation *operations = NULL;
    size_t n = 0;
    bool sound = wire_get_operations(reader, &operations, &n);

    (void)planner;
    if (sound)
        waiting->told(waiting->context, operations, n, NULL);
    free(operations);
    return sound;
}

void planner_disappoint(struct planner *planner, const char *why)
{
    struct waiting waiting[sizeof planner->waiting / sizeof *planner->waiting];
    size_t n = planner->n_waiting;
    struct error err = {0};

    memcpy(waiting, planner->waiting, sizeof waiting);
    planner->n_waiting = 0;
    error_set(&err, EAGAIN, "%s; try again in a moment", why);
    for (size_t i = 0; i < n; i++)
        if (waiting[i].kind == FRAME_TRIED)
            waiting[i].tried(waiting[i].context, NULL, &err);
        else
            waiting[i].told(waiting[i].context, NULL, 0, &err);
}
