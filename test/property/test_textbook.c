/* Schedules are those of the literature (textbook.h), job for job, on one host with all processors
 * and on as many hosts as there are processors; FCFS and EASY also on hosts of several processors.
 *
 * usage: test-property-textbook [SEED [COUNT]]
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine.h"
#include "test/property/textbook.h"
#include "test/support/random.h"

enum { JOBS = 40, PROCESSORS_MOST = 16 };

#ifdef GALERNA_SANITIZED /* ten times slower; the other seeds are tried without */
enum { SEEDS = 150 };
#else
enum { SEEDS = 1000 };
#endif

static uint64_t first_seed = 1, seeds = SEEDS;

struct log {
    int64_t processors;
    struct job jobs[JOBS];
};

static int by_submission(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    return (x->submit > y->submit) - (x->submit < y->submit);
}

static void make_log(struct log *log, uint64_t seed)
{
    struct random random;
    int64_t span = 0;

    random_init(&random, seed);
    log->processors = random_between(&random, 1, PROCESSORS_MOST);
    span = random_between(&random, 1, 20) * JOBS;
    for (size_t i = 0; i < JOBS; i++) {
        struct job *job = &log->jobs[i];

        job->submit = random_between(&random, 0, span);
        job->processors = random_between(&random, 1, log->processors);
        job->estimate = random_between(&random, 1, random_once_in(&random, 3) ? 200 : 30);
        job->runs =
            random_once_in(&random, 3) ? job->estimate : random_between(&random, 1, job->estimate);
    }
    qsort(log->jobs, JOBS, sizeof *log->jobs, by_submission);
}

/* --- the engine ------------------------------------------------------------------------------- */

struct play {
    struct engine *engine;
    struct engine_outputs outputs;
    struct engine_input inputs[2 * JOBS];
    struct lease_request requests[JOBS];
    struct node_set nodes[JOBS];
    struct job *jobs;
    int64_t now;
};

static void begin(struct play *play, const struct log *log, uint32_t n_hosts,
                  enum backfilling backfilling)
{
    static const struct policy_hooks none;
    struct amounts capacity = {{log->processors / n_hosts * 100, 1024}};
    struct engine_settings settings;
    struct site site;
    struct error err;

    memset(play, 0, sizeof *play);
    engine_settings_init(&settings);
    settings.backfilling = backfilling;
    settings.suspension = SUSPENSION_NONE;
    site_init(&site);
    assert_int_equal(site_add_hosts(&site, n_hosts, &capacity, &err), 0);
    play->engine = engine_create(&site, &settings, &none, &err);
    assert_non_null(play->engine);
    site_finish(&site);
    engine_outputs_init(&play->outputs);
}

static int64_t end_of(const struct play *play, size_t i)
{
    return play->jobs[i].start < 0 ? INSTANT_NEVER : play->jobs[i].start + play->jobs[i].runs;
}

static int64_t next_time(const struct play *play)
{
    int64_t next = engine_next_time(play->engine);

    for (size_t i = 0; i < JOBS; i++) {
        int64_t submit = play->jobs[i].submit, end = end_of(play, i);

        if (submit > play->now && submit < next)
            next = submit;
        if (end > play->now && end < next)
            next = end;
    }
    return next;
}

static size_t gather(struct play *play)
{
    size_t n = 0;

    for (size_t i = 0; i < JOBS; i++)
        if (end_of(play, i) == play->now && play->jobs[i].runs < play->jobs[i].estimate)
            play->inputs[n++] = (struct engine_input){.kind = INPUT_ENDED, .lease = (int64_t)i + 1};
    for (size_t i = 0; i < JOBS; i++) {
        const struct job *job = &play->jobs[i];

        if (job->submit != play->now)
            continue;
        play->nodes[i] = (struct node_set){.count = (uint32_t)job->processors,
                                           .amounts.of = {[RESOURCE_CPU] = 100}};
        play->requests[i] = (struct lease_request){.id = (int64_t)i + 1,
                                                   .kind = LEASE_BEST_EFFORT,
                                                   .submit = job->submit,
                                                   .start = INSTANT_NONE,
                                                   .deadline = INSTANT_NONE,
                                                   .duration = job->estimate,
                                                   .duration_original = job->estimate,
                                                   .duration_known = SPAN_NONE,
                                                   .terms = TERMS_NON_PREEMPTABLE,
                                                   .user = -1,
                                                   .node_sets = &play->nodes[i],
                                                   .n_node_sets = 1};
        play->inputs[n++] =
            (struct engine_input){.kind = INPUT_REQUEST, .request = &play->requests[i]};
    }
    return n;
}

