/* A planner process with modules that do what no module may: each ends that process, and its name
 * and what it did are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <poll.h>

#include "daemon/live/clock.h"
#include "daemon/planner/process.h"
#include "test/planner/frames.h"

enum {
    HOSTS_MAX = 400,
    CALL_LIMIT = 700,
    LONG_LIMIT = 20000,
    PLAN_LIMIT = 30000,
    MEMORY = 512 << 20
};

struct scene {
    struct planner_process *process;
    int64_t call_limit;
    struct policy_module module;
    struct policy_option options[4];
    struct policy_host_settings settings;
    bool ready, refused, planned;
    char text[PROTOCOL_TEXT_MAX + 1];
    struct plan_reply reply;
};

static bool take(void *context, enum frame kind, struct wire_reader *reader)
{
    struct scene *scene = context;
    const char *text;

    switch (kind) {
    case FRAME_READY:
        scene->ready = true;
        return true;
    case FRAME_REFUSED:
        scene->refused = true;
        wire_get(reader, 0, INT32_MAX);
        text = wire_get_text(reader, PROTOCOL_TEXT_MAX);
        snprintf(scene->text, sizeof scene->text, "%s", text ? text : "");
        return wire_is_at_end(reader);
    case FRAME_PLANNED:
        scene->planned = true;
        plan_reply_finish(&scene->reply);
        return wire_get_plan_reply(reader, HOSTS_MAX, &scene->reply);
    default:
        return true;
    }
}

static void begin(struct scene *scene, const char *name, enum policy_kind kind)
{
    static char file[3][4096];

    memset(scene, 0, sizeof *scene);
    scene->call_limit = CALL_LIMIT;
    policy_host_settings_init(&scene->settings);
    snprintf(file[kind - 1], sizeof *file, MODULES "/%s.so", name);
    scene->module =
        (struct policy_module){.kind = kind, .name = name, .file = file[kind - 1], .weight = 1};
    scene->settings.modules = &scene->module;
    scene->settings.n_modules = 1;
    scene->settings.options = scene->options;
}

static void option(struct scene *scene, const char *key, const char *value)
{
    scene->options[scene->settings.n_options++] =
        (struct policy_option){.module = scene->module.name, .key = key, .value = value};
}

static void start(struct scene *scene)
{
    struct planner_limits limits = {
        .call = scene->call_limit, .plan = PLAN_LIMIT, .memory = MEMORY, .user = "nobody"};
    struct error err = {0};

    assert_int_equal(planner_limits_find_user(&limits, &err), 0);

    scene->process = planner_process_start(&scene->settings, &limits, &err);
    if (!scene->process)
        fail_msg("%s", err.text);
}

/* Until no answer is awaited; false: it has ended. */
static bool served(struct scene *scene)
{
    while (planner_process_is_busy(scene->process)) {
        struct pollfd fds[PLANNER_PROCESS_FDS];
        unsigned n = planner_process_waitfds(scene->process, fds);
        int64_t due = planner_process_due(scene->process) - clock_monotonic();

        poll(fds, n, due < 0 ? 0 : (int)due);
        if (!planner_process_serve(scene->process, take, scene))
            return false;
    }
    return true;
}

static bool plan(struct scene *scene, const struct test_plan *what)
{
    struct wire_writer frame = {0};

    scene->planned = false;
    test_plan_write(&frame, what);
    planner_process_send(scene->process, &frame, 1);
    wire_writer_finish(&frame);
    return served(scene) && scene->planned;
}

static void end(struct scene *scene)
{
    planner_process_destroy(scene->process);
    plan_reply_finish(&scene->reply);
}

static const struct test_plan one_lease = {.n_hosts = 4, .n_leases = 1, .now = 1000, .cpu = 100};

static void it_plans(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, "offends-admission", POLICY_ADMISSION);
    start(&scene);
    assert_true(served(&scene));
    assert_true(scene.ready);
    assert_true(plan(&scene, &one_lease));
    assert_true(scene.reply.n_outputs > 0);
    assert_true(
        plan(&scene, &(struct test_plan){.n_hosts = 4, .n_leases = 3000, .now = 2000, .cpu = 100}));
    assert_true(scene.reply.n_views > 2900);
    end(&scene);
}

static void a_module_that_cannot_be_loaded_is_refused(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene, "wrong-major", POLICY_ADMISSION);
    start(&scene);
    served(&scene);
    assert_true(scene.refused);
    assert_non_null(strstr(scene.text, "was built for policy ABI"));
    end(&scene);
}

struct offence {
    const char *module;
    enum policy_kind kind;
    const char *does, *in, *after, *said;
};

/* What the process says of itself before it ends, and after. */
static void ends_it(const struct offence *offence)
{
    struct scene scene;
    const struct planner_offence *found;
    struct test_plan what = one_lease;
    bool planned;

    what.n_leases = 1200;
    what.n_hosts = 400;
    what.n_events = strcmp(offence->in, "event") == 0 ? 1200 : 0;
    begin(&scene, offence->module, offence->kind);
    if (strcmp(offence->does, "hang") != 0)
        scene.call_limit = LONG_LIMIT;
    option(&scene, "does", offence->does);
    option(&scene, "in", offence->in);
    option(&scene, "after", offence->after);
    start(&scene);
    planned = served(&scene);
    if (strcmp(offence->in, "create") != 0) {
        assert_true(planned && scene.ready);
        planned = plan(&scene, &what);
    }
    if (planned)
        fail_msg("%s in %s goes unnoticed", offence->does, offence->in);
    found = planner_process_offence(scene.process);
    if (found->module != 0 || !strstr(found->text, offence->said))
        fail_msg("%s in %s: module %lld '%s', not '%s'", offence->does, offence->in,
                 (long long)found->module, found->text, offence->said);
    end(&scene);
}

