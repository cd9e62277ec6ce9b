/* The words for the store's enumerations. */
#include "daemon/store/words.h"

#include "daemon/store/store.h"

const char *const store_phase_words[] = {
    [PHASE_GATHERING] = "gathering", [PHASE_WAITING] = "waiting", [PHASE_RESERVED] = "reserved",
    [PHASE_STARTING] = "starting",   [PHASE_RUNNING] = "running", [PHASE_STOPPING] = "stopping",
    [PHASE_PARKED] = "parked",       [PHASE_ENDING] = "ending",   [PHASE_ENDED] = "ended",
    [PHASE_REFUSED] = "refused",     [PHASE_FAILED] = "failed",   [PHASE_MISSED] = "missed",
};

const char *const store_goal_words[] = {
    [GOAL_NONE] = "none",   [GOAL_RUN] = "run",   [GOAL_STOP] = "stop", [GOAL_END] = "end",
    [GOAL_AGAIN] = "again", [GOAL_HOLD] = "hold", [GOAL_PARK] = "park", [GOAL_FREE] = "free",
};

const char *const store_message_words[] = {
    [MESSAGE_PASSING] = "", [MESSAGE_HELD] = "held", [MESSAGE_RANK] = "rank-ignored"};

_Static_assert(sizeof store_phase_words / sizeof *store_phase_words == PHASES, "a word per phase");
_Static_assert(sizeof store_goal_words / sizeof *store_goal_words == GOALS, "and per goal");

bool phase_is_final(enum lease_phase phase)
{
    return phase >= PHASE_ENDED;
}

const char *phase_name(enum lease_phase phase)
{
    return store_phase_words[phase];
}
