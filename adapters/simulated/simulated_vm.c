/* The effect of commands on a simulated VM, and how long they take. */
#include <stdlib.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/clock.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/search.h"

enum { MOMENT = 50 /* milliseconds */, REMEMBERED = 600 * 1000 /* milliseconds */ };

int64_t simulated_now(void)
{
    return clock_milliseconds(CLOCK_REALTIME);
}

/* --- VMs -------------------------------------------------------------------------------------- */

struct simulated_vm *simulated_find(const struct simulated *self, int32_t id)
{
    return self->n_vms ? bsearch(&id, self->vms, self->n_vms, sizeof *self->vms, search_by_id)
                       : NULL;
}

struct simulated_vm *simulated_append(struct simulated *self, int32_t id)
{
    struct simulated_vm *vm;

    MEMORY_GROW(self->vms, self->allocated, self->n_vms + 1);
    vm = &self->vms[self->n_vms++];
    *vm = (struct simulated_vm){
        .id = id, .state = VM_PENDING, .due = INT64_MAX, .host = -1, .sequence = -1};
    if (id >= self->next_id)
        self->next_id = id + 1;
    return vm;
}

void simulated_vm_finish(struct simulated_vm *vm)
{
    free(vm->name);
    free(vm->text);
    free(vm->message);
    held_units_destroy(vm->held);
    free(vm->demand);
}

void simulated_forget(struct simulated *self)
{
    int64_t old = simulated_now() - REMEMBERED;
    size_t kept = 0;

    for (size_t i = 0; i < self->n_vms; i++) {
        struct simulated_vm *vm = &self->vms[i];

        if (vm->state == VM_DONE && !vm->dirty && vm->ended * 1000 < old) {
            simulated_vm_finish(vm);
            continue;
        }
        self->vms[kept++] = *vm;
    }
    self->n_vms = kept;
}

static void mark(struct simulated *self, struct simulated_vm *vm)
{
    vm->dirty = self->dirty = true;
}

/* --- records ---------------------------------------------------------------------------------- */

static void open_record(struct simulated_vm *vm, int32_t host)
{
    vm->sequence++;
    vm->host = host;
    vm->started = vm->ended = 0;
    vm->recreated = false;
}

static void close_record(struct simulated_vm *vm, int64_t now)
{
    if (vm->ended)
        return;
    vm->ended = now / 1000;
    if (vm->started && vm->ended > vm->started)
        vm->ran_for += vm->ended - vm->started;
}

/* --- time ------------------------------------------------------------------------------------- */

static int64_t by_rate(const struct simulated_vm *vm, double rate, int64_t overridden)
{
    if (overridden != SPAN_NONE)
        return overridden * 1000;
    return rate > 0 ? (int64_t)((double)vm->memory / rate * 1000) : MOMENT;
}

enum length { LENGTH_NONE, LENGTH_BOOT, LENGTH_SAVE, LENGTH_RESTORE, LENGTH_BOTH, LENGTH_SHUTDOWN };

/* Milliseconds. A VM that was saved before is restored, not booted. */
static int64_t takes(const struct simulated *self, const struct simulated_vm *vm,
                     enum length length)
{
    const struct engine_settings *engine = &self->engine;
    int64_t save = by_rate(vm, engine->suspend_rate, engine->override_suspend_time);
    int64_t restore = by_rate(vm, engine->resume_rate, engine->override_resume_time);
    bool saved = vm->state == VM_STOPPED || vm->state == VM_SUSPENDED;

    switch (length) {
    case LENGTH_BOOT:
        return saved ? restore : self->boot_time * 1000 + MOMENT;
    case LENGTH_SAVE:
        return save;
    case LENGTH_RESTORE:
        return restore;
    case LENGTH_BOTH:
        return save + restore;
    case LENGTH_SHUTDOWN:
        return engine->shutdown_time * 1000 + MOMENT;
    default:
        return 0;
    }
}

static void begin(struct simulated *self, struct simulated_vm *vm, enum vm_state state,
                  enum vm_state next, int64_t length)
{
    vm->state = state;
    vm->next = next;
    vm->due = simulated_now() + length;
    if (vm->due < self->next_due)
        self->next_due = vm->due;
    mark(self, vm);
}

static void arrive(struct simulated *self, struct simulated_vm *vm, int64_t now)
{
    vm->due = INT64_MAX;
    vm->state = vm->next;
    if (vm->state == VM_RUNNING && !vm->started)
        vm->started = now / 1000;
    if (vm->state == VM_DONE)
        vm->ended = now / 1000;
    mark(self, vm);
}

void simulated_settle(struct simulated *self)
{
    int64_t now = simulated_now();

    if (now < self->next_due)
        return;
    self->next_due = INT64_MAX;
    for (size_t i = 0; i < self->n_vms; i++) {
        struct simulated_vm *vm = &self->vms[i];

        if (vm->due <= now)
            arrive(self, vm, vm->due);
        else if (vm->due < self->next_due)
            self->next_due = vm->due;
    }
}

/* --- commands --------------------------------------------------------------------------------- */

#define IN(state) (1u << (state))

enum { WAITING = IN(VM_PENDING) | IN(VM_HOLD), SAVED = IN(VM_STOPPED) | IN(VM_SUSPENDED) };
enum { OFF = IN(VM_POWEROFF) | IN(VM_UNDEPLOYED), UP = IN(VM_RUNNING) };

