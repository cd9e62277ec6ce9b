/* A cloud for tests. */
#include "test/daemon/fake_cloud.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/configuration.h"
#include "daemon/base/clock.h"
#include "daemon/live/enactor.h"
#include "daemon/state/learned.h"
#include "test/daemon/planner_here.h"
#include "util/memory.h"

/* --- the cloud -------------------------------------------------------------------------------- */

struct fake_call {
    bool asks;
    struct cloud_question question;
    int32_t ids[CLOUD_IDS_MAX];
    cloud_done *done;
    void *context;
    struct cloud_reply reply;
};

static struct fake_cloud *fake_of(struct cloud *cloud)
{
    return (struct fake_cloud *)cloud;
}

static void note_call(struct fake_cloud *fake, const struct fake_call *call)
{
    MEMORY_GROW(fake->calls, fake->calls_allocated, fake->n_calls + 1);
    fake->calls[fake->n_calls++] = *call;
}

static bool is_asked_for(const struct fake_call *call, const struct vm *vm)
{
    if (call->question.subject == CLOUD_VMS)
        return vm->state != VM_DONE;
    if (call->question.subject == CLOUD_WAITING)
        return vm->state == VM_PENDING;
    for (size_t i = 0; i < call->question.n_ids; i++)
        if (call->ids[i] == vm->id)
            return true;
    return false;
}

static void fill_vms(const struct fake_cloud *fake, const struct fake_call *call,
                     struct vm_pool *pool)
{
    pool->items = memory_new(fake->n_vms + 1, sizeof *pool->items);
    for (size_t i = 0; i < fake->n_vms; i++) {
        if (!is_asked_for(call, &fake->vms[i]))
            continue;
        pool->items[pool->n] = fake->vms[i];
        pool->items[pool->n++].is_extended = call->question.subject != CLOUD_VMS;
    }
}

static void answer(struct fake_cloud *fake, const struct fake_call *call)
{
    struct cloud_answer told = {
        .error = fake->unreachable,
        .leadership = {.leads = fake->leads, .term = fake->term, .role = "solo", .server = -1},
    };

    switch (call->question.subject) {
    case CLOUD_VMS:
    case CLOUD_WAITING:
    case CLOUD_SOME:
    case CLOUD_HISTORY:
        fill_vms(fake, call, &told.vms);
        told.vms.errors.n = fake->left_out;
        if (call->question.subject == CLOUD_HISTORY && told.vms.n == 0) {
            told.error = fake->no_answer ? fake->no_answer : "Error getting virtual machine";
            told.no_vm = !fake->no_answer;
        }
        break;
    case CLOUD_HOSTS:
        told.hosts.items = memory_copy(fake->hosts, sizeof fake->hosts);
        told.hosts.n = fake->n_hosts;
        break;
    case CLOUD_DATASTORES:
        told.datastores.items =
            memory_copy(fake->datastores, fake->n_datastores * sizeof *fake->datastores);
        told.datastores.n = fake->n_datastores;
        break;
    case CLOUD_USES:
        told.uses.items = memory_copy(fake->uses, sizeof fake->uses);
        told.uses.n = fake->n_uses;
        break;
    case CLOUD_VMGROUPS:
        if (!fake->vmgroups)
            break;
        told.vmgroups.items =
            memory_copy(fake->vmgroups->items, fake->vmgroups->n * sizeof *fake->vmgroups->items);
        told.vmgroups.n = fake->vmgroups->n;
        vmgroup_pool_index(&told.vmgroups);
        break;
    default:
        break;
    }
    call->question.told(call->question.context, &told);
    cloud_answer_finish(&told);
}

static int fake_wait(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                     struct error *err)
{
    struct fake_cloud *fake = fake_of(cloud);
    size_t answered = 0;

    for (; answered < fake->n_calls && (!fake->at_once || answered < fake->at_once); answered++) {
        struct fake_call call = fake->calls[answered];

        if (call.asks)
            answer(fake, &call);
        else if (call.done)
            call.done(call.context, &call.reply);
    }
    fake->n_calls -= answered;
    memmove(fake->calls, fake->calls + answered, fake->n_calls * sizeof *fake->calls);
    return 0;
}

static void fake_ask(struct cloud *cloud, const struct cloud_question *question)
{
    struct fake_call call = {.asks = true, .question = *question};

    if (question->n_ids)
        memcpy(call.ids, question->ids, question->n_ids * sizeof *call.ids);
    note_call(fake_of(cloud), &call);
}