static void note_starts(struct play *play)
{
    struct error err;

    for (size_t i = 0; i < play->outputs.n_items; i++) {
        const struct engine_output *output = &play->outputs.items[i];
        int64_t id = output->lease->request.id;

        if (output->kind == OUTPUT_STATE && output->lease->start_actual != INSTANT_NONE)
            play->jobs[id - 1].start = output->lease->start_actual;
    }
    for (size_t i = 0; i < play->outputs.n_items; i++)
        if (play->outputs.items[i].kind == OUTPUT_FINISHED)
            assert_int_equal(
                engine_forget(play->engine, play->outputs.items[i].lease->request.id, &err), 0);
}

/* Fills in the starts. */
static void play_log(struct log *log, uint32_t n_hosts, enum backfilling backfilling)
{
    struct play play;
    struct error err;

    begin(&play, log, n_hosts, backfilling);
    play.jobs = log->jobs;
    for (size_t i = 0; i < JOBS; i++)
        log->jobs[i].start = -1;
    play.now = -1;
    while ((play.now = next_time(&play)) != INSTANT_NEVER) {
        size_t n = gather(&play);

        if (engine_step(play.engine, play.now, play.inputs, n, &play.outputs, &err) < 0)
            fail_msg("%s", err.text);
        note_starts(&play);
    }
    engine_outputs_finish(&play.outputs);
    engine_destroy(play.engine);
}

/* --- job for job ------------------------------------------------------------------------------ */

static void compare(uint64_t seed, uint32_t n_hosts, enum textbook textbook)
{
    static const enum backfilling backfilling[] = {
        [TEXTBOOK_FCFS] = BACKFILLING_OFF,
        [TEXTBOOK_EASY] = BACKFILLING_AGGRESSIVE,
        [TEXTBOOK_CONSERVATIVE] = BACKFILLING_CONSERVATIVE,
    };
    struct log expected, seen;

    make_log(&expected, seed);
    make_log(&seen, seed);
    textbook_schedule(textbook, expected.processors, expected.jobs, JOBS);
    play_log(&seen, n_hosts ? n_hosts : (uint32_t)seen.processors, backfilling[textbook]);
    for (size_t i = 0; i < JOBS; i++)
        if (seen.jobs[i].start != expected.jobs[i].start)
            fail_msg("seed %" PRIu64 ", job %zu: begins at %" PRId64
                     ", in the textbook at %" PRId64,
                     seed, i + 1, seen.jobs[i].start, expected.jobs[i].start);
}

/* On hosts for 2 and 4 jobs of one processor. */
static void compare_shared(uint64_t seed, enum textbook textbook)
{
    struct log log;

    make_log(&log, seed);
    for (int64_t processors = 2; processors <= 4; processors *= 2)
        if (log.processors % processors == 0)
            compare(seed, (uint32_t)(log.processors / processors), textbook);
}

static void compare_all(enum textbook textbook)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        compare(seed, 0, textbook);
        compare(seed, 1, textbook);
        if (textbook != TEXTBOOK_CONSERVATIVE)
            compare_shared(seed, textbook);
    }
}

static void without_backfilling_it_is_fcfs(void **state)
{
    compare_all(TEXTBOOK_FCFS);
}

static void aggressive_backfilling_is_easy(void **state)
{
    compare_all(TEXTBOOK_EASY);
}

static void conservative_backfilling_is_conservative_with_compression(void **state)
{
    compare_all(TEXTBOOK_CONSERVATIVE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_backfilling_it_is_fcfs),
        cmocka_unit_test(aggressive_backfilling_is_easy),
        cmocka_unit_test(conservative_backfilling_is_conservative_with_compression),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
