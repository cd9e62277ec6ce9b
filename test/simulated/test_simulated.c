/* The cloud in memory: what commands lead to, what is kept, and what a file that fails costs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "adapters/simulated/simulated.h"
#include "core/settings.h"
#include "test/daemon/directory.h"

enum { HOSTS = 2 };

struct scene {
    char directory[DIRECTORY_NAME_MAX], file[128];
    struct site site;
    struct engine_settings engine;
    struct cloud *cloud;
    bool resumed;
    struct cloud_reply reply; /* to the last command */
    struct vm seen;           /* the last VM */
    size_t n_seen, n_hosts;
    char message[64], start[32];
    const char *hardware, *templates, *networks;
    char held[256]; /* what the hosts say of their hardware, and the VM of its own */
    int complaints;
};

static void complain(void *context, const char *text)
{
    struct scene *scene = context;

    scene->complaints++;
}

static int open_cloud(struct scene *scene, struct error *err)
{
    const struct simulated_settings settings = {.site = &scene->site,
                                                .hardware = scene->hardware,
                                                .templates = scene->templates,
                                                .networks = scene->networks,
                                                .file = scene->file,
                                                .engine = &scene->engine,
                                                .complain = complain,
                                                .context = scene};

    scene->cloud = simulated_create(&settings, &scene->resumed, err);
    return scene->cloud ? 0 : -1;
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct amounts capacity = {0};
    struct error err = {0};

    directory_make(scene->directory);
    snprintf(scene->file, sizeof scene->file, "%s/simulated.db", scene->directory);
    engine_settings_init(&scene->engine);
    scene->engine.override_suspend_time = scene->engine.override_resume_time = 0;
    scene->engine.shutdown_time = 0;
    capacity.of[RESOURCE_CPU] = 400;
    capacity.of[RESOURCE_MEMORY] = 4096;
    site_init(&scene->site);
    assert_int_equal(site_add_hosts(&scene->site, HOSTS, &capacity, &err), 0);
    if (open_cloud(scene, &err) < 0)
        fail_msg("%s", err.text);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    cloud_destroy(scene->cloud);
    site_finish(&scene->site);
    directory_remove(scene->directory);
    free(scene);
    return 0;
}

static void wait_for_calls(struct scene *scene)
{
    struct error err = {0};

    do
        assert_int_equal(cloud_wait(scene->cloud, NULL, 0, 10, &err), 0);
    while (cloud_pending(scene->cloud));
}

static void replied(void *context, const struct cloud_reply *reply)
{
    ((struct scene *)context)->reply = *reply;
}

static int32_t make_vm(struct scene *scene)
{
    cloud_create(scene->cloud,
                 &(struct cloud_order){.template = -1,
                                       .text = "NAME=\"one\"\nCPU=\"1.50\"\nMEMORY=\"1024\"\n"
                                               "GALERNA=[START=\"now\", TERMS=\"suspendable\"]",
                                       .done = replied,
                                       .context = scene});
    wait_for_calls(scene);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    return scene->reply.vm;
}

static void order(struct scene *scene, const struct cloud_command *given)
{
    struct cloud_command command = *given;

    command.enforce = true;
    command.done = replied;
    command.context = scene;
    cloud_command(scene->cloud, &command);
    wait_for_calls(scene);
}

static void give(struct scene *scene, int32_t vm, enum command command, int32_t host)
{
    order(scene, &(struct cloud_command){.vm = vm, .command = command, .host = host});
}

static void deploy_on(struct scene *scene, int32_t vm, const struct nic_choice nics[2])
{
    order(scene,
          &(struct cloud_command){.vm = vm, .command = COMMAND_DEPLOY, .nics = nics, .n_nics = 2});
}

static void note(struct scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct scene *scene, const char *format, ...)
{
    size_t n = strlen(scene->held);
    va_list args;

    va_start(args, format);
    vsnprintf(scene->held + n, sizeof scene->held - n, format, args);
    va_end(args);
}

