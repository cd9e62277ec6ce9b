/* Room on datastores that was promised and is not measured yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/daemon/fake_cloud.h"

enum { VM = 5, HOST = 0, DATASTORE = 7, MINUTES_20 = 20 * 60 };

/* Seconds that the clocks are ahead: the linker puts this in the place of the C library's. */
static time_t ahead;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = __real_clock_gettime(clock, now);

    now->tv_sec += ahead;
    return result;
}

/* One host, one datastore of 900 MB. */
struct sky {
    struct fake_cloud *fake;
    struct world *world;
    struct datastore datastore;
};

static void open_sky(struct sky *sky)
{
    sky->datastore = (struct datastore){
        .id = DATASTORE, .name = "system", .type = 1, .shared = true, .free = 900, .total = 1000};
    sky->fake = fake_cloud_create();
    sky->fake->datastores = &sky->datastore;
    sky->fake->n_datastores = 1;
    fake_cloud_add_host(sky->fake, HOST, 400, 4096);
    sky->world = fake_cloud_world(sky->fake);
}

static void close_sky(struct sky *sky)
{
    world_destroy(sky->world);
    cloud_destroy(&sky->fake->cloud);
}

/* How many promises are left when the whole cloud has been looked at. */
static size_t left(struct sky *sky)
{
    struct error err = {0};
    size_t n;

    fake_cloud_wait_a_moment();
    world_poll(sky->world, POLL_FULL);
    assert_int_equal(cloud_wait(&sky->fake->cloud, NULL, 0, 0, &err), 0);
    world_promises(sky->world, &n);
    return n;
}

static void put(struct sky *sky, enum vm_state state, int32_t datastore)
{
    if (sky->fake->n_vms == 0)
        fake_cloud_add_vm(sky->fake, VM, state, -1, 100, 1024);
    fake_cloud_put(sky->fake, VM, state, datastore < 0 ? -1 : HOST);
    sky->fake->vms[0].history.sequence += sky->fake->vms[0].history.datastore != datastore;
    sky->fake->vms[0].history.datastore = datastore;
}

static void promise(struct sky *sky, int64_t amount)
{
    world_promise(sky->world, VM,
                  &(struct room_promise){.datastore = DATASTORE, .host = HOST, .amount = amount},
                  1);
}

static void counts_until_it_is_measured(void **state)
{
    struct sky sky;
    size_t n;

    open_sky(&sky);
    put(&sky, VM_PENDING, -1);
    assert_int_equal(left(&sky), 0);
    promise(&sky, 300);
    promise(&sky, 400); /* sent again: once */
    assert_int_equal(left(&sky), 1);
    assert_int_equal(world_promises(sky.world, &n)->amount, 400);
    sky.datastore.free = 700; /* of what the prolog has copied so far */
    put(&sky, VM_PREPARING, DATASTORE);
    assert_int_equal(left(&sky), 1);
    put(&sky, VM_RUNNING, DATASTORE);
    assert_int_equal(left(&sky), 0);

    promise(&sky, 300); /* not measured since */
    assert_int_equal(left(&sky), 1);
    ahead = MINUTES_20;
    assert_int_equal(left(&sky), 0);
    ahead = 0;
    close_sky(&sky);
}

static void ends_with_its_vm(void **state)
{
    struct sky sky;

    open_sky(&sky);
    promise(&sky, 300); /* of a VM that is not known */
    assert_int_equal(left(&sky), 0);
    put(&sky, VM_PENDING, -1);
    promise(&sky, 0); /* nothing */
    assert_int_equal(left(&sky), 0);
    promise(&sky, 300);
    promise(&sky, 0); /* refused */
    assert_int_equal(left(&sky), 0);
    promise(&sky, 300);
    put(&sky, VM_PREPARING, 8); /* another scheduler sent it elsewhere */
    assert_int_equal(left(&sky), 0);
    promise(&sky, 300);
    put(&sky, VM_PREPARING, DATASTORE);
    assert_int_equal(left(&sky), 1);
    put(&sky, VM_DONE, DATASTORE);
    assert_int_equal(left(&sky), 0);
    close_sky(&sky);
}

