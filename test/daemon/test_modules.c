/* Policy modules of a live galernad are loaded beside those that plan; plans do not wait. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <poll.h>

#include "configuration/live.h"
#include "daemon/base/clock.h"
#include "daemon/planner/modules.h"
#include "daemon/planner/planner.h"
#include "planner/wire.h"
#include "test/daemon/store_fixture.h"

#define NAME  "offends-host-selection"
#define GOOD  MODULES "/" NAME ".so"
#define HANGS MODULES "/hanging/" NAME ".so"

struct scene {
    struct store *store;
    struct configuration *configuration;
    struct modules *modules;
    char file[128];
    int n_told, n_turns, n_loaded, n_ended;
    int code; /* of the last reload; 0: it was loaded */
    char text[ERROR_TEXT_MAX];
};

/* The module that is loaded next. */
static void put(struct scene *scene, const char *module)
{
    unlink(scene->file);
    assert_int_equal(symlink(module, scene->file), 0);
}

static void begin(struct scene *scene, const struct store_fixture *fixture, const char *module)
{
    const struct configuration_overrides overrides = {0};
    char path[128];
    struct error err = {0};
    FILE *stream;

    memset(scene, 0, sizeof *scene);
    scene->store = fixture->store;
    assert_int_equal(chmod(fixture->directory, 0755), 0); /* another user loads them */
    store_path_in(fixture, NAME ".so", scene->file);
    put(scene, module);
    store_path_in(fixture, "conf", path);
    stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream,
            "[simulation]\nresources: 4  CPU:400 Memory:8192\n[daemon]\npolicy-call-limit: 1\n"
            "[general]\nmode: simulated\n[galerna]\nmodule-path: %s\n"
            "[scheduling]\npolicy-host-selection: " NAME "\n",
            fixture->directory);
    fclose(stream);
    scene->configuration = live_configuration_read(path, &overrides, &err);
    if (!scene->configuration)
        fail_msg("%s", err.text);
    scene->modules = modules_create(scene->configuration, scene->store, &err);
    if (!scene->modules)
        fail_msg("%s", err.text);
}

static void end(struct scene *scene)
{
    modules_destroy(scene->modules);
    configuration_destroy(scene->configuration);
}

static void loaded(void *context, const struct error *err)
{
    struct scene *scene = context;

    scene->n_told++;
    scene->code = err ? err->code : 0;
    snprintf(scene->text, sizeof scene->text, "%s", err ? err->text : "");
}

/* One turn of galernad's loop. */
static void turn(struct scene *scene)
{
    struct pollfd fds[MODULES_FDS];
    unsigned n = modules_waitfds(scene->modules, fds);
    int64_t wait = modules_due(scene->modules) - clock_monotonic();
    enum modules_event event;

    poll(fds, n, wait < 0 ? 0 : wait > 1000 ? 1000 : (int)wait);
    event = modules_serve(scene->modules, NULL, NULL);
    scene->n_turns++;
    scene->n_loaded += event == MODULES_LOADED;
    scene->n_ended += event == MODULES_ENDED;
}

