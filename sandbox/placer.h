/* placer.h: the scheduler driver of OpenNebula 7: a program `place` that is run when VMs are
 * pending, gets them on its standard input and answers with a plan. */
#pragma once

#include "sandbox/pools.h"

struct oned_placer *oned_placer_create(const char *program);

/* A program that still runs is killed. NULL is allowed. */
void oned_placer_destroy(struct oned_placer *placer);

/* Run the program when its time has come, carry out its plan when it has ended. A plan is carried
 * out at once and whole: limits such as MAX_ACTIONS_PER_HOST do not apply. Returns when (us of the
 * daemon's clock) there is something to do again, or INT64_MAX; *busy: the program runs. */
int64_t oned_placer_advance(struct oned *oned, bool *busy);

/* Carry out a plan. -1 with err: it is refused as a whole. Failures of single actions are reported
 * on standard error. */
int oned_plan_execute(struct oned *oned, const char *plan, struct error *err);
