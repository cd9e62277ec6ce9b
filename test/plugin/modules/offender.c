/* Does what no module may, when told to: DOES says what, IN where, AFTER how many calls. KIND is
 * the policy's; DOES and IN are what it does by default. Until then it has no opinion. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "galerna_policy.h"
#include "util/unqualified.h"

enum offence {
    NOTHING,
    CRASH,
    HANG,
    LEAVE,
    FORK,
    RAISE,
    SIGNAL_PARENT,
    STOP,
    CLOSE,
    ALARM,
    LIMIT,
    LEAK,
    WRITE_CONST,
    CATCH,
    WIDE,
    LOG,
    JUMP,
    CONNECT,
    READ,
    RECEIVE,
    OPEN,
    SCRIBBLE,
    REFUSE_SLOWLY,
    WRONG
};
enum place { IN_CREATE, IN_CALL, IN_EVENT, IN_MAY_PREEMPT, IN_CHOOSE, IN_ESTIMATE };

struct offender {
    enum offence does;
    enum place in;
    int64_t after, calls, sleeps;
    const struct galerna_host *host;
};

#ifndef DOES
#define DOES "nothing"
#define IN   "call"
#endif

static const int constant = 1;
static jmp_buf nowhere;

static void set_nowhere(void)
{
    (void)setjmp(nowhere); /* the frame it returns to is gone afterwards */
}

/* 1 GB, or all that there is. */
static void leak(void)
{
    size_t left = (size_t)1 << 30;

    for (size_t size = 1 << 20; size >= 16; size /= 2)
        while (left >= size) {
            char *volatile block = malloc(size); /* a compiler may drop what is not used */

            if (!block)
                break;
            memset(block, 1, size);
            left -= size;
        }
}

static void offend(const struct offender *self, const void *given)
{
    switch (self->does) {
    case CRASH:
        *(volatile int *)0 = 1;
        break;
    case HANG:
        if (getenv("OFFENDER_TELLS"))
            dprintf(STDERR_FILENO, "hangs\n");
        for (;;)
            pause();
    case LEAVE:
        exit(0);
    case FORK:
        for (int i = 0; i < 100; i++)
            if (fork() == 0)
                for (;;)
                    sleep(600);
        break;
    case RAISE:
        raise(SIGTERM);
        break;
    case SIGNAL_PARENT:
        kill(getppid(), SIGTERM);
        break;
    case STOP:
        raise(SIGSTOP);
        break;
    case CLOSE:
        for (int i = 0; i < 64; i++)
            close(i);
        break;
    case ALARM:
        alarm(1);
        break;
    case LIMIT:
        setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1});
        break;
    case LEAK:
        leak();
        break;
    case WRITE_CONST:
        *(volatile int *)unqualified(&constant) = 2;
        break;
    case CATCH: /* forbidden calls would go unnoticed */
        signal(SIGSYS, SIG_IGN);
        break;
    case WIDE: /* the kernel closes descriptor 3 */
        syscall(SYS_close, INT64_C(1) << 32 | 3);
        break;
    case LOG:
        for (int i = 0; i < 100000; i++)
            self->host->log(self->host, GALERNA_LOG_WARNING, "line %d", i);
        break;
    case JUMP:
        set_nowhere();
        longjmp(nowhere, 1);
    case CONNECT:
        if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
            abort();
        break;
    case READ: /* what galernad sends to the planner */
    case RECEIVE:
        for (int i = 3; i < 64; i++)
            if (self->does == READ)
                (void)!read(i, &(char){0}, 1);
            else
                recv(i, &(char){0}, 1, MSG_DONTWAIT);
        break;
    case OPEN:
        if (open("/etc/passwd", O_RDONLY) >= 0)
            abort();
        break;
    case SCRIBBLE:
        if (given)
            memset(unqualified(given), 0x5a, 256);
        break;
    default:
        break;
    }
}

static bool is_time(struct offender *self, enum place place)
{
    return self->in == place && self->calls++ >= self->after;
}

