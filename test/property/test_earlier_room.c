/* Searches that the quick check of planned leases (core/earlier_room.h) skips would fail: random
 * workloads give the same records if every planned lease is searched for. Not of leases that may
 * preempt others, and not on overbooked hosts: there, room on the whole site is a rule.
 *
 * usage: test-property-earlier-room [SEED [COUNT]]
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/command.h"
#include "cli/replay.h"
#include "configuration/configuration.h"
#include "core/earlier_room.h"
#include "test/support/random_workload.h"

#ifdef GALERNA_SANITIZED /* ten times slower; the other seeds are tried without */
enum { SEEDS = 200 };
#else
enum { SEEDS = 2000 };
#endif

static uint64_t first_seed = 1, seeds = SEEDS;
static char folder[256], conf[300], trace[300], records[2][300];
static bool searches_all;
static long n_skipped;

bool __wrap_has_room_before(struct engine *engine, struct lease *lease, int64_t before);
bool __real_has_room_before(struct engine *engine, struct lease *lease, int64_t before);

bool __wrap_has_room_before(struct engine *engine, struct lease *lease, int64_t before)
{
    bool has_room = (searches_all && room_check_is_exact(engine, lease)) ||
                    __real_has_room_before(engine, lease, before);

    n_skipped += !has_room;
    return has_room;
}

static int begin(void **state)
{
    const char *temporary = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%.200s/galerna-earlier-XXXXXX",
             temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(conf, sizeof conf, "%s/random.conf", folder);
    snprintf(trace, sizeof trace, "%s/random.lwf", folder);
    snprintf(records[0], sizeof records[0], "%s/skipping.json", folder);
    snprintf(records[1], sizeof records[1], "%s/searching.json", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(conf);
    unlink(trace);
    unlink(records[0]);
    unlink(records[1]);
    rmdir(folder);
    return 0;
}

static void write_files(const struct random_workload *workload)
{
    FILE *trace_file = fopen(trace, "w"), *conf_file = fopen(conf, "w");

    assert_non_null(trace_file);
    assert_non_null(conf_file);
    assert_int_equal(random_workload_write_trace(workload, trace_file), 0);
    assert_int_equal(random_workload_write_configuration(workload, trace, conf_file), 0);
    assert_int_equal(fclose(trace_file), 0);
    assert_int_equal(fclose(conf_file), 0);
}

static int replay(char *record)
{
    static const volatile sig_atomic_t never;
    const struct configuration_overrides overrides = {.compatibility = "default"};
    const struct replay_control control = {.stop = &never, .title = "random", .quiet = true};
    struct configuration_list list;
    struct replay_outcome outcome;
    char name[] = "random";
    struct replay_run run = {.name = name, .title = name};
    struct error err;

    if (configuration_read(conf, &overrides, &list, &err) < 0)
        fail_msg("%s", err.text);
    run.configuration = list.items[0];
    run.outputs[REPLAY_RECORD] = record;
    replay_run_perform(&run, &control, &outcome);
    configuration_list_finish(&list);
    return outcome.code;
}

static void assert_same_records(uint64_t seed)
{
    FILE *files[2] = {fopen(records[0], "r"), fopen(records[1], "r")};
    char *lines[2] = {NULL, NULL};
    size_t allocated[2] = {0, 0};
    ssize_t lengths[2];

    assert_non_null(files[0]);
    assert_non_null(files[1]);
    do {
        lengths[0] = getline(&lines[0], &allocated[0], files[0]);
        lengths[1] = getline(&lines[1], &allocated[1], files[1]);
        if (lengths[0] != lengths[1] || (lengths[0] > 0 && strcmp(lines[0], lines[1]) != 0))
            fail_msg("seed %" PRIu64 ": the records differ", seed);
    } while (lengths[0] > 0);
    for (int i = 0; i < 2; i++) {
        free(lines[i]);
        fclose(files[i]);
    }
}

static void skipping_is_like_searching(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        const struct random_workload workload = {.seed = seed};
        int code;

        write_files(&workload);
        searches_all = false;
        code = replay(records[0]);
        searches_all = true;
        assert_int_equal(replay(records[1]), code);
        assert_same_records(seed);
    }
    assert_true(n_skipped > (long)seeds / 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(skipping_is_like_searching, begin, end),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
