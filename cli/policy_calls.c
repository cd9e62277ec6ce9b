/* Random calls to a policy module, in the test of its conformance. */
#include "cli/policy_conformance.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lease.h"
#include "core/site.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/random.h"

enum {
    ROUNDS = 2000,
    HOSTS = 48,
    VICTIMS = 12,
    NODE_SETS = 2,
    VMS_MAX = 8, /* of a node set */
    UNTOUCHED = 0x5a,
};

/* One random query, and room for two answers with margins that must stay untouched. */
struct module_question {
    struct site site;
    struct lease leases[VICTIMS + 1];
    struct node_set node_sets[VICTIMS + 1][NODE_SETS];
    struct victim victims[VICTIMS];
    size_t n_victims;
    uint32_t needed; /* VMs that must make room */
    struct host_batch batch;
    uint32_t hosts[HOSTS];
    int32_t leases_present[HOSTS];
    int64_t unchanged_until[HOSTS];
    int64_t free[HOSTS * RESOURCE_TYPES_MAX];
    uint32_t places[NODE_SETS * VMS_MAX], present[NODE_SETS * VMS_MAX]; /* of an estimate */
    int64_t overhead;
    int64_t now;
};

struct module_answer {
    int64_t scores[HOSTS + VICTIMS + 1];
    size_t chosen[VICTIMS + 1];
    size_t n_chosen;
    bool accepted, may_preempt;
    char text[512];
    int64_t estimate;
};

uint64_t conformance_random(uint64_t *state, uint64_t limit)
{
    return random_next(state) % limit;
}

static int64_t between(uint64_t *random, int64_t least, int64_t most)
{
    return least + (int64_t)conformance_random(random, (uint64_t)(most - least + 1));
}

static void make_lease(struct module_question *question, size_t place, uint64_t *random)
{
    struct lease *lease = &question->leases[place];
    struct lease_request *request = &lease->request;

    memset(lease, 0, sizeof *lease);
    request->id = (int64_t)place + 1;
    request->kind = (enum lease_kind)between(random, LEASE_BEST_EFFORT, LEASE_DEADLINE);
    request->submit = between(random, 0, question->now);
    request->start = request->kind == LEASE_RESERVATION ? question->now + between(random, 0, 100000)
                                                        : INSTANT_NONE;
    request->duration = between(random, 0, 20) ? between(random, 1, 200000) : SPAN_UNLIMITED;
    request->duration_original = request->duration;
    request->duration_known = SPAN_NONE;
    request->deadline = request->kind == LEASE_DEADLINE ? question->now + 500000 : INSTANT_NONE;
    request->terms = (enum lease_terms)between(random, TERMS_CANCELABLE, TERMS_NON_PREEMPTABLE);
    request->preemptible = request->terms != TERMS_NON_PREEMPTABLE;
    request->origin = (enum lease_origin)between(random, ORIGIN_LOCAL, ORIGIN_EXTERNAL);
    request->priority = (int32_t)between(random, -3, 3);
    request->user = between(random, -1, 5);
    request->node_sets = question->node_sets[place];
    request->n_node_sets = (size_t)between(random, 1, NODE_SETS);
    for (size_t i = 0; i < request->n_node_sets; i++) {
        struct node_set *set = &question->node_sets[place][i];

        memset(set, 0, sizeof *set);
        set->count = (uint32_t)between(random, 1, VMS_MAX);
        set->amounts.of[RESOURCE_CPU] = 50 * between(random, 1, 8);
        set->amounts.of[RESOURCE_MEMORY] = 512 * between(random, 1, 8);
        lease->n_vms += set->count;
    }
}

static void make_hosts(struct module_question *question, uint64_t *random)
{
    struct host_batch *batch = &question->batch;
    int n_types = question->site.types.count;

    *batch = (struct host_batch){
        .lease = &question->leases[VICTIMS],
        .site = &question->site,
        .at = question->now + between(random, 0, 1000),
        .duration = question->leases[VICTIMS].request.duration,
        .hosts = question->hosts,
        .leases_present = question->leases_present,
        .unchanged_until = question->unchanged_until,
        .free = question->free,
    };
    for (uint32_t place = 0; place < HOSTS; place++) {
        size_t i = batch->n_hosts;

        if (between(random, 0, 3) == 0)
            continue;
        question->hosts[i] = place;
        question->leases_present[i] = (int32_t)between(random, 0, 9);
        question->unchanged_until[i] =
            between(random, 0, 2) ? batch->at + between(random, 1, 200000) : INSTANT_NEVER;
        for (int type = 0; type < n_types; type++)
            question->free[i * (size_t)n_types + (size_t)type] =
                between(random, 0, question->site.hosts[place].capacity.of[type]);
        batch->n_hosts++;
    }
}