static const struct galerna_option options[] = {
    {.name = "does",
     .type = GALERNA_CHOICE,
     .default_value = DOES,
     .choices =
         "nothing|crash|hang|leave|fork|raise|signal-parent|stop|close|alarm|limit|leak|"
         "write-const|catch|wide|log|jump|connect|read|receive|open|scribble|refuse-slowly|wrong",
     .description = "What it does"},
    {.name = "in",
     .type = GALERNA_CHOICE,
     .default_value = IN,
     .choices = "create|call|event|may-preempt|choose|estimate",
     .description = "Where"},
    {.name = "after",
     .type = GALERNA_INTEGER,
     .default_value = "0",
     .minimum = 0,
     .maximum = 1000000,
     .description = "Calls before that"},
    {.name = "sleeps",
     .type = GALERNA_INTEGER,
     .default_value = "150",
     .minimum = 0,
     .maximum = 100000,
     .description = "Milliseconds, of refuse-slowly"},
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct offender *offender = calloc(1, sizeof *offender);

    (void)result;
    if (!offender)
        return GALERNA_ERROR;
    offender->host = host;
    offender->does = (enum offence)values[0].choice;
    offender->in = (enum place)values[1].choice;
    offender->after = values[2].integer;
    offender->sleeps = values[3].integer;
    *self = offender;
    if (offender->in == IN_CREATE && offender->does != NOTHING)
        offend(offender, NULL);
    return GALERNA_OK;
}

static void event(void *self, const struct galerna_event *event)
{
    if (is_time(self, IN_EVENT))
        offend(self, event);
}

#if KIND == 1
static enum galerna_verdict call(void *self, const struct galerna_admission_request *request,
                                 struct galerna_result *result)
{
    const struct offender *offender = self;

    if (!is_time(self, IN_CALL))
        return GALERNA_SKIP;
    if (offender->does == REFUSE_SLOWLY) {
        usleep((useconds_t)offender->sleeps * 1000);
        return offender->host->answer(result, GALERNA_REFUSED_FOR_GOOD, "nobody", "nobody at all");
    }
    if (offender->does == WRONG)
        return (enum galerna_verdict)77;
    offend(self, request->lease);
    return GALERNA_SKIP;
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = call};
#define OPERATIONS .admission = &operations
#elif KIND == 2
static bool may_preempt(void *self, const struct galerna_lease *preemptor)
{
    if (is_time(self, IN_MAY_PREEMPT))
        offend(self, preemptor);
    return true;
}

#ifdef CHOOSES
static enum galerna_verdict choose(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result)
{
    (void)chosen, (void)result;
    if (is_time(self, IN_CHOOSE))
        offend(self, batch->preemptor);
    *n_chosen = 0;
    return GALERNA_OK;
}
#define CALL .choose = choose
#else
static enum galerna_verdict call(void *self, const struct galerna_victim_batch *batch,
                                 int64_t *scores, struct galerna_result *result)
{
    (void)result;
    if (is_time(self, IN_CALL))
        offend(self, batch->preemptor);
    for (size_t i = 0; i < batch->n_victims; i++)
        scores[i] = GALERNA_VETO; /* all who ask are refused: they are asked about again */
    return GALERNA_OK;
}
#define CALL .score = call
#endif

static const struct galerna_preemption operations = {
    .size = sizeof operations, .may_preempt = may_preempt, CALL};
#define OPERATIONS .preemption = &operations
#else
static enum galerna_verdict call(void *self, const struct galerna_host_batch *batch,
                                 int64_t *scores, struct galerna_result *result)
{
    const struct offender *offender = self;

    (void)result;
    if (is_time(self, IN_CALL))
        offend(self, batch->lease);
    if (offender->in != IN_ESTIMATE)
        return GALERNA_SKIP;
    for (size_t i = 0; i < batch->n_hosts; i++) /* others are better at odd times */
        scores[i] = batch->at % 2 ? batch->hosts[i] : 1000000 - (int64_t)batch->hosts[i];
    return GALERNA_OK;
}

static enum galerna_verdict estimate(void *self, const struct galerna_estimate *question,
                                     int64_t *milliseconds, struct galerna_result *result)
{
    (void)milliseconds, (void)result;
    if (is_time(self, IN_ESTIMATE))
        offend(self, question->lease);
    return GALERNA_SKIP;
}

static const struct galerna_host_selection operations = {
    .size = sizeof operations, .score = call, .estimate = estimate};
#define OPERATIONS .host_selection = &operations
#endif

#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    GALERNA_POLICY_HEAD(KIND),
    .name = NAME,
    .version = "1.0",
    .summary = "Does what no module may",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .option_size = sizeof *options,
    .create = create,
    .event = event,
    OPERATIONS,
};
