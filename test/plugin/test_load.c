/* Finding, checking and trying modules: what is refused, and what is said about it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin/galerna_policy.h"
#include "support.h"

static void refuse(const char *admission, int code, const char *part)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.admission = admission;
    bench_refused(&bench, code, part);
    assert_has(bench.err.text, admission); /* every text names the module */
}

static void broken_structures_are_refused(void **state)
{
    char text[256];

    refuse("wrong-magic", EINVAL, "is not a policy module: magic is 0xdeadbeef, expected");
    snprintf(text, sizeof text, "was built for policy ABI %d.%d, this program has %d.%d; rebuild",
             GALERNA_ABI_MAJOR + 1, GALERNA_ABI_MINOR, GALERNA_ABI_MAJOR, GALERNA_ABI_MINOR);
    refuse("wrong-major", EINVAL, text);
    snprintf(text, sizeof text, "needs policy ABI %d.%d, this program has %d.%d, which is older",
             GALERNA_ABI_MAJOR, GALERNA_ABI_MINOR + 1, GALERNA_ABI_MAJOR, GALERNA_ABI_MINOR);
    refuse("newer-minor", EINVAL, text);
    refuse("too-short", EINVAL, "its structure has 64 bytes, the first version had");
    refuse("missing-symbol", EINVAL, "has no symbol galerna_policy_missing_symbol");
    refuse("wrong-name", EINVAL,
           "its name is 'another-name', but its file name requires 'wrong-name'");
    refuse("bad-name", EINVAL, "invalid name 'Bad'");
    refuse("unknown-kind", EINVAL, "is of kind 9, which is unknown here");
    refuse("no-operations", EINVAL, "lacks the operations that a policy for admission must have");
    refuse("short-operations", EINVAL, "its operations have 4 bytes, the first version had");
    refuse("no-function", EINVAL,
           "lacks the function that a policy for admission must have (admit)");
    refuse("unresolved", EINVAL, "undefined symbol: function_that_nobody_has");
    refuse("hosts", EINVAL, "is a policy for host-selection, not for admission");
}

static void broken_option_tables_are_refused(void **state)
{
    refuse("bad-default", EINVAL,
           "the module's own default: option first is '11', expected a whole number, 1 to 10");
    refuse("bad-type", EINVAL, "option first has type 99, which is unknown here");
    refuse("two-equal-options", EINVAL, "has two options 'second'");
}

static void dangerous_modules_are_caught_in_a_trial(void **state)
{
    refuse("crash-on-load", ECHILD, "crashed in a trial: Segmentation fault when it is loaded");
    refuse("crash-in-create", ECHILD, "crashed in a trial: Aborted when it is created");
    refuse("crash-in-destroy", ECHILD,
           "crashed in a trial: Segmentation fault when it is destroyed");
    refuse("leave-in-create", ECHILD, "exited with status 3 in a trial when it is created");
    refuse("refuse-in-create", EINVAL, "the moon is in the wrong phase");
}

static void a_module_that_hangs_is_stopped_in_time(void **state)
{
    struct bench bench;
    time_t began = time(NULL);

    bench_init(&bench);
    bench.settings.admission = "hang-in-create";
    bench.settings.preflight_limit = 200;
    bench_refused(&bench, ETIMEDOUT,
                  "it did not return within 200 ms when it is created; it is not loaded");
    assert_true(time(NULL) - began < 20);
}

/* Each process that the module started has the end of a pipe. */
static void nothing_is_left_of_a_module_that_closes_its_descriptors(void **state)
{
    struct bench bench;
    struct pollfd end = {0};
    int ends[2];

    bench_init(&bench);
    bench.settings.admission = "linger-on-load";
    bench.settings.preflight_limit = 500;
    assert_int_equal(pipe(ends), 0);
    bench_refused(&bench, ETIMEDOUT, "was stopped in a trial");
    close(ends[1]);
    end.fd = ends[0];
    assert_int_equal(poll(&end, 1, 20000), 1);
    assert_true(end.revents & POLLHUP);
    close(ends[0]);
}

static void older_and_longer_structures_are_loaded(void **state)
{
    static const char *const names[] = {"older", "longer"};

    for (size_t i = 0; i < 2; i++) {
        struct bench bench;
        struct lease lease = test_lease(1, LEASE_BEST_EFFORT);
        struct reason reason;

        bench_init(&bench);
        bench.settings.admission = names[i];
        bench_start(&bench);
        assert_true(bench.hooks->admit(bench.hooks->context, &lease, 0, &reason));
        assert_false(policy_host_wants_events(bench.host));
        bench_stop(&bench);
    }
}

static void names_are_found_as_haizea_wrote_them(void **state)
{
    static const char *const written[] = {"no-ars", "no-ARs", "NO_ARS", POLICIES "/no-ars.so"};

    for (size_t i = 0; i < 4; i++) {
        struct bench bench;
        struct policy_status status;

        bench_init(&bench);
        bench.settings.admission = written[i];
        bench_start(&bench);
        policy_host_status(bench.host, 0, &status);
        assert_string_equal(status.name, "no-ars");
        assert_has(status.path, "/no-ars.so");
        assert_int_equal(status.kind, POLICY_ADMISSION);
        bench_stop(&bench);
    }
}

