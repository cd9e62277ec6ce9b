/* The planner process: its start, and the frames to and from it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/helper.h"
#include "daemon/planner/process_inside.h"
#include "util/memory.h"

enum {
    DESCRIPTORS = PROTOCOL_PAGE + 1, /* of the process */
    DESCRIPTORS_FROM = 16,           /* lowest descriptor here, above those of the process */
    ANSWER_LEAST = 16 << 20,         /* bytes that an answer may have, plus */
    ANSWER_RATIO = 16,               /* this many per byte of the question */
    READ_AT_ONCE = 256 << 10,
};

/* --- starting --------------------------------------------------------------------------------- */

static int above(int descriptor)
{
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, DESCRIPTORS_FROM);

    if (descriptor >= 0)
        close(descriptor);
    return moved;
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
    error_errno(err, "cannot share memory with the planner");
    if (page >= 0)
        close(page);
    return -1;
}

int planner_limits_find_user(struct planner_limits *limits, struct error *err)
{
    const struct passwd *found = geteuid() == 0 ? getpwnam(limits->user) : NULL;

    if (!found && geteuid() == 0)
        return error_set(err, EINVAL, "user '%.64s' for the planner process does not exist",
                         limits->user);
    limits->uid = found ? found->pw_uid : geteuid();
    limits->gid = found ? found->pw_gid : getegid();
    return 0;
}

static void send_setup(struct planner_process *process, const struct policy_host_settings *settings)
{
    struct wire_writer frame = {0};

    wire_begin(&frame);
    wire_put(&frame, FRAME_SETUP);
    wire_put_text(&frame, protocol_version());
    wire_put_text(&frame, process->limits.user);
    wire_put(&frame, process->limits.uid);
    wire_put(&frame, process->limits.gid);
    wire_put_setup(&frame, settings);
    wire_end(&frame);
    planner_process_send(process, &frame, 1);
}

static void close_all(const int *its)
{
    for (size_t i = 0; i < DESCRIPTORS; i++)
        if (its[i] >= 0)
            close(its[i]);
}

/* Creates a socket, and a pipe for the standard error: output that does not fit in the pipe is
 * lost. */
static int connect_to(struct planner_process *process, int *its, struct error *err)
{
    int ends[2] = {-1, -1}, pipe[2] = {-1, -1};
    bool made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 &&
                pipe2(pipe, O_CLOEXEC | O_NONBLOCK) == 0;

    process->socket = above(ends[0]);
    its[PROTOCOL_SOCKET] = above(ends[1]);
    process->errors = above(pipe[0]);
    its[STDERR_FILENO] = above(pipe[1]);
    if (!made || process->socket < 0 || its[PROTOCOL_SOCKET] < 0 || process->errors < 0 ||
        its[STDERR_FILENO] < 0)
        return error_errno(err, "cannot connect to the planner");
    fcntl(process->socket, F_SETFL, O_NONBLOCK);
    return 0;
}

struct planner_process *planner_process_start(const struct policy_host_settings *settings,
                                              const struct planner_limits *limits,
                                              struct error *err)
{
    struct planner_process *process = memory_new(1, sizeof *process);
    int its[DESCRIPTORS] = {-1, -1, -1, -1, -1};

    process->limits = *limits;
    process->socket = process->errors = -1;
    process->n_modules = settings->n_modules;
    process->answer_max = ANSWER_LEAST;
    if ((its[PROTOCOL_PAGE] = make_page(process, err)) < 0 || connect_to(process, its, err) < 0 ||
        !(process->pid = helper_start("galerna-planner", its, DESCRIPTORS, err))) {
        close_all(its);
        planner_process_destroy(process);
        return NULL;
    }
    close_all(its);
    if (limits->memory)
        planner_process_allow_memory(process, limits->memory);
    send_setup(process, settings);
    return process;
}

void planner_process_allow_memory(struct planner_process *process, int64_t bytes)
{
#ifdef GALERNA_SANITIZED /* shadow memory exceeds any limit */
    (void)process, (void)bytes;
#else
    const struct rlimit limit = {(rlim_t)bytes, RLIM_INFINITY};

    if (process->pid && (bytes > process->limits.memory || process->awaited == 0)) {
        process->limits.memory = bytes;
        prlimit(process->pid, RLIMIT_AS, &limit, NULL);
    }
#endif
}

/* --- frames ----------------------------------------------------------------------------------- */

static void write_some(struct planner_process *process)
{
    const unsigned char *bytes;
    size_t n;

    while (!process->over && (n = wire_first_bytes(&process->out, &bytes))) {
        ssize_t put = send(process->socket, bytes, n, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0)
            break; /* the process closed its socket: handled after reading its last output */
        wire_drop(&process->out, (size_t)put);
    }
    wire_writer_finish(&process->out);
}

void planner_process_send(struct planner_process *process, struct wire_writer *frame, int answers)
{
    size_t allowed = ANSWER_LEAST + ANSWER_RATIO * frame->n;

    if (process->over) {
        wire_writer_finish(frame);
        return;
    }
    wire_move(&process->out, frame);
    if (allowed > process->answer_max)
        process->answer_max = allowed;
    if (answers && process->awaited == 0)
        process_begins_waiting(process);
    process->awaited += answers;
    write_some(process);
}

static bool is_answer(enum frame kind)
{
    return kind != FRAME_LOG && kind != FRAME_FAULT && kind != FRAME_FORECASTED;
}

/* Handles all complete frames. */
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
            process_broke_protocol(process);
            return;
        }
        if (process->in_n - done < WIRE_HEADER + length)
            break;
        wire_reader_init(&reader, header + WIRE_HEADER, length);
        kind = (enum frame)wire_get(&reader, FRAME_OTHER_VERSION, FRAMES - 1);
        done += WIRE_HEADER + length;
        if (is_answer(kind) && process->awaited == 0)
            reader.failed = true;
        else if (is_answer(kind))
            process->awaited--;
        if (is_answer(kind) && process->awaited > 0)
            process_begins_waiting(process);
        if (reader.failed || !take(context, kind, &reader))
            process_broke_protocol(process);
    }
    memmove(process->in, process->in + done, process->in_n - done);
    process->in_n -= done;
}

/* Reads all that has arrived; false: the process closed its socket. */
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
    bool open = process->over || process->hung_up || read_some(process);

    if (!process->over && !process->hung_up)
        take_frames(process, take, context);
    if (!process->over && !process->hung_up)
        write_some(process);
    if (!open)
        process_hung_up(process);
    process_watch(process);
    return !process->over;
}

unsigned planner_process_waitfds(const struct planner_process *process, struct pollfd *fds)
{
    unsigned n = 0;

    if (process->over)
        return 0;
    if (!process->hung_up)
        fds[n++] = (struct pollfd){.fd = process->socket,
                                   .events = (short)(process->out.n ? POLLIN | POLLOUT : POLLIN)};
    if (process->errors >= 0)
        fds[n++] = (struct pollfd){.fd = process->errors, .events = POLLIN};
    return n;
}
