/* A fake cloud where commands take time. */
#include "test/property/moving_cloud.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/instant.h"

#define IN(state) (1u << (state))

enum {
    OFF = IN(VM_SUSPENDED) | IN(VM_POWEROFF),
    NOWHERE = IN(VM_PENDING) | IN(VM_STOPPED) | IN(VM_UNDEPLOYED),
    UP = IN(VM_RUNNING),
    ANY = UINT32_MAX >> 1 & ~IN(VM_DONE),
};

/* In which states a command may be given, and what follows. VM_INIT: as it was before. */
static const struct {
    unsigned from;
    enum vm_state meanwhile, next;
} steps[COMMAND_KINDS] = {
    [COMMAND_DEPLOY] = {NOWHERE, VM_BOOTING, VM_RUNNING},
    [COMMAND_RESUME] = {OFF, VM_BOOTING, VM_RUNNING},
    [COMMAND_RELOCATE] = {IN(VM_SUSPENDED), VM_MIGRATING, VM_SUSPENDED},
    [COMMAND_MIGRATE] = {UP | OFF, VM_MIGRATING, VM_INIT},
    [COMMAND_LIVE_MIGRATE] = {UP, VM_LIVE_MIGRATING, VM_RUNNING},
    [COMMAND_POWEROFF_MIGRATE] = {UP, VM_MIGRATING, VM_RUNNING},
    [COMMAND_SUSPEND] = {UP, VM_CHANGING, VM_SUSPENDED},
    [COMMAND_STOP] = {UP, VM_CHANGING, VM_STOPPED},
    [COMMAND_POWEROFF] = {UP, VM_CHANGING, VM_POWEROFF},
    [COMMAND_UNDEPLOY] = {UP | OFF, VM_CHANGING, VM_UNDEPLOYED},
    [COMMAND_TERMINATE] = {ANY, VM_CHANGING, VM_DONE},
    [COMMAND_TERMINATE_HARD] = {ANY, VM_DONE, VM_DONE},
    [COMMAND_DELETE] = {ANY, VM_DONE, VM_DONE},
    [COMMAND_HOLD] = {IN(VM_PENDING), VM_HOLD, VM_HOLD},
    [COMMAND_RELEASE] = {IN(VM_HOLD), VM_PENDING, VM_PENDING},
};

void moving_cloud_init(struct moving_cloud *cloud, struct fake_cloud *fake, struct random *random)
{
    *cloud = (struct moving_cloud){.fake = fake, .random = random, .slowest = 1, .slowest_move = 1};
    for (size_t i = 0; i < FAKE_VMS_MAX; i++)
        cloud->vms[i] = (struct moving_vm){.due = INSTANT_NEVER, .from = -1};
}

struct vm *moving_cloud_vm(const struct moving_cloud *cloud, int32_t id)
{
    for (size_t i = 0; i < cloud->fake->n_vms; i++)
        if (cloud->fake->vms[i].id == id)
            return &cloud->fake->vms[i];
    return NULL;
}

static void put(struct vm *vm, enum vm_state state)
{
    vm->state = state;
    vm->state_name = vm_state_traits[state].word;
}

static void end_record(struct vm *vm, int64_t now)
{
    if (vm->history.sequence < 0 || vm->history.retime)
        return;
    vm->history.retime = vm->history.etime = now;
    if (vm->history.rstime)
        vm->ran_for += now - vm->history.rstime;
}

static void begin_record(struct vm *vm, int32_t host, int64_t now)
{
    end_record(vm, now);
    vm->history = (struct vm_history){.sequence = vm->history.sequence + 1,
                                      .host = host,
                                      .cluster = 0,
                                      .datastore = 0,
                                      .stime = now};
    vm->n_records = vm->history.sequence + 1;
}