static void fake_command(struct cloud *cloud, const struct cloud_command *command)
{
    struct fake_cloud *fake = fake_of(cloud);

    assert_true(fake->n_commands < FAKE_COMMANDS_MAX);
    fake->commands[fake->n_commands++] = *command;
    if (!fake->silent)
        note_call(fake, &(struct fake_call){.done = command->done,
                                            .context = command->context,
                                            .reply = fake->reply});
}

static void fake_message(struct cloud *cloud, int32_t vm, const struct cloud_message *message,
                         cloud_done *done, void *context)
{
    struct fake_cloud *fake = fake_of(cloud);

    assert_true(vm < FAKE_VMS_MAX);
    fake->message_kind = message->kind;
    fake->n_promises += message->promise != NULL;
    if (message->promise)
        snprintf(fake->promises[vm], sizeof fake->promises[vm], "%s", message->promise);
    note_call(fake,
              &(struct fake_call){.done = done, .context = context, .reply = fake->message_reply});
}

static size_t fake_pending(const struct cloud *cloud)
{
    return ((const struct fake_cloud *)cloud)->n_calls;
}

static bool fake_date(const struct cloud *cloud, int64_t *date, int64_t *at)
{
    return false;
}

static void fake_destroy(struct cloud *cloud)
{
    free(fake_of(cloud)->calls);
    free(cloud);
}

static const struct cloud_operations operations = {.destroy = fake_destroy,
                                                   .wait = fake_wait,
                                                   .pending = fake_pending,
                                                   .date = fake_date,
                                                   .ask = fake_ask,
                                                   .command = fake_command,
                                                   .message = fake_message};

struct fake_cloud *fake_cloud_create(void)
{
    struct fake_cloud *fake = memory_new(1, sizeof *fake);

    fake->cloud.operations = &operations;
    fake->leads = true;
    return fake;
}

struct host *fake_cloud_add_host(struct fake_cloud *fake, int32_t id, int64_t cpu, int64_t memory)
{
    struct host *host = &fake->hosts[fake->n_hosts++];

    assert_true(fake->n_hosts <= FAKE_HOSTS_MAX);
    *host = (struct host){.id = id,
                          .name = "host",
                          .cluster_name = "",
                          .state = HOST_ON,
                          .state_name = "on",
                          .cpu = cpu,
                          .memory = memory,
                          .disk = -1};
    return host;
}

void fake_cloud_has_datastore(struct fake_cloud *fake)
{
    static int32_t cluster = 0;
    static struct datastore datastore = {.name = "system",
                                         .type = 1,
                                         .shared = true,
                                         .clusters = &cluster,
                                         .n_clusters = 1,
                                         .free = 1 << 20,
                                         .total = 1 << 20};

    fake->datastores = &datastore;
    fake->n_datastores = 1;
}

void fake_cloud_put(struct fake_cloud *fake, int32_t id, enum vm_state state, int32_t host)
{
    for (size_t i = 0; i < fake->n_vms; i++) {
        struct vm *vm = &fake->vms[i];

        if (vm->id != id)
            continue;
        vm->state = state;
        vm->state_name = vm_state_traits[state].word;
        vm->history.sequence += host != vm->history.host;
        vm->history.host = host;
    }
}

static void must_be_read(void *context, enum poll_kind kind, bool ok, const char *error)
{
    if (!ok)
        fail_msg("%s", error);
}

struct world *fake_cloud_world(struct fake_cloud *fake)
{
    return world_create(&(struct world_settings){.cloud = &fake->cloud}, must_be_read, NULL);
}

void fake_cloud_wait_a_moment(void)
{
    for (int64_t now = clock_monotonic(); clock_monotonic() == now;)
        ;
}

struct vm *fake_cloud_add_vm(struct fake_cloud *fake, int32_t id, enum vm_state state, int32_t host,
                             int64_t cpu, int64_t memory)
{
    struct vm *vm = &fake->vms[fake->n_vms++];

    assert_true(fake->n_vms <= FAKE_VMS_MAX);
    *vm = (struct vm){.id = id,
                      .user = "anna",
                      .group = "users",
                      .name = "vm",
                      .cpu = cpu,
                      .memory = memory,
                      .stime = 1000,
                      .history = {.sequence = -1, .host = -1, .cluster = -1, .datastore = -1}};
    fake_cloud_put(fake, id, state, host);
    return vm;
}

/* --- the scene -------------------------------------------------------------------------------- */

static void polled(void *context, enum poll_kind kind, bool ok, const char *error)
{
    struct scene *scene = context;

    if (!ok)
        fail_msg("%s", error);
    scene->daemon.polled = clock_monotonic();
    scene->daemon.poll_ok = true;
}

static char nobody[] = "nobody";
static const struct configuration no_modules = {
    .live = {.policy_call_limit = 5, .plan_limit = 60, .planner_user = nobody}};
