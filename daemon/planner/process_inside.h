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
    int64_t hung_up; /* monotonic milliseconds: the process closed its socket then; 0: open */
    bool killed;     /* for closing its socket */
    bool over;
    struct planner_offence offence;

    struct wire_writer out; /* frames that the socket has not taken yet */
    unsigned char *in;
    size_t in_n, in_allocated;
    size_t answer_max; /* bytes */

    int awaited;        /* answers */
    int64_t since;      /* monotonic milliseconds: waiting for the next of them since */
    int64_t sampled;    /* the last sample */
    uint64_t calls;     /* the page's counter of calls at that time */
    int64_t call_since; /* the first sample with this call */
    unsigned n_samples, in_module[WATCHED_MODULES_MAX]; /* of this answer */

    char line[PLANNER_LINE_MAX], last_line[PLANNER_LINE_MAX]; /* of its standard error */
    size_t line_n;
    unsigned n_lines;
};

/* --- process_end.c --- */
/* The wait for an answer begins. */
void process_begins_waiting(struct planner_process *process);
/* The process closed its socket: it is ending, or a module closed the socket. */
void process_hung_up(struct planner_process *process);
void process_broke_protocol(struct planner_process *process);
/* Check the process's end and deadlines, and log its standard error. */
void process_watch(struct planner_process *process);
