/* Replays the golden cases with the program and judges what comes out.
 *
 * usage: test-golden GALERNA DATA GROUP [CASE]
 *
 * haizea-1.0, random, mutated, generated
 *                      compatibility mode gives the record of Haizea 1.0
 * blue                 so it does for a real trace, and the figures of longer ones
 * default-mode         the same cases in the default mode: the checker finds nothing
 * crash                where Haizea dies or hangs: both modes come to an end, with reasons
 * haizea-1.1           deadline leases: at least those that Haizea 1.1 accepts are accepted
 *
 * The records were written by Haizea itself, so they are never renewed from Galerna's output; a new
 * case needs a run of Haizea. CASES.tsv says what each case shows.
 */
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test/golden/compare.h"
#include "test/golden/replay.h"
#include "test/verify/read_record.h"
#include "verify/print.h"

enum { SECONDS = 60, SECONDS_TO_SURVIVE = 20 };

static const char compatible[] = "haizea-1.0", by_default[] = "default";

/* The conf of a case, and the record beside it. */
static void case_files(const char *conf, char record[PATH_MAX])
{
    size_t stem = strlen(conf) - strlen(".conf");

    snprintf(record, PATH_MAX, "%.*s.json", (int)stem, conf);
}

static bool is_crash(const char *conf)
{
    const char *name = strrchr(conf, '/') + 1;

    return strncmp(name, "crash-", 6) == 0 || strncmp(name, "hang-", 5) == 0 ||
           strncmp(name, "fail-", 5) == 0;
}

/* Does the configuration stop the run before all leases are done? */
static bool stops_early(const char *conf)
{
    FILE *file = fopen(conf, "r");
    char line[400];
    bool stops = false;

    while (file && fgets(line, sizeof line, file))
        stops |= strncmp(line, "stop-when", 9) == 0 && !strstr(line, "all-leases-done");
    if (file)
        fclose(file);
    return stops;
}

static json_t *load(const char *path)
{
    json_error_t problem;
    json_t *root = json_load_file(path, 0, &problem);

    if (!root)
        printf("    %s:%d: %s\n", path, problem.line, problem.text);
    return root;
}

/* The record of the last replay must be that of the file. */
static bool same_record(const struct golden *golden, const char *expected_path)
{
    char path[PATH_MAX];
    json_t *expected = load(expected_path), *got = load(golden_record(golden, path));
    bool same;

    same = expected && got && compare_records(expected, got, stdout) == 0;

    json_decref(expected);
    json_decref(got);
    return same;
}

static bool is_clean(const struct schedule *schedule, const struct verify_options *options)
{
    struct verification verification;
    struct error err;
    bool clean;

    if (verify_schedule(schedule, options, &verification, &err) < 0) {
        printf("    %s\n", err.text);
        return false;
    }
    clean = verification.n_violations == 0;
    if (!clean)
        verification_print(&verification, "    the checker", DIFFERENCES_SHOWN, stdout);
    verification_finish(&verification);
    return clean;
}

static bool read_record(const struct golden *golden, struct schedule *schedule)
{
    char path[PATH_MAX];
    struct error err;

    if (read_record_file(schedule, golden_record(golden, path), &err) == 0)
        return true;
    printf("    %s\n", err.text);
    return false;
}

static bool verified(const struct golden *golden, bool complete)
{
    const struct verify_options options = {.complete = complete};
    struct schedule schedule;
    bool clean;

    if (!read_record(golden, &schedule))
        return false;
    clean = is_clean(&schedule, &options);
    schedule_finish(&schedule);
    return clean;
}

static bool gives_haizeas_record(const struct golden *golden, const char *conf)
{
    const struct replay replay = {.conf = conf, .compatibility = compatible};
    char expected[PATH_MAX];

    case_files(conf, expected);
    return golden_replay(golden, &replay, SECONDS) == 0 && same_record(golden, expected) &&
           verified(golden, false);
}

/* Only Haizea reads durations of 0. */
static bool has_no_time(const char *conf)
{
    return strncmp(strrchr(conf, '/') + 1, "no-time-", 8) == 0;
}

static bool is_clean_by_default(const struct golden *golden, const char *conf)
{
    const struct replay replay = {.conf = conf, .compatibility = by_default};

    if (has_no_time(conf))
        return true;
    return golden_replay(golden, &replay, SECONDS) == 0 && verified(golden, !stops_early(conf));
}

static bool every_lease_has_an_end_or_a_reason(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_leases; i++) {
        const struct schedule_lease *lease = &schedule->leases[i];

        if (!schedule_state_is_final(lease->state) && !lease->reason) {
            printf("    lease %" PRId64 " is %s without a reason\n", lease->id,
                   schedule_state_names[lease->state]);
            return false;
        }
    }
    return true;
}

