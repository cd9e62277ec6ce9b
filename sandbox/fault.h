/* fault.h: failures on command.
 *
 * A fault is described by a template: FAULT = [ KIND = "drop-after", METHOD = "one.vm.deploy",
 * COUNT = "2" ]. It applies to the calls or operations that it describes, COUNT times (1 by
 * default; -1: always) after SKIP others, each with PROBABILITY percent.
 *
 *   drop-before   the connection ends, the call has no effect
 *   drop-after    the connection ends, the call had its effect
 *   delay         the answer is held back for TIME ms
 *   duplicate     the call takes effect twice, as if repeated on the way; the second answer is sent
 *   truncate      half of the answer, then the connection ends
 *   garble        bytes of the answer are changed
 *   error-500     HTTP status 500, no effect
 *   refuse        an error of the daemon's: CODE and TEXT; no effect
 *   lose          the call is answered as usual and has no effect, as with a write that OpenNebula
 *                 loses together with the leadership of its zone
 *   fail          an operation's PHASE fails
 *   hang          a PHASE never ends
 *   slow          a PHASE takes TIME ms longer
 *
 * The first nine look at METHOD (a file name pattern; without it all of one.*) and VM (the first
 * number among the arguments); the last three at PHASE, VM and HOST.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sandbox/attributes.h"
#include "sandbox/oned.h"
#include "util/words.h"

#define FAULT_KIND_ROWS(ROW)                                                                       \
    ROW(FAULT_DROP_BEFORE, "drop-before")                                                          \
    ROW(FAULT_DROP_AFTER, "drop-after")                                                            \
    ROW(FAULT_DELAY, "delay")                                                                      \
    ROW(FAULT_DUPLICATE, "duplicate")                                                              \
    ROW(FAULT_TRUNCATE, "truncate")                                                                \
    ROW(FAULT_GARBLE, "garble")                                                                    \
    ROW(FAULT_ERROR_500, "error-500")                                                              \
    ROW(FAULT_REFUSE, "refuse")                                                                    \
    ROW(FAULT_LOSE, "lose")                                                                        \
    ROW(FAULT_FAIL, "fail")                                                                        \
    ROW(FAULT_HANG, "hang")                                                                        \
    ROW(FAULT_SLOW, "slow")

enum oned_fault_kind { FAULT_KIND_ROWS(WORDS_ENUMERATOR) FAULT_KINDS };

/* The phase that options and sandbox.time call so, such as "boot"; -1: none. */
int oned_phase_find(const char *name);

struct oned_fault {
    int id;
    enum oned_fault_kind kind;
    char *method, *text; /* NULL: not said */
    int phase;           /* -1: any */
    int64_t vm, host;    /* -1: any */
    int64_t count, skip, probability, time, code;
    int64_t hits;
};

struct oned_faults {
    struct oned_fault *items;
    size_t count, allocated;
    int next_id;
};

void oned_faults_finish(struct oned_faults *faults);

/* Adds the faults that a template describes. Returns the id of the last, or -1. */
int oned_faults_add(struct oned_faults *faults, const char *template, struct error *err);

/* Add the faults of a file. */
int oned_faults_read(struct oned_faults *faults, const char *path, struct error *err);

/* Forget one fault, or all (-1). Returns how many there were. */
int oned_faults_clear(struct oned_faults *faults, int64_t id);

void oned_faults_document(const struct oned_faults *faults, struct oned_text *text);

/* The fault that applies to a call now (vm: the first number among its arguments, or -1), among
 * the kinds before FAULT_FAIL; it counts as used. NULL: none. */
const struct oned_fault *oned_fault_of_call(struct oned *oned, const char *method, int64_t vm);

/* The fault of that kind that applies to a phase; it counts as used. */
const struct oned_fault *oned_fault_of_phase(struct oned *oned, enum oned_fault_kind kind,
                                             enum oned_phase phase, int vm, int host);