static void an_unknown_name_says_what_there_is(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.preemption = "no-premption";
    bench_refused(&bench, ENOENT, "unknown policy 'no-premption'");
    assert_has(bench.err.text, "policies for preemption: ");
    assert_has(bench.err.text, "did you mean 'no-preemption'?");
    bench.settings.preemption = MODULES "/nothing.so";
    bench_refused(&bench, ENOENT, MODULES "/nothing.so: No such file or directory");
}

static void the_environment_names_directories(void **state)
{
    static const char *const nowhere[] = {"/nonexistent-directory"};
    struct bench bench;

    bench_init(&bench);
    bench.settings.directories = nowhere;
    bench.settings.n_directories = 1;
    bench.settings.admission = "witness";
    bench_refused(&bench, ENOENT, "searched: /nonexistent-directory");
    assert_int_equal(setenv("GALERNA_POLICY_PATH", "/also-nothing:" MODULES, 1), 0);
    bench_start(&bench);
    bench_stop(&bench);
    assert_int_equal(unsetenv("GALERNA_POLICY_PATH"), 0);
}

static void chains_are_read_with_care(void **state)
{
    struct bench bench;

    bench_init(&bench);
    bench.settings.host_selection = "hosts*0";
    bench_refused(&bench, EINVAL, "weight '0' is not a whole number from 1 to 100");
    bench.settings.host_selection = "hosts*x";
    bench_refused(&bench, EINVAL, "policies for host-selection: weight 'x'");
    bench.settings.host_selection = "hosts,,more-hosts";
    bench_refused(&bench, EINVAL, "a policy's name is missing");
    bench.settings.host_selection = "hosts*100,hosts*100,hosts*100,hosts*100,hosts";
    bench_refused(&bench, EINVAL, "the weights sum up to 401, more than 400");
    bench.settings.host_selection = NULL;
    bench.settings.preemption = "chooser,second-chooser";
    bench_refused(&bench, EINVAL, "both chooser and second-chooser choose among sets");
}

/* A directory with one module in it, removed afterwards. */
struct place {
    char directory[64];
    char file[96];
};

static void place_init(struct place *place, unsigned mode, unsigned directory_mode)
{
    strcpy(place->directory, "galerna-test-XXXXXX");
    assert_non_null(mkdtemp(place->directory));
    snprintf(place->file, sizeof place->file, "./%s/witness.so", place->directory);
    copy_file(MODULES "/witness.so", place->file, mode);
    assert_int_equal(chmod(place->directory, directory_mode), 0);
}

static void place_finish(struct place *place)
{
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(rmdir(place->directory), 0);
}

static void try_place(unsigned mode, unsigned directory_mode, const char *part)
{
    struct place place;
    struct bench bench;

    place_init(&place, mode, directory_mode);
    bench_init(&bench);
    bench.settings.admission = place.file;
    if (part) {
        bench_refused(&bench, EACCES, part);
    } else {
        bench_start(&bench);
        bench_stop(&bench);
    }
    place_finish(&place);
}

static void modules_that_others_can_write_are_refused(void **state)
{
    try_place(0644, 0755, NULL);
    try_place(0646, 0755,
              "writable by other users (mode 0646), so a policy module cannot be trusted");
    try_place(0755, 0757, "so a policy module in it cannot be trusted; run: chmod go-w");
    try_place(0755, 01777, NULL); /* nobody can replace the file there */
}

static void modules_of_other_users_are_refused(void **state)
{
    struct place place;
    struct bench bench;

    if (geteuid() != 0)
        skip(); /* only root can give files away */
    place_init(&place, 0755, 0755);
    assert_int_equal(chown(place.file, 12345, (gid_t)-1), 0);
    bench_init(&bench);
    bench.settings.admission = place.file;
    bench_refused(&bench, EACCES, "belongs to user 12345; a policy module must belong to root");
    assert_int_equal(chown(place.file, 0, 54321), 0);
    assert_int_equal(chmod(place.file, 0775), 0);
    bench_refused(&bench, EACCES, "writable by other users (mode 0775)");
    place_finish(&place);
}

static void the_built_in_defaults_need_no_file(void **state)
{
    struct bench bench;
    struct policy_status status;

    bench_init(&bench);
    bench_start(&bench);
    assert_int_equal(policy_host_count(bench.host), 3);
    policy_host_status(bench.host, 1, &status);
    assert_null(status.path);
    assert_int_equal(status.kind, POLICY_PREEMPTION);
    assert_null(bench.hooks->admit);
    assert_null(bench.hooks->score_victims);
    assert_null(bench.hooks->score_hosts);
    bench_stop(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_structures_are_refused),
        cmocka_unit_test(broken_option_tables_are_refused),
        cmocka_unit_test(dangerous_modules_are_caught_in_a_trial),
        cmocka_unit_test(a_module_that_hangs_is_stopped_in_time),
        cmocka_unit_test(nothing_is_left_of_a_module_that_closes_its_descriptors),
        cmocka_unit_test(older_and_longer_structures_are_loaded),
        cmocka_unit_test(names_are_found_as_haizea_wrote_them),
        cmocka_unit_test(an_unknown_name_says_what_there_is),
        cmocka_unit_test(the_environment_names_directories),
        cmocka_unit_test(chains_are_read_with_care),
        cmocka_unit_test(modules_that_others_can_write_are_refused),
        cmocka_unit_test(modules_of_other_users_are_refused),
        cmocka_unit_test(the_built_in_defaults_need_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
