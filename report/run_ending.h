/* run_ending.h: the endings of runs. */
#pragma once

enum run_ending {
    ENDING_COMPLETE,    /* every lease is finished */
    ENDING_STOPPED,     /* by its rule for stopping, with unfinished leases */
    ENDING_STUCK,       /* leases wait without end: no planned operation frees capacity */
    ENDING_INTERRUPTED, /* stopped from outside */
};

/* "complete", "stopped", "stuck", "interrupted". */
static inline const char *run_ending_name(enum run_ending ending)
{
    static const char *const names[] = {
        [ENDING_COMPLETE] = "complete",
        [ENDING_STOPPED] = "stopped",
        [ENDING_STUCK] = "stuck",
        [ENDING_INTERRUPTED] = "interrupted",
    };

    return names[ending];
}
