#include "daemon/book_words.h"

#include "daemon/book.h"

const char *const book_phase_words[] = {
    [PHASE_GATHERING] = "gathering", [PHASE_WAITING] = "waiting", [PHASE_RESERVED] = "reserved",
    [PHASE_STARTING] = "starting",   [PHASE_RUNNING] = "running", [PHASE_STOPPING] = "stopping",
    [PHASE_PARKED] = "parked",       [PHASE_ENDING] = "ending",   [PHASE_ENDED] = "ended",
    [PHASE_REFUSED] = "refused",     [PHASE_FAILED] = "failed",
};

const char *const book_kind_words[] = {
    [LEASE_BEST_EFFORT] = "best-effort",
    [LEASE_IMMEDIATE] = "immediate",
    [LEASE_RESERVATION] = "reservation",
    [LEASE_DEADLINE] = "deadline",
};

const char *const book_terms_words[] = {
    [TERMS_CANCELABLE] = "cancelable",           [TERMS_SUSPENDABLE] = "suspendable",
    [TERMS_MIGRATABLE] = "migratable",           [TERMS_RESTARTABLE] = "restartable",
    [TERMS_NON_PREEMPTABLE] = "non-preemptable",
};

const char *const book_origin_words[] = {
    [ORIGIN_LOCAL] = "local",
    [ORIGIN_EXTERNAL] = "external",
};

const char *const book_goal_words[] = {
    [GOAL_NONE] = "none", [GOAL_RUN] = "run",     [GOAL_STOP] = "stop",
    [GOAL_END] = "end",   [GOAL_AGAIN] = "again", [GOAL_HOLD] = "hold",
};

_Static_assert(sizeof book_phase_words / sizeof *book_phase_words == PHASES, "a word per phase");
_Static_assert(sizeof book_kind_words / sizeof *book_kind_words == BOOK_KINDS, "a word per kind");
_Static_assert(sizeof book_terms_words / sizeof *book_terms_words == BOOK_TERMS, "and per terms");
_Static_assert(sizeof book_goal_words / sizeof *book_goal_words == BOOK_GOALS, "and per goal");

const char *phase_name(enum lease_phase phase)
{
    return book_phase_words[phase];
}