static void make_question(struct module_question *question, uint64_t *random)
{
    question->now = between(random, 0, 1000000);
    for (size_t i = 0; i <= VICTIMS; i++)
        make_lease(question, i, random);
    question->n_victims = (size_t)between(random, 0, VICTIMS);
    question->needed = (uint32_t)between(random, 1, 40);
    for (size_t i = 0; i < VICTIMS; i++)
        question->victims[i] = (struct victim){
            .lease = &question->leases[i],
            .overhead = between(random, 0, 3000),
            .started = between(random, 0, 1),
            .runs_since = between(random, 0, question->now),
        };
    make_hosts(question, random);
    for (size_t i = 0; i < NODE_SETS * VMS_MAX; i++) {
        question->present[i] = (uint32_t)between(random, 0, HOSTS - 1);
        question->places[i] = (uint32_t)between(random, 0, HOSTS - 1);
    }
    question->overhead = between(random, 0, 3000);
}

static bool enough(const struct victim_test *test, const size_t *chosen, size_t n_chosen)
{
    const struct module_question *question = test->engine;
    uint32_t vms = 0;

    for (size_t i = 0; i < n_chosen; i++)
        vms += question->leases[chosen[i]].n_vms;
    return vms >= question->needed;
}

static void ask(const struct policy_hooks *hooks, struct module_question *question,
                struct module_answer *answer)
{
    const struct lease *lease = &question->leases[VICTIMS];
    const struct victim_batch batch = {.preemptor = lease,
                                       .at = question->batch.at,
                                       .victims = question->victims,
                                       .n = question->n_victims};
    const struct victim_test test = {.enough = enough, .engine = question};
    const struct lease_estimate estimate = {.lease = lease,
                                            .site = &question->site,
                                            .at = question->batch.at,
                                            .hosts = question->places,
                                            .from = question->present,
                                            .overhead = question->overhead};
    struct reason reason = {0};

    memset(answer, UNTOUCHED, sizeof *answer);
    answer->text[0] = '\0';
    answer->n_chosen = 0;
    answer->accepted = !hooks->admit || hooks->admit(hooks->context, lease, question->now, &reason);
    if (reason.text)
        snprintf(answer->text, sizeof answer->text, "%s", reason.text);
    answer->may_preempt = hooks->may_preempt && hooks->may_preempt(hooks->context, lease);
    if (hooks->choose_victims)
        answer->n_chosen = hooks->choose_victims(hooks->context, &batch, &test, answer->chosen);
    else if (hooks->score_victims)
        hooks->score_victims(hooks->context, &batch, answer->scores);
    if (hooks->score_hosts && question->batch.n_hosts > 0)
        hooks->score_hosts(hooks->context, &question->batch, answer->scores);
    if (hooks->estimate)
        answer->estimate = hooks->estimate(hooks->context, &estimate);
}

static bool is_untouched(const void *from, const void *until)
{
    for (const unsigned char *byte = from; byte != until; byte++)
        if (*byte != UNTOUCHED)
            return false;
    return true;
}

static bool are_margins_untouched(const struct module_question *question,
                                  const struct policy_hooks *hooks,
                                  const struct module_answer *answer)
{
    size_t used = hooks->score_hosts ? question->batch.n_hosts : question->n_victims;

    return is_untouched(&answer->scores[used], &answer->scores[HOSTS + VICTIMS + 1]) &&
           is_untouched(&answer->chosen[question->n_victims], &answer->chosen[VICTIMS + 1]);
}

static bool are_equal(const struct module_answer *a, const struct module_answer *b)
{
    return a->accepted == b->accepted && a->may_preempt == b->may_preempt &&
           a->n_chosen == b->n_chosen && a->estimate == b->estimate &&
           memcmp(a->scores, b->scores, sizeof a->scores) == 0 &&
           memcmp(a->chosen, b->chosen, a->n_chosen * sizeof *a->chosen) == 0 &&
           strcmp(a->text, b->text) == 0;
}

int conformance_faults(const struct conformance *conformance, const struct policy_host *host,
                       struct error *err)
{
    struct policy_status status;

    policy_host_status(host, (size_t)conformance->kind - 1, &status);
    if (status.unexplained > 0)
        return error_set(err, EINVAL,
                         "%s: refused %llu time%s without the id or the text of a reason; use "
                         "host->answer()",
                         conformance->file, (unsigned long long)status.unexplained,
                         status.unexplained == 1 ? "" : "s");
    if (status.faults == 0)
        return 0;
    return error_set(err, EINVAL, "%s: gave %llu invalid answer%s, the last: %s", conformance->file,
                     (unsigned long long)status.faults, status.faults == 1 ? "" : "s",
                     status.last_fault);
}

/* One round: query both, compare. The query has no pointers to the heap except the site's, so a
 * copy shows whether a module wrote to it. */
static int ask_both(const struct conformance *conformance, struct policy_host *const hosts[2],
                    struct module_question *question, struct module_question *copy,
                    struct error *err)
{
    const struct policy_hooks *hooks = policy_host_hooks(hosts[0]);
    static const size_t kept = sizeof(struct module_question);
    struct module_answer first, second;
    int64_t began;

