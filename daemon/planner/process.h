/* process.h: a planner process from galernad's side: started, talked to without waiting, watched,
 * ended.
 *
 * Frames go out and come in as the socket allows. While an answer is awaited, a sample is taken of
 * the shared page a few times a second: a call that has not come back within its limit, or a plan
 * within its own, ends the process. Whatever ends it, a text says how and which module was called.
 * What the page says is a hint: a module can write to it. What the process writes to its standard
 * error goes to the log.
 */
#ifndef GALERNA_DAEMON_PLANNER_PROCESS_H
#define GALERNA_DAEMON_PLANNER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "planner/protocol.h"
#include "util/error.h"

struct planner_process; /* opaque */
struct pollfd;

struct planner_limits {
    int64_t call, plan; /* milliseconds */
    int64_t memory;     /* bytes of address space; 0: no limit */
    const char *user;   /* whose process it is when galernad is root's */
    uid_t uid;          /* planner_limits_find_user() sets both */
    gid_t gid;
};

/* Those of limits->user if galernad is root's, else its own. -1: there is no such user. It may take
 * a while where users come from a directory service. */
int planner_limits_find_user(struct planner_limits *limits, struct error *err);

/* How it ended. */
struct planner_offence {
    int64_t module; /* its place among the modules of the setup; -1: not known */
    int64_t last;   /* the one that was called last; -1: none was */
    char text[400]; /* what it did: "crashed (Segmentation fault) when it was called for admit", and
                       the last line that it wrote to its standard error */
};

enum { PLANNER_PROGRAM_MAX = 4096, PLANNER_PROCESS_FDS = 2 };

/* Start the program with these modules; settings->modules must be set. It is ready when
 * FRAME_READY has come. Costs about 1 ms. Errors: those of the system, with the program's name. */
struct planner_process *planner_process_start(const struct policy_host_settings *settings,
                                              const struct planner_limits *limits,
                                              struct error *err);
/* End it if it has not ended, and wait for that; NULL is allowed. */
void planner_process_destroy(struct planner_process *process);
/* The same without waiting, which takes a while when its memory is large. False: it has not ended
 * yet; call this again later. */
bool planner_process_bury(struct planner_process *process);

/* Send a frame; what the socket does not take at once goes later. `answers`: how many frames are
 * awaited for it (0 or 1) within the limit of a plan. */
void planner_process_send(struct planner_process *process, const struct wire_writer *frame,
                          int answers);
bool planner_process_is_busy(const struct planner_process *process); /* an answer is awaited */

/* At most PLANNER_PROCESS_FDS entries, none when it has ended. */
unsigned planner_process_waitfds(const struct planner_process *process, struct pollfd *fds);
/* When it must be looked at though nothing came: monotonic milliseconds; INSTANT_NEVER. */
int64_t planner_process_due(const struct planner_process *process);

/* Send and receive what can be; `take` is called with the kind and the rest of each frame that has
 * come: false when it makes no sense, which ends the process. Returns false when it has ended:
 * planner_process_offence() says how. */
bool planner_process_serve(struct planner_process *process,
                           bool (*take)(void *context, enum frame kind, struct wire_reader *reader),
                           void *context);
const struct planner_offence *planner_process_offence(const struct planner_process *process);
/* The module that was called last, its place; -1: none was. */
int64_t planner_process_last_called(const struct planner_process *process);

/* Allow it more address space than so far; less is no change. */
void planner_process_allow_memory(struct planner_process *process, int64_t bytes);

#endif