/* What each does, in create, in the first call, after the thousandth, when told of an event. */
/* Sanitizers take calls that modules may not make, and end a process by themselves. */
static void needs_confinement(void)
{
#ifdef GALERNA_SANITIZED
    skip();
#endif
}

static void offences_end_the_process(void **state)
{
    static const struct {
        const char *does, *said;
    } offences[] = {
        {"crash", "crashed (Segmentation fault)"},
        {"hang", "did not come back within 700 ms"},
        {"leave", "ended the process with status 0"},
        {"fork", "made system call"},
        {"raise", "crashed (Terminated)"},
        {"signal-parent", "made system call"},
        {"close", "closed the planner's connection"},
        {"alarm", "made system call"},
        {"limit", "made system call"},
        {"write-const", "crashed (Segmentation fault)"},
        {"jump", ""},
        {"connect", "made system call"},
    };
    static const char *const modules[] = {"offends-admission", "offends-preemption",
                                          "offends-host-selection"};

    (void)state;
    needs_confinement();
    for (size_t i = 0; i < sizeof offences / sizeof *offences; i++) {
        struct offence offence = {
            "offends-admission", POLICY_ADMISSION, offences[i].does, "create", "0",
            offences[i].said};

        if (strcmp(offence.does, "jump") == 0)
            continue; /* undefined: it crashes somewhere, or goes on */
        ends_it(&offence);
        offence.in = "event";
        ends_it(&offence);
        offence.in = "call";
        for (int kind = POLICY_ADMISSION; kind < POLICY_KINDS; kind++) {
            if (kind == POLICY_PREEMPTION)
                continue; /* nothing runs that could make room */
            offence.module = modules[kind - 1];
            offence.kind = (enum policy_kind)kind;
            offence.after = "0";
            ends_it(&offence);
            offence.after = "1000";
            ends_it(&offence);
        }
    }
}

static void the_message_names_call_and_system_call(void **state)
{
    const struct offence forks = {"offends-host-selection",
                                  POLICY_HOST_SELECTION,
                                  "fork",
                                  "call",
                                  "3",
                                  "(clone), which modules may not make when it was called for "
                                  "score"};
    const struct offence opens = {
        "offends-admission",           POLICY_ADMISSION, "close", "call", "3",
        "when it was called for admit"};

    (void)state;
    needs_confinement();
    ends_it(&forks);
    ends_it(&opens);
}

static void files_cannot_be_opened(void **state)
{
    struct scene scene;

    (void)state;
    needs_confinement();
    begin(&scene, "offends-admission", POLICY_ADMISSION);
    option(&scene, "does", "open");
    start(&scene);
    assert_true(served(&scene));
    assert_true(plan(&scene, &one_lease)); /* it aborts when a file opens */
    end(&scene);
}

#ifndef GALERNA_SANITIZED
static void memory_is_bounded_and_who_took_it_is_known(void **state)
{
    const struct offence leaks = {"offends-admission",
                                  POLICY_ADMISSION,
                                  "leak",
                                  "call",
                                  "2",
                                  "used up the planner's memory (512 MB)"};

    (void)state;
    ends_it(&leaks);
}
#endif

static void slow_answers_stand(void **state)
{
    struct scene scene;
    size_t refused = 0;

    (void)state;
    begin(&scene, "offends-admission", POLICY_ADMISSION);
    option(&scene, "does", "refuse-slowly");
    option(&scene, "sleeps", "150");
    start(&scene);
    assert_true(served(&scene));
    assert_true(
        plan(&scene, &(struct test_plan){.n_hosts = 4, .n_leases = 15, .now = 9, .cpu = 100}));
    for (size_t i = 0; i < scene.reply.n_outputs; i++)
        refused += scene.reply.outputs[i].kind == OUTPUT_FINISHED &&
                   scene.reply.outputs[i].state == LEASE_REJECTED;
    assert_int_equal(refused, 15);
    end(&scene);
}

static void in_the_place_of_an_admission_policy_all_is_refused_for_now(void **state)
{
    struct scene scene;
    bool refused = false;

    (void)state;
    begin(&scene, "offends-admission", POLICY_ADMISSION);
    scene.module.outage = "crashed when it was created";
    start(&scene);
    assert_true(served(&scene));
    assert_true(plan(&scene, &one_lease));
    for (size_t i = 0; i < scene.reply.n_outputs; i++)
        if (scene.reply.outputs[i].kind == OUTPUT_FINISHED) {
            refused = true;
            assert_string_equal(reason_word(&scene.reply.outputs[i].reason), POLICY_OUT_OF_SERVICE);
            assert_non_null(strstr(scene.reply.outputs[i].reason.text,
                                   "offends-admission is out of service: it crashed"));
        }
    assert_true(refused);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_plans),
        cmocka_unit_test(a_module_that_cannot_be_loaded_is_refused),
        cmocka_unit_test(offences_end_the_process),
        cmocka_unit_test(the_message_names_call_and_system_call),
        cmocka_unit_test(files_cannot_be_opened),
#ifndef GALERNA_SANITIZED
        cmocka_unit_test(memory_is_bounded_and_who_took_it_is_known),
#endif
        cmocka_unit_test(slow_answers_stand),
        cmocka_unit_test(in_the_place_of_an_admission_policy_all_is_refused_for_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