    memcpy(copy, question, kept);
    began = clock_nanoseconds(CLOCK_MONOTONIC);
    ask(hooks, question, &first);
    conformance->figures->microseconds +=
        (double)(clock_nanoseconds(CLOCK_MONOTONIC) - began) / 1e3;
    conformance->figures->calls++;
    for (size_t i = 0; hooks->score_hosts && i < question->batch.n_hosts; i++)
        conformance->figures->allows_a_host |= first.scores[i] != POLICY_VETO;
    ask(policy_host_hooks(hosts[1]), question, &second);
    /* Any byte that changed counts. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    if (memcmp(copy, question, kept) != 0)
        return error_set(err, EINVAL, "%s: writes to its input", conformance->file);
    if (!are_margins_untouched(question, hooks, &first))
        return error_set(err, EINVAL, "%s: writes more scores or choices than requested",
                         conformance->file);
    if (!are_equal(&first, &second))
        return error_set(err, EINVAL,
                         "%s: two instances give different answers to the same call; a policy must "
                         "not keep variables outside self, and must not use clocks or random "
                         "numbers other than host->random()",
                         conformance->file);
    return conformance_faults(conformance, hosts[0], err);
}

static int make_site(struct site *site, struct error *err)
{
    struct amounts capacity = {{400, 4096, 100000, 1000, 1000}};

    site_init(site);
    if (site_add_hosts(site, HOSTS / 2, &capacity, err) < 0)
        return -1;
    capacity.of[RESOURCE_CPU] = 800;
    capacity.of[RESOURCE_MEMORY] = 16384;
    return site_add_hosts(site, HOSTS / 2, &capacity, err);
}

/* The module gets only the columns that it declares, but could have read this one nevertheless. */
static void ask_without(const struct conformance *conformance, struct preflight *preflight,
                        const struct policy_host *host, struct module_question *question)
{
    static const struct {
        unsigned column;
        const char *doing;
    } columns[] = {
        {HOST_COLUMN_LEASES, "reads leases_present, which it does not declare"},
        {HOST_COLUMN_CHANGE, "reads unchanged_until, which it does not declare"},
        {HOST_COLUMN_FREE, "reads free, which it does not declare"},
    };
    const struct policy_hooks *hooks = policy_host_hooks(host);
    struct module_answer answer;

    for (size_t i = 0; hooks->score_hosts && i < sizeof columns / sizeof *columns; i++) {
        uint64_t random = 2027;

        if (hooks->host_columns & columns[i].column)
            continue;
        preflight_doing(preflight, conformance->file, columns[i].doing);
        for (int round = 0; round < ROUNDS / 10; round++) {
            make_question(question, &random);
            if (columns[i].column == HOST_COLUMN_LEASES)
                question->batch.leases_present = NULL;
            else if (columns[i].column == HOST_COLUMN_CHANGE)
                question->batch.unchanged_until = NULL;
            else
                question->batch.free = NULL;
            ask(hooks, question, &answer);
        }
    }
}

/* 0 in builds with sanitizers. */
static double allocated(void)
{
    struct mallinfo2 memory = mallinfo2();

    return (double)(memory.uordblks + memory.hblkhd);
}

static int ask_often(const struct conformance *conformance, struct policy_host *const hosts[2],
                     struct module_question *question, struct error *err)
{
    struct conformance_figures *figures = conformance->figures;
    const struct site *site = &question->site;
    struct site_host *hosts_before = memory_copy(site->hosts, site->n_hosts * sizeof *site->hosts);
    uint64_t random = 2026;
    double before = 0;
    int status = 0;

    for (int i = 0; i < ROUNDS && status == 0; i++) {
        if (i == ROUNDS / 2) /* what an instance needs has been allocated */
            before = allocated();
        make_question(question, &random);
        status = ask_both(conformance, hosts, question, question + 1, err);
    }
    figures->growth = (allocated() - before) / ROUNDS; /* two calls in each of half of them */
    if (figures->calls)
        figures->microseconds /= (double)figures->calls;
    if (status == 0 && conformance->kind == POLICY_HOST_SELECTION && !figures->allows_a_host)
        status = error_set(err, EINVAL,
                           "%s: vetoes every host in %d random calls: no lease could start "
                           "(hosts have no attributes here)",
                           conformance->file, ROUNDS);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    if (status == 0 && memcmp(hosts_before, site->hosts, site->n_hosts * sizeof *site->hosts) != 0)
        status = error_set(err, EINVAL, "%s: writes to its input", conformance->file);
    free(hosts_before);
    return status;
}

int conformance_calls(const struct conformance *conformance, struct preflight *preflight,
                      struct error *err)
{
    struct policy_host *hosts[2] = {NULL, NULL};
    struct module_question *question = calloc(2, sizeof *question);
    struct policy_host_settings settings = conformance->settings;
    int status = -1;

    if (!question)
        return error_set(err, ENOMEM, "out of memory");
    if (make_site(&question->site, err) < 0)
        goto done;
    settings.site = &question->site;
    for (int i = 0; i < 2; i++) {
        hosts[i] = policy_host_create(&settings, err);
        if (!hosts[i])
            goto done;
    }
    status = ask_often(conformance, hosts, question, err);
    if (status == 0)
        ask_without(conformance, preflight, hosts[0], question);

done:
    policy_host_destroy(hosts[0]);
    policy_host_destroy(hosts[1]);
    site_finish(&question->site);
    free(question);
    return status;
}