/* In which states a command may be given, and what follows. */
static const struct {
    unsigned from;
    enum vm_state meanwhile, next;
    enum length length;
} steps[COMMAND_KINDS] = {
    [COMMAND_DEPLOY] = {WAITING | IN(VM_STOPPED) | IN(VM_UNDEPLOYED), VM_BOOTING, VM_RUNNING,
                        LENGTH_BOOT},
    [COMMAND_RESUME] = {IN(VM_SUSPENDED) | IN(VM_POWEROFF), VM_BOOTING, VM_RUNNING, LENGTH_BOOT},
    [COMMAND_RELOCATE] = {IN(VM_SUSPENDED), VM_MIGRATING, VM_SUSPENDED, LENGTH_RESTORE},
    [COMMAND_MIGRATE] = {UP, VM_MIGRATING, VM_RUNNING, LENGTH_BOTH},
    [COMMAND_LIVE_MIGRATE] = {UP, VM_LIVE_MIGRATING, VM_RUNNING, LENGTH_SAVE},
    [COMMAND_POWEROFF_MIGRATE] = {UP, VM_MIGRATING, VM_RUNNING, LENGTH_BOOT},
    [COMMAND_SUSPEND] = {UP, VM_CHANGING, VM_SUSPENDED, LENGTH_SAVE},
    [COMMAND_STOP] = {UP, VM_CHANGING, VM_STOPPED, LENGTH_SAVE},
    [COMMAND_POWEROFF] = {UP, VM_CHANGING, VM_POWEROFF, LENGTH_SHUTDOWN},
    [COMMAND_UNDEPLOY] = {UP | SAVED | OFF, VM_CHANGING, VM_UNDEPLOYED, LENGTH_SHUTDOWN},
    [COMMAND_TERMINATE] = {UP | WAITING | SAVED | OFF, VM_CHANGING, VM_DONE, LENGTH_SHUTDOWN},
    [COMMAND_TERMINATE_HARD] = {UINT32_MAX & ~IN(VM_DONE), VM_DONE, VM_DONE, LENGTH_NONE},
    [COMMAND_DELETE] = {UINT32_MAX & ~IN(VM_DONE), VM_DONE, VM_DONE, LENGTH_NONE},
    [COMMAND_HOLD] = {IN(VM_PENDING), VM_HOLD, VM_HOLD, LENGTH_NONE},
    [COMMAND_RELEASE] = {IN(VM_HOLD), VM_PENDING, VM_PENDING, LENGTH_NONE},
    [COMMAND_RETRY] = {IN(VM_FAILED), VM_BOOTING, VM_RUNNING, LENGTH_BOOT},
    [COMMAND_RECREATE] = {UINT32_MAX & ~(IN(VM_DONE) | WAITING), VM_PENDING, VM_PENDING,
                          LENGTH_NONE},
};

static struct cloud_reply refuse(enum cloud_refusal refusal, const char *why)
{
    return (struct cloud_reply){.outcome = CLOUD_REFUSED, .refusal = refusal, .message = why};
}

static bool has_room(const struct simulated *self, const struct cloud_command *command,
                     const struct simulated_vm *vm)
{
    const struct amounts *capacity = &self->site.hosts[command->host].capacity;
    int64_t cpu = vm->cpu, memory = vm->memory;

    for (size_t i = 0; i < self->n_vms; i++)
        if (self->vms[i].host == command->host && &self->vms[i] != vm &&
            vm_state_traits[self->vms[i].state].holds) {
            cpu += self->vms[i].cpu;
            memory += self->vms[i].memory;
        }
    return cpu <= capacity->of[RESOURCE_CPU] && memory <= capacity->of[RESOURCE_MEMORY];
}

static struct cloud_reply check(const struct simulated *self, const struct cloud_command *command,
                                const struct simulated_vm *vm)
{
    bool names_host = command_kinds[command->command].load != LOADS_NOTHING;
    const char *problem;

    if (!vm || vm->state == VM_DONE)
        return refuse(CLOUD_NO_VM, "the VM does not exist");
    if (!(steps[command->command].from & IN(vm->state)))
        return refuse(CLOUD_NO_STATE, "not possible for the state the VM is in");
    if (names_host && (command->host < 0 || (size_t)command->host >= self->site.n_hosts))
        return refuse(CLOUD_NO_HOST, "the host does not exist");
    if (names_host && command->enforce && !has_room(self, command, vm))
        return refuse(CLOUD_NO_HOST, "the host has no room for the VM");
    problem =
        command->command == COMMAND_DEPLOY ? simulated_choose_networks(self, vm, command) : NULL;
    if (problem)
        return refuse(CLOUD_NO_OWNER, problem);
    return (struct cloud_reply){.outcome = CLOUD_DONE};
}

struct cloud_reply simulated_do(struct simulated *self, const struct cloud_command *command)
{
    struct simulated_vm *vm = simulated_find(self, command->vm);
    bool names_host = command_kinds[command->command].load != LOADS_NOTHING;
    struct cloud_reply reply = check(self, command, vm);
    int64_t now = simulated_now(), length;

    if (reply.outcome != CLOUD_DONE)
        return reply;
    if (names_host && !simulated_hold(self, vm, command->host))
        return refuse(CLOUD_NO_HOST, "the host has no devices or NUMA nodes free for the VM");
    if (command->command == COMMAND_DEPLOY)
        simulated_connect(vm, command);
    length = takes(self, vm, steps[command->command].length);
    if (command_kinds[command->command].frees)
        close_record(vm, now);
    if (command->command == COMMAND_RECREATE) {
        vm->recreated = vm->sequence >= 0;
        vm->ran_for = 0;
    } else if (names_host) {
        close_record(vm, now);
        open_record(vm, command->host);
    }
    if (command->command == COMMAND_LIVE_MIGRATE)
        vm->started = now / 1000;
    begin(self, vm, steps[command->command].meanwhile, steps[command->command].next, length);
    return reply;
}