static bool survives_in(const struct golden *golden, const char *conf, const char *mode)
{
    const struct replay replay = {.conf = conf, .compatibility = mode};
    const struct verify_options options = {.complete = false};
    struct schedule schedule;
    bool good;

    if (golden_replay(golden, &replay, SECONDS_TO_SURVIVE) < 0 || !read_record(golden, &schedule)) {
        printf("    (mode %s)\n", mode);
        return false;
    }
    good = is_clean(&schedule, &options) && every_lease_has_an_end_or_a_reason(&schedule);
    schedule_finish(&schedule);
    if (!good)
        printf("    (mode %s)\n", mode);
    return good;
}

static bool survives(const struct golden *golden, const char *conf)
{
    bool compatibly = survives_in(golden, conf, compatible);

    return survives_in(golden, conf, by_default) && compatibly;
}

static bool accepts_as_much(const struct schedule *expected, const struct schedule *got)
{
    bool good = true;

    for (size_t i = 0; i < expected->n_leases; i++) {
        const struct schedule_lease *lease = schedule_lease(got, expected->leases[i].id);

        if (expected->leases[i].state == STATE_REJECTED || (lease && lease->state == STATE_DONE))
            continue;
        printf("    lease %" PRId64 ": Haizea 1.1 accepts it, here it is %s (%s)\n",
               expected->leases[i].id, lease ? schedule_state_names[lease->state] : "missing",
               lease && lease->reason ? lease->reason : "no reason");
        good = false;
    }
    return good;
}

static bool accepts_as_haizea_1_1(const struct golden *golden, const char *conf)
{
    const struct replay replay = {.conf = conf, .compatibility = by_default};
    struct schedule expected, got;
    char path[PATH_MAX];
    struct error err;
    bool good;

    case_files(conf, path);
    if (golden_replay(golden, &replay, SECONDS) < 0)
        return false;
    if (read_record_file(&expected, path, &err) < 0) {
        printf("    %s\n", err.text);
        return false;
    }
    good = read_record(golden, &got);
    if (good) {
        good = accepts_as_much(&expected, &got);
        schedule_finish(&got);
    }
    schedule_finish(&expected);
    return verified(golden, true) && good;
}

/* What Haizea 1.0 made of a Blue Horizon trace. */
struct figures {
    const char *trace, *injection; /* injection NULL: none */
    double mean_wait;
    int64_t last_best_effort_end;
    int suspensions, requeued;
    int64_t attempts;
};

static struct figures measure(const struct schedule *schedule)
{
    struct figures figures = {.last_best_effort_end = 0};

    for (size_t i = 0; i < schedule->n_results; i++)
        figures.mean_wait += schedule->results[i].waiting / (double)schedule->n_results;
    for (size_t i = 0; i < schedule->n_leases; i++)
        if (schedule->leases[i].kind == SCHEDULE_BEST_EFFORT &&
            schedule->leases[i].end > figures.last_best_effort_end)
            figures.last_best_effort_end = schedule->leases[i].end;
    for (size_t i = 0; i < schedule->n_moves; i++)
        figures.suspensions += schedule->moves[i].to == STATE_SUSPENDING;
    for (size_t i = 0; i < schedule->n_preemptions; i++)
        figures.requeued += !schedule->preemptions[i].suspended;
    return figures;
}

/* Not in the record. */
static int64_t attempts_in_summary(const struct golden *golden)
{
    char path[PATH_MAX];
    json_t *summary = load(golden_summary(golden, path));
    json_t *run = json_array_get(json_object_get(summary, "runs"), 0);
    int64_t attempts = json_integer_value(json_object_get(run, "scheduling_attempts"));

    json_decref(summary);
    return attempts;
}

static void print_figures(const char *what, const struct figures *figures)
{
    printf("    %-8s mean wait %.2f s, last end %" PRId64 ", %d suspensions, %d requeued, %" PRId64
           " attempts\n",
           what, figures->mean_wait, figures->last_best_effort_end, figures->suspensions,
           figures->requeued, figures->attempts);
}

static bool has_figures(const struct golden *golden, const struct figures *expected)
{
    struct schedule schedule;
    struct figures got;

    if (!read_record(golden, &schedule))
        return false;
    got = measure(&schedule);
    got.attempts = attempts_in_summary(golden);
    schedule_finish(&schedule);
    if (fabs(got.mean_wait - expected->mean_wait) < 0.00501 &&
        got.last_best_effort_end == expected->last_best_effort_end &&
        got.suspensions == expected->suspensions && got.requeued == expected->requeued &&
        got.attempts == expected->attempts)
        return true;
    print_figures("expected", expected);
    print_figures("got", &got);
    return false;
}