/* The promises of a daemon that has ended, as its store kept them. */
static void outlives_the_daemon(void **state)
{
    const struct room_promise given[] = {
        {.datastore = DATASTORE, .host = HOST, .amount = 300},
        {.datastore = 1, .host = HOST, .of_images = true, .amount = 20},
    };
    const struct room_promise *found;
    struct error err = {0};
    struct store *store;
    struct sky sky;
    char directory[] = "/tmp/galerna-room-XXXXXX", command[64];
    size_t n;

    assert_non_null(mkdtemp(directory));
    store = store_open(directory, &err);
    assert_non_null(store);
    open_sky(&sky);
    put(&sky, VM_PENDING, -1);
    left(&sky);
    world_promise(sky.world, VM, given, 2);
    world_remember_promises(sky.world, store);
    close_sky(&sky);

    open_sky(&sky);
    world_recall_promises(sky.world, store);
    found = world_promises(sky.world, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(found[i].vm, VM);
        assert_int_equal(found[i].datastore, given[i].datastore);
        assert_int_equal(found[i].of_images, given[i].of_images);
        assert_int_equal(found[i].amount, given[i].amount);
    }
    assert_int_equal(found[0].reported, 900);
    put(&sky, VM_PREPARING, DATASTORE);
    assert_int_equal(left(&sky), 2);
    sky.datastore.free = 600; /* measured; the image datastore was never */
    put(&sky, VM_RUNNING, DATASTORE);
    assert_int_equal(left(&sky), 1);
    ahead = MINUTES_20;
    assert_int_equal(left(&sky), 0);
    ahead = 0;
    world_remember_promises(sky.world, store);
    assert_null(store_fact(store, "room-promises"));
    close_sky(&sky);
    store_close(store);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* What a host's figures count beyond the VMs that are known, as long as it lists others. */
static void unread_vms_hold_what_their_host_counts(void **state)
{
    struct sky sky;
    struct unread_room room;
    int32_t ids[] = {VM, VM + 1};
    struct host *host;

    open_sky(&sky);
    put(&sky, VM_RUNNING, DATASTORE);
    host = &sky.fake->hosts[0];
    host->vms = ids;
    host->n_vms = 1;
    host->cpu_usage = 350;
    host->memory_usage = 3072;
    left(&sky);
    assert_false(world_unread(sky.world, &world_hosts(sky.world)->pool.items[0], &room));
    assert_int_equal(world_unread_digest(sky.world), 0);
    host->n_vms = 2;
    left(&sky);
    assert_true(world_unread(sky.world, &world_hosts(sky.world)->pool.items[0], &room));
    assert_int_equal(room.vm, VM + 1);
    assert_int_equal(room.cpu, 250);
    assert_int_equal(room.memory, 2048);
    assert_int_not_equal(world_unread_digest(sky.world), 0);
    close_sky(&sky);
}

static void a_host_with_a_vm_of_unknown_size_has_no_room(void **state)
{
    struct sky sky;
    struct unread_room room;
    int32_t ids[] = {VM, VM + 1};

    open_sky(&sky);
    put(&sky, VM_RUNNING, DATASTORE);
    fake_cloud_add_vm(sky.fake, VM + 1, VM_RUNNING, HOST, 0, 0)->size_unread = true;
    sky.fake->hosts[0].vms = ids;
    sky.fake->hosts[0].n_vms = 2;
    sky.fake->hosts[0].cpu_usage = 100;
    sky.fake->hosts[0].memory_usage = 1024;
    left(&sky);
    assert_true(world_unread(sky.world, &world_hosts(sky.world)->pool.items[0], &room));
    assert_int_equal(room.vms, 1);
    assert_int_equal(room.vm, INT32_MAX - HOST);
    assert_int_equal(room.cpu, 300);
    assert_int_equal(room.memory, 3072);
    close_sky(&sky);
}

/* As after OpenNebula lost records of its Raft log: a VM is on hold again, and its host counts it.
 */
static void what_is_counted_and_not_there_is_not_free_after_a_refusal(void **state)
{
    struct sky sky;
    struct unread_room room;
    const struct host *seen;
    int32_t ids[] = {VM};
    struct host *host;

    open_sky(&sky);
    host = &sky.fake->hosts[0];
    host->vms = ids;
    host->n_vms = 1;
    host->cpu_usage = 100;
    host->memory_usage = 1024;
    put(&sky, VM_RUNNING, DATASTORE);
    left(&sky);
    assert_false(world_note_refusal(sky.world, host->id, &room));
    put(&sky, VM_PENDING, DATASTORE);
    left(&sky);
    seen = &world_hosts(sky.world)->pool.items[0];
    assert_false(world_unread(sky.world, seen, &room)); /* it may just have ended */
    assert_true(world_note_refusal(sky.world, host->id, &room));
    assert_true(world_unread(sky.world, seen, &room));
    assert_int_equal(room.cpu, 100);
    assert_int_equal(room.memory, 1024);
    assert_int_not_equal(world_unread_digest(sky.world), 0);
    host->n_vms = 0;
    host->cpu_usage = host->memory_usage = 0;
    left(&sky);
    assert_false(world_unread(sky.world, &world_hosts(sky.world)->pool.items[0], &room));
    close_sky(&sky);
}

/* Hosts and VMs are read at the same time: a host may list a VM that has ended meanwhile. */
static void a_vm_that_has_ended_is_not_unread_on_its_host(void **state)
{
    struct sky sky;
    struct unread_room room;
    int32_t ids[] = {VM};
    struct host *host;

    open_sky(&sky);
    host = &sky.fake->hosts[0];
    put(&sky, VM_RUNNING, DATASTORE);
    host->vms = ids;
    host->n_vms = 1;
    host->cpu_usage = 100;
    left(&sky);
    put(&sky, VM_DONE, DATASTORE);
    left(&sky);
    world_drop(sky.world, VM);
    assert_false(world_unread(sky.world, &world_hosts(sky.world)->pool.items[0], &room));
    assert_int_equal(world_unread_digest(sky.world), 0);
    assert_false(observed_holds_host(world_vm(sky.world, VM)));
    host->n_vms = 0;
    sky.fake->n_vms = 0;
    left(&sky);
    assert_null(world_vm(sky.world, VM));
    close_sky(&sky);
}

/* OpenNebula may lose the record of its end. */
static void a_vm_that_comes_back_while_its_host_lists_it_is_read_again(void **state)
{
    struct sky sky;
    int32_t ids[] = {VM};
    size_t n;

    open_sky(&sky);
    put(&sky, VM_RUNNING, DATASTORE);
    sky.fake->hosts[0].vms = ids;
    sky.fake->hosts[0].n_vms = 1;
    left(&sky);
    left(&sky);
    put(&sky, VM_DONE, DATASTORE);
    left(&sky);
    world_drop(sky.world, VM);
    left(&sky);
    (void)world_forms(sky.world, &n);
    assert_int_equal(n, 0);
    put(&sky, VM_RUNNING, DATASTORE);
    left(&sky);
    (void)world_forms(sky.world, &n);
    assert_int_equal(n, 1);
    sky.fake->hosts[0].n_vms = 0; /* only its own record is true */
    left(&sky);
    assert_non_null(world_vm(sky.world, VM));
    close_sky(&sky);
}

/* It holds what it held when it could be read last. */
static void a_vm_that_cannot_be_read_any_more_is_not_gone(void **state)
{
    struct sky sky;
    int32_t ids[] = {VM};

    open_sky(&sky);
    put(&sky, VM_RUNNING, DATASTORE);
    sky.fake->hosts[0].vms = ids;
    sky.fake->hosts[0].n_vms = 1;
    left(&sky);
    sky.fake->n_vms = 0;
    for (int i = 0; i < 5; i++)
        left(&sky);
    assert_true(observed_holds_host(world_vm(sky.world, VM)));
    assert_int_equal(world_vm(sky.world, VM)->missing, 0);
    sky.fake->hosts[0].n_vms = 0;
    left(&sky);
    assert_int_equal(world_vm(sky.world, VM)->missing, 1);
    close_sky(&sky);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_until_it_is_measured),
        cmocka_unit_test(outlives_the_daemon),
        cmocka_unit_test(unread_vms_hold_what_their_host_counts),
        cmocka_unit_test(a_host_with_a_vm_of_unknown_size_has_no_room),
        cmocka_unit_test(what_is_counted_and_not_there_is_not_free_after_a_refusal),
        cmocka_unit_test(a_vm_that_has_ended_is_not_unread_on_its_host),
        cmocka_unit_test(a_vm_that_comes_back_while_its_host_lists_it_is_read_again),
        cmocka_unit_test(a_vm_that_cannot_be_read_any_more_is_not_gone),
        cmocka_unit_test(ends_with_its_vm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