/* "host 0 device 0000:01:00:0 vm 1 node 0 used 1024 pages 4 cpu 2 vm 1\n" */
static void note_host(struct scene *scene, const struct host *host)
{
    const struct host_hardware *hardware = host->hardware;

    if (!hardware)
        return;
    note(scene, "host %d", host->id);
    for (size_t i = 0; i < hardware->n_devices; i++)
        note(scene, " device %s vm %d", hardware->devices[i].address, hardware->devices[i].vm);
    for (size_t i = 0; i < hardware->n_nodes; i++) {
        const struct host_node *node = &hardware->nodes[i];

        note(scene, " node %d used %lld", node->id, (long long)node->memory_used);
        for (size_t k = 0; k < node->n_pages; k++)
            note(scene, " pages %lld", (long long)node->pages[k].used);
        for (size_t k = 0; k < node->n_uses; k++)
            note(scene, " cpu %u vm %d", node->uses[k].cpu, node->uses[k].vm);
    }
    note(scene, "\n");
}

static void told(void *context, struct cloud_answer *answer)
{
    struct scene *scene = context;

    assert_null(answer->error);
    scene->n_seen = answer->vms.n;
    scene->n_hosts = answer->hosts.n;
    scene->held[0] = '\0';
    for (size_t i = 0; i < answer->hosts.n; i++)
        note_host(scene, &answer->hosts.items[i]);
    for (size_t i = 0; i < answer->networks.n; i++) {
        const struct network *network = &answer->networks.items[i];
        const char *mtu = attributes_find(&network->attributes, "MTU");

        note(scene, "%s %s: %lld of %lld used\n", network->name, mtu ? mtu : "-",
             (long long)network->used, (long long)network->size);
    }
    for (size_t i = 0; i < answer->vmgroups.n_members; i++)
        note(scene, "vm %d is in %s\n", answer->vmgroups.members[i].vm,
             answer->vmgroups.items[answer->vmgroups.members[i].group].name);
    if (!answer->vms.n)
        return;
    scene->seen = answer->vms.items[0];
    if (scene->seen.is_extended) {
        const char *message = attributes_find(&scene->seen.user_template, "SCHED_MESSAGE");
        const char *start = attributes_find(&scene->seen.user_template, "GALERNA/START");

        snprintf(scene->message, sizeof scene->message, "%s", message ? message : "");
        snprintf(scene->start, sizeof scene->start, "%s", start ? start : "");
        if (scene->seen.hardware && scene->seen.hardware->n_devices)
            note(scene, "%s", scene->seen.hardware->devices[0].address);
    }
}

static void look(struct scene *scene, int32_t vm)
{
    cloud_ask(scene->cloud,
              &(struct cloud_question){
                  .subject = CLOUD_SOME, .ids = &vm, .n_ids = 1, .told = told, .context = scene});
    wait_for_calls(scene);
    assert_int_equal(scene->n_seen, 1);
}

static void becomes(struct scene *scene, int32_t vm, enum vm_state state)
{
    const struct timespec pause = {.tv_nsec = 5 * 1000000L};

    for (int i = 0; i < 2000; i++) {
        look(scene, vm);
        if (scene->seen.state == state)
            return;
        nanosleep(&pause, NULL);
    }
    fail_msg("the VM stays %s", scene->seen.state_name);
}

static void a_vm_goes_through_its_life(void **state)
{
    struct scene *scene = *state;
    int32_t vm = make_vm(scene);

    look(scene, vm);
    assert_int_equal(scene->seen.state, VM_PENDING);
    assert_int_equal(scene->seen.cpu, 150);
    assert_int_equal(scene->seen.memory, 1024);
    assert_string_equal(scene->start, "now");
    give(scene, vm, COMMAND_DEPLOY, 1);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    becomes(scene, vm, VM_RUNNING);
    assert_int_equal(scene->seen.history.host, 1);
    give(scene, vm, COMMAND_STOP, 1);
    becomes(scene, vm, VM_STOPPED);
    give(scene, vm, COMMAND_DEPLOY, 0);
    becomes(scene, vm, VM_RUNNING);
    assert_int_equal(scene->seen.history.sequence, 1);
    give(scene, vm, COMMAND_LIVE_MIGRATE, 1);
    becomes(scene, vm, VM_RUNNING);
    assert_int_equal(scene->seen.history.host, 1);
    give(scene, vm, COMMAND_TERMINATE, 1);
    becomes(scene, vm, VM_DONE);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct scene *scene = *state;
    int32_t vm = make_vm(scene);

    give(scene, 99, COMMAND_DEPLOY, 0);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_VM);
    give(scene, vm, COMMAND_RESUME, 0);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_STATE);
    give(scene, vm, COMMAND_DEPLOY, HOSTS);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_HOST);
    give(scene, vm, COMMAND_DEPLOY, 0);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    give(scene, make_vm(scene), COMMAND_DEPLOY, 0);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    give(scene, make_vm(scene), COMMAND_DEPLOY, 0); /* the third has no room */
    assert_int_equal(scene->reply.outcome, CLOUD_REFUSED);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_HOST);
}

