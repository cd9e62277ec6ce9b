/* Says how a planner process ended, or why a policy module is out of service. */
#include "daemon/planner/offence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

const char *const offence_words[OFFENCE_KINDS] = {OFFENCE_ROWS(WORDS_WORD)};

const char *const offence_call_words[POLICY_CALLS] = {
    [POLICY_CALL_NONE] = "none",
    [POLICY_CALL_LOAD] = "load",
    [POLICY_CALL_CREATE] = "create",
    [POLICY_CALL_ADMIT] = "admit",
    [POLICY_CALL_MAY_PREEMPT] = "may-preempt",
    [POLICY_CALL_SCORE_LEASES] = "score-leases",
    [POLICY_CALL_CHOOSE] = "choose",
    [POLICY_CALL_SCORE_HOSTS] = "score-hosts",
    [POLICY_CALL_ESTIMATE] = "estimate",
    [POLICY_CALL_EVENT] = "event",
};

static const char *call_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SYS_socket, "socket"},
        {SYS_connect, "connect"},
        {SYS_close, "close"},
        {SYS_read, "read"},
        {SYS_readv, "readv"},
        {SYS_recvfrom, "recvfrom"},
        {SYS_recvmsg, "recvmsg"},
        {SYS_rt_sigaction, "rt_sigaction"},
        {SYS_clone, "clone"},
        {SYS_clone3, "clone3"},
        {SYS_execve, "execve"},
        {SYS_kill, "kill"},
        {SYS_tgkill, "tgkill"},
        {SYS_setitimer, "setitimer"},
        {SYS_ptrace, "ptrace"},
        {SYS_prlimit64, "prlimit64"},
        {SYS_openat, "openat"},
        {SYS_setrlimit, "setrlimit"},
        {SYS_dup, "dup"},
        {SYS_timer_create, "timer_create"},
        {SYS_mmap, "mmap"},
        {SYS_mprotect, "mprotect"},
        {SYS_setpriority, "setpriority"},
#ifdef SYS_fork
        {SYS_fork, "fork"},
        {SYS_vfork, "vfork"},
        {SYS_alarm, "alarm"},
        {SYS_dup2, "dup2"},
        {SYS_open, "open"},
#endif
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return "";
}

/* Without the call and the last line. */
static int say_what(const struct planner_offence *offence, char *text, size_t size)
{
    const long long number = offence->number;

    switch (offence->kind) {
    case OFFENCE_MEMORY:
        return snprintf(text, size, "used up the planner's memory (%lld MB)", number);
    case OFFENCE_SYSTEM_CALL:
        return snprintf(text, size, "made system call %lld (%s), which modules may not make",
                        number, call_name((int)number));
    case OFFENCE_CRASHED:
        return snprintf(text, size, "crashed (%s)", strsignal((int)number));
    case OFFENCE_UNREADABLE:
        return snprintf(text, size, "cannot read what galernad sends");
    case OFFENCE_EXITED:
        return snprintf(text, size, "ended the process with status %lld", number);
    case OFFENCE_CLOSED:
        return snprintf(text, size, "closed the planner's connection");
    case OFFENCE_PROTOCOL:
        return snprintf(text, size, "broke the planner's protocol");
    case OFFENCE_HUNG:
        return snprintf(text, size, "did not return within %lld ms", number);
    case OFFENCE_SLOW:
        return snprintf(text, size, "took most of the %lld ms that a plan may take", number);
    case OFFENCE_ANSWERS:
        return snprintf(text, size, "gave %lld invalid answers, the last: ", number);
    case OFFENCE_REFUSED:
        return snprintf(text, size, "%s", offence->of_program ? "" : "cannot be loaded: ");
    case OFFENCE_LAST_CALLED:
        return snprintf(text, size,
                        "was the last module called each time the planner failed "
                        "outside of calls");
    case OFFENCE_LOADED:
        return snprintf(text, size,
                        "was loaded when the planner failed repeatedly outside of "
                        "calls");
    case OFFENCE_LOADING:
        return snprintf(text, size, MODULE_LOADING);
    default:
        return snprintf(text, size, "%s", "");
    }
}

void offence_text(const struct planner_offence *offence, char *text, size_t size)
{
    bool quotes = offence->kind == OFFENCE_TOLD || offence->kind == OFFENCE_ANSWERS ||
                  offence->kind == OFFENCE_REFUSED;
    bool is_inside = offence->call != POLICY_CALL_NONE;
    char what[160];

    say_what(offence, what, sizeof what);
    snprintf(text, size, "%s%s%s%s%s%s",
             offence->of_program && !quotes ? "galerna-planner cannot be used: it " : "", what,
             is_inside ? " when it " : "", is_inside ? policy_call_text(offence->call) : "",
             offence->quote[0] && !quotes ? "; it wrote: " : "", offence->quote);
}

void offence_pack(const struct planner_offence *offence, char *line, size_t size)
{
    snprintf(line, size, "%s\t%" PRId64 "\t%s\t%s", offence_words[offence->kind], offence->number,
             offence_call_words[offence->call], offence->quote);
}

void offence_unpack(const char *line, struct planner_offence *offence)
{
    char copy[sizeof offence->quote + 96], *rest = copy, *word, *number, *call;
    int kind, during;

    snprintf(copy, sizeof copy, "%s", line);
    word = strsep(&rest, "\t");
    number = strsep(&rest, "\t");
    call = strsep(&rest, "\t");
    kind = rest ? words_find(offence_words, OFFENCE_KINDS, word) : -1;
    during = rest ? words_find(offence_call_words, POLICY_CALLS, call) : -1;
    *offence = (struct planner_offence){.kind = OFFENCE_TOLD, .module = -1, .last = -1};
    if (kind >= 0 && during >= 0) {
        offence->kind = (enum offence_kind)kind;
        offence->number = strtoll(number, NULL, 10);
        offence->call = (enum policy_call)during;
        line = rest;
    }
    snprintf(offence->quote, sizeof offence->quote, "%s", line);
}
