/* The transition table of leases: the phase after each event; printed in doc/lease-states.md. */
#include "daemon/live/lease_state.h"

/* A cell without a row is all 0, so its phase or event differs from its position. */
#define ROW(phase, event, ...)                                                                     \
    [PHASE_##phase][EVENT_##event] = {PHASE_##phase, EVENT_##event, __VA_ARGS__}

static const struct lease_transition transitions[PHASES][EVENTS] = {
    ROW(GATHERING, REQUESTED, PHASE_WAITING, GOAL_KEPT, "requested"),
    ROW(GATHERING, GROUP_OPENED, PHASE_GATHERING, GOAL_KEPT, "requested"),
    ROW(GATHERING, COMPLETE, PHASE_WAITING, GOAL_KEPT, "complete"),
    ROW(GATHERING, FOUND_RUNNING, PHASE_STARTING, GOAL_RUN, "adopted"),
    ROW(GATHERING, FOUND_STOPPED, PHASE_PARKED, GOAL_NONE, "adopted"),
    ROW(GATHERING, FOUND_HELD, PHASE_PARKED, GOAL_NONE, "adopted"),
    ROW(GATHERING, QUEUED, PHASE_WAITING, GOAL_KEPT, NULL),
    ROW(GATHERING, RESTORED, PHASE_QUEUE, GOAL_KEPT, "restored"),
    ROW(GATHERING, REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"),
    ROW(GATHERING, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(GATHERING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(GATHERING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(WAITING, ACCEPTED, PHASE_QUEUE, GOAL_KEPT, "accepted"),
    ROW(WAITING, CONVERTED, PHASE_WAITING, GOAL_KEPT, "converted"),
    ROW(WAITING, REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"),
    ROW(WAITING, START, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(WAITING, RESUME, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(WAITING, STARTED_BY_OTHERS, PHASE_STARTING, GOAL_RUN, "started-by-others"),
    ROW(WAITING, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(WAITING, PARKED, PHASE_PARKED, GOAL_NONE, "parked"),
    ROW(WAITING, CHANGED, PHASE_QUEUE, GOAL_KEPT, "changed"),
    ROW(WAITING, HOLD, PHASE_PARKED, GOAL_PARK, "held"),
    ROW(WAITING, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(WAITING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(WAITING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(RESERVED, CONVERTED, PHASE_WAITING, GOAL_KEPT, "converted"),
    ROW(RESERVED, REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"),
    ROW(RESERVED, MISSED, PHASE_MISSED, GOAL_HOLD, "missed"),
    ROW(RESERVED, START, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(RESERVED, RESUME, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(RESERVED, STARTED_BY_OTHERS, PHASE_STARTING, GOAL_RUN, "started-by-others"),
    ROW(RESERVED, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(RESERVED, PARKED, PHASE_PARKED, GOAL_NONE, "parked"),
    ROW(RESERVED, CHANGED, PHASE_QUEUE, GOAL_KEPT, "changed"),
    ROW(RESERVED, GREW, PHASE_WAITING, GOAL_KEPT, "resized"),
    ROW(RESERVED, HOLD, PHASE_PARKED, GOAL_PARK, "held"),
    ROW(RESERVED, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(RESERVED, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(RESERVED, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(STARTING, RUNNING, PHASE_RUNNING, GOAL_KEPT, "running"),
    ROW(STARTING, START_FAILED, PHASE_QUEUE, GOAL_NONE, NULL),
    ROW(STARTING, REPLANNED, PHASE_QUEUE, GOAL_NONE, NULL),
    ROW(STARTING, SUSPEND, PHASE_STOPPING, GOAL_STOP, "suspending"),
    ROW(STARTING, RESTART, PHASE_STOPPING, GOAL_AGAIN, "requeued"),
    ROW(STARTING, GIVES_WAY, PHASE_ENDING, GOAL_END, "gives-way"),
    ROW(STARTING, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(STARTING, PARKED, PHASE_PARKED, GOAL_NONE, "parked"),
    ROW(STARTING, MISSED, PHASE_MISSED, GOAL_HOLD, "missed"),
    ROW(STARTING, GIVEN_UP, PHASE_FAILED, GOAL_HOLD, "given-up"),
    ROW(STARTING, CHANGED, PHASE_STARTING, GOAL_KEPT, "changed"),
    ROW(STARTING, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(STARTING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(STARTING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(RUNNING, PENDING_AGAIN, PHASE_QUEUE, GOAL_NONE, "pending-again"),
    ROW(RUNNING, SUSPEND, PHASE_STOPPING, GOAL_STOP, "suspending"),
    ROW(RUNNING, RESTART, PHASE_STOPPING, GOAL_AGAIN, "requeued"),
    ROW(RUNNING, GIVES_WAY, PHASE_ENDING, GOAL_END, "gives-way"),
    ROW(RUNNING, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(RUNNING, PARKED, PHASE_PARKED, GOAL_NONE, "parked"),
    ROW(RUNNING, CHANGED, PHASE_RUNNING, GOAL_KEPT, "changed"),
    ROW(RUNNING, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(RUNNING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(RUNNING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(STOPPING, SUSPENDED, PHASE_QUEUE, GOAL_NONE, "suspended"),
    ROW(STOPPING, STOPPED, PHASE_QUEUE, GOAL_NONE, "stopped"),
    ROW(STOPPING, REPLANNED, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(STOPPING, REFUSED, PHASE_REFUSED, GOAL_HOLD, "refused"),
    ROW(STOPPING, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(STOPPING, PARKED, PHASE_PARKED, GOAL_NONE, "parked"),
    ROW(STOPPING, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(STOPPING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(STOPPING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(PARKED, RESUMED, PHASE_STARTING, GOAL_RUN, "resumed"),
    ROW(PARKED, HELD, PHASE_PARKED, GOAL_NONE, NULL),
    ROW(PARKED, CHANGED, PHASE_PARKED, GOAL_KEPT, "changed"),
    ROW(PARKED, RELEASE, PHASE_PARKED, GOAL_FREE, "releasing"),
    ROW(PARKED, RELEASED, PHASE_QUEUE, GOAL_NONE, "released"),
    ROW(PARKED, ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"),
    ROW(PARKED, TIME_OVER, PHASE_ENDING, GOAL_END, "ending"),
    ROW(PARKED, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(PARKED, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(PARKED, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(ENDING, REPLANNED, PHASE_STARTING, GOAL_RUN, NULL),
    ROW(ENDING, ENDED, PHASE_ENDED, GOAL_NONE, "ended"),
    ROW(ENDING, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(ENDED, STARTED_AFTER_END, PHASE_ENDING, GOAL_END, "ending"),

    ROW(REFUSED, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(REFUSED, HELD, PHASE_REFUSED, GOAL_NONE, NULL),
    ROW(REFUSED, ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"),
    ROW(REFUSED, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(FAILED, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(FAILED, HELD, PHASE_FAILED, GOAL_NONE, NULL),
    ROW(FAILED, ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"),
    ROW(FAILED, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),

    ROW(MISSED, CANCELLED, PHASE_ENDING, GOAL_END, "ending"),
    ROW(MISSED, HELD, PHASE_MISSED, GOAL_NONE, NULL),
    ROW(MISSED, ASKED_AGAIN, PHASE_GATHERING, GOAL_NONE, "released"),
    ROW(MISSED, TAKEN_OVER, PHASE_GATHERING, GOAL_NONE, "taken-over"),
};

static const char *const event_names[EVENTS] = {
    [EVENT_REQUESTED] = "requested",
    [EVENT_GROUP_OPENED] = "group-opened",
    [EVENT_COMPLETE] = "complete",
    [EVENT_FOUND_RUNNING] = "found-running",
    [EVENT_FOUND_STOPPED] = "found-stopped",
    [EVENT_FOUND_HELD] = "found-held",
    [EVENT_ASKED_AGAIN] = "asked-again",
    [EVENT_GREW] = "grew",
    [EVENT_QUEUED] = "queued",
    [EVENT_RESTORED] = "restored",
    [EVENT_TAKEN_OVER] = "taken-over",
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
    [EVENT_STOPPED] = "stopped",
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

const struct lease_transition *lease_transition_of(enum lease_phase from, enum lease_event event)
{
    const struct lease_transition *row = &transitions[from][event];

    return row->from == from && row->event == event ? row : NULL;
}

bool lease_can(const struct lease_record *lease, enum lease_event event)
{
    return lease_transition_of(lease->phase, event) != NULL;
}
