/* A cloud in memory: calls and their results. */
#include "adapters/simulated/simulated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

enum { LONGEST_WAIT = 60 * 1000 /* milliseconds */ };

/* Told with the next wait. */
struct simulated_call {
    struct cloud_question question;
    int32_t *ids; /* of the question */
    cloud_done *done;
    cloud_mark_told *marked;
    void *context;
    struct cloud_reply reply;
};

static struct simulated *self_of(struct cloud *cloud)
{
    return (struct simulated *)cloud;
}

static void note_call(struct cloud *cloud, const struct simulated_call *call)
{
    struct simulated *self = self_of(cloud);

    self->calls =
        memory_grow(self->calls, &self->calls_allocated, self->n_calls + 1, sizeof *self->calls);
    self->calls[self->n_calls++] = *call;
}

static void tell(struct simulated *self, struct simulated_call *call)
{
    static const struct cloud_mark no_mark;
    struct cloud_answer answer = {0};

    if (call->question.told) {
        call->question.ids = call->ids;
        simulated_answer(self, &call->question, &answer);
        call->question.told(call->question.context, &answer);
        cloud_answer_finish(&answer);
    } else if (call->marked) {
        call->marked(call->context, &call->reply, &no_mark);
    } else if (call->done) {
        call->done(call->context, &call->reply);
    }
    free(call->ids);
}

/* Reports results of calls made before this one; calls made by their callbacks are reported next
 * time. */
static void tell_all(struct simulated *self)
{
    struct simulated_call *calls = self->calls;
    size_t n = self->n_calls;

    self->calls = NULL;
    self->n_calls = self->calls_allocated = 0;
    for (size_t i = 0; i < n; i++)
        tell(self, &calls[i]);
    free(calls);
}

static int wait_for(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                    struct error *err)
{
    struct simulated *self = self_of(cloud);
    int64_t wait = timeout < LONGEST_WAIT ? timeout : LONGEST_WAIT;
    int64_t until_due = self->next_due == INT64_MAX ? wait : self->next_due - simulated_now();

    if (self->n_calls || wait < 0)
        wait = 0;
    else if (until_due < wait)
        wait = until_due > 0 ? until_due : 0;
    if (poll(fds, n, (int)wait) < 0 && errno != EINTR)
        return error_set(err, errno, "waiting: %s", strerror(errno));
    simulated_settle(self);
    simulated_write(self);
    tell_all(self);
    simulated_write(self);
    return 0;
}

static size_t pending(const struct cloud *cloud)
{
    return ((const struct simulated *)cloud)->n_calls;
}

static bool date(const struct cloud *cloud, int64_t *date, int64_t *at)
{
    (void)cloud, (void)date, (void)at;
    return false;
}

static enum cloud_outcome greet(struct cloud *cloud, struct cloud_greeting *greeting,
                                enum cloud_refusal *refusal, struct error *err)
{
    (void)cloud, (void)refusal, (void)err;
    *greeting = (struct cloud_greeting){.version = "simulated", .leadership = {.leads = true}};
    return CLOUD_DONE;
}

static void ask(struct cloud *cloud, const struct cloud_question *question)
{
    struct simulated_call call = {.question = *question};

    if (question->n_ids)
        call.ids = memory_copy(question->ids, question->n_ids * sizeof *question->ids);
    note_call(cloud, &call);
}

static void command(struct cloud *cloud, const struct cloud_command *given)
{
    note_call(cloud, &(struct simulated_call){.done = given->done,
                                              .context = given->context,
                                              .reply = simulated_do(self_of(cloud), given)});
}

static void message(struct cloud *cloud, int32_t id, const struct cloud_message *shown,
                    cloud_done *done, void *context)
{
    struct simulated *self = self_of(cloud);
    struct simulated_vm *vm = simulated_find(self, id);
    struct simulated_call call = {.done = done, .context = context};

    if (vm) {
        free(vm->message);
        vm->message = memory_text(shown->text);
        vm->dirty = self->dirty = true;
    } else {
        call.reply = (struct cloud_reply){
            .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_VM, .message = "the VM does not exist"};
    }
    note_call(cloud, &call);
}

