/* scenario_checks.h: what must hold after every step of a scenario. Fails the test when it does
 * not.
 */
#pragma once

#include "scenario.h"

/* The change of state is one of Haizea's table. */
void check_transition(const struct scenario *s, const struct engine_output *output);

/* The slot table has what the leases' reservations say, no host is over capacity, what was due has
 * been done, finished leases hold nothing, and no deadline was missed. */
void check_everything(struct scenario *s);
