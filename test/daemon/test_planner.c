/* A plan that is made anew from the store keeps what was promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/lease_state.h"
#include "daemon/live/world_inside.h"
#include "daemon/planner/planner_inside.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"
#include "util/memory.h"

enum { NOW = 100000, CPU = 400, MEMORY = 1024 };

struct house {
    struct world *world;
    struct planner_settings settings;
    struct policy_hooks policies;
    struct quarantine quarantine;
    struct planner *planner;
};

static void polled(void *context, enum poll_kind kind, bool ok, const char *error)
{
    (void)context;
    (void)kind;
    (void)ok;
    (void)error;
}

/* Hosts of 4 CPUs; suspending and resuming take 10 s. */
static void open_house(struct house *house, struct store *store, int n_hosts)
{
    static const struct world_settings settings = {0};
    char hosts[1024];
    struct error err = {0};
    size_t length = (size_t)snprintf(hosts, sizeof hosts, "<HOST_POOL>");

    for (int i = 0; i < n_hosts; i++)
        length += (size_t)snprintf(hosts + length, sizeof hosts - length,
                                   "<HOST><ID>%d</ID><STATE>2</STATE><CLUSTER_ID>0</CLUSTER_ID>"
                                   "<HOST_SHARE><MAX_CPU>400</MAX_CPU><MAX_MEM>8388608</MAX_MEM>"
                                   "</HOST_SHARE></HOST>",
                                   i);
    length += (size_t)snprintf(hosts + length, sizeof hosts - length, "</HOST_POOL>");
    memset(house, 0, sizeof *house);
    house->world = world_create(&settings, polled, NULL);
    house->world->hosts = memory_new(1, sizeof *house->world->hosts);
    house->world->hosts->references = 1;
    assert_int_equal(host_pool_parse(&house->world->hosts->pool, hosts, length, &err), 0);
    house->world->site = memory_new(1, sizeof *house->world->site);
    house->world->site->references = 1;
    engine_settings_init(&house->settings.engine);
    house->settings.engine.override_suspend_time = 10;
    house->settings.engine.override_resume_time = 10;
    house->settings.engine.shutdown_time = 0;
    house->settings.policies = &house->policies;
    house->settings.quarantine = &house->quarantine;
    house->planner = planner_create(&house->settings, store, house->world, &err);
}

static void close_house(struct house *house)
{
    planner_destroy(house->planner);
    world_destroy(house->world);
}

static void rebuild(struct house *house, int64_t now)
{
    struct error err = {0};

    if (planner_plan(house->planner, true, now, &err) < 0)
        fail_msg("%s", err.text);
}

/* A lease of one VM that needs a whole host. */
static struct lease_record *add(struct store *store, int64_t id, enum lease_phase phase,
                                enum lease_kind kind, int64_t duration)
{
    struct lease_record *lease = store_add_lease(store, id);
    struct vm_record *vm = store_add_vm(store, (int32_t)id, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->terms = TERMS_SUSPENDABLE;
    lease->preemptible = true;
    lease->accepted = true;
    lease->submit = NOW - 1000;
    lease->duration = duration;
    vm->cpu = CPU;
    vm->memory = MEMORY;
    vm->host = 0;
    return lease;
}

static struct lease_record *add_deadline(struct store *store, int64_t id, enum lease_phase phase,
                                         int64_t duration, int64_t deadline)
{
    struct lease_record *lease = add(store, id, phase, LEASE_DEADLINE, duration);

    lease->deadline = deadline;
    return lease;
}

static void is_suspended(struct store *store, struct lease_record *lease, int64_t ran)
{
    struct vm_record *vm = vm_to_change(store, (int32_t)lease->id);

    vm->suspended_by_us = true;
    vm->ran_for = ran;
    lease->accumulated = ran;
}

static struct vm_observation *observe(struct house *house, int32_t id)
{
    struct map *observations = &house->world->observations;
    struct vm_observation *observed = map_value(observations, map_add(observations, id));

