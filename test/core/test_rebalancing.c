/* Rebalancing at random: nothing over capacity, no rule broken, the limit kept, the imbalance never
 * grows, a second run finds nothing, and trying every single move finds nothing, either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rebalancing.h"
#include "test/support/random.h"

enum { PROBLEMS = 20000, HOSTS_MOST = 8, VMS_MOST = 40, CPU = 400, MEMORY = 4096, TRAFFIC = 1000 };

struct site {
    struct rebalance_host hosts[HOSTS_MOST];
    struct rebalance_vm vms[VMS_MOST];
    bool allowed[VMS_MOST][HOSTS_MOST];
    struct rebalance_problem problem;
};

static bool may_use(void *context, uint32_t vm, uint32_t host)
{
    const struct site *site = context;

    return site->allowed[vm][host];
}

static void make_hosts(struct site *site, struct random *random)
{
    site->problem.n_hosts = (uint32_t)random_between(random, 1, HOSTS_MOST);
    for (uint32_t i = 0; i < site->problem.n_hosts; i++) {
        int64_t cpu = CPU * random_between(random, 1, 3), memory = MEMORY;

        site->hosts[i] = (struct rebalance_host){
            .capacity = {cpu, cpu, memory, VMS_MOST * TRAFFIC, VMS_MOST * TRAFFIC},
            .cpu = cpu,
            .memory = memory,
            .takes = !random_once_in(random, 6),
            .is_fixed = random_once_in(random, 6)};
    }
}

static void add_vm(struct site *site, struct random *random)
{
    uint32_t home = (uint32_t)random_between(random, 0, site->problem.n_hosts - 1);
    struct rebalance_host *host = &site->hosts[home];
    int64_t cpu = 25 * random_between(random, 1, 8), memory = 128 * random_between(random, 1, 8);
    struct rebalance_vm vm = {.home = home,
                              .host = home,
                              .amount = {random_between(random, 0, cpu), cpu, memory,
                                         random_between(random, 0, TRAFFIC),
                                         random_between(random, 0, TRAFFIC)},
                              .cpu = cpu,
                              .memory = memory};

    if (cpu > host->cpu || memory > host->memory)
        return;
    host->cpu -= cpu;
    host->memory -= memory;
    for (int i = 0; i < REBALANCE_MEASURES; i++)
        host->amount[i] += vm.amount[i];
    for (uint32_t i = 0; i < site->problem.n_hosts; i++)
        site->allowed[site->problem.n_vms][i] = !random_once_in(random, 4);
    site->vms[site->problem.n_vms++] = vm;
}

static void make(struct site *site, struct random *random)
{
    int64_t cpu_weight = random_between(random, 0, USE_WHOLE);
    int64_t measured = random_once_in(random, 2) ? random_between(random, 0, cpu_weight) : 0;
    int64_t traffic = random_between(random, 0, measured);
    int64_t wanted = random_between(random, 0, VMS_MOST);

    *site = (struct site){
        .problem = {.policy = random_once_in(random, 2) ? REBALANCE_PACK : REBALANCE_BALANCE,
                    .weights = {measured - traffic, cpu_weight - measured, USE_WHOLE - cpu_weight,
                                traffic / 2, traffic - traffic / 2},
                    .threshold = random_between(random, 1, USE_WHOLE / 4),
                    .most_moves = random_once_in(random, 2)
                                      ? UINT32_MAX
                                      : (uint32_t)random_between(random, 0, 6),
                    .hosts = site->hosts,
                    .vms = site->vms,
                    .may_use = may_use,
                    .context = site}};
    make_hosts(site, random);
    for (int64_t i = 0; i < wanted; i++)
        add_vm(site, random);
}

/* Balance: the sum of squares; pack: the hosts in use. */
static int64_t imbalance(const struct site *site)
{
    bool used[HOSTS_MOST] = {false};
    int64_t squares = 0, n = 0;

    for (uint32_t i = 0; i < site->problem.n_vms; i++)
        used[site->vms[i].host] = true;
    for (uint32_t i = 0; i < site->problem.n_hosts; i++) {
        int64_t use = rebalance_use(&site->problem, i);

        squares += use * use;
        n += used[i] || site->hosts[i].is_fixed;
    }
    return site->problem.policy == REBALANCE_PACK ? n : squares;
}

/* Counted anew from the VMs. */
static void check_hosts(const struct site *site, const struct site *before)
{
    for (uint32_t host = 0; host < site->problem.n_hosts; host++) {
        int64_t cpu = site->hosts[host].capacity[MEASURE_CPU];
        int64_t memory = site->hosts[host].capacity[MEASURE_MEMORY];

        for (uint32_t i = 0; i < site->problem.n_vms; i++)
            if (site->vms[i].host == host) {
                cpu -= site->vms[i].cpu;
                memory -= site->vms[i].memory;
            }
        assert_true(cpu >= 0 && memory >= 0);
        assert_int_equal(site->hosts[host].cpu, cpu);
        assert_int_equal(site->hosts[host].memory, memory);
    }
    for (uint32_t i = 0; i < site->problem.n_vms; i++) {
        const struct rebalance_vm *vm = &site->vms[i];

        if (vm->host == before->vms[i].home)
            continue;
        assert_true(site->allowed[i][vm->host]);
        assert_true(site->hosts[vm->host].takes);
    }
}