static void resize(struct cloud *cloud, const struct cloud_resizing *resizing)
{
    struct simulated *self = self_of(cloud);
    struct simulated_vm *vm = simulated_find(self, resizing->vm);
    struct simulated_call call = {.done = resizing->done, .context = resizing->context};

    if (vm) {
        vm->cpu = resizing->cpu;
        vm->memory = resizing->memory;
        vm->dirty = self->dirty = true;
    } else {
        call.reply = (struct cloud_reply){
            .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_VM, .message = "the VM does not exist"};
    }
    note_call(cloud, &call);
}

/* The VM's size is among the attributes: "0.50" processors, MB. */
static const char *make(struct simulated *self, const struct cloud_order *order, int32_t *id)
{
    struct pool_memory *memory = pool_memory_create();
    struct attributes attributes;
    const char *cpu, *megabytes, *name, *problem = NULL;
    struct simulated_vm *vm;

    simulated_read(order->text, memory, &attributes);
    cpu = attributes_find(&attributes, "CPU");
    megabytes = attributes_find(&attributes, "MEMORY");
    name = attributes_find(&attributes, "NAME");
    if (order->template >= 0)
        problem = "the simulated cloud has no templates";
    else if (!cpu || !megabytes)
        problem = "a VM needs CPU and MEMORY";
    if (!problem && cpu && megabytes) {
        vm = simulated_append(self, self->next_id);
        vm->created = simulated_now() / 1000;
        vm->cpu = llround(strtod(cpu, NULL) * 100);
        vm->memory = strtoll(megabytes, NULL, 10);
        vm->name = memory_text(name ? name : "");
        vm->text = memory_text(order->text);
        vm->dirty = self->dirty = true;
        *id = vm->id;
    }
    pool_memory_destroy(memory);
    return problem;
}

static void create(struct cloud *cloud, const struct cloud_order *order)
{
    struct simulated_call call = {.done = order->done, .context = order->context};
    const char *problem = make(self_of(cloud), order, &call.reply.vm);

    if (problem)
        call.reply = (struct cloud_reply){
            .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_VM, .message = problem};
    note_call(cloud, &call);
}

/* No other process can act on it: the file is locked. */
static void read_mark(struct cloud *cloud, cloud_mark_told *told, void *context)
{
    note_call(cloud, &(struct simulated_call){.marked = told, .context = context});
}

static void write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                       void *context)
{
    (void)mark;
    note_call(cloud, &(struct simulated_call){.done = done, .context = context});
}

static void destroy(struct cloud *cloud)
{
    struct simulated *self = self_of(cloud);

    self->next_write = 0;
    simulated_write(self);
    simulated_close(self);
    for (size_t i = 0; i < self->n_calls; i++)
        free(self->calls[i].ids);
    free(self->calls);
    for (size_t i = 0; i < self->n_vms; i++) {
        free(self->vms[i].name);
        free(self->vms[i].text);
        free(self->vms[i].message);
    }
    free(self->vms);
    site_finish(&self->site);
    free(self);
}

static const struct cloud_operations operations = {.destroy = destroy,
                                                   .wait = wait_for,
                                                   .pending = pending,
                                                   .date = date,
                                                   .greet = greet,
                                                   .ask = ask,
                                                   .command = command,
                                                   .message = message,
                                                   .create = create,
                                                   .resize = resize,
                                                   .read_mark = read_mark,
                                                   .write_mark = write_mark};

struct cloud *simulated_create(const struct simulated_settings *settings, bool *resumed,
                               struct error *err)
{
    struct simulated *self = memory_new(1, sizeof *self);

    *self = (struct simulated){.cloud = {&operations},
                               .boot_time = settings->boot_time,
                               .engine = *settings->engine,
                               .complain = settings->complain,
                               .context = settings->context};
    if (site_copy(&self->site, settings->site, err) < 0 ||
        simulated_open(self, settings, resumed, err) < 0) {
        destroy(&self->cloud);
        return NULL;
    }
    return &self->cloud;
}