    *observed = (struct vm_observation){.id = id, .state = VM_PENDING, .present = true};
    return observed;
}

/* When what is planned next of that kind begins. */
static int64_t planned(const struct house *house, int64_t id, enum reservation_kind kind)
{
    const struct lease *known = engine_lease(planning_engine(house->planner->planning), id);

    for (size_t i = 0; known && i < known->n_reservations; i++)
        if (known->reservations[i]->kind == kind &&
            known->reservations[i]->state == RESERVATION_SCHEDULED)
            return known->reservations[i]->from;
    return INSTANT_NONE;
}

static void a_suspended_deadline_lease_keeps_its_place(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 5, PHASE_RESERVED, 600, NOW + 1000);
    struct house house;

    open_house(&house, store, 1);
    is_suspended(store, lease, 200);
    lease->expected = NOW + 500;
    add(store, 3, PHASE_WAITING, LEASE_BEST_EFFORT, 450); /* fits before it */
    add(store, 4, PHASE_WAITING, LEASE_BEST_EFFORT, 700); /* would take its time */
    rebuild(&house, NOW);
    assert_true(planned_of(&house.planner->planned, lease->id)->in_engine);
    assert_int_equal(planned(&house, 5, RESERVATION_RESUME), NOW + 500);
    assert_int_equal(planned(&house, 5, RESERVATION_VM), NOW + 510);
    assert_int_equal(lease->expected, NOW + 500);
    assert_int_equal(store_lease(store, 3)->phase, PHASE_STARTING);
    rebuild(&house, NOW + 1);
    assert_int_equal(planned(&house, 5, RESERVATION_RESUME), NOW + 500);
    close_house(&house);
}

/* Whatever the ids: who may go only there comes first. */
static void one_without_a_place_takes_nobody_elses(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *anew = add_deadline(store, 1, PHASE_RESERVED, 300, NOW + 5000);
    struct lease_record *placed = add_deadline(store, 2, PHASE_RESERVED, 300, NOW + 320);
    struct lease_record *promised = add(store, 3, PHASE_RESERVED, LEASE_RESERVATION, 100);
    struct house house;

    open_house(&house, store, 1);
    is_suspended(store, anew, 100);
    is_suspended(store, placed, 100);
    anew->expected = NOW - 50;
    placed->expected = NOW + 110;
    promised->start = NOW + 5;
    rebuild(&house, NOW);
    assert_int_equal(planned(&house, 3, RESERVATION_VM), NOW + 5);
    assert_int_equal(planned(&house, 2, RESERVATION_RESUME), NOW + 110);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 320);
    close_house(&house);
}

/* From the decision over the suspension to the resumption. */
static void it_keeps_it_while_it_leaves(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 1, PHASE_RUNNING, 600, NOW + 820);
    struct lease_record *promised = add(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 200);
    struct house house;

    open_house(&house, store, 1);
    lease->since = NOW - 100;
    lease->preempted_for = 2;
    lease->preempted_at = promised->start = NOW + 100;
    lease->expected = NOW + 300;
    vm_to_change(store, 1)->goal = GOAL_RUN;
    rebuild(&house, NOW);
    assert_int_equal(planned(&house, 1, RESERVATION_SUSPEND), NOW + 90);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 300);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 100);
    assert_int_equal(lease->expected, NOW + 300);

    lease->phase = PHASE_STOPPING;
    vm_to_change(store, 1)->goal = GOAL_STOP;
    rebuild(&house, NOW + 92);
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 100);
    assert_int_equal(planned(&house, 1, RESERVATION_RESUME), NOW + 300);
    assert_int_equal(lease->expected, NOW + 300);
    assert_int_equal(house.planner->n_unplaced, 0);
    close_house(&house);
}

/* Its user let its VM go on from the disks: what it has done counts. */
static void work_counts_however_it_was_stopped(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add_deadline(store, 1, PHASE_RESERVED, 600, NOW + 450);
    struct house house;

    open_house(&house, store, 1);
    lease->accumulated = vm_to_change(store, 1)->ran_for = 200;
    rebuild(&house, NOW);
    assert_true(planned_of(&house.planner->planned, lease->id)->in_engine);
    assert_int_equal(lease->phase, PHASE_STARTING);
    close_house(&house);
}

