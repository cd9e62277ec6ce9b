/* Runs the conformance test of a policy module in a child process. */
#include "cli/policy_conformance.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/policy_process.h"

enum { TIME_LIMIT = 20000 /* milliseconds */ };

/* What a module prints would be mixed with the results of a replay. */
static int check_silence(const struct conformance *conformance, int printed, struct error *err)
{
    fflush(stdout);
    if (lseek(printed, 0, SEEK_END) > 0)
        return error_set(err, EINVAL,
                         "%s: prints to standard output, which is for results; use host->log()",
                         conformance->file);
    return 0;
}

static int check_process(const struct conformance *conformance, const struct process_state *before,
                         struct error *err)
{
    struct process_state after;
    const char *difference;

    process_state_take(&after);
    difference = process_state_difference(before, &after);
    return difference ? error_set(err, EINVAL,
                                  "%s: %s; a policy must not change the process that calls it",
                                  conformance->file, difference)
                      : 0;
}

static int run_all(void *context, struct preflight *preflight, struct error *err)
{
    const struct conformance *conformance = context;
    int printed = memfd_create("printed", MFD_CLOEXEC);
    struct process_state before;

    if (printed < 0 || dup2(printed, STDOUT_FILENO) < 0)
        return error_errno(err, "no memory for the test");
    process_state_take(&before);
    preflight_doing(preflight, conformance->file, "answers random calls");
    if (conformance_calls(conformance, preflight, err) < 0)
        return -1;
    preflight_doing(preflight, conformance->file, "schedules the conformance trace");
    if (conformance_trace(conformance, err) < 0)
        return -1;
    if (check_process(conformance, &before, err) < 0)
        return -1;
    return check_silence(conformance, printed, err);
}

int conformance_run(struct conformance *conformance, struct error *err)
{
    struct conformance_figures *figures =
        mmap(NULL, sizeof *figures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct conformance_figures *result = conformance->figures;
    int status;

    if (figures == MAP_FAILED)
        return error_errno(err, "no memory for the test");
    conformance->figures = figures;
    conformance->settings.preflight = false; /* it is in a child process already */
    conformance->settings.faults_allowed = UINT32_MAX;
    status = preflight_run(run_all, conformance, TIME_LIMIT, NULL, err);
    *result = *figures;
    conformance->figures = result;
    munmap(figures, sizeof *figures);
    return status;
}
