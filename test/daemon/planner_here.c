/* The planner as planner_process.h has it, without a process: it plans when it is served. */
#include "test/daemon/planner_here.h"

#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/planner/planner_process.h"
#include "planner/planning.h"
#include "util/memory.h"

struct planner_process {
    struct policy_host *policies;
    struct planning *planning;
    struct planner_offence offence; /* there is none */
    struct wire_writer questions;   /* that are not answered yet */
    struct wire_writer answers;     /* for the next time it is served */
    int awaited;
    int64_t ready; /* monotonic milliseconds: answers take their time */
};

/* Weak: a program can define its own. */
__attribute__((weak)) int64_t planner_here_takes(void)
{
    return 0;
}

__attribute__((weak)) const struct policy_hooks *planner_here_policies(void)
{
    return NULL;
}

int planner_limits_find_user(struct planner_limits *limits, struct error *err)
{
    limits->uid = 0;
    limits->gid = 0;
    return 0;
}

static void say_ready(struct planner_process *process)
{
    struct wire_writer frame = {0};

    wire_begin(&frame);
    wire_put(&frame, FRAME_READY);
    wire_put(&frame, policy_host_wants_events(process->policies));
    wire_end(&frame);
    wire_move(&process->answers, &frame);
    process->awaited = 1;
    process->ready = clock_monotonic();
}

struct planner_process *planner_process_start(const struct policy_host_settings *settings,
                                              const struct planner_limits *limits,
                                              struct error *err)
{
    struct planner_process *process = memory_new(1, sizeof *process);
    struct policy_host_settings here = *settings;
    const struct policy_hooks *hooks = planner_here_policies();

    here.preflight = false;
    process->policies = policy_host_create(&here, err);
    if (!process->policies) {
        free(process);
        return NULL;
    }
    process->planning = planning_create(hooks ? NULL : process->policies, hooks);
    process->offence.module = process->offence.last = -1;
    say_ready(process);
    return process;
}

void planner_process_destroy(struct planner_process *process)
{
    if (!process)
        return;
    planning_destroy(process->planning);
    policy_host_destroy(process->policies);
    wire_writer_finish(&process->questions);
    wire_writer_finish(&process->answers);
    free(process);
}

bool planner_process_bury(struct planner_process *process)
{
    planner_process_destroy(process);
    return true;
}

void planner_process_send(struct planner_process *process, struct wire_writer *frame, int answers)
{
    if (process->awaited == 0)
        process->ready = clock_monotonic() + planner_here_takes();
    process->awaited += answers;
    wire_move(&process->questions, frame);
    wire_writer_finish(frame);
}

bool planner_process_is_busy(const struct planner_process *process)
{
    return process->awaited > 0;
}

unsigned planner_process_waitfds(const struct planner_process *process, struct pollfd *fds)
{
    return 0;
}

int64_t planner_process_due(const struct planner_process *process)
{
    if (process->awaited > 0 || process->questions.n || process->answers.n ||
        planning_has_more(process->planning))
        return process->ready;
    return INSTANT_NEVER;
}

static size_t frame_length(const unsigned char *header)
{
    return header[0] | (size_t)header[1] << 8 | (size_t)header[2] << 16 | (size_t)header[3] << 24;
}

/* What takes a frame may send others: they are answered the next time. */
static void answer_questions(struct planner_process *process)
{
    struct wire_writer questions = process->questions, reply = {0};
    size_t length;

    process->questions = (struct wire_writer){0};
    for (size_t at = 0; at < questions.n; at += WIRE_HEADER + length) {
        length = frame_length(wire_bytes(&questions) + at);
        if (planning_handle(process->planning,
                            memory_copy(wire_bytes(&questions) + at + WIRE_HEADER, length), length,
                            &reply) < 0)
            abort();
        wire_move(&process->answers, &reply);
    }
    wire_writer_finish(&questions);
    while (planning_has_more(process->planning)) {
        planning_go_on(process->planning, &reply);
        wire_move(&process->answers, &reply);
    }
}

static bool is_awaited(enum frame kind)
{
    return kind != FRAME_LOG && kind != FRAME_FAULT && kind != FRAME_FORECASTED;
}

bool planner_process_serve(struct planner_process *process,
                           bool (*take)(void *context, enum frame kind, struct wire_reader *reader),
                           void *context)
{
    struct wire_writer answers;
    struct wire_reader reader;
    size_t length;

    if (clock_monotonic() < process->ready)
        return true;
    answer_questions(process);
    answers = process->answers;
    process->answers = (struct wire_writer){0};
    for (size_t at = 0; at < answers.n; at += WIRE_HEADER + length) {
        enum frame kind;

        length = frame_length(wire_bytes(&answers) + at);
        wire_reader_init(&reader, wire_bytes(&answers) + at + WIRE_HEADER, length);
        kind = (enum frame)wire_get(&reader, FRAME_READY, FRAMES - 1);
        process->awaited -= is_awaited(kind);
        if (reader.failed || !take(context, kind, &reader))
            abort();
    }
    wire_writer_finish(&answers);
    return true;
}

const struct planner_offence *planner_process_offence(const struct planner_process *process)
{
    return &process->offence;
}

int64_t planner_process_last_called(const struct planner_process *process)
{
    return -1;
}

struct planner_time planner_process_time(const struct planner_process *process, size_t module)
{
    return (struct planner_time){0};
}

void planner_process_allow_memory(struct planner_process *process, int64_t bytes)
{
}
