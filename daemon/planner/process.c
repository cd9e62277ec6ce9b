/* The planner process: how it is started, frames to and from it, its deadlines and its end. */
#include "daemon/planner/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/live/clock.h"
#include "util/memory.h"

enum {
    DESCRIPTORS_FROM = 16, /* ours are above those that the process gets */
    SAMPLES = 8,           /* of the page, in the time of a call's limit */
    SAMPLE_MIN = 20,       /* milliseconds */
    SAMPLE_MAX = 250,
    END_SEEN = 50,           /* milliseconds: that long its end may follow that of its socket */
    ANSWER_LEAST = 16 << 20, /* bytes that an answer may have, and */
    ANSWER_RATIO = 16,       /* so many for each byte of the question */
    READ_AT_ONCE = 256 << 10,
    MODULES_MAX = 64,
};

struct planner_process {
    pid_t pid; /* 0: it has ended and is no more */
    int socket;
    struct call_page *page;
    struct planner_limits limits;
    size_t n_modules;
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
    unsigned n_samples, in_module[MODULES_MAX]; /* of this answer */
};

/* --- starting --------------------------------------------------------------------------------- */

/* <build>/libexec/galerna/ beside <build>/bin/, and so below the prefix of an installed galernad.
 */
static void find_program(char path[PLANNER_PROGRAM_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    program[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(program, '/');

        if (!slash)
            break;
        *slash = '\0';
        if (snprintf(path, PLANNER_PROGRAM_MAX, "%s/libexec/galerna/galerna-planner", program) <
                PLANNER_PROGRAM_MAX &&
            access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PLANNER_PROGRAM_MAX, "%s", GALERNA_PLANNER_PROGRAM);
}

static int above(int descriptor)
{
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, DESCRIPTORS_FROM);

    if (descriptor >= 0)
        close(descriptor);
    return moved;
}

static int spawn(struct planner_process *process, int socket, int page, struct error *err)
{
    char program[PLANNER_PROGRAM_MAX], zone[256] = "";
    char name[] = "galerna-planner", *arguments[] = {name, NULL};
    char *environment[] = {zone, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int code;

    find_program(program);
    if (getenv("TZ"))
        snprintf(zone, sizeof zone, "TZ=%s", getenv("TZ"));
    else
        environment[0] = NULL;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
#ifndef GALERNA_SANITIZED /* whose findings are to be seen */
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
#endif
    posix_spawn_file_actions_adddup2(&files, socket, PROTOCOL_SOCKET);
    posix_spawn_file_actions_adddup2(&files, page, PROTOCOL_PAGE);
    posix_spawn_file_actions_addclosefrom_np(&files, PROTOCOL_PAGE + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    code = posix_spawn(&process->pid, program, &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (code) {
        process->pid = 0;
        return error_set(err, code, "%s: %s; it is installed together with galernad", program,
                         strerror(code));
    }
    return 0;
}

static int make_page(struct planner_process *process, struct error *err)
{
    int page = above(memfd_create("galerna-planner", MFD_CLOEXEC));

    if (page < 0 || ftruncate(page, sizeof *process->page) < 0)
        goto failed;
    process->page = mmap(NULL, sizeof *process->page, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (process->page == MAP_FAILED) {
        process->page = NULL;
        goto failed;
    }
    process->page->syscall = -1;
    return page;

failed:
    error_set(err, errno, "no memory is shared with the planner: %s", strerror(errno));
    if (page >= 0)
        close(page);
    return -1;
}

static int find_user(const char *name, uid_t *user, gid_t *group, struct error *err)
{
    const struct passwd *found = getpwnam(name);

    if (!found)
        return error_set(err, EINVAL, "there is no user '%.64s' for the planner process", name);
    *user = found->pw_uid;
    *group = found->pw_gid;
    return 0;
}

static void send_setup(struct planner_process *process, const struct policy_host_settings *settings,
                       uid_t user, gid_t group)
{
    struct wire_writer frame = {0};

    wire_begin(&frame);
    wire_put(&frame, FRAME_SETUP);
    wire_put(&frame, user);
    wire_put(&frame, group);
    wire_put_setup(&frame, settings);
    wire_end(&frame);
    planner_process_send(process, &frame, 1);
    wire_writer_finish(&frame);
}

struct planner_process *planner_process_start(const struct policy_host_settings *settings,
                                              const struct planner_limits *limits,
                                              struct error *err)
{
    struct planner_process *process = memory_new(1, sizeof *process);
    int ends[2] = {-1, -1}, page;
    uid_t user = geteuid();
    gid_t group = getegid();

    process->limits = *limits;
    process->socket = -1;
    process->n_modules = settings->n_modules;
    process->answer_max = ANSWER_LEAST;
    if (geteuid() == 0 && find_user(limits->user, &user, &group, err) < 0)
        goto failed;
    page = make_page(process, err);
    if (page < 0)
        goto failed;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        error_set(err, errno, "no socket to the planner: %s", strerror(errno));
    } else {
        ends[0] = above(ends[0]);
        ends[1] = above(ends[1]);
        spawn(process, ends[1], page, err);
        close(ends[1]);
    }
    close(page);
    process->socket = ends[0];
    if (!process->pid)
        goto failed;
    fcntl(process->socket, F_SETFL, O_NONBLOCK);
    if (limits->memory)
        planner_process_allow_memory(process, limits->memory);
    send_setup(process, settings, user, group);
    return process;

failed:
    planner_process_destroy(process);
    return NULL;
}

void planner_process_allow_memory(struct planner_process *process, int64_t bytes)
{
#ifdef GALERNA_SANITIZED /* their shadow takes more than any limit */
    (void)process, (void)bytes;
#else
    const struct rlimit limit = {(rlim_t)bytes, RLIM_INFINITY};

    if (process->pid && (bytes > process->limits.memory || process->awaited == 0)) {
        process->limits.memory = bytes;
        prlimit(process->pid, RLIMIT_AS, &limit, NULL);
    }
#endif
}

/* --- its end ---------------------------------------------------------------------------------- */

static const char *call_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SYS_socket, "socket"},
        {SYS_connect, "connect"},
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

/* The module that has taken a good part of the memory; -1: none has. */
static int64_t greedy_module(const struct planner_process *process)
{
    for (size_t i = 0; i < process->n_modules && i < MODULES_MAX; i++)
        if (process->limits.memory && process->page->grown[i] > process->limits.memory / 4)
            return (int64_t)i;
    return -1;
}

/* The one that is called; -1: none is, or the page makes no sense. */
static int64_t called_module(const struct planner_process *process)
{
    uint32_t module = process->page->module;

    return module >= 1 && module <= process->n_modules ? (int64_t)module - 1 : -1;
}

static void blame(struct planner_process *process, int64_t module, const char *what)
{
    unsigned call = process->page->call;
    bool inside = module >= 0 && module == called_module(process) && call < POLICY_CALLS;

    process->offence.module = module;
    snprintf(process->offence.text, sizeof process->offence.text, "%s%s%s", what,
             inside ? " when it " : "", inside ? policy_call_text((enum policy_call)call) : "");
}

static void describe_status(struct planner_process *process, int status)
{
    int64_t module = called_module(process), greedy = greedy_module(process);
    int forbidden = process->page->syscall;
    char what[160];

    if (greedy >= 0 && WIFSIGNALED(status))
        snprintf(what, sizeof what, "used up the planner's memory (%lld MB)",
                 (long long)(process->limits.memory >> 20));
    else if (forbidden >= 0 && WIFEXITED(status))
        snprintf(what, sizeof what, "made system call %d (%s), which modules may not make",
                 forbidden, call_name(forbidden));
    else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "crashed (%s)", strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "ended the process with status %d", WEXITSTATUS(status));
    blame(process, greedy >= 0 && WIFSIGNALED(status) ? greedy : module, what);
}

static void close_socket(struct planner_process *process)
{
    if (process->socket >= 0)
        close(process->socket);
    process->socket = -1;
    process->over = true;
    process->awaited = 0;
}

/* Its end is awaited elsewhere: the memory of a large process takes a while to be freed. */
static void kill_it(struct planner_process *process)
{
    close_socket(process);
    if (process->pid)
        kill(process->pid, SIGKILL);
}

static bool wait_for_end(struct planner_process *process, int milliseconds, int *status)
{
    int ended = (int)syscall(SYS_pidfd_open, process->pid, 0);
    struct pollfd end = {.fd = ended, .events = POLLIN};

    if (ended >= 0) {
        poll(&end, 1, milliseconds);
        close(ended);
    }
    if (waitpid(process->pid, status, WNOHANG) != process->pid)
        return false;
    process->pid = 0;
    return true;
}

/* The other end of the socket is closed: it ends, or a module has closed it. */
static void hung_up(struct planner_process *process)
{
    int status = 0;

    if (process->over)
        return;
    if (wait_for_end(process, END_SEEN, &status))
        describe_status(process, status);
    else
        blame(process, called_module(process), "closed the planner's connection");
    kill_it(process);
}

void planner_process_destroy(struct planner_process *process)
{
    int status;

    if (!process)
        return;
    kill_it(process);
    if (process->pid)
        while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    if (process->page)
        munmap(process->page, sizeof *process->page);
    free(process->in);
    free(process->out);
    free(process);
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

static void begin_waiting(struct planner_process *process)
{
    process->since = process->sampled = clock_monotonic();
    process->call_since = process->since;
    process->calls = process->page->calls;
    process->n_samples = 0;
    memset(process->in_module, 0, sizeof process->in_module);
}

/* The module in which most of the time went; -1: in none. */
static int64_t slowest_module(const struct planner_process *process)
{
    for (size_t i = 0; i < MODULES_MAX; i++)
        if (process->in_module[i] * 2 > process->n_samples)
            return (int64_t)i;
    return -1;
}

static void take_sample(struct planner_process *process, int64_t now)
{
    int64_t module = called_module(process);

    process->sampled = now;
    process->n_samples++;
    if (module >= 0 && module < MODULES_MAX)
        process->in_module[module]++;
    if (module < 0 || process->page->calls != process->calls) {
        process->calls = process->page->calls;
        process->call_since = now;
    }
}

static void check_deadlines(struct planner_process *process)
{
    int64_t now = clock_monotonic();
    char what[160];

    if (process->over || process->awaited == 0 || now - process->sampled < sample_interval(process))
        return;
    take_sample(process, now);
    if (now - process->call_since >= process->limits.call && called_module(process) >= 0) {
        snprintf(what, sizeof what, "did not come back within %lld ms",
                 (long long)process->limits.call);
        blame(process, called_module(process), what);
        kill_it(process);
    } else if (now - process->since >= process->limits.plan) {
        snprintf(what, sizeof what, "took most of the %lld ms that a plan may take",
                 (long long)process->limits.plan);
        process->offence.module = slowest_module(process);
        snprintf(process->offence.text, sizeof process->offence.text, "%s", what);
        kill_it(process);
    }
}

int64_t planner_process_due(const struct planner_process *process)
{
    return process->over || process->awaited == 0 ? INSTANT_NEVER
                                                  : process->sampled + sample_interval(process);
}

bool planner_process_is_busy(const struct planner_process *process)
{
    return process->awaited > 0;
}

/* --- frames ----------------------------------------------------------------------------------- */

static void write_some(struct planner_process *process)
{
    while (!process->over && process->out_done < process->out_n) {
        ssize_t put = send(process->socket, process->out + process->out_done,
                           process->out_n - process->out_done, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0) {
            hung_up(process);
            return;
        }
        process->out_done += (size_t)put;
    }
    process->out_n = process->out_done = 0;
}

void planner_process_send(struct planner_process *process, const struct wire_writer *frame,
                          int answers)
{
    size_t allowed = ANSWER_LEAST + ANSWER_RATIO * frame->n;

    if (process->over)
        return;
    process->out = memory_grow(process->out, &process->out_allocated, process->out_n + frame->n, 1);
    memcpy(process->out + process->out_n, frame->bytes, frame->n);
    process->out_n += frame->n;
    if (allowed > process->answer_max)
        process->answer_max = allowed;
    if (answers && process->awaited == 0)
        begin_waiting(process);
    process->awaited += answers;
    write_some(process);
}

static bool is_answer(enum frame kind)
{
    return kind != FRAME_LOG && kind != FRAME_FAULT && kind != FRAME_FORECASTED;
}

static void misunderstood(struct planner_process *process)
{
    blame(process, called_module(process), "broke the planner's protocol");
    kill_it(process);
}

/* All frames that are complete. */
static void take_frames(struct planner_process *process,
                        bool (*take)(void *context, enum frame kind, struct wire_reader *reader),
                        void *context)
{
    size_t done = 0;

    while (!process->over && process->in_n - done >= WIRE_HEADER) {
        unsigned char *header = process->in + done;
        size_t length =
            header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16 | (size_t)header[3] << 24;
        struct wire_reader reader;
        enum frame kind;

        if (length > process->answer_max) {
            misunderstood(process);
            return;
        }
        if (process->in_n - done < WIRE_HEADER + length)
            break;
        wire_reader_init(&reader, header + WIRE_HEADER, length);
        kind = (enum frame)wire_get(&reader, FRAME_READY, FRAMES - 1);
        done += WIRE_HEADER + length;
        if (is_answer(kind) && process->awaited == 0)
            reader.failed = true;
        else if (is_answer(kind))
            process->awaited--;
        if (is_answer(kind) && process->awaited > 0)
            begin_waiting(process);
        if (reader.failed || !take(context, kind, &reader))
            misunderstood(process);
    }
    memmove(process->in, process->in + done, process->in_n - done);
    process->in_n -= done;
}

/* What has come; false: the other end is closed. */
static bool read_some(struct planner_process *process)
{
    for (;;) {
        ssize_t got;

        process->in =
            memory_grow(process->in, &process->in_allocated, process->in_n + READ_AT_ONCE, 1);
        got = recv(process->socket, process->in + process->in_n, READ_AT_ONCE, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return true;
        if (got <= 0)
            return false;
        process->in_n += (size_t)got;
        if (got < READ_AT_ONCE)
            return true;
    }
}

bool planner_process_serve(struct planner_process *process,
                           bool (*take)(void *context, enum frame kind, struct wire_reader *reader),
                           void *context)
{
    bool open = process->over || read_some(process);

    if (!process->over)
        take_frames(process, take, context);
    if (!process->over)
        write_some(process);
    if (!open)
        hung_up(process);
    check_deadlines(process);
    return !process->over;
}

unsigned planner_process_waitfd(const struct planner_process *process, struct pollfd *fd)
{
    if (process->over)
        return 0;
    *fd = (struct pollfd){.fd = process->socket, .events = POLLIN};
    if (process->out_n)
        fd->events |= POLLOUT;
    return 1;
}
