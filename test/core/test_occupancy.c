/* What is remembered about refused demands for units changes no answer: random stays come and go,
 * and every question is also asked of a copy, which remembers nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/occupancy.h"
#include "test/support/random.h"
#include "util/bitmap.h"

enum { HOSTS = 2, DEMANDS = 5, STAYS = 24, ROUNDS = 20000, TIMES = 12 };

static const uint32_t thread_ids[] = {0, 1, 2, 3};
static const struct numa_core cores[] = {{&thread_ids[0], 2}, {&thread_ids[2], 2}};
static const struct numa_node node = {.id = 0, .cores = cores, .n_cores = 2, .memory_kb = 1000};
static const struct pci_device devices[] = {
    {.vendor = 1, .device = 1, .address = 1, .numa_node = 0},
    {.vendor = 1, .device = 2, .address = 2, .numa_node = 0}};
static const struct host_units units = {
    .nodes = &node, .n_nodes = 1, .devices = devices, .n_devices = 2};

static const struct vm_node small = {1, 200}, large = {2, 600};
static const struct pci_demand any_device = {1, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY};
static const struct pci_demand second_device = {1, 2, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY};
static const struct vm_demand demands[DEMANDS] = {
    {.node = NODE_ANY, .devices = &any_device, .n_devices = 1, .role = DEMAND_ANY},
    {.node = NODE_ANY, .devices = &second_device, .n_devices = 1, .role = DEMAND_ANY},
    {.pin = PIN_THREAD, .nodes = &small, .n_nodes = 1, .node = NODE_ANY, .role = DEMAND_ANY},
    {.pin = PIN_CORE, .nodes = &large, .n_nodes = 1, .node = NODE_ANY, .role = DEMAND_ANY},
    {.pin = PIN_THREAD,
     .nodes = &large,
     .n_nodes = 1,
     .node = NODE_ANY,
     .devices = &any_device,
     .n_devices = 1,
     .role = DEMAND_ANY},
};

struct world {
    struct site site;
    struct occupancy *occupancy;
    struct stay stays[STAYS];
    size_t n;
    struct random random;
    size_t refused, remembered, at_once;
};

static void world_init(struct world *world)
{
    const struct amounts capacity = {{400, 1000}};
    struct error err;

    memset(world, 0, sizeof *world);
    random_init(&world->random, 1);
    site_init(&world->site);
    assert_int_equal(site_add_hosts(&world->site, HOSTS, &capacity, &err), 0);
    for (int host = 0; host < HOSTS; host++)
        world->site.hosts[host].units = &units;
    world->occupancy = occupancy_create(&world->site);
}

static void leave(struct world *world, size_t i)
{
    occupancy_release(world->occupancy, &world->stays[i]);
    held_units_destroy(world->stays[i].held);
    world->stays[i] = world->stays[--world->n];
}

static void world_finish(struct world *world)
{
    while (world->n)
        leave(world, 0);
    occupancy_destroy(world->occupancy);
    site_finish(&world->site);
}

static struct unit_question draw_question(struct world *world)
{
    struct random *random = &world->random;
    int64_t from = random_between(random, 0, 3);
    int64_t least = from + random_between(random, 1, TIMES);

    return (struct unit_question){.demand = &demands[random_between(random, 0, DEMANDS - 1)],
                                  .host = (uint32_t)random_between(random, 0, HOSTS - 1),
                                  .from = from,
                                  .least = least,
                                  .until = least + random_between(random, 0, TIMES)};
}

static void assert_same_units(const struct held_units *a, const struct held_units *b)
{
    assert_int_equal(a->n_threads, b->n_threads);
    assert_int_equal(a->n_devices, b->n_devices);
    assert_memory_equal(a->threads_and_devices, b->threads_and_devices,
                        (size_t)(a->n_threads + a->n_devices) * sizeof(uint16_t));
}

/* Asks both; the VM comes if there is a place for it. */
static void ask(struct world *world)
{
    const struct unit_question question = draw_question(world);
    const bool known = occupancy_refused(world->occupancy, &question);
    const uint64_t *refusing = occupancy_refusing(world->occupancy, question.demand, question.from);
    const bool whatever_the_end = refusing && bitmap_has(refusing, question.host);
    struct occupancy *copy = occupancy_copy(world->occupancy, &world->site);
    struct held_units *held = NULL, *expected = NULL;
    int64_t until = occupancy_units_until(world->occupancy, &question, &held);

    assert_int_equal(until, occupancy_units_until(copy, &question, &expected));
    assert_true((held == NULL) == (expected == NULL));
    world->remembered += known;
    world->refused += until == question.from;
    world->at_once += whatever_the_end;
    if (known || whatever_the_end)
        assert_int_equal(until, question.from);
    if (held && expected) {
        assert_same_units(held, expected);
        held_units_destroy(expected);
        world->stays[world->n++] = (struct stay){question.from, until, held, NULL};
        occupancy_book(world->occupancy, &world->stays[world->n - 1]);
    }
    occupancy_destroy(copy);
}

