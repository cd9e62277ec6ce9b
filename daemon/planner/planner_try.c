/* Queries: would a lease fit, and what is planned on a host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/planner/planner_inside.h"

/* The hosts of the lease's first run in the trial; NULL: not planned. */
static const struct plan_reservation *first_run(const struct plan_reply *reply,
                                                const struct lease_view *lease)
{
    if (lease->stretch.there)
        return &lease->stretch;
    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];

        if (output->lease == TRIAL_ID && output->kind == OUTPUT_OPERATION_STARTED &&
            output->reservation.kind == RESERVATION_VM)
            return &output->reservation;
    }
    return NULL;
}

static void find_hosts(const struct plan_reservation *run, const struct hosts_seen *hosts,
                       struct planner_trial *trial)
{
    for (size_t i = 0; i < run->n_vms; i++) {
        const struct host *host =
            run->vms[i].host < hosts->pool.n ? &hosts->pool.items[run->vms[i].host] : NULL;
        bool known = !host || (i > 0 && run->vms[i - 1].host == run->vms[i].host);

        for (size_t k = 0; !known && k < trial->n_hosts && k < TRIAL_HOSTS; k++)
            known = trial->hosts[k].id == host->id;
        if (known)
            continue;
        if (trial->n_hosts < TRIAL_HOSTS) {
            struct trial_host *named = &trial->hosts[trial->n_hosts];

            named->id = host->id;
            snprintf(named->name, sizeof named->name, "%s", host->name);
        }
        trial->n_hosts++;
    }
}

static void describe(const struct planner *planner, const struct plan_reply *reply,
                     const struct lease_view *lease, const struct waiting *waiting,
                     struct planner_trial *trial)
{
    enum lease_kind kind = waiting->lease_kind;
    const struct plan_reservation *run = first_run(reply, lease);
    struct reason reason = lease->reason;

    trial->accepted = lease->state != LEASE_REJECTED;
    trial->start = lease->start;
    trial->contract = trial->accepted && kind == LEASE_RESERVATION;
    if (!trial->accepted) {
        if (reason.id == REASON_DEADLINE_UNREACHABLE && waiting->latest_start != INSTANT_NONE)
            reason.n[2] = waiting->latest_start;
        store_tell_reason(&trial->reason, &reason);
        return;
    }
    trial->waits = trial->start == INSTANT_NONE;
    if (trial->waits)
        trial->start = reply->probable;
    else if (run)
        find_hosts(run, waiting->hosts, trial);
    trial->victims = question_victims(planner, reply, TRIAL_ID);
}

/* --- asking ----------------------------------------------------------------------------------- */

static int64_t latest_start(const struct lease_request *request)
{
    return request->kind == LEASE_DEADLINE && request->duration != SPAN_UNLIMITED
               ? request->deadline - request->duration
               : INSTANT_NONE;
}

/* Uses separate facts, from a store that they cannot change, and a temporary engine. */
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err)
{
    struct lease_request asked = *request;
    struct asked_facts trial;
    int result;

    asked.id = TRIAL_ID;
    asked.submit = now;
    result = asked_facts_gather(&trial, planner, (struct supposition){.asked = &asked}, now, err);
    if (result == 0) {
        result =
            asked_facts_send(&trial, planner,
                             &(struct waiting){.kind = FRAME_TRIED,
                                               .tried = tried,
                                               .context = context,
                                               .lease_kind = request->kind,
                                               .latest_start = latest_start(request),
                                               .hosts = hosts_retain(trial.snapshot.hosts),
                                               .n_hosts = (uint32_t)trial.snapshot.hosts->pool.n},
                             err);
        if (result < 0)
            hosts_release(trial.snapshot.hosts);
    }
    asked_facts_finish(&trial);
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

    if (sound && waiting->drain) {
        planner_take_drain(planner, waiting, &reply);
        plan_reply_finish(&reply);
        return true;
    }
    if (sound && waiting->change) {
        planner_take_change(planner, waiting, &reply);
        plan_reply_finish(&reply);
        return true;
    }
    for (size_t i = 0; sound && i < reply.n_views; i++)
        if (reply.views[i].lease == TRIAL_ID)
            found = &reply.views[i];
    if (found)
        describe(planner, &reply, found, waiting, &trial);
    else
        error_set(&err, EINVAL, "%s", reply.error[0] ? reply.error : "the lease cannot be planned");
    if (sound)
        waiting->tried(waiting->context, found ? &trial : NULL, &err);
    if (sound)
        hosts_release(waiting->hosts);
    plan_reply_finish(&reply);
    return sound;
}

int planner_operations(struct planner *planner, int32_t host, planner_told *told, void *context,
                       struct error *err)
{
    uint32_t place = planner->snapshot.hosts ? snapshot_place(&planner->snapshot, host) : HOST_NONE;
    struct wire_writer frame = {0};
    int result;

    if ((!planner->ready && !planner->in_flight) || place == HOST_NONE)
        return error_set(err, EAGAIN, "no plan has been made yet");
    wire_begin(&frame);
    wire_put(&frame, FRAME_OPERATIONS);
    wire_put(&frame, place);
    wire_end(&frame);
    result = question_ask(
        planner, &frame,
        &(struct waiting){.kind = FRAME_OPERATIONS_OF, .told = told, .context = context}, err);
    wire_writer_finish(&frame);
    return result;
}

bool planner_take_operations(const struct waiting *waiting, struct wire_reader *reader)
{
    struct planned_operation *operations = NULL;
    size_t n = 0;
    bool sound = wire_get_operations(reader, &operations, &n);

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
        if (!waiting[i].is_told)
            question_fails(&waiting[i], &err);
}

void question_fails(struct waiting *waiting, const struct error *err)
{
    hosts_release(waiting->hosts);
    if (waiting->drain)
        planner_drop_drain(waiting, err);
    else if (waiting->change)
        planner_drop_change(waiting, err);
    else if (waiting->kind == FRAME_TRIED)
        waiting->tried(waiting->context, NULL, err);
    else
        waiting->told(waiting->context, NULL, 0, err);
}
