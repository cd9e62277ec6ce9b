/* The transition table of leases, which doc/lease-states.md prints: the phase after each event. */
#include "daemon/live/lease_state.h"

static const struct lease_transition transitions[] = {
    {PHASE_GATHERING, EVENT_REQUESTED, PHASE_WAITING, GOAL_KEPT, "requested"},
    {PHASE_GATHERING, EVENT_GROUP_OPENED, PHASE_GATHERING, GOAL_KEPT, "requested"},
    {PHASE_GATHERING, EVENT_COMPLETE, PHASE_WAITING, GOAL_KEPT, "complete"},
    {PHASE_GATHERING, EVENT_FOUND_RUNNING, PHASE_STARTING, GOAL_RUN, "adopted"},
    {PHASE_GATHERING, EVENT_FOUND_STOPPED, PHASE_PARKED, GOAL_NONE, "adopted"},
    {PHASE_GATHERING, EVENT_QUEUED, PHASE_WAITING, GOAL_KEPT, NULL},
    {PHASE_GATHERING, EVENT_RESTORED, PHASE_QUEUE, GOAL_KEPT, "restored"},
    {PHASE_GATHERING, EVENT_REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"},
    {PHASE_GATHERING, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_GATHERING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_WAITING, EVENT_ACCEPTED, PHASE_QUEUE, GOAL_KEPT, "accepted"},
    {PHASE_WAITING, EVENT_CONVERTED, PHASE_WAITING, GOAL_KEPT, "converted"},
    {PHASE_WAITING, EVENT_REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"},
    {PHASE_WAITING, EVENT_START, PHASE_STARTING, GOAL_RUN, "starting"},
    {PHASE_WAITING, EVENT_RESUME, PHASE_STARTING, GOAL_RUN, "resuming"},
    {PHASE_WAITING, EVENT_STARTED_BY_OTHERS, PHASE_STARTING, GOAL_RUN, "started-by-others"},
    {PHASE_WAITING, EVENT_PARKED, PHASE_PARKED, GOAL_NONE, "parked"},
    {PHASE_WAITING, EVENT_CHANGED, PHASE_QUEUE, GOAL_KEPT, "changed"},
    {PHASE_WAITING, EVENT_HOLD, PHASE_PARKED, GOAL_PARK, "held"},
    {PHASE_WAITING, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_WAITING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_RESERVED, EVENT_CONVERTED, PHASE_WAITING, GOAL_KEPT, "converted"},
    {PHASE_RESERVED, EVENT_REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"},
    {PHASE_RESERVED, EVENT_MISSED, PHASE_REFUSED, GOAL_HOLD, "missed"},
    {PHASE_RESERVED, EVENT_START, PHASE_STARTING, GOAL_RUN, "starting"},
    {PHASE_RESERVED, EVENT_RESUME, PHASE_STARTING, GOAL_RUN, "resuming"},
    {PHASE_RESERVED, EVENT_STARTED_BY_OTHERS, PHASE_STARTING, GOAL_RUN, "started-by-others"},
    {PHASE_RESERVED, EVENT_PARKED, PHASE_PARKED, GOAL_NONE, "parked"},
    {PHASE_RESERVED, EVENT_CHANGED, PHASE_QUEUE, GOAL_KEPT, "changed"},
    {PHASE_RESERVED, EVENT_HOLD, PHASE_PARKED, GOAL_PARK, "held"},
    {PHASE_RESERVED, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_RESERVED, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_STARTING, EVENT_RUNNING, PHASE_RUNNING, GOAL_KEPT, "running"},
    {PHASE_STARTING, EVENT_START_FAILED, PHASE_QUEUE, GOAL_NONE, NULL},
    {PHASE_STARTING, EVENT_REPLANNED, PHASE_QUEUE, GOAL_NONE, NULL},
    {PHASE_STARTING, EVENT_SUSPEND, PHASE_STOPPING, GOAL_STOP, "suspending"},
    {PHASE_STARTING, EVENT_RESTART, PHASE_STOPPING, GOAL_AGAIN, "requeued"},
    {PHASE_STARTING, EVENT_GIVES_WAY, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_STARTING, EVENT_TIME_OVER, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_STARTING, EVENT_PARKED, PHASE_PARKED, GOAL_NONE, "parked"},
    {PHASE_STARTING, EVENT_MISSED, PHASE_REFUSED, GOAL_HOLD, "missed"},
    {PHASE_STARTING, EVENT_GIVEN_UP, PHASE_FAILED, GOAL_HOLD, "given-up"},
    {PHASE_STARTING, EVENT_CHANGED, PHASE_STARTING, GOAL_KEPT, "changed"},
    {PHASE_STARTING, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_STARTING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_RUNNING, EVENT_PENDING_AGAIN, PHASE_QUEUE, GOAL_NONE, "pending-again"},
    {PHASE_RUNNING, EVENT_SUSPEND, PHASE_STOPPING, GOAL_STOP, "suspending"},
    {PHASE_RUNNING, EVENT_RESTART, PHASE_STOPPING, GOAL_AGAIN, "requeued"},
    {PHASE_RUNNING, EVENT_GIVES_WAY, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_RUNNING, EVENT_TIME_OVER, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_RUNNING, EVENT_PARKED, PHASE_PARKED, GOAL_NONE, "parked"},
    {PHASE_RUNNING, EVENT_CHANGED, PHASE_RUNNING, GOAL_KEPT, "changed"},
    {PHASE_RUNNING, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_RUNNING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_STOPPING, EVENT_SUSPENDED, PHASE_QUEUE, GOAL_NONE, "suspended"},
    {PHASE_STOPPING, EVENT_REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"},
    {PHASE_STOPPING, EVENT_TIME_OVER, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_STOPPING, EVENT_PARKED, PHASE_PARKED, GOAL_NONE, "parked"},
    {PHASE_STOPPING, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_STOPPING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_PARKED, EVENT_RESUMED, PHASE_STARTING, GOAL_RUN, "resumed"},
    {PHASE_PARKED, EVENT_HELD, PHASE_PARKED, GOAL_NONE, NULL},
    {PHASE_PARKED, EVENT_CHANGED, PHASE_PARKED, GOAL_KEPT, "changed"},
    {PHASE_PARKED, EVENT_RELEASE, PHASE_PARKED, GOAL_FREE, "releasing"},
    {PHASE_PARKED, EVENT_RELEASED, PHASE_QUEUE, GOAL_NONE, "released"},
    {PHASE_PARKED, EVENT_TIME_OVER, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_PARKED, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_PARKED, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_ENDING, EVENT_ENDED, PHASE_ENDED, GOAL_NONE, "ended"},

    {PHASE_ENDED, EVENT_STARTED_AFTER_END, PHASE_ENDING, GOAL_END, "ending"},

    {PHASE_REFUSED, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_REFUSED, EVENT_HELD, PHASE_REFUSED, GOAL_NONE, NULL},
    {PHASE_REFUSED, EVENT_ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"},

    {PHASE_FAILED, EVENT_CANCELLED, PHASE_ENDING, GOAL_END, "ending"},
    {PHASE_FAILED, EVENT_HELD, PHASE_FAILED, GOAL_NONE, NULL},
    {PHASE_FAILED, EVENT_ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"},
};

static const char *const event_names[EVENTS] = {
    [EVENT_REQUESTED] = "requested",
    [EVENT_GROUP_OPENED] = "group-opened",
    [EVENT_COMPLETE] = "complete",
    [EVENT_FOUND_RUNNING] = "found-running",
    [EVENT_FOUND_STOPPED] = "found-stopped",
    [EVENT_ASKED_AGAIN] = "asked-again",
    [EVENT_QUEUED] = "queued",
    [EVENT_RESTORED] = "restored",
    [EVENT_REFUSED] = "refused",
    [EVENT_ACCEPTED] = "accepted",
    [EVENT_CONVERTED] = "converted",
    [EVENT_START] = "start",
    [EVENT_RESUME] = "resume",
    [EVENT_SUSPEND] = "suspend",
    [EVENT_RESTART] = "restart",
    [EVENT_GIVES_WAY] = "gives-way",
    [EVENT_TIME_OVER] = "time-over",
    [EVENT_RUNNING] = "running",
    [EVENT_SUSPENDED] = "suspended",
    [EVENT_START_FAILED] = "start-failed",
    [EVENT_PENDING_AGAIN] = "pending-again",
    [EVENT_PARKED] = "parked",
    [EVENT_RESUMED] = "resumed",
    [EVENT_RELEASED] = "released",
    [EVENT_STARTED_BY_OTHERS] = "started-by-others",
    [EVENT_STARTED_AFTER_END] = "started-after-end",
    [EVENT_HELD] = "held",
    [EVENT_ENDED] = "ended",
    [EVENT_REPLANNED] = "replanned",
    [EVENT_MISSED] = "missed",
    [EVENT_GIVEN_UP] = "given-up",
    [EVENT_CHANGED] = "changed",
    [EVENT_HOLD] = "hold",
    [EVENT_RELEASE] = "release",
    [EVENT_CANCELLED] = "cancelled",
};

const char *lease_event_name(enum lease_event event)
{
    return event_names[event];
}

const struct lease_transition *lease_transitions(size_t *n)
{
    *n = sizeof transitions / sizeof *transitions;
    return transitions;
}

const struct lease_transition *lease_transition_of(enum lease_phase from, enum lease_event event)
{
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++)
        if (transitions[i].from == from && transitions[i].event == event)
            return &transitions[i];
    return NULL;
}

bool lease_can(const struct lease_record *lease, enum lease_event event)
{
    return lease_transition_of(lease->phase, event) != NULL;
}
