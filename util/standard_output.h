/* standard_output.h: keeps what policy modules print out of the results on standard output.
 *
 * Between the two calls, file descriptor 1 is a copy of standard error. Modules use the same
 * `stdout`, therefore nothing else is printed meanwhile. Pairs may be nested. */
#pragma once

/* Returns what standard_output_restore() needs. */
int standard_output_divert(void);
void standard_output_restore(int saved);