/* Would this single move be made? By the words of the header, from nothing but the VMs. */
static bool is_better(struct site *site, uint32_t number, uint32_t to)
{
    struct rebalance_vm *vm = &site->vms[number];
    uint32_t from = vm->host;
    int64_t use = rebalance_use(&site->problem, from), before = imbalance(site), joined, after;
    int64_t difference = use - rebalance_use(&site->problem, to), left, n = 0;

    if (from == to || !site->hosts[to].takes || !site->allowed[number][to] ||
        vm->cpu > site->hosts[to].cpu || vm->memory > site->hosts[to].memory)
        return false;
    for (int i = 0; i < REBALANCE_MEASURES; i++) {
        site->hosts[from].amount[i] -= vm->amount[i];
        site->hosts[to].amount[i] += vm->amount[i];
    }
    joined = rebalance_use(&site->problem, to);
    left = rebalance_use(&site->problem, from);
    after = imbalance(site);
    for (int i = 0; i < REBALANCE_MEASURES; i++) {
        site->hosts[from].amount[i] += vm->amount[i];
        site->hosts[to].amount[i] -= vm->amount[i];
    }
    for (uint32_t i = 0; i < site->problem.n_vms; i++)
        n += site->vms[i].host == from;
    return joined + site->problem.threshold <= use && after < before &&
           10 * n * (use - left) >= difference;
}

static void check_nothing_left(struct site *site)
{
    if (site->problem.policy == REBALANCE_BALANCE)
        for (uint32_t vm = 0; vm < site->problem.n_vms; vm++)
            for (uint32_t host = 0; host < site->problem.n_hosts; host++)
                assert_false(is_better(site, vm, host));
    for (uint32_t i = 0; i < site->problem.n_vms; i++)
        site->vms[i].home = site->vms[i].host;
    assert_int_equal(rebalance(&site->problem), 0);
}

/* A host is emptied completely or not at all, and none that was empty is used. */
static void check_packed(const struct site *site, const struct site *before)
{
    for (uint32_t host = 0; host < site->problem.n_hosts; host++) {
        uint32_t had = 0, left = 0, arrived = 0;

        for (uint32_t i = 0; i < site->problem.n_vms; i++) {
            bool was_here = before->vms[i].home == host, is_here = site->vms[i].host == host;

            had += was_here;
            left += was_here && !is_here;
            arrived += is_here && !was_here;
        }
        assert_true(left == 0 || (left == had && arrived == 0));
        assert_true(arrived == 0 || had > 0 || site->hosts[host].is_fixed);
        assert_true(left == 0 || !site->hosts[host].is_fixed);
    }
}

static void test_random(void **state)
{
    static struct site site, before;
    struct random random;
    uint32_t n_moved[2] = {0};

    random_init(&random, 7);
    for (int i = 0; i < PROBLEMS; i++) {
        int64_t imbalanced;
        uint32_t n;

        make(&site, &random);
        memcpy(&before, &site, sizeof site);
        imbalanced = imbalance(&site);
        n = rebalance(&site.problem);
        n_moved[site.problem.policy] += n;
        assert_true(n <= site.problem.most_moves);
        assert_true(n == 0 ? imbalance(&site) == imbalanced : imbalance(&site) < imbalanced);
        check_hosts(&site, &before);
        if (site.problem.policy == REBALANCE_PACK)
            check_packed(&site, &before);
        if (site.problem.most_moves == UINT32_MAX)
            check_nothing_left(&site);
    }
    assert_true(n_moved[REBALANCE_BALANCE] > PROBLEMS / 2);
    assert_true(n_moved[REBALANCE_PACK] > PROBLEMS / 2);
}

/* Four equal VMs on one of two hosts: two move; the limit keeps one. */
static void test_plain(void **state)
{
    static struct site site;

    for (uint32_t most = 0; most <= 3; most++) {
        site = (struct site){.problem = {.weights = {[MEASURE_CPU] = USE_WHOLE},
                                         .threshold = USE_WHOLE / 10,
                                         .most_moves = most,
                                         .hosts = site.hosts,
                                         .n_hosts = 2,
                                         .vms = site.vms,
                                         .n_vms = 4,
                                         .may_use = may_use,
                                         .context = &site}};
        for (int i = 0; i < 2; i++)
            site.hosts[i] = (struct rebalance_host){
                .capacity = {400, 400, 4096}, .cpu = i ? 400 : 0, .memory = 4096, .takes = true};
        site.hosts[0].amount[MEASURE_CPU] = 400;
        for (int i = 0; i < 4; i++) {
            site.vms[i] = (struct rebalance_vm){.amount = {0, 100, 0}, .cpu = 100};
            site.allowed[i][0] = site.allowed[i][1] = true;
        }
        assert_int_equal(rebalance(&site.problem), most > 2 ? 2 : most);
    }
}

/* Of a busy VM and idle ones, the busy one moves: the others gain nothing by it. */
static void test_idle(void **state)
{
    static struct site site;

    site = (struct site){.problem = {.weights = {[MEASURE_CPU_USAGE] = USE_WHOLE},
                                     .threshold = USE_WHOLE / 10,
                                     .most_moves = UINT32_MAX,
                                     .hosts = site.hosts,
                                     .n_hosts = 2,
                                     .vms = site.vms,
                                     .n_vms = 4,
                                     .may_use = may_use,
                                     .context = &site}};
    for (int i = 0; i < 2; i++)
        site.hosts[i] = (struct rebalance_host){
            .capacity = {800, 800, 4096}, .cpu = 800, .memory = 4096, .takes = true};
    site.hosts[0].amount[MEASURE_CPU_USAGE] = 508;
    for (int i = 0; i < 4; i++) {
        site.vms[i] = (struct rebalance_vm){.amount = {i == 2 ? 200 : 1, 100, 0}, .cpu = 100};
        site.allowed[i][0] = site.allowed[i][1] = true;
    }
    assert_int_equal(rebalance(&site.problem), 1);
    assert_int_equal(site.vms[2].host, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_idle),
                                       cmocka_unit_test(test_random)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
