/* Random traces with random configurations. */
#include "test/support/random_workload.h"

#include <inttypes.h>
#include <string.h>

#include "test/support/random.h"

#define CHOICE(random, ...)                                                                        \
    random_choice(random, (const int64_t[]){__VA_ARGS__},                                          \
                  sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* What the whole workload has in common. */
struct shape {
    bool gpus, images;
    int64_t leases, gap; /* most seconds between two submissions */
    int64_t hosts;
    int64_t longest; /* duration */
};

/* One stream of random numbers for each part, so that leaving out one does not change the others.
 * Numbers are drawn in statements of their own, never two as arguments of one call: compilers
 * evaluate arguments in different orders, and a seed means the same workload with all of them. */
static struct random stream(const struct random_workload *workload, uint64_t part)
{
    struct random random;

    random_init(&random, workload->seed * 1000 + part);
    return random;
}

static struct shape shape_of(const struct random_workload *workload)
{
    struct random random = stream(workload, 0);
    struct shape shape;

    shape.gpus = random_once_in(&random, 5);
    shape.images = random_once_in(&random, 5) && !workload->plain;
    shape.leases = random_between(&random, 2, WORKLOAD_LEASES_MAX);
    shape.gap = CHOICE(&random, 0, 60, 300, 1200);
    shape.hosts = random_between(&random, 1, 6);
    shape.longest = CHOICE(&random, 300, 1800, 7200);
    return shape;
}

int random_workload_leases(const struct random_workload *workload)
{
    return (int)shape_of(workload).leases;
}

static void write_time(FILE *file, const char *element, const char *attribute, int64_t seconds)
{
    fprintf(file, "<%s %s=\"%" PRId64 ":%02" PRId64 ":%02" PRId64 "\"/>", element, attribute,
            seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void write_amounts(FILE *file, int64_t cpu, int64_t memory, int64_t gpu)
{
    fprintf(file,
            "<res type=\"CPU\" amount=\"%" PRId64 "\"/><res type=\"Memory\" amount=\"%" PRId64
            "\"/>",
            cpu, memory);
    if (gpu > 0)
        fprintf(file, "<res type=\"GPU\" amount=\"%" PRId64 "\"/>", gpu);
}

static void write_site(const struct random_workload *workload, const struct shape *shape,
                       FILE *file)
{
    struct random random = stream(workload, 1);
    int64_t left = shape->hosts;

    fprintf(file, "  <site>\n    <resource-types names=\"CPU Memory%s\"/>\n    <nodes>\n",
            shape->gpus ? " GPU" : "");
    while (left > 0) {
        int64_t count = random_between(&random, 1, left);
        int64_t cpu = CHOICE(&random, 100, 100, 200, 400);
        int64_t memory = CHOICE(&random, 1024, 1024, 2048, 4096);

        fprintf(file, "      <node-set numnodes=\"%" PRId64 "\">", count);
        write_amounts(file, cpu, memory, shape->gpus ? random_between(&random, 0, 4) : 0);
        fprintf(file, "</node-set>\n");
        left -= count;
    }
    fprintf(file, "    </nodes>\n  </site>\n");
}

static void write_nodes(struct random *random, const struct shape *shape, FILE *file)
{
    int64_t sets = random_once_in(random, 4) ? 2 : 1;

    fprintf(file, "        <nodes>\n");
    for (int64_t i = 0; i < sets; i++) {
        int64_t most = random_once_in(random, 3) ? 8 : 3;
        int64_t count = random_between(random, 1, most);
        int64_t cpu = CHOICE(random, 25, 50, 100, 100);
        int64_t memory = CHOICE(random, 128, 256, 512, 1024);

        fprintf(file, "          <node-set numnodes=\"%" PRId64 "\">", count);
        write_amounts(file, cpu, memory,
                      shape->gpus && random_once_in(random, 3) ? random_between(random, 1, 2) : 0);
        fprintf(file, "</node-set>\n");
    }
    fprintf(file, "        </nodes>\n");
}

/* The start, and the duration and deadline that go with it. */
static void write_times(const struct random_workload *workload, struct random *random,
                        const struct shape *shape, int64_t submit, FILE *file)
{
    int64_t duration = random_between(random, 10, shape->longest);
    int64_t start = submit + (random_once_in(random, 12) ? random_between(random, -300, 0)
                                                         : random_between(random, 0, 3600));
    int64_t kind = random_between(random, 1, 10);

    if (start < 0)
        start = 0;
    fprintf(file, "        ");
    if (kind == 1) {
        fprintf(file, "<start><now/></start>");
    } else if (kind <= 3 || (kind <= 5 && workload->haizea_1_0)) {
        fprintf(file, "<start>");
        write_time(file, "exact", "time", start);
        fprintf(file, "</start>");
    } else if (kind <= 5) {
        fprintf(file, "<start>");
        write_time(file, "exact", "time", start);
        fprintf(file, "</start>");
        write_time(file, "deadline", "time",
                   start + duration + random_between(random, 0, 3 * duration));
    } else if (kind == 6 && !workload->haizea_1_0) {
        write_time(file, "start", "earliest", start);
    } else {
        fprintf(file, "<start/>");
    }
    fprintf(file, "\n        ");
    write_time(file, "duration", "time", duration);
    fputc('\n', file);
}

static void write_lease(const struct random_workload *workload, const struct shape *shape,
                        int64_t index, FILE *file)
{
    static const char *const terms[] = {"cancelable", "suspendable", "migratable", "restartable",
                                        "non-preemptable"};
    struct random random = stream(workload, 100 + (uint64_t)index);
    int64_t submit = 0;

    for (int64_t i = 0; i <= index; i++) {
        struct random arrivals = stream(workload, 200 + (uint64_t)i);

        submit += random_once_in(&arrivals, 3) ? 0 : random_between(&arrivals, 0, shape->gap);
    }
    fprintf(file, "    <lease-request arrival=\"%" PRId64 ":%02" PRId64 ":%02" PRId64 "\">\n",
            submit / 3600, submit / 60 % 60, submit % 60);
    if (random_once_in(&random, 3)) {
        fprintf(file, "      ");
        write_time(file, "realduration", "time", random_between(&random, 1, shape->longest));
        fputc('\n', file);
    }
    fprintf(file, "      <lease preemptible=\"%s\"", random_once_in(&random, 4) ? "false" : "true");
    if (!workload->haizea_1_0 && random_once_in(&random, 4))
        fprintf(file, " terms=\"%s\"", terms[random_between(&random, 0, 4)]);
    if (!workload->haizea_1_0 && random_once_in(&random, 4)) {
        int64_t priority = random_between(&random, -2, 5);

        fprintf(file, " priority=\"%" PRId64 "%s\" origin=\"%s\"", priority,
                priority % 2 ? ".5" : "", random_once_in(&random, 2) ? "local" : "external");
    }
    fprintf(file, ">\n");
    write_nodes(&random, shape, file);
    write_times(workload, &random, shape, submit, file);
    if (shape->images && !random_once_in(&random, 4)) {
        int64_t image = random_between(&random, 1, 3);

        fprintf(file,
                "        <software><disk-image id=\"image-%" PRId64 "\" size=\"%" PRId64
                "\"/></software>\n",
                image, CHOICE(&random, 128, 512, 1024));
    } else {
        fprintf(file, "        <software><none/></software>\n");
    }
    fprintf(file, "      </lease>\n    </lease-request>\n");
}

int random_workload_write_trace(const struct random_workload *workload, FILE *file)
{
    struct shape shape = shape_of(workload);

    fprintf(file, "<?xml version=\"1.0\"?>\n<lease-workload name=\"random-%" PRIu64 "\">\n",
            workload->seed);
    write_site(workload, &shape, file);
    fprintf(file, "  <lease-requests>\n");
    for (int64_t i = 0; i < shape.leases; i++)
        if (!workload->skip[i])
            write_lease(workload, &shape, i, file);
    fprintf(file, "  </lease-requests>\n</lease-workload>\n");
    return ferror(file) ? -1 : 0;
}

static const char *word(struct random *random, const char *const *words, int64_t n)
{
    return words[random_between(random, 0, n - 1)];
}

#define WORD(random, ...)                                                                          \
    word(random, (const char *const[]){__VA_ARGS__},                                               \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Haizea's two, or in half of the default workloads one of the papers'. */
static void write_preemption(const struct random_workload *workload, bool none, FILE *file)
{
    struct random random = stream(workload, 5);
    const char *policy = none ? "no-preemption" : "ar-preempts-everything";

    if (!workload->haizea_1_0 && random_once_in(&random, 2))
        policy = WORD(&random, "priority", "priority", "mov", "mlip", "moml");
    fprintf(file, "policy-preemption: %s\n", policy);
    if (!workload->haizea_1_0 && random_once_in(&random, 8))
        fprintf(file, "convert-reservations: yes\n");
}

/* Who may preempt whom, beyond external leases for local requests. */
static void write_choice(const struct random_workload *workload, FILE *file)
{
    struct random random = stream(workload, 6);
    static const char *const policies[] = {"mov", "mlip", "moml"};

    for (size_t i = 0; !workload->haizea_1_0 && i < sizeof policies / sizeof *policies; i++) {
        const char *preemptors = WORD(&random, "local", "any", "any");

        fprintf(file, "\n[policy %s]\npreemptors: %s\nvictims: %s\n", policies[i], preemptors,
                WORD(&random, "external", "any", "any"));
    }
}

/* In a third of the default workloads hosts differ, and leases that run go to better ones. */
static bool leases_move(const struct random_workload *workload)
{
    struct random random = stream(workload, 7);

    return !workload->haizea_1_0 && random_once_in(&random, 3);
}

static void write_moves(const struct random_workload *workload, bool migration, FILE *file)
{
    struct random random = stream(workload, 8);
    struct shape shape = shape_of(workload);
    int64_t named = shape.hosts < 3 ? shape.hosts : 3;
    const char *bandwidth;

    fprintf(file, "migration-interval: %s\n", WORD(&random, "100", "600", "5000"));
    fprintf(file, "migration-threshold: %s\n", WORD(&random, "0", "1", "10", "30"));
    fprintf(file, "migration-mode: %s\n",
            migration && random_once_in(&random, 2) ? "cold" : "live");
    fputs("\n[policy gridway]\nspeeds: ", file);
    for (int64_t i = 1; i <= named; i++)
        fprintf(file, "%s%" PRId64 ":%" PRId64, i > 1 ? "," : "", i,
                random_between(&random, 200, 5000));
    bandwidth = WORD(&random, "1", "12.5", "1000");
    fprintf(file, "\nbandwidth: %s\nrestart-data: %s\n", bandwidth,
            WORD(&random, "-1", "0", "1000"));
}

static void write_scheduling(const struct random_workload *workload, FILE *file)
{
    struct random random = stream(workload, 2);
    const char *selection, *migration;

    fprintf(file, "[scheduling]\nmapper: greedy\n");
    fprintf(file, "policy-admission: %s\n", random_once_in(&random, 20) ? "no-ARs" : "accept-all");
    write_preemption(workload, random_once_in(&random, 4), file);
    selection = workload->haizea_1_0 ? WORD(&random, "greedy", "no-policy")
                                     : WORD(&random, "greedy", "no-policy", "pack", "spread");
    fprintf(file, "policy-host-selection: %s\n", leases_move(workload) ? "gridway" : selection);
    fprintf(file, "backfilling: %s\n",
            WORD(&random, "off", "aggressive", "conservative", "intermediate"));
    fprintf(file, "backfilling-reservations: %" PRId64 "\n", random_between(&random, 1, 4));
    fprintf(file, "suspension: %s\n", WORD(&random, "none", "serial-only", "all", "all", "all"));
    fprintf(file, "suspend-rate: %s\n", WORD(&random, "16", "32", "61.86"));
    fprintf(file, "resume-rate: %s\n", WORD(&random, "16", "32", "66.27"));
    fprintf(file, "suspendresume-exclusion: %s\n", WORD(&random, "local", "global"));
    migration = WORD(&random, "no", "yes", "yes-notransfer");
    fprintf(file, "migration: %s\n", migration);
    fprintf(file, "shutdown-time: %s\n", WORD(&random, "0", "0", "5", "30"));
    fprintf(file, "enactment-overhead: %s\n", WORD(&random, "0", "0", "1", "3"));
    if (random_once_in(&random, 5))
        fprintf(file, "scheduling-threshold-factor: %" PRId64 "\n", random_between(&random, 0, 3));
    if (random_once_in(&random, 8))
        fprintf(file, "force-scheduling-threshold: %" PRId64 "\n", random_between(&random, 0, 120));
    if (random_once_in(&random, 8))
        fprintf(file, "override-suspend-time: %s\n", WORD(&random, "0", "7", "30"));
    if (random_once_in(&random, 8))
        fprintf(file, "override-resume-time: %s\n", WORD(&random, "0", "7", "30"));
    if (leases_move(workload))
        write_moves(workload, strcmp(migration, "no") != 0, file);
}

static void write_images(const struct random_workload *workload, FILE *file)
{
    struct random random = stream(workload, 3);

    fprintf(file, "\n[deploy-imagetransfer]\ntransfer-mechanism: %s\n",
            WORD(&random, "unicast", "multicast"));
    fprintf(file, "avoid-redundant-transfers: %s\n", WORD(&random, "yes", "no"));
    fprintf(file, "diskimage-reuse: %s\n", WORD(&random, "none", "image-caches"));
    fprintf(file, "diskimage-cache-size: %s\n", WORD(&random, "600", "2048"));
    if (random_once_in(&random, 4))
        fprintf(file, "force-imagetransfer-time: 45\n");
}

static void write_cancellation(struct random *random, const struct shape *shape, int64_t from,
                               int64_t until, FILE *file)
{
    int64_t lease = random_between(random, 1, shape->leases);

    fprintf(file, " %" PRId64 "@%" PRId64, lease, random_between(random, from, until));
}

int random_workload_write_configuration(const struct random_workload *workload,
                                        const char *tracefile, FILE *file)
{
    struct shape shape = shape_of(workload);
    struct random random = stream(workload, 4);

    fprintf(file,
            "[general]\nmode: simulated\nlease-preparation: %s\n\n"
            "[simulation]\nclock: simulated\nstarttime: 2006-11-25 13:00:00\n"
            "resources: in-tracefile\nimagetransfer-bandwidth: 100\n\n",
            shape.images ? "imagetransfer" : "unmanaged");
    write_scheduling(workload, file);
    write_choice(workload, file);
    if (shape.images)
        write_images(workload, file);
    fprintf(file, "\n[accounting]\nprobes: ar best-effort immediate cpu-utilization disk-usage\n");
    fprintf(file, "\n[tracefile]\ntracefile: %s\n", tracefile);
    if (random_once_in(&random, 8))
        fprintf(file, "add-overhead: all\nruntime-slowdown-overhead: 10\n"
                      "bootshutdown-overhead: 20\n");
    if (!workload->plain && random_once_in(&random, 4)) {
        fputs("\n[oracle]\ncancel:", file);
        write_cancellation(&random, &shape, 0, 4000, file);
        write_cancellation(&random, &shape, 4000, 9000, file);
        fputc('\n', file);
    }
    return ferror(file) ? -1 : 0;
}
