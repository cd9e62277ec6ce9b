/* Questions to the planner: gathering their facts, separate from those of the plan, and sending
 * them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/planner/planner_inside.h"

const char *planner_delay(const struct planner *planner)
{
    return modules_delay(planner->modules);
}

int planner_send(struct planner *planner, struct wire_writer *frame, int answers, struct error *err)
{
    if (!planner->modules->current.ready)
        return error_set(err, EAGAIN, "%s", planner_delay(planner));
    planner_process_send(planner->modules->current.process, frame, answers);
    return 0;
}

/* Is the planner still busy with a question that was answered with "busy"? Repeated questions
 * behind it would keep the planner busy forever. */
static bool is_behind(const struct planner *planner)
{
    for (size_t i = 0; i < planner->n_waiting; i++)
        if (planner->waiting[i].is_told)
            return true;
    return planner->n_waiting == sizeof planner->waiting / sizeof *planner->waiting;
}

int question_ask(struct planner *planner, struct wire_writer *frame, const struct waiting *waiting,
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
    trial->facts.snapshot = &trial->snapshot;
    trial->facts.planned = &trial->planned;
    trial->facts.sent = &trial->sent;
    trial->facts.drains = drains;
    trial->facts.changed = supposed.changed;
    trial->facts.asked = supposed.asked;
    trial->facts.is_trial = true;
    if (snapshot_take(&trial->snapshot, planner, drains, err) < 0)
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
    facts_put(&trial->facts, true, &frame);
    wire_end(&frame);
    result = question_ask(planner, &frame, waiting, err);
    wire_writer_finish(&frame);
    return result;
}

void asked_facts_finish(struct asked_facts *trial)
{
    facts_finish(&trial->facts);
    planned_drop_all(&trial->planned);
    map_finish(&trial->planned);
    sent_finish(&trial->sent);
    snapshot_drop(&trial->snapshot);
}

/* The planner keeps the work of leases that have begun. */
static enum victim_fate fate_of(const struct planner *planner, const struct plan_output *output)
{
    const struct lease_record *victim = store_lease(planner->store, output->lease);

    if (output->how == PREEMPTED_REQUEUE && !(victim && victim->phase == PHASE_RUNNING))
        return VICTIM_LATER;
    if (output->how == PREEMPTED_CANCEL)
        return VICTIM_ENDED;
    return output->how == PREEMPTED_SUSPEND || (victim && planner_keeps_work(planner, victim))
               ? VICTIM_SUSPENDED
               : VICTIM_RESTARTED;
}

struct victims question_victims(const struct planner *planner, const struct plan_reply *reply,
                                int64_t lease)
{
    struct victims victims = {.n = 0};

    for (size_t i = 0; i < reply->n_outputs; i++) {
        const struct plan_output *output = &reply->outputs[i];

        if (output->kind != OUTPUT_PREEMPTED || output->other != lease)
            continue;
        if (victims.n < VICTIMS_SHOWN)
            victims.shown[victims.n] =
                (struct victim_view){output->lease, fate_of(planner, output), output->at};
        victims.n++;
    }
    return victims;
}
