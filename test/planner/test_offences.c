/* Modules that do what no module may, in create, in each call and when told of events, at once and
 * after a thousand calls: each ends its process, and its name and what it did are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>

#include "test/planner/scene.h"

/* Full hosts, and more than a thousand leases that can only start by preempting. */
#define FULL                                                                                       \
    {                                                                                              \
        .n_hosts = 4, .n_leases = 4, .now = 1000, .cpu = 400                                       \
    }
#define MANY                                                                                       \
    {                                                                                              \
        .goes_on = true, .n_leases = 1200, .first = 4, .now = 1001, .cpu = 100,                    \
        .kind = LEASE_IMMEDIATE                                                                    \
    }

/* Where: plans that lead there more than a thousand times. */
static const struct place {
    const char *in, *module;
    enum policy_kind kind;
    const char *said;
    struct test_plan first, then; /* then.n_hosts: 0: none */
} places[] = {
    {"create", "offends-admission", POLICY_ADMISSION, "when it was created",
     .first = {.n_hosts = 4, .n_leases = 1, .now = 1000, .cpu = 100}},
    {"event", "offends-admission", POLICY_ADMISSION, "when it was told of an event",
     .first = {.n_hosts = 4, .n_leases = 1, .now = 1000, .cpu = 100, .n_events = 1200}},
    {"call", "offends-admission", POLICY_ADMISSION, "when it was called for admit",
     .first = {.n_hosts = 400, .n_leases = 1200, .now = 1000, .cpu = 100}},
    {"may-preempt", "offends-preemption", POLICY_PREEMPTION, "when it was called for may_preempt",
     .first = FULL, .then = MANY},
    {"call", "offends-preemption", POLICY_PREEMPTION, "when it was called for score", .first = FULL,
     .then = MANY},
    {"choose", "offends-choice", POLICY_PREEMPTION, "when it was called for choose", .first = FULL,
     .then = MANY},
    {"call", "offends-host-selection", POLICY_HOST_SELECTION, "when it was called for score",
     .first = {.n_hosts = 400, .n_leases = 1200, .now = 1000, .cpu = 100}},
    /* Its scores are others at odd times: leases that run would have better hosts then. */
    {"estimate", "offends-host-selection", POLICY_HOST_SELECTION, "when it was called for estimate",
     .first = {.n_hosts = 400, .n_leases = 1200, .now = 1000, .cpu = 100, .looks_for_moves = true},
     .then = {.goes_on = true, .now = 1011}},
};

static const struct offence {
    const char *does, *said;
    bool is_inside; /* what is said ends with the call */
} offences[] = {
    {"crash", "crashed (Segmentation fault) ", true},
    {"hang", "did not return within 700 ms ", true},
    {"stop", "did not return within 700 ms ", true},
    {"leave", "ended the process with status 0 ", true},
    {"fork", "(clone), which modules may not make ", true},
    {"raise", "crashed (Terminated) ", true},
    {"signal-parent", "(kill), which modules may not make ", true},
    {"close", "(close), which modules may not make ", true},
    {"alarm", "(alarm), which modules may not make ", true},
    {"limit", "(prlimit64), which modules may not make ", true},
    {"leak", "used up the planner's memory (128 MB)", false},
    {"write-const", "crashed (Segmentation fault) ", true},
    {"wide", "(close), which modules may not make ", true},
    {"catch", "(rt_sigaction), which modules may not make ", true},
    {"jump", "", false}, /* to where nothing is any more: it may do anything then */
    {"read", "(read), which modules may not make ", true},
    {"receive", "(recvfrom), which modules may not make ", true},
    {"connect", "(socket), which modules may not make ", true},
};

enum {
    PLACES = sizeof places / sizeof *places,
    OFFENCES = sizeof offences / sizeof *offences,
    CELLS = 2 * PLACES
};