static void reopen(struct scene *scene)
{
    struct error err = {0};

    cloud_destroy(scene->cloud);
    if (open_cloud(scene, &err) < 0)
        fail_msg("%s", err.text);
}

static void vms_are_there_again(void **state)
{
    struct scene *scene = *state;
    int32_t vm = make_vm(scene), gone;

    assert_false(scene->resumed);
    give(scene, vm, COMMAND_DEPLOY, 1);
    becomes(scene, vm, VM_RUNNING);
    cloud_message(scene->cloud, vm, &(struct cloud_message){.text = "ends soon"}, replied, scene);
    gone = make_vm(scene);
    give(scene, gone, COMMAND_TERMINATE_HARD, -1);
    reopen(scene);
    assert_true(scene->resumed);
    look(scene, vm);
    assert_int_equal(scene->seen.state, VM_RUNNING);
    assert_int_equal(scene->seen.history.host, 1);
    assert_string_equal(scene->message, "ends soon");
    assert_string_equal(scene->start, "now");
    assert_true(make_vm(scene) > gone); /* ids are not used again */
}

static void other_hosts_are_refused(void **state)
{
    struct scene *scene = *state;
    struct amounts capacity = scene->site.hosts[0].capacity;
    struct error err = {0};

    cloud_destroy(scene->cloud);
    assert_int_equal(site_add_hosts(&scene->site, 1, &capacity, &err), 0);
    assert_int_equal(open_cloud(scene, &err), -1);
    assert_int_equal(err.code, EEXIST);
    assert_non_null(strstr(err.text, "has 2 hosts, but simulation.resources has 3"));
}

