/* Queries: would a lease fit, and what is planned on a host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/planner/planner_inside.h"

static void add_line(char *text, size_t size, const char *line)
{
    size_t length = strlen(text);

    snprintf(text + length, size - length, "%s%s", length ? "\n" : "", line);
}

static const char *fate(const struct planner *planner, const struct plan_output *output)
{
    const struct lease_record *victim = store_lease(planner->store, output->lease);

    switch (output->how) {
    case PREEMPTED_CANCEL:
        return "ended";
    case PREEMPTED_REQUEUE:
        if (victim && victim->phase != PHASE_RUNNING)
            return "delayed"; /* it has not started */
        return victim && planner_keeps_work(planner, victim) ? "suspended" : "restarted";
    default:
        return "suspended";
    }
}

void describe_victims(const struct planner *planner, const struct plan_reply *reply, int64_t lease,
                      char *text, size_t size)
{
    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];
        char when[64], line[160];

        if (output->kind != OUTPUT_PREEMPTED || output->other != lease)
            continue;
        lease_time_text(output->at, when, sizeof when);
        snprintf(line, sizeof line, "Lease %lld would be %s at %s", (long long)output->lease,
                 fate(planner, output), when);
        add_line(text, size, line);
    }
}

static void describe_wait(int64_t probable, struct planner_trial *trial)
{
    char line[160], when[64];

    trial->start = probable;
    lease_time_text(trial->start, when, sizeof when);
    if (trial->start == INSTANT_NONE)
        snprintf(line, sizeof line, "It would wait in the queue; start time unknown");
    else if (trial->start == INSTANT_NEVER)
        snprintf(line, sizeof line,
                 "It would wait in the queue; the VMs on the hosts it may use "
                 "have no planned end");
    else
        snprintf(line, sizeof line, "It would wait in the queue and probably start at %s", when);
    add_line(trial->text, sizeof trial->text, line);
}

/* The hosts of the trial's first run; NULL: not planned. */
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

/* "It would run on hosts alpha, beta and others". */
static void describe_hosts(const struct plan_reservation *run, const struct hosts_seen *hosts,
                           struct planner_trial *trial)
{
    enum { NAMED_MOST = 6 };
    char line[STORE_TEXT_MAX];
    uint32_t named[NAMED_MOST];
    size_t n = 0, more = 0;
    int length;

    for (size_t i = 0; i < run->n_vms; i++) {
        uint32_t host = run->vms[i].host;
        bool known = host >= hosts->pool.n || (i > 0 && run->vms[i - 1].host == host);

        for (size_t k = 0; k < n; k++)
            known = known || named[k] == host;
        if (!known && n < NAMED_MOST)
            named[n++] = host;
        else
            more += !known;
    }
    if (n == 0)
        return;
    length = snprintf(line, sizeof line, "It would run on host%s", n > 1 ? "s" : "");
    for (size_t i = 0; i < n; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s%.40s",
                           i > 0 ? ", " : " ", hosts->pool.items[named[i]].name);
    snprintf(line + length, sizeof line - (size_t)length, "%s", more ? " and others" : "");
    add_line(trial->text, sizeof trial->text, line);
}

static void describe(const struct planner *planner, const struct plan_reply *reply,
                     const struct lease_view *lease, const struct waiting *waiting,
                     struct planner_trial *trial)
{
    enum lease_kind kind = waiting->lease_kind;
    const struct plan_reservation *run = first_run(reply, lease);
    char line[STORE_TEXT_MAX];

    trial->accepted = lease->state != LEASE_REJECTED;
    trial->start = lease->start;
    trial->contract = trial->accepted && kind == LEASE_RESERVATION;
    snprintf(trial->word, sizeof trial->word, "%s",
             trial->accepted ? "" : reason_word(&lease->reason));
    if (!trial->accepted) {
        reason_format_body(&lease->reason, line, sizeof line, lease_time_text);
        add_line(trial->text, sizeof trial->text, line);
        return;
    }
    if (trial->start == INSTANT_NONE)
        describe_wait(reply->probable, trial);
    else if (run)
        describe_hosts(run, waiting->hosts, trial);
    describe_victims(planner, reply, TRIAL_ID, trial->text, sizeof trial->text);
}

/* --- asking ----------------------------------------------------------------------------------- */

/* The planner still works on questions whose askers have been told that it is busy. If those who
 * ask again were put behind them, it would never work on anything else. */
static bool is_behind(const struct planner *planner)
{
    for (size_t i = 0; i < planner->n_waiting; i++)
        if (planner->waiting[i].is_told)
            return true;
    return planner->n_waiting == sizeof planner->waiting / sizeof *planner->waiting;
}

static int ask(struct planner *planner, struct wire_writer *frame, const struct waiting *waiting,
               struct error *err)
{
    if (is_behind(planner))
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

int asked_facts_gather(struct asked_facts *trial, const struct planner *planner,
                       struct supposition supposed, int64_t now, struct error *err)
{
    const struct drains *drains = supposed.drains ? supposed.drains : planner->settings.drains;

    *trial = (struct asked_facts){0};
    map_init(&trial->planned, sizeof(struct planned *));
    sent_init(&trial->sent);
    facts_init(&trial->facts, planner, now);
    trial->facts.picture = &trial->picture;
    trial->facts.planned = &trial->planned;
    trial->facts.sent = &trial->sent;
    trial->facts.drains = drains;
    trial->facts.changed = supposed.changed;
    trial->facts.is_trial = true;
    if (picture_take(&trial->picture, planner, drains, err) < 0)
        return -1;
    facts_gather(&trial->facts);
    return 0;
}

int asked_facts_send(struct asked_facts *trial, struct planner *planner,
                     const struct waiting *waiting, struct error *err)
{
    struct wire_writer frame = {0};
    int result;

    wire_begin(&frame);
    wire_put(&frame, FRAME_TRY);
    wire_put(&frame, planner->settings.forecast);
    wire_put(&frame, waiting->is_traced ? trial->facts.changed->lease->id : -1);
    facts_put(&trial->facts, true, false, &frame);
    wire_end(&frame);
    result = ask(planner, &frame, waiting, err);
    wire_writer_finish(&frame);
    return result;
}

void asked_facts_finish(struct asked_facts *trial)
{
    facts_finish(&trial->facts);
    planned_drop_all(&trial->planned);
    map_finish(&trial->planned);
    sent_finish(&trial->sent);
    picture_drop(&trial->picture);
}

/* Uses separate facts, from a store that they cannot change, and a temporary engine. */
int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                planner_tried *tried, void *context, struct error *err)
{
    struct lease_request asked = *request;
    struct asked_facts trial;
    int result = asked_facts_gather(&trial, planner, (struct supposition){0}, now, err);

    if (result == 0) {
        struct lease_record lease = {.phase = PHASE_WAITING, .term_values = request->term_values};
        const struct set_numbers numbers = {facts_usual_hosts_of(&trial.facts, &lease), -1};

        asked.id = TRIAL_ID;
        asked.submit = now;
        wire_put(&trial.facts.step_section, 1);
        wire_put(&trial.facts.step_section, false);
        wire_put_request(&trial.facts.step_section, &asked, &numbers);
        trial.facts.n_steps++;
        result =
            asked_facts_send(&trial, planner,
                             &(struct waiting){.kind = FRAME_TRIED,
                                               .tried = tried,
                                               .context = context,
                                               .lease_kind = request->kind,
                                               .hosts = hosts_retain(trial.picture.hosts),
                                               .n_hosts = (uint32_t)trial.picture.hosts->pool.n},
                             err);
        if (result < 0)
            hosts_release(trial.picture.hosts);
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
