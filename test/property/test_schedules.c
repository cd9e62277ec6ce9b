/* Every schedule of a random workload keeps what Galerna promises: the checker finds nothing.
 *
 * usage: test-property-schedules haizea-1.0|default [SEED [COUNT]]
 *
 * A seed that fails is printed with the smallest trace and configuration that still fails; both are
 * left in the folder that the message names.
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
#include "test/support/random_workload.h"
#include "test/verify/read_record.h"
#include "verify/print.h"

struct trial {
    const char *compatibility;
    char folder[256];
    char conf[300], trace[300], record[300];
    char text[2048]; /* what was wrong */
};

static const char *compatibility;
#ifdef GALERNA_SANITIZED /* ten times slower; the other seeds are tried without */
enum { SEEDS = 250 };
#else
enum { SEEDS = 2300 };
#endif

static uint64_t first_seed = 1, seeds = SEEDS;
static struct trial trial;
static uint64_t seed_under_way; /* 0: none */

static void write_files(const struct random_workload *workload)
{
    FILE *trace = fopen(trial.trace, "w"), *conf = fopen(trial.conf, "w");

    assert_non_null(trace);
    assert_non_null(conf);
    assert_int_equal(random_workload_write_trace(workload, trace), 0);
    assert_int_equal(random_workload_write_configuration(workload, trial.trace, conf), 0);
    assert_int_equal(fclose(trace), 0);
    assert_int_equal(fclose(conf), 0);
}

/* The checker's findings go to trial.text. */
static bool record_is_clean(void)
{
    /* Of a lease that waits forever in Haizea's mode all that is asked is a reason. */
    const struct verify_options options = {.complete = strcmp(compatibility, "default") == 0};
    struct verification verification;
    struct schedule schedule;
    struct error err;
    bool clean;
    FILE *out;

    if (read_record_file(&schedule, trial.record, &err) < 0 ||
        verify_schedule(&schedule, &options, &verification, &err) < 0) {
        snprintf(trial.text, sizeof trial.text, "%s\n", err.text);
        return false;
    }
    clean = verification.n_violations == 0;
    out = fmemopen(trial.text, sizeof trial.text, "w");
    assert_non_null(out);
    verification_print(&verification, "record", 8, out);
    fclose(out);
    verification_finish(&verification);
    schedule_finish(&schedule);
    return clean;
}

static bool keeps_its_promises(const struct random_workload *workload)
{
    static const volatile sig_atomic_t never;
    const struct configuration_overrides overrides = {.compatibility = trial.compatibility};
    const struct replay_control control = {.stop = &never, .title = "random", .quiet = true};
    struct configuration_list list;
    struct replay_outcome outcome;
    char name[] = "random";
    struct replay_run run = {.name = name, .title = name};
    struct error err;

    write_files(workload);
    if (configuration_read(trial.conf, &overrides, &list, &err) < 0) {
        snprintf(trial.text, sizeof trial.text, "%s\n", err.text);
        return false;
    }
    run.configuration = list.items[0];
    run.outputs[REPLAY_RECORD] = trial.record;
    replay_run_perform(&run, &control, &outcome);
    configuration_list_finish(&list);
    /* By Haizea's rules a suspended lease may find no way to lie on its own hosts again: Haizea
     * ends there, and so may a replay. */
    if (outcome.code != EXIT_DONE && !(outcome.stuck && workload->haizea_1_0)) {
        snprintf(trial.text, sizeof trial.text, "exit code %d: %.500s\n", outcome.code,
                 outcome.message);
        return false;
    }
    return record_is_clean();
}

/* Leave out leases as long as it still goes wrong; a trace without any fails for a reason of its
 * own. */
static void shrink(struct random_workload *workload)
{
    int n = random_workload_leases(workload), left = n;
    bool smaller = true;

    while (smaller) {
        smaller = false;
        for (int i = 0; i < n && left > 1; i++) {
            if (workload->skip[i])
                continue;
            workload->skip[i] = true;
            if (keeps_its_promises(workload)) {
                workload->skip[i] = false;
            } else {
                smaller = true;
                left--;
            }
        }
    }
}

/* After a crash, too: the seed and the files tell what it was. */
static void tell_seed(void)
{
    if (seed_under_way)
        fprintf(stderr, "seed %" PRIu64 ", files in %s\n", seed_under_way, trial.folder);
}

/* The address sanitizer's, when the program is built with it. */
void __asan_set_death_callback(void (*callback)(void)) __attribute__((weak));

static int begin(void **state)
{
    const char *temporary = getenv("TMPDIR");

    if (__asan_set_death_callback)
        __asan_set_death_callback(tell_seed);
    trial.compatibility = compatibility;
    snprintf(trial.folder, sizeof trial.folder, "%.200s/galerna-property-XXXXXX",
             temporary ? temporary : "/tmp");
    if (!mkdtemp(trial.folder))
        return -1;
    snprintf(trial.conf, sizeof trial.conf, "%s/random.conf", trial.folder);
    snprintf(trial.trace, sizeof trial.trace, "%s/random.lwf", trial.folder);
    snprintf(trial.record, sizeof trial.record, "%s/record.json", trial.folder);
    return 0;
}

static int end(void **state)
{
    tell_seed();
    if (seed_under_way)
        return 0;
    unlink(trial.conf);
    unlink(trial.trace);
    unlink(trial.record);
    rmdir(trial.folder);
    return 0;
}

static void try_seed(uint64_t seed)
{
    struct random_workload workload = {
        .seed = seed,
        .haizea_1_0 = strcmp(compatibility, "haizea-1.0") == 0,
    };

    seed_under_way = seed;
    if (keeps_its_promises(&workload))
        return;
    shrink(&workload);
    keeps_its_promises(&workload);
    fail_msg("%s", trial.text);
}

static void schedules_keep_their_promises(void **state)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        try_seed(seed);
    seed_under_way = 0;
}

/* Leases that share a transfer are placed again or preempted; cancellations that hit no lease; a
 * search for better hosts that lets a waiting lease start; leases that move shortly before their
 * end; VMs of several sizes that fit only where they were; memory that was sent to hosts that
 * others then get; a lease that is prepared again after runs that counted;
 * one cancelled when half of it is suspended. */
static void rare_cases(void **state)
{
    static const uint64_t rare[] = {2684,  3604,  3779,  4177,  5478,  5680,  5807,
                                    7311,  7359,  8186,  8230,  8333,  8609,  9492,
                                    10582, 11157, 12615, 18459, 24393, 24473, 42333};

    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        try_seed(rare[i]);
    seed_under_way = 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schedules_keep_their_promises, begin, end),
        cmocka_unit_test_setup_teardown(rare_cases, begin, end),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: test-property-schedules haizea-1.0|default [SEED [COUNT]]\n");
        return 64;
    }
    compatibility = argv[1];
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        seeds = strtoull(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
