/* Reloading: the new file is really read, and a failure leaves everything as it was. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

struct place {
    char directory[64], file[96], next[96];
    struct bench bench;
};

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    assert_non_null(place);
    strcpy(place->directory, "galerna-test-XXXXXX");
    assert_non_null(mkdtemp(place->directory));
    snprintf(place->file, sizeof place->file, "./%s/reloaded.so", place->directory);
    snprintf(place->next, sizeof place->next, "./%s/next", place->directory);
    copy_file(MODULES "/reloaded.so", place->file, 0755);
    bench_init(&place->bench);
    place->bench.settings.host_selection = place->file;
    bench_start(&place->bench);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;

    bench_stop(&place->bench);
    unlink(place->file);
    rmdir(place->directory);
    free(place);
    return 0;
}

static void expect_version(const struct place *place, const char *version)
{
    struct policy_status status;

    policy_host_status(place->bench.host, 2, &status);
    assert_string_equal(status.name, "reloaded");
    assert_string_equal(status.version, version);
}

static void expect_answers(const struct place *place)
{
    const struct policy_hooks *hooks = place->bench.hooks;
    struct lease lease = test_lease(1, LEASE_BEST_EFFORT);
    struct site site;
    const uint32_t first = 0;
    int64_t score = 0;
    struct host_batch batch = {.lease = &lease, .site = &site, .n_hosts = 1, .hosts = &first};

    test_site(&site, 1);
    hooks->score_hosts(hooks->context, &batch, &score);
    assert_int_equal(score, 5);
    site_finish(&site);
}

/* As a package manager replaces files. */
static void replace_with(const struct place *place, const char *file)
{
    copy_file(file, place->next, 0755);
    assert_int_equal(rename(place->next, place->file), 0);
}

static void a_renamed_file_is_read_anew(void **state)
{
    struct place *place = *state;
    const struct policy_hooks *before = place->bench.hooks;

    expect_version(place, "1.0");
    replace_with(place, MODULES "/version-2/reloaded.so");
    expect_version(place, "1.0");
    assert_int_equal(policy_host_reload(place->bench.host, &place->bench.err), 0);
    expect_version(place, "2.0");
    expect_answers(place);
    assert_ptr_equal(policy_host_hooks(place->bench.host), before);
    /* And back: what was loaded once under this path must not come again. */
    replace_with(place, MODULES "/reloaded.so");
    assert_int_equal(policy_host_reload(place->bench.host, &place->bench.err), 0);
    expect_version(place, "1.0");
    expect_answers(place);
}

static void a_bad_file_leaves_the_old_module(void **state)
{
    struct place *place = *state;
    struct policy_host *host = place->bench.host;
    struct error *err = &place->bench.err;

    replace_with(place, MODULES "/crash-on-load.so");
    assert_int_equal(policy_host_reload(host, err), -1);
    assert_has(err->text, "crashed in a trial");
    replace_with(place, MODULES "/hosts.so");
    assert_int_equal(policy_host_reload(host, err), -1);
    assert_has(err->text, "has no symbol galerna_policy_reloaded");
    assert_int_equal(chmod(place->file, 0777), 0);
    assert_int_equal(policy_host_reload(host, err), -1);
    assert_int_equal(err->code, EACCES);
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(policy_host_reload(host, err), -1);
    assert_int_equal(err->code, ENOENT);
    expect_version(place, "1.0");
    expect_answers(place);
    replace_with(place, MODULES "/version-2/reloaded.so");
    assert_int_equal(policy_host_reload(host, err), 0);
    expect_version(place, "2.0");
}

static void faults_start_at_nought_again(void **state)
{
    struct place *place = *state;
    struct policy_status status;
    int64_t score;
    struct lease lease = test_lease(1, LEASE_BEST_EFFORT);
    struct site site;
    const uint32_t first = 0;
    struct host_batch batch = {.lease = &lease, .site = &site, .n_hosts = 1, .hosts = &first};

    bench_stop(&place->bench);
    bench_option(&place->bench, "reloaded", "score", "-7");
    place->bench.settings.faults_allowed = 1;
    bench_start(&place->bench);
    test_site(&site, 1);
    place->bench.hooks->score_hosts(place->bench.hooks->context, &batch, &score);
    policy_host_status(place->bench.host, 2, &status);
    assert_true(status.replaced);
    assert_int_equal(policy_host_reload(place->bench.host, &place->bench.err), 0);
    policy_host_status(place->bench.host, 2, &status);
    assert_false(status.replaced);
    assert_int_equal(status.faults, 0);
    site_finish(&site);
}

static void many_reloads_leave_nothing_open(void **state)
{
    struct place *place = *state;
    int before = dup(0), after;

    assert_int_equal(close(before), 0);
    for (int i = 0; i < 20; i++) {
        replace_with(place, i % 2 ? MODULES "/reloaded.so" : MODULES "/version-2/reloaded.so");
        assert_int_equal(policy_host_reload(place->bench.host, &place->bench.err), 0);
        expect_version(place, i % 2 ? "1.0" : "2.0");
    }
    after = dup(0);
    assert_int_equal(close(after), 0);
    assert_true(after - before <= 1); /* the copy that is in use */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_renamed_file_is_read_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bad_file_leaves_the_old_module, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_start_at_nought_again, setup, teardown),
        cmocka_unit_test_setup_teardown(many_reloads_leave_nothing_open, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