static void begin(struct moving_cloud *cloud, struct vm *vm, const struct cloud_command *command,
                  int64_t now)
{
    struct moving_vm *moving = &cloud->vms[vm->id];
    enum command_load load = command_kinds[command->command].load;
    enum vm_state next = steps[command->command].next;
    bool moves = command_kinds[command->command].effect == EFFECT_MOVE;
    int64_t longest = moves ? cloud->slowest_move : cloud->slowest;
    bool is_off = command->command == COMMAND_RELOCATE; /* its old host is free of it already */

    *moving =
        (struct moving_vm){.next = next ? next : vm->state,
                           .due = now + random_between(cloud->random, 1, longest),
                           .from = moves && !is_off ? vm->history.host : -1,
                           .fails = command->command == COMMAND_LIVE_MIGRATE && cloud->failing &&
                                    random_once_in(cloud->random, cloud->failing)};
    if (command_kinds[command->command].frees)
        end_record(vm, now);
    if (load != LOADS_NOTHING)
        begin_record(vm, command->host, now);
    if (command->command == COMMAND_LIVE_MIGRATE)
        vm->history.rstime = now;
    if (moves)
        vm->resched = false;
    put(vm, moving->next == VM_DONE && vm->state != VM_RUNNING ? VM_LEAVING
                                                               : steps[command->command].meanwhile);
    if (vm->state == moving->next)
        moving->due = INSTANT_NEVER;
}

bool moving_cloud_do(struct moving_cloud *cloud, int32_t id, enum command command, int64_t now)
{
    struct vm *vm = moving_cloud_vm(cloud, id);

    if (!vm || !(steps[command].from & IN(vm->state)))
        return false;
    begin(cloud, vm,
          &(struct cloud_command){.vm = id, .command = command, .host = vm->history.host}, now);
    return true;
}

void moving_cloud_obey(struct moving_cloud *cloud, int64_t now)
{
    struct fake_cloud *fake = cloud->fake;

    for (size_t i = 0; i < fake->n_commands; i++) {
        const struct cloud_command *command = &fake->commands[i];
        struct vm *vm = moving_cloud_vm(cloud, command->vm);

        if (!vm || !(steps[command->command].from & IN(vm->state)))
            fail_msg("%s of VM %d, which is %s", command_words[command->command], command->vm,
                     vm ? vm->state_name : "gone");
        begin(cloud, vm, command, now);
    }
    fake->n_commands = 0;
}

static void arrive(struct moving_cloud *cloud, struct vm *vm)
{
    struct moving_vm *moving = &cloud->vms[vm->id];

    if (moving->fails)
        begin_record(vm, moving->from, moving->due);
    if (moving->next == VM_RUNNING && !vm->history.rstime)
        vm->history.rstime = moving->due;
    if (moving->next == VM_DONE)
        vm->etime = moving->due;
    put(vm, moving->next);
    *moving = (struct moving_vm){.due = INSTANT_NEVER, .from = -1};
}

static void report(struct fake_cloud *fake)
{
    for (size_t i = 0; i < fake->n_hosts; i++) {
        struct host *host = &fake->hosts[i];

        host->cpu_usage = host->memory_usage = host->running_vms = 0;
        for (size_t k = 0; k < fake->n_vms; k++) {
            const struct vm *vm = &fake->vms[k];

            if (vm->history.host != host->id || !vm_state_traits[vm->state].holds)
                continue;
            host->cpu_usage += vm->cpu;
            host->memory_usage += vm->memory;
            host->running_vms++;
        }
    }
}

void moving_cloud_settle(struct moving_cloud *cloud, int64_t now)
{
    for (size_t i = 0; i < cloud->fake->n_vms; i++)
        if (cloud->vms[cloud->fake->vms[i].id].due <= now)
            arrive(cloud, &cloud->fake->vms[i]);
    report(cloud->fake);
}

int64_t moving_cloud_next(const struct moving_cloud *cloud)
{
    int64_t next = INSTANT_NEVER;

    for (size_t i = 0; i < FAKE_VMS_MAX; i++)
        next = cloud->vms[i].due < next ? cloud->vms[i].due : next;
    return next;
}
