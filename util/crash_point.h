/* crash_point.h: places where a test may kill the program.
 *
 * There is a crash point before and after each effect that outlives the process: a write, a commit,
 * a call to another program. The systematic crash test counts the points that a scenario passes,
 * kills the program at each of them in turn, and expects the same end.
 *
 * Nothing unless compiled with -DGALERNA_CRASH_POINTS. Then the environment decides:
 *   GALERNA_CRASH_AT=N        the N-th point passed (from 1) ends the process at once, as SIGKILL
 *                             would, with the exit code CRASH_POINT_EXIT; no buffer is flushed, no
 *                             handler runs; its name goes to standard error
 *   GALERNA_CRASH_AT=NAME:N   the N-th pass of the point of that name
 *   GALERNA_CRASH_COUNT=FILE  how many points have been passed, kept current
 *   GALERNA_CRASH_TRACE=FILE  the names of the points passed, one a line, put to its end
 * A child process starts counting from zero.
 */
#pragma once

enum { CRASH_POINT_EXIT = 137 };

#ifdef GALERNA_CRASH_POINTS
void crash_point(const char *name);
#else
static inline void crash_point(const char *name)
{
    (void)name;
}
#endif
