/* process_inside.h: shared by the files of the planner process. */
#pragma once

#include <sys/types.h>

#include "daemon/planner/planner_process.h"

enum { WATCHED_MODULES_MAX = 64, PLANNER_LINE_MAX = 160 };

struct planner_process {
    pid_t pid; /* 0: ended and reaped */
    int socket;
    int errors; /* its standard error; -1: closed */
    struct call_page *page;
    struct planner_limits limits;
    size_t n_modules;
    int64_t hung_up; /* monotonic milliseconds: when the process closed its socket; 0: open */
    bool killed;     /* by galernad, for closing its socket */
    bool over;
    struct planner_offence offence;

    struct wire_writer out; /* frames that the socket has not taken yet */
    unsigned char *in;
    size_t in_n, in_allocated;
    size_t answer_max; /* bytes */

    int awaited;        /* number of answers */
    int64_t since;      /* monotonic milliseconds: start of the wait for the next answer */
    int64_t sampled;    /* monotonic milliseconds: the last sample */
    uint64_t calls;     /* the page's counter of calls in that sample */
    int64_t call_since; /* the first sample during the current call */
    unsigned n_samples, in_module[WATCHED_MODULES_MAX]; /* during this wait */

    char line[PLANNER_LINE_MAX], last_line[PLANNER_LINE_MAX]; /* of its standard error */
    size_t line_n;
    unsigned n_lines;
};

/* --- process_end.c --- */
/* Begin to wait for an answer. */
void process_begins_waiting(struct planner_process *process);
/* Note that the process closed its socket: it is ending, or a module closed the socket. */
void process_hung_up(struct planner_process *process);
void process_broke_protocol(struct planner_process *process);
/* Check for the process's end and exceeded limits, and log its standard error. */
void process_watch(struct planner_process *process);
