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

    MEMORY_GROW(self->calls, self->calls_allocated, self->n_calls + 1);
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
        return error_errno(err, "waiting");
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

/* As in OpenNebula, each virtual CPU of a pinned VM counts as one processor. */
static int64_t pinned_cpu(const struct vm_demand *demand)
{
    int64_t cpus = 0;

    for (uint32_t i = 0; i < demand->n_nodes && demand->pin != PIN_NONE; i++)
        cpus += demand->nodes[i].cpus;
    return cpus * 100;
}

/* The VM's size is among the attributes: "0.50" processors, MB. `text` becomes the VM's. */
static const char *make(struct simulated *self, const struct cloud_order *order,
                        const struct attributes *attributes, char **text, int32_t *id)
{
    const char *cpu = attributes_find(attributes, "CPU");
    const char *megabytes = attributes_find(attributes, "MEMORY");
    const char *name = attributes_find(attributes, "NAME");
    struct simulated_demand *demand;
    struct simulated_vm *vm;
    struct error err;
    int64_t pinned;

    if (order->name && *order->name)
        name = order->name;
    if (!cpu || !megabytes)
        return "a VM needs CPU and MEMORY";
    if (simulated_read_demand(*text, strtoll(megabytes, NULL, 10), &demand, &err) < 0)
        return "the VM's PCI, TOPOLOGY, VMGROUP or NIC cannot be read";
    pinned = demand ? pinned_cpu(&demand->demand) : 0;
    vm = simulated_append(self, self->next_id);
    vm->created = simulated_now() / 1000;
    vm->cpu = pinned ? pinned : llround(strtod(cpu, NULL) * 100);
    vm->memory = strtoll(megabytes, NULL, 10);
    vm->name = memory_text(name ? name : "");
    vm->text = *text;
    vm->demand = demand;
    vm->dirty = self->dirty = true;
    *text = NULL;
    *id = vm->id;
    return NULL;
}

/* The order takes precedence over its template. */
static const char *make_of_template(struct simulated *self, const struct cloud_order *order,
                                    int32_t *id)
{
    struct pool_memory *memory;
    struct attributes attributes;
    const char *problem;
    char *text;

    if (order->template >= 0 && (size_t)order->template >= self->n_templates)
        return "the simulated cloud has no such template: see simulation.templates";
    text =
        order->template <0 ? memory_text(order->text)
                           : memory_format("%s\n%s", order->text, self->templates[order->template]);
    memory = pool_memory_create();
    simulated_read(text, memory, &attributes);
    problem = make(self, order, &attributes, &text, id);
    pool_memory_destroy(memory);
    free(text);
    return problem;
}

static void create(struct cloud *cloud, const struct cloud_order *order)
{
    struct simulated_call call = {.done = order->done, .context = order->context};
    const char *problem = make_of_template(self_of(cloud), order, &call.reply.vm);

    if (problem)
        call.reply = (struct cloud_reply){
            .outcome = CLOUD_REFUSED, .refusal = CLOUD_NO_VM, .message = problem};
    note_call(cloud, &call);
}

/* Simulated hosts have no templates. */
static void note(struct cloud *cloud, const struct cloud_host_note *note)
{
    note_call(cloud, &(struct simulated_call){.done = note->done, .context = note->context});
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
    for (size_t i = 0; i < self->n_vms; i++)
        simulated_vm_finish(&self->vms[i]);
    free(self->vms);
    site_finish(&self->site);
    pool_memory_destroy(self->memory);
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
                                                   .note = note,
                                                   .resize = resize,
                                                   .read_mark = read_mark,
                                                   .write_mark = write_mark};

static int read_settings(struct simulated *self, const struct simulated_settings *settings,
                         struct error *err)
{
    site_copy(&self->site, settings->site);
    if (simulated_read_hardware(self, settings->hardware ? settings->hardware : "", err) < 0) {
        error_prefix(err, "simulation.hardware");
        return -1;
    }
    if (settings->templates && simulated_read_templates(self, settings->templates, err) < 0) {
        error_prefix(err, "simulation.templates");
        return -1;
    }
    if (settings->networks && simulated_read_networks(self, settings->networks, err) < 0) {
        error_prefix(err, "simulation.networks");
        return -1;
    }
    return 0;
}

struct cloud *simulated_create(const struct simulated_settings *settings, bool *resumed,
                               struct error *err)
{
    struct simulated *self = memory_new(1, sizeof *self);

    *self = (struct simulated){.cloud = {&operations},
                               .memory = pool_memory_create(),
                               .boot_time = settings->boot_time,
                               .engine = *settings->engine,
                               .complain = settings->complain,
                               .context = settings->context};
    if (read_settings(self, settings, err) < 0 ||
        simulated_open(self, settings, resumed, err) < 0) {
        destroy(&self->cloud);
        return NULL;
    }
    return &self->cloud;
}
