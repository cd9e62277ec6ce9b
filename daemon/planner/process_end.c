/* The end of a planner process: its limits, its standard error, the module to blame. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/planner/process_inside.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

enum {
    SAMPLES = 8,     /* of the page, during the limit of a call */
    SAMPLE_MIN = 20, /* milliseconds */
    SAMPLE_MAX = 250,
    END_SEEN = 50,     /* milliseconds from the closed socket to the process's end, */
    END_FORCED = 1000, /* and between SIGKILL and its end */
    END_LOOK = 5,      /* milliseconds between checks for its end */
    LINES_MAX = 100,   /* of its standard error: further lines are not logged */
};

/* --- standard error --------------------------------------------------------------------------- */

static void end_line(struct planner_process *process)
{
    process->line[process->line_n] = '\0';
    if (process->line_n && ++process->n_lines <= LINES_MAX)
        log_warning("planner: %s", process->line);
    if (process->line_n)
        memcpy(process->last_line, process->line, sizeof process->last_line);
    process->line_n = 0;
}

static void take_character(struct planner_process *process, char c)
{
    if (c == '\n')
        end_line(process);
    else if (process->line_n + 1 < sizeof process->line)
        process->line[process->line_n++] = (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
}

/* Reads at most the content of a full pipe: a process that keeps writing must not block
 * galernad. */
static void read_errors(struct planner_process *process)
{
    char text[4096];

    for (int i = 0; i < 16 && process->errors >= 0; i++) {
        ssize_t got = read(process->errors, text, sizeof text);

        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        for (ssize_t at = 0; at < got; at++)
            take_character(process, text[at]);
        if (got <= 0) {
            close(process->errors);
            process->errors = -1;
        }
    }
}

/* --- blame ------------------------------------------------------------------------------------ */

/* The module that allocated more than a quarter of the memory; -1: none. */
static int64_t greedy_module(const struct planner_process *process)
{
    for (size_t i = 0; i < process->n_modules && i < WATCHED_MODULES_MAX; i++)
        if (process->limits.memory && process->page->grown[i] > process->limits.memory / 4)
            return (int64_t)i;
    return -1;
}

static int64_t place_of(const struct planner_process *process, uint32_t module)
{
    return module >= 1 && module <= process->n_modules ? (int64_t)module - 1 : -1;
}

/* The module being called; -1: none, or the page is corrupt. */
static int64_t called_module(const struct planner_process *process)
{
    return place_of(process, process->page->module);
}

int64_t planner_process_last_called(const struct planner_process *process)
{
    return place_of(process, process->page->last);
}

struct planner_time planner_process_time(const struct planner_process *process, size_t module)
{
    if (module >= process->n_modules || module >= WATCHED_MODULES_MAX)
        return (struct planner_time){0};
    return (struct planner_time){process->page->called[module], process->page->spent[module]};
}

static void note_offence(struct planner_process *process, int64_t module, enum offence_kind kind,
                         int64_t number)
{
    unsigned call = process->page->call;
    bool inside = module >= 0 && module == called_module(process) && call < POLICY_CALLS;

    read_errors(process);
    end_line(process);
    process->offence =
        (struct planner_offence){.kind = kind,
                                 .number = number,
                                 .call = inside ? (enum policy_call)call : POLICY_CALL_NONE,
                                 .module = module,
                                 .last = planner_process_last_called(process)};
    memcpy(process->offence.quote, process->last_line, sizeof process->last_line);
}

static void describe_status(struct planner_process *process, int status)
{
    int64_t module = called_module(process), greedy = greedy_module(process);
    int forbidden = process->page->syscall;

    if (greedy >= 0 && WIFSIGNALED(status))
        note_offence(process, greedy, OFFENCE_MEMORY, process->limits.memory >> 20);
    else if (forbidden >= 0 && WIFEXITED(status))
        note_offence(process, module, OFFENCE_SYSTEM_CALL, forbidden);
    else if (WIFSIGNALED(status))
        note_offence(process, module, OFFENCE_CRASHED, WTERMSIG(status));
    else if (WEXITSTATUS(status) == PROTOCOL_EXIT && module < 0)
        note_offence(process, module, OFFENCE_UNREADABLE, 0);
    else
        note_offence(process, module, OFFENCE_EXITED, WEXITSTATUS(status));
    process->offence.of_program =
        module < 0 && WIFEXITED(status) && WEXITSTATUS(status) == PROTOCOL_EXIT;
}

static void close_socket(struct planner_process *process)
{
    if (process->socket >= 0)
        close(process->socket);
    process->socket = -1;
    process->over = true;
    process->awaited = 0;
}

/* Does not wait for the end: freeing the memory of a large process takes a while. */
static void kill_it(struct planner_process *process)
{
    close_socket(process);
    if (process->pid)
        kill(process->pid, SIGKILL);
}

/* After the socket was closed, gives the process a short time to end by itself and report how, then
 * kills it. */
static void look_for_end(struct planner_process *process)
{
    int64_t waited = clock_monotonic() - process->hung_up;
    int status = SIGKILL;
    bool gone = process->pid && waitpid(process->pid, &status, WNOHANG) == process->pid;

    if (!gone && waited < END_FORCED) {
        if (waited >= END_SEEN && !process->killed)
            process->killed = kill(process->pid, SIGKILL) == 0;
        return;
    }
    if (gone)
        process->pid = 0;
    if (process->killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        note_offence(process, called_module(process), OFFENCE_CLOSED, 0);
    else
        describe_status(process, status);
    kill_it(process);
}

void process_hung_up(struct planner_process *process)
{
    if (process->over || process->hung_up)
        return;
    process->hung_up = clock_monotonic();
    look_for_end(process);
}

void process_broke_protocol(struct planner_process *process)
{
    note_offence(process, called_module(process), OFFENCE_PROTOCOL, 0);
    kill_it(process);
}

static bool is_gone(struct planner_process *process, int how)
{
    pid_t ended;

    kill_it(process);
    if (!process->pid)
        return true;
    do
        ended = waitpid(process->pid, NULL, how);
    while (ended < 0 && errno == EINTR);
    return ended != 0;
}

static void release(struct planner_process *process)
{
    if (process->errors >= 0)
        close(process->errors);
    if (process->page)
        munmap(process->page, sizeof *process->page);
    free(process->in);
    wire_writer_finish(&process->out);
    free(process);
}

void planner_process_destroy(struct planner_process *process)
{
    if (!process)
        return;
    is_gone(process, 0);
    release(process);
}

bool planner_process_bury(struct planner_process *process)
{
    bool gone = is_gone(process, WNOHANG);

    if (gone)
        release(process);
    return gone;
}

const struct planner_offence *planner_process_offence(const struct planner_process *process)
{
    return &process->offence;
}

/* --- deadlines -------------------------------------------------------------------------------- */

static int64_t sample_interval(const struct planner_process *process)
{
    int64_t interval = process->limits.call / SAMPLES;

    return interval < SAMPLE_MIN ? SAMPLE_MIN : interval > SAMPLE_MAX ? SAMPLE_MAX : interval;
}

void process_begins_waiting(struct planner_process *process)
{
    process->since = process->sampled = clock_monotonic();
    process->call_since = process->since;
    process->calls = process->page->calls;
    process->n_samples = 0;
    memset(process->in_module, 0, sizeof process->in_module);
}

/* The module in more than half of the samples; -1: none. */
static int64_t slowest_module(const struct planner_process *process)
{
    for (size_t i = 0; i < WATCHED_MODULES_MAX; i++)
        if (process->in_module[i] * 2 > process->n_samples)
            return (int64_t)i;
    return -1;
}

static void take_sample(struct planner_process *process, int64_t now)
{
    int64_t module = called_module(process);

    process->sampled = now;
    process->n_samples++;
    if (module >= 0 && module < WATCHED_MODULES_MAX)
        process->in_module[module]++;
    if (module < 0 || process->page->calls != process->calls) {
        process->calls = process->page->calls;
        process->call_since = now;
    }
}

static void check_deadlines(struct planner_process *process)
{
    int64_t now = clock_monotonic();

    if (process->awaited == 0 || now - process->sampled < sample_interval(process))
        return;
    take_sample(process, now);
    if (now - process->call_since >= process->limits.call && called_module(process) >= 0) {
        note_offence(process, called_module(process), OFFENCE_HUNG, process->limits.call);
        kill_it(process);
    } else if (now - process->since >= process->limits.plan) {
        note_offence(process, slowest_module(process), OFFENCE_SLOW, process->limits.plan);
        kill_it(process);
    }
}

void process_watch(struct planner_process *process)
{
    if (process->over)
        return;
    read_errors(process);
    if (process->hung_up)
        look_for_end(process);
    else
        check_deadlines(process);
}

int64_t planner_process_due(const struct planner_process *process)
{
    if (process->over)
        return INSTANT_NEVER;
    if (process->hung_up)
        return clock_monotonic() + END_LOOK;
    return process->awaited == 0 ? INSTANT_NEVER : process->sampled + sample_interval(process);
}

bool planner_process_is_busy(const struct planner_process *process)
{
    return process->awaited > 0;
}
