/* policy_process.h: the state of this process that a policy module must leave alone. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROCESS_FILES = 256, PROCESS_SIGNALS = 65 };

struct process_state {
    bool files[PROCESS_FILES]; /* open */
    void (*handlers[PROCESS_SIGNALS])(int number);
    dev_t device; /* of the working directory */
    ino_t folder;
    mode_t mask;
    int rounding;
    long timer; /* seconds left */
    size_t threads;
    char locale[256];
};

void process_state_take(struct process_state *state);

/* What has been done to the process, such as "changes the locale"; NULL: nothing that is seen here.
 * Also: "starts processes", now or before. */
const char *process_state_difference(const struct process_state *before,
                                     const struct process_state *after);
