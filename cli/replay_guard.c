/* Ends a replay from signal handlers, whose state must be in global variables. */
#include "cli/replay_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/command_line.h"
#include "util/unqualified.h"

enum { MODULES_MAX = 32, PATIENCE = 2 /* seconds */, STACK = 64 * 1024 };

static volatile sig_atomic_t stop_asked, in_module, in_call, calls, calls_then;
static char names[MODULES_MAX][64];

static void note_call(void *context, size_t module, enum policy_call call)
{
    (void)context;
    in_module = (sig_atomic_t)module;
    in_call = (sig_atomic_t)call;
    calls = calls + 1;
}

static void note_return(void *context)
{
    (void)context;
    in_call = POLICY_CALL_NONE;
}

static void note_failure(void *context, size_t module, uint64_t faults, const char *last)
{
    (void)context, (void)module, (void)faults, (void)last; /* logged elsewhere */
}

const struct policy_watch *replay_guard_watch(void)
{
    static const struct policy_watch watch = {
        .calls = note_call, .returned = note_return, .failed = note_failure};

    return &watch;
}

void replay_guard_name_modules(const struct policy_host *policies)
{
    size_t module = 0;

    for (size_t i = 0; i < policy_host_count(policies) && module < MODULES_MAX; i++) {
        struct policy_status status;

        policy_host_status(policies, i, &status);
        if (status.path)
            snprintf(names[module++], sizeof *names, "%s", status.name);
    }
}

/* From here on, only async-signal-safe functions. A single write keeps the lines of concurrently
 * ending replays apart. */
static void end_at_once(const char *what, const char *why, int code)
{
    size_t module = (size_t)in_module;
    const char *const parts[] = {
        "galerna replay: policy module '",
        module < MODULES_MAX && names[module][0] ? names[module] : "?",
        what,
        why,
        " when it ",
        policy_call_text((enum policy_call)in_call),
        "\n",
    };
    struct iovec line[sizeof parts / sizeof *parts];
    ssize_t written;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        line[i] = (struct iovec){unqualified(parts[i]), strlen(parts[i])};
    written = writev(STDERR_FILENO, line, sizeof parts / sizeof *parts);
    (void)written;
    _exit(code);
}

static void note_stop(int signal_number)
{
    (void)signal_number;
    if (stop_asked < 2)
        stop_asked = stop_asked + 1;
    calls_then = calls;
    alarm(PATIENCE);
}

static void look_again(int signal_number)
{
    (void)signal_number;
    if (in_call != POLICY_CALL_NONE && calls == calls_then)
        end_at_once("' did not return", "", EXIT_INTERRUPTED);
    calls_then = calls;
    alarm(PATIENCE);
}

static void note_crash(int signal_number)
{
    if (in_call != POLICY_CALL_NONE)
        end_at_once("' crashed: ", sigdescr_np(signal_number), EXIT_FAILED);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Without this, a module that calls exit(0) would look like a replay without results. */
static void note_exit(void)
{
    if (in_call != POLICY_CALL_NONE)
        end_at_once("' ended the process", "", EXIT_FAILED);
}

const volatile sig_atomic_t *replay_guard_catch(bool alone)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static char stack[STACK]; /* a module may crash because it exhausted the normal stack */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction stop = {.sa_handler = note_stop, .sa_flags = alone ? (int)SA_RESETHAND : 0};
    struct sigaction look = {.sa_handler = look_again};
    struct sigaction crash = {.sa_handler = note_crash, .sa_flags = SA_ONSTACK};

    atexit(note_exit);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGALRM, &look, NULL);
    if (sigaltstack(&other, NULL) == 0)
        for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
            sigaction(crashes[i], &crash, NULL);
    return &stop_asked;
}
