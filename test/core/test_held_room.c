/* Room is held on the hosts that a scan of all hosts finds: usable, large enough, the most free CPU
 * first, then the order of the site. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/adoption.h"
#include "core/engine.h"
#include "core/held_room.h"
#include "core/host_filter.h"
#include "core/leases.h"
#include "test/support/random.h"

enum { HOSTS_MOST = 40, LEASES = 60 };

struct play {
    struct random random;
    struct engine *engine;
    uint32_t n_hosts;
    int64_t free_cpu[HOSTS_MOST];
    uint64_t allowed[(HOSTS_MOST + 63) / 64]; /* for restricted leases */
    struct host_filter filter;
    struct lease *leases[LEASES];
    size_t n_leases;
};

static void begin(struct play *play, uint64_t seed)
{
    static const struct policy_hooks none;
    struct engine_settings settings;
    struct site site;

    memset(play, 0, sizeof *play);
    play->filter.allowed = play->allowed;
    random_init(&play->random, seed);
    play->n_hosts = (uint32_t)random_between(&play->random, 1, HOSTS_MOST);
    engine_settings_init(&settings);
    site_init(&site);
    for (uint32_t host = 0; host < play->n_hosts; host++) {
        struct amounts capacity = {{random_between(&play->random, 1, 4) * 100, 4096}};

        assert_int_equal(site_add_hosts(&site, 1, &capacity, NULL), 0);
        play->free_cpu[host] = capacity.of[RESOURCE_CPU];
    }
    play->engine = engine_create(&site, &settings, &none, NULL);
    assert_non_null(play->engine);
    assert_int_equal(engine_begin(play->engine, 0, NULL), 0);
    site_finish(&site);
}

static struct lease *next_lease(struct play *play)
{
    struct node_set nodes = {.count = (uint32_t)random_between(&play->random, 1, 3),
                             .amounts.of = {random_between(&play->random, 1, 4) * 50, 128}};
    struct lease_request request = {.id = (int64_t)play->n_leases + 1,
                                    .kind = LEASE_BEST_EFFORT,
                                    .duration = SPAN_UNLIMITED,
                                    .node_sets = &nodes,
                                    .n_node_sets = 1};

    memset(play->allowed, 0, sizeof play->allowed);
    for (uint32_t host = 0; host < play->n_hosts; host++)
        if (!random_once_in(&play->random, 3))
            bitmap_add(play->allowed, host);
    nodes.hosts = random_once_in(&play->random, 2) ? &play->filter : NULL;
    return play->leases[play->n_leases++] = lease_create(&request, play->n_hosts);
}

static int64_t capacity_of(const struct play *play, uint32_t host)
{
    return engine_site(play->engine)->hosts[host].capacity.of[RESOURCE_CPU];
}

static uint32_t scan(const struct play *play, int64_t cpu, bool restricted)
{
    uint32_t best = HOST_NONE;
    int64_t most = 0;

    for (uint32_t host = 0; host < play->n_hosts; host++)
        if (play->free_cpu[host] > most && cpu <= capacity_of(play, host) &&
            (!restricted || bitmap_has(play->allowed, host))) {
            most = play->free_cpu[host];
            best = host;
        }
    return best;
}

/* One lease; the hosts that it holds room on are those of the scan, in its order. */
static void hold_one(struct play *play, struct held_room *held)
{
    struct lease *lease = next_lease(play);
    const struct node_set *nodes = &lease->request.node_sets[0];
    int64_t cpu = nodes->amounts.of[RESOURCE_CPU];
    size_t before = held->list.n;

    hold_room_for(held, lease);
    hold_room_against(play->engine, held, lease->request.priority);
    assert_int_equal(held->list.n, before);
    hold_room_against(play->engine, held, lease->request.priority - 1);
    for (uint32_t vm = 0; vm < nodes->count; vm++) {
        uint32_t host = scan(play, cpu, nodes->hosts != NULL);
        const struct reservation *r;

        if (host == HOST_NONE)
            break;
        assert_true(before < held->list.n);
        r = held->list.items[before++];
        assert_int_equal(r->placement->hosts[0], host);
        cpu = cpu < play->free_cpu[host] ? cpu : play->free_cpu[host];
        assert_int_equal(r->placement->amounts[RESOURCE_CPU], cpu);
        play->free_cpu[host] -= cpu;
        cpu = nodes->amounts.of[RESOURCE_CPU];
    }
    assert_int_equal(before, held->list.n);
}

static void hosts_are_those_of_a_scan(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct held_room held = {0};
        struct play play;

        begin(&play, seed);
        while (play.n_leases < LEASES)
            hold_one(&play, &held);
        release_held_room(play.engine, &held);
        for (uint32_t host = 0; host < play.n_hosts; host++)
            assert_int_equal(engine_free(play.engine, host, RESOURCE_CPU, 0),
                             capacity_of(&play, host));
        for (size_t i = 0; i < play.n_leases; i++)
            lease_destroy(play.leases[i]);
        engine_destroy(play.engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_those_of_a_scan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
