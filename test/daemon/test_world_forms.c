/* Extended forms of VMs: which answers count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "daemon/live/world_inside.h"

static void polled(void *context, enum poll_kind kind, bool ok, const char *error)
{
    (void)context;
    (void)kind;
    (void)ok;
    (void)error;
}

/* An answer with one VM in extended form, with that many MB of memory; pending (1) or running (3).
 */
static struct vm_pool answer_in_state(int id, int memory, int state)
{
    struct vm_pool pool;
    struct error err = {0};
    char document[512];

    snprintf(document, sizeof document,
             "<VM_POOL><VM><ID>%d</ID><UID>1</UID><GID>1</GID><STATE>%d</STATE><LCM_STATE>%d"
             "</LCM_STATE><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><TEMPLATE><CPU>1</CPU>"
             "<MEMORY>%d</MEMORY></TEMPLATE><USER_TEMPLATE/></VM></VM_POOL>",
             id, state, state == 3 ? 3 : 0, memory);
    if (vm_pool_parse(&pool, document, strlen(document), &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(pool.n, 1);
    return pool;
}

static struct vm_pool answer(int id, int memory)
{
    return answer_in_state(id, memory, 1);
}

static void see(struct world *world, struct vm_pool pool, int64_t asked)
{
    observation_see(world, &pool.items[0], asked);
    full_forms_add(&world->full_next, &pool, asked);
}

/* A glance beside a poll. */
static void glance(struct world *world, struct vm_pool pool, int64_t asked)
{
    observation_see(world, &pool.items[0], asked);
    full_forms_add(&world->full, &pool, asked);
    full_forms_use(world, &world->full.pools[world->full.n - 1]);
}

static const struct vm *full_of(const struct world *world, int32_t id)
{
    const struct vm_observation *observed = world_vm(world, id);

    return observed ? observed->full : NULL;
}

static void a_poll_replaces_what_was_asked_before_it(void **state)
{
    static const struct world_settings settings = {0};
    struct world *world = world_create(&settings, polled, NULL);

    (void)state;
    world->asked = 100;
    see(world, answer(7, 512), 100);
    assert_null(full_of(world, 7)); /* not before the poll is over */
    full_forms_take(world);
    assert_int_equal(full_of(world, 7)->memory, 512);
    world->asked = 200;
    see(world, answer(8, 256), 200);
    full_forms_take(world);
    assert_null(full_of(world, 7));
    assert_non_null(full_of(world, 8));
    world_destroy(world);
}

static void a_glance_counts_at_once_and_survives_the_poll_beside_it(void **state)
{
    static const struct world_settings settings = {0};
    struct world *world = world_create(&settings, polled, NULL);

    (void)state;
    world->asked = 100;
    see(world, answer(7, 512), 100);
    full_forms_take(world);

    world->asked = 200;
    see(world, answer(7, 600), 200);
    glance(world, answer(9, 128), 210); /* came while the poll was under way */
    glance(world, answer(7, 700), 220);
    assert_int_equal(full_of(world, 9)->memory, 128);
    assert_int_equal(full_of(world, 7)->memory, 700);
    full_forms_take(world);
    assert_int_equal(full_of(world, 9)->memory, 128);
    assert_int_equal(full_of(world, 7)->memory, 700); /* the later answer */

    world->asked = 300; /* the next poll no longer has it */
    see(world, answer(7, 800), 300);
    full_forms_take(world);
    assert_null(full_of(world, 9));
    assert_int_equal(full_of(world, 7)->memory, 800);
    world_destroy(world);
}

static void forms_of_running_vms_are_freed_unless_they_are_wanted(void **state)
{
    static const struct world_settings settings = {0};
    struct world *world = world_create(&settings, polled, NULL);
    const int32_t wanted[] = {8};

    (void)state;
    world->asked = 100;
    see(world, answer(7, 512), 100);
    see(world, answer_in_state(8, 512, 3), 100);
    see(world, answer_in_state(9, 512, 3), 100);
    full_forms_take(world);
    world_want_full(world, wanted, 1);
    world_drop_forms(world);
    assert_non_null(full_of(world, 7));
    assert_non_null(full_of(world, 8));
    assert_null(full_of(world, 9));
    assert_true(world_vm(world, 9)->full_seen); /* it is not asked for again */
    world_want_full(world, NULL, 0);
    world_drop_forms(world);
    assert_null(full_of(world, 8));
    assert_non_null(full_of(world, 7));
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_replaces_what_was_asked_before_it),
        cmocka_unit_test(a_glance_counts_at_once_and_survives_the_poll_beside_it),
        cmocka_unit_test(forms_of_running_vms_are_freed_unless_they_are_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
