/* Room on datastores that was promised and is not measured yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "daemon/live/clock.h"
#include "daemon/live/world_inside.h"
#include "util/memory.h"

enum { VM = 5, HOST = 0, DATASTORE = 7, MINUTES_20 = 20 * 60 * 1000 };

static void polled(void *context, enum poll_kind kind, bool ok, const char *error)
{
    (void)context;
    (void)kind;
    (void)ok;
    (void)error;
}

/* A world with one host, one datastore of 900 MB, and a VM that waits. */
static struct world *world_of_one(void)
{
    static const char hosts[] = "<HOST_POOL><HOST><ID>0</ID><STATE>2</STATE><CLUSTER_ID>0"
                                "</CLUSTER_ID></HOST></HOST_POOL>";
    static const char datastores[] = "<DATASTORE_POOL><DATASTORE><ID>7</ID><TYPE>1</TYPE><STATE>0</"
                                     "STATE><TOTAL_MB>1000</TOTAL_MB>"
                                     "<FREE_MB>900</FREE_MB></DATASTORE></DATASTORE_POOL>";
    static const struct world_settings settings = {0};
    struct world *world = world_create(&settings, polled, NULL);
    struct error err = {0};

    world->hosts = memory_new(1, sizeof *world->hosts);
    world->hosts->references = 1;
    assert_int_equal(host_pool_parse(&world->hosts->pool, hosts, sizeof hosts - 1, &err), 0);
    world->site = memory_new(1, sizeof *world->site);
    world->site->references = 1;
    assert_int_equal(
        datastore_pool_parse(&world->site->datastores, datastores, sizeof datastores - 1, &err), 0);
    return world;
}

static void see(struct world *world, enum vm_state state, int32_t datastore)
{
    struct vm_observation *observed = observation_make(world, VM);

    observed->present = true;
    observed->state = state;
    observed->history.datastore = datastore;
    observed->asked = clock_monotonic() + 1;
}

static void promise(struct world *world, int64_t amount)
{
    world_promise(world, &(struct room_promise){
                             .vm = VM, .datastore = DATASTORE, .host = HOST, .amount = amount});
}

static size_t left(struct world *world)
{
    size_t n;

    promises_review(world);
    world_promises(world, &n);
    return n;
}

static void counts_until_it_is_measured(void **state)
{
    struct world *world = world_of_one();
    struct datastore *datastore = &world->site->datastores.items[0];
    size_t n;

    (void)state;
    see(world, VM_PENDING, -1);
    promise(world, 300);
    promise(world, 400); /* sent again: once */
    assert_int_equal(left(world), 1);
    assert_int_equal(world_promises(world, &n)->amount, 400);
    datastore->free = 700; /* of what the prolog has copied so far */
    see(world, VM_PREPARING, DATASTORE);
    assert_int_equal(left(world), 1);
    see(world, VM_RUNNING, DATASTORE);
    assert_int_equal(left(world), 0);

    promise(world, 300); /* not measured since */
    see(world, VM_RUNNING, DATASTORE);
    assert_int_equal(left(world), 1);
    world->promises[0].at -= MINUTES_20;
    assert_int_equal(left(world), 0);
    world_destroy(world);
}

static void ends_with_its_vm(void **state)
{
    struct world *world = world_of_one();

    (void)state;
    promise(world, 300); /* of a VM that is not known */
    assert_int_equal(left(world), 0);
    see(world, VM_PENDING, -1);
    promise(world, 0); /* nothing */
    assert_int_equal(left(world), 0);
    promise(world, 300);
    promise(world, 0); /* refused */
    assert_int_equal(left(world), 0);
    promise(world, 300);
    see(world, VM_PREPARING, 8); /* somebody sent it elsewhere */
    assert_int_equal(left(world), 0);
    promise(world, 300);
    see(world, VM_PREPARING, DATASTORE);
    assert_int_equal(left(world), 1);
    observation_make(world, VM)->present = false;
    assert_int_equal(left(world), 0);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_until_it_is_measured),
        cmocka_unit_test(ends_with_its_vm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
