/* What choosing victims costs: mov, mlip and moml in a real slot table, among 30 and 1,000 leases
 * that overlap with a request, for requests of one VM up to 30 % of the site.
 *
 * usage: bench-victims [SCENES]
 *
 * Each scene is a full site of hosts with 8 processors. External leases of 1 to 4 VMs run on it, on
 * all terms on which they may be preempted, and a local reservation asks for room an hour later.
 * "choose": the CPU time of the module's choice with all its trials in the slot table; "decision":
 * that of the whole step of the engine, with the suspensions planned. Median and worst of the
 * scenes (40 unless told).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/processor_time.h"
#include "core/engine.h"
#include "plugin/engine_world.h"
#include "plugin/policy_host.h"
#include "util/memory.h"

enum { SCENES = 40, CPU = 800, MEMORY = 16384, HOUR = 3600, NEWCOMER = 1000000 };

struct scene {
    uint64_t random;
    struct site site;
    struct policy_host *policies;
    struct policy_hooks hooks; /* those of the policies, but for the choice, which is timed */
    struct engine *engine;
    struct engine_outputs outputs;
    size_t leases;   /* that the choice is made among */
    size_t victims;  /* that make room */
    double choosing; /* milliseconds */
    bool placed;
};

struct question {
    const char *name;
    double share;   /* of the site's processors; 0: one VM */
    bool deadlines; /* a quarter of the leases have one */
    bool two_sizes; /* half of its VMs have half the processors */
};

/* --- small things ----------------------------------------------------------------------------- */

static void fail(const char *what)
{
    fprintf(stderr, "victims benchmark: %s\n", what);
    exit(EXIT_FAILURE);
}