static const struct policy_hooks *scene_policies; /* of the scene opened last */

const struct policy_hooks *planner_here_policies(void)
{
    return scene_policies;
}

struct planner *scene_renew_planner(struct scene *scene)
{
    struct daemon *daemon = &scene->daemon;
    struct error err = {0};

    planner_destroy(daemon->planner);
    daemon->planner = planner_create(&scene->settings, daemon->store, daemon->world, &err);
    if (!daemon->planner)
        fail_msg("%s", err.text);
    return daemon->planner;
}

void scene_plan(struct scene *scene, bool rebuild, int64_t now)
{
    struct error err = {0};

    if (planner_plan(scene->daemon.planner, rebuild, now, &err) < 0)
        fail_msg("%s", err.text);
    planner_serve(scene->daemon.planner);
}

void scene_open(struct scene *scene, struct store *store)
{
    struct world_settings world;

    memset(scene, 0, sizeof *scene);
    scene->fake = fake_cloud_create();
    scene->live = (struct live_configuration){.poll_interval = 3,
                                              .actions_per_host = 100,
                                              .actions_in_all = 100,
                                              .stuck_after = 1000,
                                              .retry_limit = 5,
                                              .retry_backoff = 10};
    engine_settings_init(&scene->settings.engine);
    scene->settings.configuration = &no_modules;
    scene_policies = &scene->policies;
    scene->settings.quarantine = &scene->daemon.quarantine;
    scene->daemon.live = &scene->live;
    scene->daemon.store = store;
    scene->daemon.cloud = &scene->fake->cloud;
    world = (struct world_settings){.cloud = scene->daemon.cloud, .check_leader = true};
    scene->daemon.world = world_create(&world, polled, scene);
    scene->daemon.learned = learned_create(store, 2);
    scene_renew_planner(scene);
    scene->daemon.enactor = enactor_create(&scene->daemon);
}

void scene_close(struct scene *scene)
{
    enactor_destroy(scene->daemon.enactor);
    planner_destroy(scene->daemon.planner);
    learned_destroy(scene->daemon.learned);
    world_destroy(scene->daemon.world);
    quarantine_finish(&scene->daemon.quarantine);
    map_finish(&scene->daemon.waiting_users);
    map_finish(&scene->daemon.grown);
    cloud_destroy(scene->daemon.cloud);
}

static void tell(struct scene *scene)
{
    struct error err = {0};

    while (cloud_pending(scene->daemon.cloud))
        assert_int_equal(cloud_wait(scene->daemon.cloud, NULL, 0, 0, &err), 0);
}

void scene_poll(struct scene *scene)
{
    fake_cloud_wait_a_moment(); /* after the last command was answered */
    world_poll(scene->daemon.world, POLL_FULL);
    tell(scene);
}

size_t scene_enact(struct scene *scene, int64_t now)
{
    size_t n = enactor_prepare(scene->daemon.enactor, now);

    enactor_send(scene->daemon.enactor);
    tell(scene);
    return n;
}

struct vm_record *scene_add(struct scene *scene, int32_t id, int64_t lease, enum vm_goal goal,
                            int32_t host, int64_t cpu, int64_t memory)
{
    struct vm_record *vm;

    if (!store_lease(scene->daemon.store, lease))
        store_add_lease(scene->daemon.store, lease);
    vm = store_add_vm(scene->daemon.store, id, lease);
    vm->goal = goal;
    vm->host = host;
    vm->cpu = cpu;
    vm->memory = memory;
    return vm;
}

const char *scene_commands(struct scene *scene)
{
    static char text[4096];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < scene->fake->n_commands && length < sizeof text; i++) {
        const struct cloud_command *command = &scene->fake->commands[i];

        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s %d on %d",
                                   i ? "; " : "", command->unlock ? "unlock, " : "",
                                   command_words[command->command], command->vm, command->host);
    }
    scene->fake->n_commands = 0;
    return text;
}

void scene_open_with_hosts(struct scene *scene, struct store *store, int32_t n_hosts)
{
    scene_open(scene, store);
    for (int32_t i = 0; i < n_hosts; i++)
        fake_cloud_add_host(scene->fake, i, SCENE_CPU, SCENE_MEMORY);
}

struct vm_record *scene_add_seen(struct scene *scene, int32_t id, int64_t lease, enum vm_goal goal,
                                 int32_t planned, enum vm_state state, int32_t host, int64_t cpu)
{
    fake_cloud_add_vm(scene->fake, id, state, host, cpu, 1024);
    return scene_add(scene, id, lease, goal, planned, cpu, 1024);
}