static void a_reservation_that_ran_before_goes_on(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600);
    struct house house;

    open_house(&house, store, 1);
    lease->start = NOW - 300;
    lease->accumulated = vm_to_change(store, 1)->ran_for = 200;
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    assert_int_equal(lease->end, NOW + 300);
    close_house(&house);
}

/* Which hosts a pending VM may have is in its document: without one it is not placed, and a promise
 * stays where it is. */
static void a_pending_vm_waits_for_its_document(void **state)
{
    static const char document[] =
        "<VM_POOL><VM><ID>1</ID><STATE>1</STATE><LCM_STATE>0</LCM_STATE><TEMPLATE><CPU>4</CPU>"
        "<MEMORY>1024</MEMORY></TEMPLATE></VM></VM_POOL>";
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct lease_record *promised = add(store, 2, PHASE_RESERVED, LEASE_RESERVATION, 600);
    struct vm_observation *observed;
    struct vm_pool pool = {0};
    struct house house;
    struct error err = {0};

    promised->start = NOW + 50;
    open_house(&house, store, 2);
    observe(&house, 2);
    observed = observe(&house, 1);
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_string_equal(lease->reason_word, "template-not-read");
    assert_false(planner_knows(house.planner, 1));
    assert_int_equal(planned(&house, 2, RESERVATION_VM), NOW + 50);
    assert_in_range(planner_retry_time(house.planner), NOW + 1, NOW + 60);

    assert_int_equal(vm_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    observed->full = &pool.items[0];
    rebuild(&house, planner_retry_time(house.planner));
    assert_string_equal(lease->reason_word, "no-host-allowed"); /* it needs a datastore */
    close_house(&house);
    vm_pool_finish(&pool);
}

/* --- trials ----------------------------------------------------------------------------------- */

struct picture_of_store {
    struct lease_record leases[8];
    struct vm_record vms[8];
    size_t n_leases, n_vms, n_lines;
    bool changes;
};

static void count_line(void *context, const struct store_event *event)
{
    (void)event;
    ++*(size_t *)context;
}

static void look(struct store *store, struct picture_of_store *picture)
{
    const struct lease_record *const *leases = store_leases(store, &picture->n_leases);
    const struct vm_record *const *vms = store_vms(store, &picture->n_vms);

    assert_in_range(picture->n_leases, 1, 8);
    for (size_t i = 0; i < picture->n_leases; i++)
        picture->leases[i] = *leases[i];
    for (size_t i = 0; i < picture->n_vms; i++)
        picture->vms[i] = *vms[i];
    picture->n_lines = 0;
    assert_int_equal(
        store_each_event(store, STORE_NO_LEASE, 0, count_line, &picture->n_lines, NULL), 0);
    picture->changes = store_has_changes(store);
}

static void found(void *context, const struct planner_trial *trial, const struct error *err)
{
    struct planner_trial *kept = context;

    if (!trial)
        fail_msg("%s", err->text);
    *kept = *trial;
}

static struct planner_trial try_lease(struct house *house, int64_t now, enum lease_kind kind,
                                      int64_t start)
{
    struct node_set set = {.count = 1};
    const struct lease_request request = {.kind = kind,
                                          .start = start,
                                          .deadline = INSTANT_NONE,
                                          .duration = 300,
                                          .duration_original = 300,
                                          .duration_known = SPAN_NONE,
                                          .terms = TERMS_NON_PREEMPTABLE,
                                          .user = 0,
                                          .node_sets = &set,
                                          .n_node_sets = 1};
    struct planner_trial trial = {.start = INSTANT_NONE};
    struct error err = {0};

    set.amounts.of[RESOURCE_CPU] = CPU;
    set.amounts.of[RESOURCE_MEMORY] = MEMORY;
    if (planner_try(house->planner, &request, now, found, &trial, &err) < 0)
        fail_msg("%s", err.text);
    return trial;
}

/* What is due to start, new, refused, promised or paused stays as it is: a trial plans for all of
 * them, and its outputs are thrown away. */
static void dry_runs_change_nothing(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    static struct picture_of_store before, after;
    struct lease_record *fresh, *promised, *late;
    struct planner_trial trial;
    struct house house;
    struct error err = {0};

    open_house(&house, store, 2);
    add(store, 1, PHASE_RUNNING, LEASE_BEST_EFFORT, 1000)->since = NOW - 10;
    add(store, 2, PHASE_WAITING, LEASE_BEST_EFFORT, 600); /* would start at once */
    fresh = add(store, 3, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    fresh->accepted = false;
    promised = add(store, 4, PHASE_RESERVED, LEASE_RESERVATION, 600);
    promised->start = NOW + 5000;
    late = add(store, 5, PHASE_WAITING, LEASE_RESERVATION, 10); /* would be refused */
    late->accepted = false;
    late->start = NOW - 100;
    assert_int_equal(store_commit(store, &err), 0);
    look(store, &before);
    assert_false(before.changes);

    trial = try_lease(&house, NOW, LEASE_BEST_EFFORT, INSTANT_NONE);
    assert_true(trial.accepted);
    trial = try_lease(&house, NOW, LEASE_RESERVATION, NOW + 9000);
    assert_true(trial.accepted && trial.contract);
    assert_int_equal(trial.start, NOW + 9000);
    assert_string_equal(trial.word, "");

    look(store, &after);
    assert_false(after.changes);
    assert_int_equal(before.n_lines, after.n_lines);
    assert_memory_equal(before.leases, after.leases, sizeof before.leases);
    assert_memory_equal(before.vms, after.vms, sizeof before.vms);
    rebuild(&house, NOW);
    assert_int_equal(store_lease(store, 2)->phase, PHASE_STARTING);
    close_house(&house);
}

/* The engine that plans is not the one that is tried with. */
static void a_trial_leaves_the_plan_alone(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct house house;

    open_house(&house, store, 1);
    add(store, 1, PHASE_RESERVED, LEASE_RESERVATION, 600)->start = NOW + 50;
    rebuild(&house, NOW);
    try_lease(&house, NOW + 1, LEASE_RESERVATION, NOW + 3000);
    assert_true(planner_is_ready(house.planner));
    assert_int_equal(planned(&house, 1, RESERVATION_VM), NOW + 50);
    assert_int_equal(planner_next_time(house.planner), NOW + 50);
    close_house(&house);
}

/* --- what changes while a plan is made -------------------------------------------------------- */

static void what_was_given_up_meanwhile_does_not_start(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct lease_record *lease = add(store, 1, PHASE_WAITING, LEASE_BEST_EFFORT, 600);
    struct placed placed = {.vm = 0, .host = 0};
    struct plan_output started = {
        .kind = OUTPUT_OPERATION_STARTED,
        .lease = 1,
        .state = LEASE_ACTIVE,
        .reservation = {
            .there = true, .kind = RESERVATION_VM, .n_hosts = 1, .vms = &placed, .n_vms = 1}};
    const struct plan_reply late = {.outputs = &started, .n_outputs = 1};
    struct house house;

    open_house(&house, store, 1);
    rebuild(&house, NOW);
    assert_int_equal(lease->phase, PHASE_STARTING);
    lease_apply(store, lease, EVENT_CANCELLED, NOW, "by a user");
    assert_false(lease_can(lease, EVENT_START));
    planner_take_reply(house.planner, &late);
    assert_int_not_equal(lease->phase, PHASE_STARTING);
    assert_int_not_equal(store_vm(store, 1)->goal, GOAL_RUN);
    close_house(&house);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_suspended_deadline_lease_keeps_its_place),
        TEST(one_without_a_place_takes_nobody_elses),
        TEST(it_keeps_it_while_it_leaves),
        TEST(work_counts_however_it_was_stopped),
        TEST(a_reservation_that_ran_before_goes_on),
        TEST(a_pending_vm_waits_for_its_document),
        TEST(dry_runs_change_nothing),
        TEST(a_trial_leaves_the_plan_alone),
        TEST(what_was_given_up_meanwhile_does_not_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