/* As when the disk is full: the VMs go on in memory and are written when that is possible. */
static void a_file_that_cannot_be_written_ends_nothing(void **state)
{
    struct scene *scene = *state;
    int32_t vm = make_vm(scene);
    sqlite3 *other;

    assert_int_equal(sqlite3_open(scene->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    give(scene, vm, COMMAND_DEPLOY, 0);
    becomes(scene, vm, VM_RUNNING);
    assert_int_equal(scene->complaints, 1);
    sqlite3_close(other);
    reopen(scene);
    look(scene, vm);
    assert_int_equal(scene->seen.state, VM_RUNNING);
}

/* --- devices and NUMA nodes ------------------------------------------------------------------- */

static void reopen_with(struct scene *scene, const char *hardware, const char *templates)
{
    scene->hardware = hardware;
    scene->templates = templates;
    reopen(scene);
}

static int32_t make_of(struct scene *scene, int32_t template)
{
    cloud_create(scene->cloud, &(struct cloud_order){.template = template,
                                                     .name = "two",
                                                     .text = "CPU=\"1.00\"\nMEMORY=\"512\"",
                                                     .done = replied,
                                                     .context = scene});
    wait_for_calls(scene);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    return scene->reply.vm;
}

static void hosts_hold(struct scene *scene, const char *expected)
{
    cloud_ask(scene->cloud,
              &(struct cloud_question){.subject = CLOUD_HOSTS, .told = told, .context = scene});
    wait_for_calls(scene);
    assert_string_equal(scene->held, expected);
}

static void a_device_is_held_by_one_vm(void **state)
{
    struct scene *scene = *state;
    int32_t first, second;

    reopen_with(scene, "PCI=[HOST=\"host-1\", VENDOR=\"10de\", DEVICE=\"20f1\", COUNT=\"2\"]",
                "PCI=[VENDOR=\"10de\"]+PCI=[VENDOR=\"10de\"] PCI=[DEVICE=\"20f1\"]");
    first = make_of(scene, 0);
    second = make_of(scene, 1);
    give(scene, first, COMMAND_DEPLOY, 0); /* a host without */
    assert_int_equal(scene->reply.refusal, CLOUD_NO_HOST);
    give(scene, first, COMMAND_DEPLOY, 1);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    becomes(scene, first, VM_RUNNING);
    assert_string_equal(scene->held, "0000:01:00:0");
    hosts_hold(scene, "host 1 device 0000:01:00:0 vm 0 device 0000:01:01:0 vm -1\n");
    give(scene, second, COMMAND_DEPLOY, 1);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_HOST);
    give(scene, first, COMMAND_STOP, 1);
    becomes(scene, first, VM_STOPPED);
    hosts_hold(scene, "host 1 device 0000:01:00:0 vm -1 device 0000:01:01:0 vm -1\n");
    give(scene, second, COMMAND_DEPLOY, 1);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
    hosts_hold(scene, "host 1 device 0000:01:00:0 vm 1 device 0000:01:01:0 vm 1\n");
}

static void pinned_vms_hold_cpus_and_pages(void **state)
{
    static const char expected[] =
        "host 0 node 0 used 524288 pages 256 cpu 0 vm 0 cpu 2 vm 0 node 1 used 0\n"
        "host 1 node 0 used 0 pages 0 node 1 used 0\n";
    struct scene *scene = *state;
    int32_t vm;

    reopen_with(scene,
                "NODE=[CORES=\"2\", THREADS=\"2\", MEMORY=\"1024\"]\n"
                "NODE=[CORES=\"2\", MEMORY=\"1024\"]\nHUGEPAGE=[SIZE=\"2048\", PAGES=\"512\"]",
                "VCPU=\"2\" TOPOLOGY=[PIN_POLICY=\"core\", HUGEPAGE_SIZE=\"2\"]");
    vm = make_of(scene, 0);
    look(scene, vm);
    assert_int_equal(scene->seen.cpu, 200); /* a processor for each virtual CPU */
    give(scene, vm, COMMAND_DEPLOY, 0);
    becomes(scene, vm, VM_RUNNING);
    hosts_hold(scene, expected);
    reopen(scene);
    hosts_hold(scene, expected);
    /* What the hosts do not have any more, nobody holds. */
    reopen_with(scene, "NODE=[CORES=\"1\", MEMORY=\"1024\"]", scene->templates);
    hosts_hold(scene, "host 0 node 0 used 0\nhost 1 node 0 used 0\n");
}

static void vms_are_in_groups_as_long_as_they_are_there(void **state)
{
    struct scene *scene = *state;
    int32_t ended;

    reopen_with(scene, NULL,
                "VMGROUP=[NAME=\"web\", POLICY=\"AFFINED\"]+"
                "VMGROUP=[NAME=\"db\", POLICY=\"ANTI_AFFINED\"]");
    make_of(scene, 0);
    ended = make_of(scene, 0);
    look(scene, make_of(scene, 1));
    assert_true(scene->seen.in_vmgroup);
    look(scene, make_vm(scene));
    assert_false(scene->seen.in_vmgroup);
    cloud_ask(scene->cloud,
              &(struct cloud_question){.subject = CLOUD_VMGROUPS, .told = told, .context = scene});
    wait_for_calls(scene);
    assert_string_equal(scene->held, "vm 0 is in web\nvm 1 is in web\nvm 2 is in db\n");
    give(scene, ended, COMMAND_TERMINATE, -1);
    becomes(scene, ended, VM_DONE);
    cloud_ask(scene->cloud,
              &(struct cloud_question){.subject = CLOUD_VMGROUPS, .told = told, .context = scene});
    wait_for_calls(scene);
    assert_string_equal(scene->held, "vm 0 is in web\nvm 2 is in db\n");
}

/* A template with two NICs is on the networks that the command names, up to their sizes. */
static void vms_have_addresses_until_they_are_gone(void **state)
{
    static const struct nic_choice both[] = {{0, 1}, {1, 0}};
    struct scene *scene = *state;
    struct cloud_question networks = {.subject = CLOUD_NETWORKS, .told = told, .context = scene};
    int32_t first, second;

    scene->networks = "NETWORK=[NAME=\"lan\", SIZE=\"2\", MTU=\"9000\"]\n"
                      "NETWORK=[NAME=\"wan\", SIZE=\"1\"]";
    reopen_with(scene, NULL,
                "NIC=[NETWORK_MODE=\"auto\", SCHED_REQUIREMENTS=\"ID=1\"] "
                "NIC=[NETWORK_MODE=\"AUTO\"]");
    first = make_of(scene, 0);
    second = make_of(scene, 0);
    look(scene, first);
    assert_int_equal(scene->seen.n_nics, 2);
    give(scene, first, COMMAND_DEPLOY, 0);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_OWNER); /* on which networks? */
    deploy_on(scene, first, both);
    becomes(scene, first, VM_RUNNING);
    look(scene, first);
    assert_int_equal(scene->seen.n_nics, 0);
    reopen(scene);
    cloud_ask(scene->cloud, &networks);
    wait_for_calls(scene);
    assert_string_equal(scene->held, "lan 9000: 1 of 2 used\nwan -: 1 of 1 used\n");
    deploy_on(scene, second, both);
    assert_int_equal(scene->reply.refusal, CLOUD_NO_OWNER);
    assert_string_equal(scene->reply.message, "the network has no free address");
    give(scene, first, COMMAND_TERMINATE, -1);
    becomes(scene, first, VM_DONE);
    deploy_on(scene, second, both);
    assert_int_equal(scene->reply.outcome, CLOUD_DONE);
}

