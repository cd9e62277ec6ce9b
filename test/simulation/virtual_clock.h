/* virtual_clock.h: the clocks that galernad and the stand-in read in a simulation.
 *
 * The program is linked so that clock_gettime(), time() and getrandom() of all parts come here:
 * time passes only when the simulation says so, and random bytes come from its seed.
 */
#pragma once

#include <stdint.h>

enum { VIRTUAL_BOOT = 1000 * 1000 }; /* milliseconds that the machine is up at the beginning */

/* Begin again. `seed`: of getrandom(). */
void virtual_clock_begin(uint64_t seed);
/* Milliseconds since 1970, and of the monotonic clock. */
int64_t virtual_clock_now(void);
int64_t virtual_clock_monotonic(void);
/* Let time pass until then (milliseconds since 1970); never back. */
void virtual_clock_go_to(int64_t instant);
