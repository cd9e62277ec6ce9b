/* planner_process.h: a planner process, seen from galernad: start, non-blocking communication,
 * supervision, end.
 *
 * Frames are sent and received as the socket allows. While an answer is awaited, the shared page is
 * sampled 4 to 50 times a second: a module call or a plan that exceeds its limit ends the process
 * (process_end.c). A text describes each end and names the module being called. The page is only a
 * hint, since modules can write to it. The process's standard error goes to the log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/planner/offence.h"
#include "planner/protocol.h"
#include "util/error.h"

struct planner_process; /* opaque */
struct pollfd;

struct planner_limits {
    int64_t call, plan; /* milliseconds */
    int64_t memory;     /* bytes of address space; 0: no limit */
    const char *user;   /* user of the process if galernad runs as root */
    uid_t uid;          /* set by planner_limits_find_user(), as gid */
    gid_t gid;
};

/* Find the ids of limits->user if galernad runs as root, else galernad's own. -1: no such user. May
 * block if users come from a directory service. */
int planner_limits_find_user(struct planner_limits *limits, struct error *err);

enum { PLANNER_PROCESS_FDS = 2 };

/* Start the program with these modules; settings->modules must be set. The process is ready once
 * FRAME_READY has arrived. Costs about 1 ms. Errors: from the system, with the program's name. */
struct planner_process *planner_process_start(const struct policy_host_settings *settings,
                                              const struct planner_limits *limits,
                                              struct error *err);
/* End the process if needed and wait for its end; NULL is allowed. */
void planner_process_destroy(struct planner_process *process);
/* As planner_process_destroy(), but without blocking: freeing a large process takes a while. False:
 * the process has not ended yet; call this again later. */
bool planner_process_bury(struct planner_process *process);

/* Send a frame and finish it, or queue the bytes that the socket does not take at once. `answers`:
 * the number of answers (0 or 1) due within the limit of a plan. */
void planner_process_send(struct planner_process *process, struct wire_writer *frame, int answers);
bool planner_process_is_busy(const struct planner_process *process); /* an answer is awaited */

/* At most PLANNER_PROCESS_FDS entries, none after the process has ended. */
unsigned planner_process_waitfds(const struct planner_process *process, struct pollfd *fds);
/* When to call planner_process_serve() at the latest: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_process_due(const struct planner_process *process);

/* Send and receive without blocking. `take` is called with the kind and the rest of each frame
 * received; it returns false for an invalid frame, which ends the process. False: the process has
 * ended; planner_process_offence() describes how. */
bool planner_process_serve(struct planner_process *process,
                           bool (*take)(void *context, enum frame kind, struct wire_reader *reader),
                           void *context);
const struct planner_offence *planner_process_offence(const struct planner_process *process);
/* The index of the module called last; -1: none. */
int64_t planner_process_last_called(const struct planner_process *process);

/* How often the module (an index in the setup, below 64) was called, and the total time in
 * nanoseconds. Only a hint: modules can write to these numbers. */
struct planner_time {
    uint64_t calls, spent;
};
struct planner_time planner_process_time(const struct planner_process *process, size_t module);

/* Set the limit of address space. While an answer is awaited, a smaller value is ignored. */
void planner_process_allow_memory(struct planner_process *process, int64_t bytes);