static void reload(struct scene *scene, const char *enabled)
{
    struct error err = {0};
    int before = scene->n_told;

    scene->n_turns = 0;
    if (modules_reload(scene->modules, &(struct modules_wanted){.enabled = enabled}, loaded, scene,
                       &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(scene->n_told, before);
    while (scene->n_told == before)
        turn(scene);
}

static void find_offence(void *context, const struct planner_module *module)
{
    if (strcmp(module->name, NAME) == 0)
        module->offence ? offence_text(module->offence, context, 512) : (void)strcpy(context, "");
}

static const char *offence(const struct scene *scene)
{
    static char text[512];

    modules_each(scene->modules, find_offence, text);
    return text;
}

static void a_reload_replaces_the_process(void **state)
{
    struct scene scene;
    const struct planner_process *before;

    begin(&scene, *state, GOOD);
    assert_true(scene.modules->current.ready);
    before = scene.modules->current.process;
    reload(&scene, NULL);
    assert_int_equal(scene.code, 0);
    assert_int_equal(scene.n_loaded, 1);
    assert_ptr_not_equal(scene.modules->current.process, before);
    assert_true(scene.modules->current.ready);
    end(&scene);
}

/* The old ones go on meanwhile, and stay. */
static void a_reload_that_hangs_leaves_the_old_modules_in_place(void **state)
{
    struct scene scene;
    const struct planner_process *before;
    struct error err = {0};

    begin(&scene, *state, GOOD);
    before = scene.modules->current.process;
    put(&scene, HANGS);
    assert_int_equal(
        modules_reload(scene.modules, &(struct modules_wanted){0}, loaded, &scene, &err), 0);
    assert_int_equal(
        modules_reload(scene.modules, &(struct modules_wanted){0}, loaded, &scene, &err), -1);
    assert_int_equal(err.code, EAGAIN);
    while (scene.n_told == 0) {
        assert_ptr_equal(scene.modules->current.process, before);
        assert_true(scene.modules->current.ready);
        turn(&scene);
    }
    assert_true(scene.n_turns > 3);
    assert_int_equal(scene.code, ECHILD);
    assert_non_null(strstr(scene.text, "in a trial it did not return within 1000 ms"));
    assert_ptr_equal(scene.modules->current.process, before);
    assert_string_equal(offence(&scene), "");
    assert_int_equal(scene.n_loaded + scene.n_ended, 0);
    end(&scene);
}

/* galernad starts meanwhile, and plans with built-in defaults. */
static void what_hangs_at_the_start_is_out_of_service_until_it_is_enabled(void **state)
{
    static const char said[] = "did not return within 1000 ms when it was created";
    struct scene scene;
    struct error err = {0};

    begin(&scene, *state, HANGS);
    assert_false(scene.modules->current.ready);
    while (!scene.modules->current.ready)
        turn(&scene);
    assert_string_equal(offence(&scene), "is still being loaded");
    while (strcmp(offence(&scene), said) != 0)
        turn(&scene);
    assert_true(scene.modules->current.ready);
    while (scene.modules->next.process || scene.modules->held) /* a process without it */
        turn(&scene);
    reload(&scene, NULL); /* the others */
    assert_int_equal(scene.code, 0);
    assert_string_equal(offence(&scene), said);
    assert_int_equal(modules_reload(scene.modules, &(struct modules_wanted){.enabled = "greedy"},
                                    loaded, &scene, &err),
                     -1);
    assert_int_equal(err.code, ENOENT);
    reload(&scene, NAME);
    assert_int_equal(scene.code, ECHILD);
    assert_string_equal(offence(&scene), said);
    put(&scene, GOOD);
    reload(&scene, NAME);
    assert_int_equal(scene.code, 0);
    assert_string_equal(offence(&scene), "");
    end(&scene);
}

static void the_sentence_that_an_older_galernad_stored_is_told(void **state)
{
    const struct store_fixture *fixture = *state;
    struct scene scene;

    store_set_fact(fixture->store, "policies-out-of-service", NAME "\t5\tcrashed (Terminated)\n");
    begin(&scene, fixture, GOOD);
    assert_string_equal(offence(&scene), "crashed (Terminated)");
    end(&scene);
}

/* A reload that is under way when galernad stops is answered. */
static void a_reload_ends_with_galernad(void **state)
{
    struct scene scene;
    struct error err = {0};

    begin(&scene, *state, GOOD);
    put(&scene, HANGS);
    assert_int_equal(
        modules_reload(scene.modules, &(struct modules_wanted){0}, loaded, &scene, &err), 0);
    turn(&scene);
    modules_abandon(scene.modules);
    assert_int_equal(scene.n_told, 1);
    assert_int_equal(scene.code, EAGAIN);
    end(&scene);
    assert_int_equal(scene.n_told, 1);
}

static void what_the_planner_cannot_read_blames_no_module(void **state)
{
    struct scene scene;

    begin(&scene, *state, GOOD);
    for (int i = 0; i < 2; i++) {
        struct wire_writer frame = {0};

        wire_begin(&frame);
        wire_put(&frame, UINT8_MAX); /* no kind of frame */
        wire_end(&frame);
        planner_process_send(scene.modules->current.process, &frame, 0);
        while (scene.n_ended == i)
            turn(&scene);
        assert_string_equal(modules_delay(scene.modules),
                            "galerna-planner cannot be used: it cannot read what galernad sends");
        while (scene.n_loaded == i)
            turn(&scene);
        assert_string_equal(offence(&scene), "");
    }
    end(&scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_reload_replaces_the_process),
        TEST(a_reload_that_hangs_leaves_the_old_modules_in_place),
        TEST(what_hangs_at_the_start_is_out_of_service_until_it_is_enabled),
        TEST(the_sentence_that_an_older_galernad_stored_is_told),
        TEST(what_the_planner_cannot_read_blames_no_module),
        TEST(a_reload_ends_with_galernad),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