static void refusals_are_remembered_until_something_changes(void **state)
{
    struct world world;

    world_init(&world);
    for (int round = 0; round < ROUNDS; round++) {
        ask(&world);
        if (world.n == STAYS || (world.n && random_once_in(&world.random, 4)))
            leave(&world, (size_t)random_between(&world.random, 0, (int64_t)world.n - 1));
    }
    assert_true(world.refused > ROUNDS / 4);
    assert_true(world.remembered > ROUNDS / 100);
    assert_true(world.at_once > ROUNDS / 100);
    world_finish(&world);
}

/* Equal demands of two VMs are one; the first has what both want. */
static void a_device_that_is_free_again_is_given(void **state)
{
    const struct pci_demand same = second_device;
    const struct vm_demand other = {
        .node = NODE_ANY, .devices = &same, .n_devices = 1, .role = DEMAND_ANY};
    struct unit_question question = {.demand = &demands[1], .from = 0, .least = 10, .until = 10};
    struct world world;

    world_init(&world);
    assert_int_equal(occupancy_units_until(world.occupancy, &question, &world.stays[0].held), 10);
    world.stays[world.n++].until = 10;
    occupancy_book(world.occupancy, &world.stays[0]);
    assert_false(occupancy_refused(world.occupancy, &question));
    assert_int_equal(occupancy_units_until(world.occupancy, &question, NULL), 0);
    question.demand = &other;
    assert_true(occupancy_refused(world.occupancy, &question));
    question.from = 1;
    assert_false(occupancy_refused(world.occupancy, &question));
    question.from = 0;
    leave(&world, 0);
    assert_false(occupancy_refused(world.occupancy, &question));
    assert_int_equal(occupancy_units_until(world.occupancy, &question, NULL), 10);
    world_finish(&world);
}

/* VMs with other demands are asked about in between. */
static void hosts_that_refuse_several_demands_are_known(void **state)
{
    const uint64_t first = 1;
    struct unit_question question = {.from = 0, .least = 10, .until = 10};
    struct world world;

    world_init(&world);
    question.demand = &demands[1];
    for (question.host = 0; question.host < HOSTS; question.host++) {
        struct stay *stay = &world.stays[world.n++];

        occupancy_units_until(world.occupancy, &question, &stay->held);
        stay->until = 10;
        occupancy_book(world.occupancy, stay);
    }
    for (question.host = 0; question.host < HOSTS; question.host++)
        for (int i = 0; i < DEMANDS; i++) {
            question.demand = &demands[i];
            occupancy_units_until(world.occupancy, &question, NULL);
        }
    assert_true(occupancy_refused_by_all(world.occupancy, &demands[1], 0, NULL));
    assert_false(occupancy_refused_by_all(world.occupancy, &demands[0], 0, NULL));
    leave(&world, 0);
    assert_false(occupancy_refused_by_all(world.occupancy, &demands[1], 0, NULL));
    assert_false(occupancy_refused_by_all(world.occupancy, &demands[1], 0, &first));
    assert_int_equal(occupancy_refusing(world.occupancy, &demands[1], 0)[0], ~first);
    world_finish(&world);
}

/* As of a site on which few hosts have devices. */
static void hosts_without_units_refuse_all_demands(void **state)
{
    struct unit_question question = {.demand = &demands[1], .from = 0, .least = 10, .until = 10};
    struct world world;

    world_init(&world);
    for (int host = 1; host < HOSTS; host++)
        world.site.hosts[host].units = NULL;
    assert_int_equal(occupancy_units_until(world.occupancy, &question, &world.stays[0].held), 10);
    world.stays[world.n++].until = 10;
    occupancy_book(world.occupancy, &world.stays[0]);
    assert_false(occupancy_refused_by_all(world.occupancy, &demands[1], 0, NULL));
    assert_int_equal(occupancy_units_until(world.occupancy, &question, NULL), 0);
    assert_true(occupancy_refused_by_all(world.occupancy, &demands[1], 0, NULL));
    world_finish(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_are_remembered_until_something_changes),
        cmocka_unit_test(a_device_that_is_free_again_is_given),
        cmocka_unit_test(hosts_that_refuse_several_demands_are_known),
        cmocka_unit_test(hosts_without_units_refuse_all_demands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
