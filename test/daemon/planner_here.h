/* planner_here.h: the planner without a process, linked in place of planner_process.h's. */
#pragma once

#include <stdint.h>

/* What programs may define: */
int64_t planner_here_takes(void); /* milliseconds to the answer; 0 */
/* Used in place of the configured modules; NULL. */
const struct policy_hooks *planner_here_policies(void);
