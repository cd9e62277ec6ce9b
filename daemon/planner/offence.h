/* offence.h: how a planner process ended, or why a policy module is out of service, as values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/policy_host.h"
#include "util/error.h"
#include "util/words.h"

/* The words are stable: the store, answers. */
#define OFFENCE_ROWS(ROW)                                                                          \
    ROW(OFFENCE_TOLD, "text") /* quote: the sentence, stored by a galernad without these values */ \
    ROW(OFFENCE_MEMORY, "memory")            /* used up the planner's memory of `number` MB */     \
    ROW(OFFENCE_SYSTEM_CALL, "system-call")  /* number: of the forbidden system call */            \
    ROW(OFFENCE_CRASHED, "crashed")          /* number: the signal */                              \
    ROW(OFFENCE_UNREADABLE, "unreadable")    /* it cannot read what galernad sends */              \
    ROW(OFFENCE_EXITED, "exited")            /* number: the status */                              \
    ROW(OFFENCE_CLOSED, "closed-connection") /* the planner's connection */                        \
    ROW(OFFENCE_PROTOCOL, "broke-protocol")                                                        \
    ROW(OFFENCE_HUNG, "hung")                  /* did not return within `number` ms */             \
    ROW(OFFENCE_SLOW, "slow")                  /* took most of the `number` ms of a plan */        \
    ROW(OFFENCE_ANSWERS, "invalid-answers")    /* `number` of them; quote: the last one's fault */ \
    ROW(OFFENCE_REFUSED, "cannot-be-loaded")   /* quote: why */                                    \
    ROW(OFFENCE_LAST_CALLED, "last-called")    /* before the planner failed, each time */          \
    ROW(OFFENCE_LOADED, "loaded-when-failing") /* the planner failed repeatedly */                 \
    ROW(OFFENCE_LOADING, "loading")            /* it is still being loaded */

enum offence_kind { OFFENCE_ROWS(WORDS_ENUMERATOR) OFFENCE_KINDS };

enum { OFFENCE_TEXT_MAX = ERROR_TEXT_MAX };

#define MODULE_LOADING "is still being loaded"

struct planner_offence {
    enum offence_kind kind;
    int64_t number;
    enum policy_call call; /* during which it happened; POLICY_CALL_NONE */
    char quote[400];       /* as the rows say; else its last line on standard error, or "" */
    int64_t module;        /* the module's index in the setup; -1: unknown */
    int64_t last;          /* the module called last; -1: none */
    bool of_program;       /* galerna-planner itself: no module is to blame */
};

extern const char *const offence_words[OFFENCE_KINDS];
extern const char *const offence_call_words[POLICY_CALLS]; /* "load", "admit", ... */

/* "crashed (Segmentation fault) when it was called for admit": to follow "it". The planner's own
 * offence is a sentence. */
void offence_text(const struct planner_offence *offence, char *text, size_t size);
/* One line, without its end; reads it back. */
void offence_pack(const struct planner_offence *offence, char *line, size_t size);
void offence_unpack(const char *line, struct planner_offence *offence);
