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
    int complaints;
};

static void complain(void *context, const char *text)
{
    struct scene *scene = context;

    (void)text;
    scene->complaints++;
}

static int open_cloud(struct scene *scene, struct error *err)
{
    const struct simulated_settings settings = {.site = &scene->site,
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

static void give(struct scene *scene, int32_t vm, enum command command, int32_t host)
{
    cloud_command(scene->cloud, &(struct cloud_command){.vm = vm,
                                                        .command = command,
                                                        .host = host,
                                                        .enforce = true,
                                                        .done = replied,
                                                        .context = scene});
    wait_for_calls(scene);
}

static void told(void *context, struct cloud_answer *answer)
{
    struct scene *scene = context;

    assert_null(answer->error);
    scene->n_seen = answer->vms.n;
    scene->n_hosts = answer->hosts.n;
    if (!answer->vms.n)
        return;
    scene->seen = answer->vms.items[0];
    if (scene->seen.is_extended) {
        const char *message = attributes_find(&scene->seen.user_template, "SCHED_MESSAGE");
        const char *start = attributes_find(&scene->seen.user_template, "GALERNA/START");

        snprintf(scene->message, sizeof scene->message, "%s", message ? message : "");
        snprintf(scene->start, sizeof scene->start, "%s", start ? start : "");
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
    assert_non_null(strstr(err.text, "has 2 hosts, simulation.resources 3"));
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

int main(void)
{
#define SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SCENE(a_vm_goes_through_its_life),
        SCENE(what_makes_no_sense_is_refused),
        SCENE(vms_are_there_again),
        SCENE(other_hosts_are_refused),
        SCENE(a_file_that_cannot_be_written_ends_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