static int64_t between(struct scene *scene, int64_t least, int64_t most)
{
    scene->random = scene->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (int64_t)((scene->random >> 33) % (uint64_t)(most - least + 1));
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* --- a scene ---------------------------------------------------------------------------------- */

static size_t choose_timed(void *context, const struct victim_batch *batch,
                           const struct victim_test *test, size_t *chosen)
{
    struct scene *scene = context;
    const struct policy_hooks *real = policy_host_hooks(scene->policies);
    const double began = processor_ms();
    const size_t n_chosen = real->choose_victims(real->context, batch, test, chosen);

    scene->choosing += processor_ms() - began;
    scene->leases = batch->n > scene->leases ? batch->n : scene->leases;
    return n_chosen;
}

static bool may_preempt(void *context, const struct lease *preemptor)
{
    const struct policy_hooks *real = policy_host_hooks(((struct scene *)context)->policies);

    return real->may_preempt(real->context, preemptor);
}

static void load_policy(struct scene *scene, const char *policy)
{
    static const char *const directories[] = {BENCH_POLICIES};
    struct policy_host_settings settings;
    struct error err = {0};

    policy_host_settings_init(&settings);
    settings.preemption = policy;
    settings.directories = directories;
    settings.n_directories = 1;
    settings.site = &scene->site;
    scene->policies = policy_host_create(&settings, &err);
    if (!scene->policies)
        fail(err.text);
    scene->hooks = (struct policy_hooks){
        .context = scene, .choose_victims = choose_timed, .may_preempt = may_preempt};
}

static void step(struct scene *scene, int64_t now, const struct engine_input *input)
{
    struct error err = {0};

    if (engine_step(scene->engine, now, input, input ? 1 : 0, &scene->outputs, &err) < 0)
        fail(err.text);
}

/* One of the leases that the site is full of. */
static void add_lease(struct scene *scene, int64_t id, bool deadline)
{
    static const enum lease_terms terms[] = {TERMS_SUSPENDABLE, TERMS_SUSPENDABLE, TERMS_MIGRATABLE,
                                             TERMS_RESTARTABLE, TERMS_CANCELABLE};
    const int64_t cpu = 100 * between(scene, 1, 2), duration = between(scene, 3, 10) * HOUR,
                  slack = between(scene, 1, 3) * HOUR;
    const struct node_set set = {.count = (uint32_t)between(scene, 1, 4),
                                 .amounts = {{cpu, 1024 * between(scene, 1, 3)}}};
    const struct lease_request request = {
        .id = id,
        .kind = deadline ? LEASE_DEADLINE : LEASE_BEST_EFFORT,
        .start = INSTANT_NONE,
        .deadline = deadline ? duration + slack : INSTANT_NONE,
        .duration = duration,
        .duration_original = duration,
        .duration_known = SPAN_NONE,
        .preemptible = true,
        .terms = deadline ? TERMS_SUSPENDABLE : terms[between(scene, 0, 4)],
        .origin = ORIGIN_EXTERNAL,
        .user = -1,
        .node_sets = &set,
        .n_node_sets = 1,
    };

    step(scene, 0, &(struct engine_input){.kind = INPUT_REQUEST, .request = &request});
}

/* 6.25 processors a lease, and a little more than fit. */
static void scene_init(struct scene *scene, const char *policy, size_t n, uint64_t seed,
                       const struct question *question)
{
    const struct amounts host = {{CPU, MEMORY}};
    struct engine_settings settings;
    struct error err = {0};

    memset(scene, 0, sizeof *scene);
    scene->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    site_init(&scene->site);
    if (site_add_hosts(&scene->site, (size_t)((double)n * 3.75 / 8 / 1.03), &host, &err) < 0)
        fail(err.text);
    load_policy(scene, policy);
    engine_settings_init(&settings);
    settings.shutdown_time = 10;
    settings.migration = MIGRATION_YES;
    scene->engine = engine_create(&scene->site, &settings, &scene->hooks, &err);
    if (!scene->engine)
        fail(err.text);
    engine_world_set(scene->policies, scene->engine, INSTANT_NONE);
    engine_outputs_init(&scene->outputs);
    for (size_t i = 0; i < n; i++)
        add_lease(scene, (int64_t)i + 1, question->deadlines && i % 4 == 0);
    scene->choosing = 0;
    scene->leases = 0;
}

static void scene_finish(struct scene *scene)
{
    engine_outputs_finish(&scene->outputs);
    engine_destroy(scene->engine);
    policy_host_destroy(scene->policies);
    site_finish(&scene->site);
}

/* VMs of 1 to 4 processors. Returns the milliseconds of the whole decision. */
static double ask(struct scene *scene, const struct question *question)
{
    const int64_t cpu = 100 * between(scene, 1, 4);
    const double vms = question->share * (double)scene->site.n_hosts * CPU / (double)cpu;
    const uint32_t count = vms < 1 ? 1 : (uint32_t)vms, half = question->two_sizes ? count / 2 : 0;
    const struct node_set sets[] = {
        {.count = count - half, .amounts = {{cpu, 8 * cpu}}},
        {.count = half, .amounts = {{cpu / 2, 4 * cpu}}},
    };
    const struct lease_request request = {
        .id = NEWCOMER,
        .kind = LEASE_RESERVATION,
        .submit = 60,
        .start = HOUR,
        .deadline = INSTANT_NONE,
        .duration = HOUR,
        .duration_original = HOUR,
        .duration_known = SPAN_NONE,
        .terms = TERMS_NON_PREEMPTABLE,
        .origin = ORIGIN_LOCAL,
        .user = -1,
        .node_sets = sets,
        .n_node_sets = half ? 2 : 1,
    };
    const double began = processor_ms();
    double spent;

    step(scene, 60, &(struct engine_input){.kind = INPUT_REQUEST, .request = &request});
    spent = processor_ms() - began;
    scene->placed = engine_lease(scene->engine, NEWCOMER)->state != LEASE_REJECTED;
    for (size_t i = 0; i < scene->outputs.n_items; i++)
        scene->victims += scene->outputs.items[i].kind == OUTPUT_PREEMPTED;
    return spent;
}

/* --- the table -------------------------------------------------------------------------------- */

static void measure(const char *policy, size_t n, const struct question *question, int scenes)
{
    double *choosing = memory_new((size_t)scenes, sizeof *choosing);
    double *deciding = memory_new((size_t)scenes, sizeof *deciding);
    double leases = 0, victims = 0;
    int asked = 0, placed = 0;

    for (int seed = 1; seed <= scenes; seed++) {
        struct scene scene;
        double spent;

        scene_init(&scene, policy, n, (uint64_t)seed, question);
        spent = ask(&scene, question);
        if (scene.leases > 0) { /* else there was room */
            choosing[asked] = scene.choosing;
            deciding[asked++] = spent;
            leases += (double)scene.leases;
            victims += (double)scene.victims;
            placed += scene.placed;
        }
        scene_finish(&scene);
    }
    if (asked == 0)
        return;
    qsort(choosing, (size_t)asked, sizeof *choosing, by_size);
    qsort(deciding, (size_t)asked, sizeof *deciding, by_size);
    printf("%-5s %5zu  %-24s %8.0f %8.1f %7d %% %9.3f %8.3f %9.3f %8.3f\n", policy, n,
           question->name, leases / asked, victims / asked, 100 * placed / asked,
           choosing[asked / 2], choosing[asked - 1], deciding[asked / 2], deciding[asked - 1]);
    free(choosing);
    free(deciding);
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"mov", "mlip", "moml"};
    static const size_t sizes[] = {30, 1000};
    static const struct question questions[] = {
        {"1 VM", 0, false, false},
        {"3 % of the site", 0.03, false, false},
        {"10 %", 0.1, false, false},
        {"30 %", 0.3, false, false},
        {"10 %, two sizes", 0.1, false, true},
        {"10 %, deadlines", 0.1, true, false},
    };
    const int scenes = argc > 1 ? atoi(argv[1]) : SCENES;

    if (scenes < 1)
        fail("the number of scenes is 1 or more");
    printf("%-5s %5s  %-24s %8s %8s %9s %18s %18s\n", "", "", "", "among", "victims", "placed",
           "choose: median, worst", "decision, in ms");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof policies / sizeof *policies; k++)
            for (size_t q = 0; q < sizeof questions / sizeof *questions; q++)
                measure(policies[k], sizes[i], &questions[q], scenes);
    return EXIT_SUCCESS;
}