static void is_refused(struct scene *scene, const char *hardware, const char *templates,
                       const char *why)
{
    struct error err = {0};

    cloud_destroy(scene->cloud);
    scene->hardware = hardware;
    scene->templates = templates;
    assert_int_equal(open_cloud(scene, &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_non_null(strstr(err.text, why));
}

static void hardware_that_makes_no_sense_is_refused(void **state)
{
    struct scene *scene = *state;

    is_refused(scene, "PCI=[HOST=\"host-2\"]", NULL, "the hosts are host-0 to host-1");
    is_refused(scene, "PCI=[COUNT=\"4097\"]", NULL, "simulation.hardware: PCI/COUNT");
    is_refused(scene, "PCI=[VENDER=\"10de\"]", NULL, "PCI/VENDER is unknown");
    is_refused(scene, "PCI=[VENDOR=\"nvidia\"]", NULL, "expected a PCI identifier");
    is_refused(scene, "NODE=[CORES=\"2\"]", NULL, "NODE/MEMORY");
    is_refused(scene, "HUGEPAGE=[SIZE=\"4\", PAGES=\"1\"]", NULL, "must follow the NODE");
    is_refused(scene, "PCI=", NULL, "at 'PCI='");
    is_refused(scene, NULL, "PCI=[PROFILE=\"1\"]", "simulation.templates: PCI requires VENDOR");
    is_refused(scene, NULL, "VCPU=\"3\" TOPOLOGY=[PIN_POLICY=\"CORE\", SOCKETS=\"2\"]",
               "a multiple of SOCKETS");
    is_refused(scene, NULL, "VCPU=\"1\" +", "expected NAME=");
    is_refused(scene, NULL, "VMGROUP=[NAME=\"web\", POLICY=\"APART\"]", "AFFINED or ANTI_AFFINED");
}

static void networks_that_make_no_sense_are_refused(void **state)
{
    struct scene *scene = *state;

    scene->networks = "NETWORK=[NAME=\"lan\"]";
    is_refused(scene, NULL, NULL, "simulation.networks: NETWORK/SIZE");
    scene->networks = "NETWORK=[SIZE=\"3\"]";
    is_refused(scene, NULL, NULL, "simulation.networks: a NETWORK needs a NAME");
    scene->networks = "PCI=[SIZE=\"3\"]";
    is_refused(scene, NULL, NULL, "expected NETWORK=");
    scene->networks = NULL;
    is_refused(scene, NULL, "NIC=[NETWORK=\"lan\"]", "NETWORK_MODE=\"auto\"");
}

/* Kept before there were devices: the VMs are there. */
static void a_file_of_before_is_read(void **state)
{
    struct scene *scene = *state;
    int32_t vm = make_vm(scene);
    sqlite3 *file;

    cloud_destroy(scene->cloud);
    assert_int_equal(sqlite3_open(scene->file, &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, "ALTER TABLE vm DROP COLUMN units", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(file);
    scene->cloud = NULL;
    reopen(scene);
    look(scene, vm);
    assert_int_equal(scene->seen.state, VM_PENDING);
}

int main(void)
{
#define SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SCENE(a_vm_goes_through_its_life),
        SCENE(what_makes_no_sense_is_refused),
        SCENE(vms_are_there_again),
        SCENE(other_hosts_are_refused),
        SCENE(a_file_that_cannot_be_written_ends_nothing),
        SCENE(a_device_is_held_by_one_vm),
        SCENE(pinned_vms_hold_cpus_and_pages),
        SCENE(vms_are_in_groups_as_long_as_they_are_there),
        SCENE(vms_have_addresses_until_they_are_gone),
        SCENE(networks_that_make_no_sense_are_refused),
        SCENE(hardware_that_makes_no_sense_is_refused),
        SCENE(a_file_of_before_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