static void begin(struct scene *scene, const struct offence *offence, const struct place *place,
                  const char *after)
{
    bool hangs = strstr(offence->said, "did not return") || !offence->said[0];

    scene_begin(scene, place->module, place->kind);
    if (!hangs)
        scene->call_limit = SCENE_LONG_LIMIT;
    scene_option(scene, "does", offence->does);
    scene_option(scene, "in", place->in);
    scene_option(scene, "after", after);
    scene_start(scene);
    scene_ask(scene, &place->first);
    if (place->then.goes_on)
        scene_ask(scene, &place->then);
}

/* All at once: most of them wait for something. */
static void serve_all(struct scene *scenes, size_t n)
{
    size_t busy;

    do {
        busy = 0;
        poll(NULL, 0, 5);
        for (size_t i = 0; i < n; i++)
            busy += scene_serve(&scenes[i]) && planner_process_is_busy(scenes[i].process);
    } while (busy);
}

static const char *text_of(const struct planner_offence *found)
{
    static char text[OFFENCE_TEXT_MAX];

    offence_text(found, text, sizeof text);
    return text;
}

static bool holds(struct scene *scene, const struct offence *offence, const struct place *place)
{
    const struct planner_offence *found = planner_process_offence(scene->process);
    bool ended = !scene_serve(scene);

    return ended && found->module == 0 && strstr(text_of(found), offence->said) &&
           (!offence->is_inside || strstr(text_of(found), place->said));
}

static size_t try_all(const struct offence *offence)
{
    static struct scene scenes[CELLS];
    static const char *const after[] = {"0", "1000"};
    size_t failed = 0;

    for (size_t i = 0; i < CELLS; i++)
        begin(&scenes[i], offence, &places[i / 2],
              strcmp(places[i / 2].in, "create") == 0 ? "0" : after[i % 2]);
    serve_all(scenes, CELLS);
    for (size_t i = 0; i < CELLS; i++) {
        const struct planner_offence *found = planner_process_offence(scenes[i].process);

        if (!holds(&scenes[i], offence, &places[i / 2])) {
            failed++;
            print_error("%s in %s of %s after %s calls: module %lld '%s'\n", offence->does,
                        places[i / 2].in, places[i / 2].module, after[i % 2],
                        (long long)found->module, text_of(found));
        }
        scene_end(&scenes[i]);
    }
    return failed;
}

/* Sanitizers take calls that modules may not make, and end a process by themselves. */
static void needs_confinement(void)
{
#ifdef GALERNA_SANITIZED
    skip();
#endif
}

/* Each offence in each place. */
static void who_did_what_is_known(void **state)
{
    size_t failed = 0;

    needs_confinement();
    for (size_t i = 0; i < OFFENCES; i++)
        failed += try_all(&offences[i]);
    assert_int_equal(failed, 0);
}

/* The places are reached, and nothing is said of who does nothing. */
static void the_innocent_plan(void **state)
{
    static const struct offence nothing = {.does = "nothing", .said = "-"};
    struct scene scene;

    for (size_t i = 0; i < PLACES; i++) {
        begin(&scene, &nothing, &places[i], "0");
        assert_true(scene_served(&scene));
        assert_int_equal(scene.n_planned, 1 + places[i].then.goes_on);
        assert_string_equal(scene.reply.error, "");
        scene_end(&scene);
    }
}

/* Before there are options: as a constructor. */
static void loading_is_watched(void **state)
{
    static const struct {
        const char *module, *said;
    } loads[] = {
        {"crash-on-load", "crashed (Segmentation fault) when it was loaded"},
        {"linger-on-load", "when it was loaded"},
    };
    struct scene scene;

    needs_confinement();
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct planner_offence *found;

        scene_begin(&scene, loads[i].module, POLICY_ADMISSION);
        scene_start(&scene);
        assert_false(scene_served(&scene));
        found = planner_process_offence(scene.process);
        if (found->module != 0 || !strstr(text_of(found), loads[i].said))
            fail_msg("%s: module %lld '%s'", loads[i].module, (long long)found->module,
                     text_of(found));
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_innocent_plan),
        cmocka_unit_test(who_did_what_is_known),
        cmocka_unit_test(loading_is_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