static bool replay_blue(const struct golden *golden, const char *trace, const char *injection)
{
    char conf[PATH_MAX], trace_setting[PATH_MAX], injection_setting[PATH_MAX];
    const struct replay replay = {
        .conf = conf,
        .compatibility = compatible,
        .settings = {trace_setting, injection ? injection_setting : NULL},
    };

    snprintf(conf, sizeof conf, "%s/blue/blue-local.conf", golden->data);
    snprintf(trace_setting, sizeof trace_setting, "tracefile.tracefile=%s/blue/%s", golden->data,
             trace);
    if (injection)
        snprintf(injection_setting, sizeof injection_setting, "tracefile.injectionfile=%s/blue/%s",
                 golden->data, injection);
    return golden_replay(golden, &replay, SECONDS) == 0;
}

static void judge(struct golden *golden, const char *name, bool good)
{
    golden->cases++;
    golden->failures += !good;
    if (!good)
        printf("FAILED %s\n", name);
}

static void run_blue(struct golden *golden)
{
    static const struct figures cases[] = {
        {"200requests.lwf", NULL, 482.17, 180811, 1, 0, 285},
        {"1000requests.lwf", NULL, 379.85, 403015, 6, 0, 2171},
        {"1000requests.lwf", "inj-T20_15d.lwf", 3692.28, 888531, 36, 58, 17280},
        {"150requests.lwf", "inj-T20-150requests.lwf", 4384.13, 166521, 0, 1, 1414},
    };
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/blue/150requests-T30-local.json", golden->data);
    judge(golden, "150requests + inj-T30-150requests",
          replay_blue(golden, "150requests.lwf", "inj-T30-150requests.lwf") &&
              same_record(golden, path) && verified(golden, true));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[120];

        snprintf(name, sizeof name, "%s + %s", cases[i].trace,
                 cases[i].injection ? cases[i].injection : "nothing");
        judge(golden, name,
              replay_blue(golden, cases[i].trace, cases[i].injection) &&
                  has_figures(golden, &cases[i]) && verified(golden, true));
    }
}

struct group {
    const char *name;
    const char *folders[4];
    bool crash; /* the cases that bring Haizea down, or the others */
    bool (*good)(const struct golden *golden, const char *conf);
};

static void run_folder(struct golden *golden, const struct group *group, const char *folder,
                       const char *only)
{
    char pattern[PATH_MAX];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/%s/%s.conf", golden->data, folder, only);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_crash(found.gl_pathv[i]) == group->crash)
            judge(golden, strrchr(found.gl_pathv[i], '/') + 1,
                  group->good(golden, found.gl_pathv[i]));
    globfree(&found);
}

static int run_group(struct golden *golden, const char *name, const char *only)
{
    static const struct group groups[] = {
        {"haizea-1.0", {"haizea-1.0"}, false, gives_haizeas_record},
        {"random", {"random"}, false, gives_haizeas_record},
        {"mutated", {"mutated"}, false, gives_haizeas_record},
        {"generated", {"generated"}, false, gives_haizeas_record},
        {"default-mode",
         {"haizea-1.0", "random", "mutated", "generated"},
         false,
         is_clean_by_default},
        {"crash", {"haizea-1.0", "generated"}, true, survives},
        {"haizea-1.1", {"haizea-1.1"}, false, accepts_as_haizea_1_1},
    };

    if (strcmp(name, "blue") == 0) {
        run_blue(golden);
        return 0;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(name, groups[i].name) != 0)
            continue;
        for (int j = 0; j < 4 && groups[i].folders[j]; j++)
            run_folder(golden, &groups[i], groups[i].folders[j], only);
        return 0;
    }
    fprintf(stderr, "test-golden: there is no group %s\n", name);
    return -1;
}

int main(int argc, char **argv)
{
    struct golden golden;
    int known;

    if (argc < 4) {
        fprintf(stderr, "usage: test-golden GALERNA DATA GROUP [CASE]\n");
        return 64;
    }
    if (golden_begin(&golden, argv[1], argv[2]) < 0)
        return 1;
    known = run_group(&golden, argv[3], argc > 4 ? argv[4] : "*");
    golden_end(&golden);
    printf("%d cases, %d failures\n", golden.cases, golden.failures);
    return known < 0 || golden.failures > 0 || golden.cases == 0;
}
