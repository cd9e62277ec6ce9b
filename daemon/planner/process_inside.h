/* process_inside.h: what the files of the planner process share. */
#ifndef GALERNA_DAEMON_PLANNER_PROCESS_INSIDE_H
#define GALERNA_DAEMON_PLANNER_PROCESS_INSIDE_H

#include <sys/types.h>

#include "daemon/planner/process.h"

enum { WATCHED_MODULES_MAX = 64, PLANNER_LINE_MAX = 160 };

struct planner_process {
    pid_t pid; /* 0: it has ended and is no more */
    int socket;
    int errors; /* what it writes to its standard error; -1: closed */
    struct call_page *page;
    struct planner_limits limits;
    size_t n_modules;
    int64_t
        hung_up; /* monotonic milliseconds: its end of the socket is closed since; 0: it is not */
    bool killed; /* because of that */
    bool over;
    struct planner_offence offence;

    unsigned char *out, *in;
    size_t out_n, out_done, out_allocated, in_n, in_allocated;
    size_t answer_max; /* bytes */

    int awaited;        /* answers */
    int64_t since;      /* monotonic milliseconds: the first of them is awaited */
    int64_t sampled;    /* the last sample */
    uint64_t calls;     /* what the page said then */
    int64_t call_since; /* the first sample that showed this call */
    unsigned n_samples, in_module[WATCHED_MODULES_MAX]; /* of this answer */

    char line[PLANNER_LINE_MAX], last_line[PLANNER_LINE_MAX]; /* of its standard error */
    size_t line_n;
    unsigned n_lines;
};

/* --- process_end.c --- */
/* An answer is awaited from now on. */
void process_begins_waiting(struct planner_process *process);
/* The other end of the socket is closed: the process ends, or a module has closed it. */
void process_hung_up(struct planner_process *process);
void process_broke_protocol(struct planner_process *process);
/* Its end, its deadlines, and what it writes to its standard error: into the log. */
void process_watch(struct planner_process *process);

#endif
