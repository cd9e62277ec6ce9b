/* Booked hosts in plans: they are for the leases inside the booking, as long as they are booked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "daemon/state/drains.h"
#include "test/daemon/change_records.h"
#include "test/daemon/house.h"

enum { LENGTH = 600, BOOKED = 1000 }; /* seconds, of leases and of bookings */

/* Hosts whose SPEED is their id, and bookings that admit group "users", to which all VMs belong. */
struct course {
    struct house house;
    struct store *store;
    struct drains drains;
    struct attribute speeds[FAKE_HOSTS_MAX];
    char numbers[FAKE_HOSTS_MAX][12];
    struct attribute wishes[FAKE_VMS_MAX];
};

static void begin(struct course *course, struct store *store, int n_hosts)
{
    course->store = store;
    course->drains = (struct drains){0};
    open_house(&course->house, store, n_hosts);
    for (int i = 0; i < n_hosts; i++) {
        snprintf(course->numbers[i], sizeof course->numbers[i], "%d", i);
        course->speeds[i] = (struct attribute){"SPEED", course->numbers[i]};
        course->house.scene.fake->hosts[i].attributes =
            (struct attributes){.items = &course->speeds[i], .n = 1};
    }
}

static void end(struct course *course)
{
    close_house(&course->house);
    drains_finish(&course->drains);
}

static void book(struct course *course, const char *name, int32_t host, int64_t from, bool magnetic)
{
    struct drain drain = {host, from, from + BOOKED, ""};
    struct booking booking = {.magnetic = magnetic,
                              .users = (char[]){""},
                              .groups = (char[]){"users"},
                              .owner = (char[]){""}};

    snprintf(booking.name, sizeof booking.name, "%s", name);
    snprintf(drain.booking, sizeof drain.booking, "%s", name);
    drains_book(&course->drains, &booking);
    drains_put(&course->drains, &drain);
}

/* A lease of one VM that needs a whole host and waits; booking "": it names none. */
static struct lease_record *add_waiting(struct course *course, int32_t id, const char *booking,
                                        const char *rank)
{
    struct lease_record *lease =
        add_lease(course->store, id, PHASE_WAITING, LEASE_BEST_EFFORT, LENGTH);
    struct vm *vm = fake_cloud_add_vm(course->house.scene.fake, id, VM_PENDING, -1, CPU, MEMORY);

    course->wishes[id] = (struct attribute){"SCHED_RANK", rank};
    vm->user_template = (struct attributes){.items = &course->wishes[id], .n = 1};
    vm_to_change(course->store, id)->host = -1;
    snprintf(lease->booking, sizeof lease->booking, "%s", booking);
    store_put_text(&lease->user_group, "users", STORE_NAME_MAX);
    lease->terms = TERMS_NON_PREEMPTABLE;
    return lease;
}

static void plan(struct course *course)
{
    struct scene *scene = &course->house.scene;

    fake_cloud_has_datastore(scene->fake);
    scene->settings.drains = &course->drains;
    scene_poll(scene);
    course->house.planner = scene_renew_planner(scene);
    rebuild(&course->house, NOW);
}

/* -1: the VM waits. */
static int32_t host_of(const struct course *course, int32_t vm)
{
    return store_lease(course->store, vm)->phase == PHASE_STARTING
               ? store_vm(course->store, vm)->host
               : -1;
}

/* All prefer the fastest host; host 2 is the fastest. */
static void a_booked_host_is_for_those_inside(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 3);
    book(&course, "course", 2, NOW - 10, false);
    add_waiting(&course, 1, "", "SPEED");
    add_waiting(&course, 2, "course", "SPEED");
    add_waiting(&course, 3, "course", "SPEED");
    plan(&course);
    assert_int_equal(host_of(&course, 1), 1);
    assert_int_equal(host_of(&course, 2), 2);
    assert_int_equal(host_of(&course, 3), -1);
    end(&course);
}

/* They share requirements and rank, and so a filter, but not their hosts. */
static void each_booking_has_its_hosts(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 3);
    book(&course, "second", 0, NOW - 10, false);
    book(&course, "first", 2, NOW - 10, false);
    add_waiting(&course, 1, "first", "SPEED");
    add_waiting(&course, 2, "second", "SPEED");
    add_waiting(&course, 3, "first", "SPEED");
    add_waiting(&course, 4, "second", "SPEED");
    plan(&course);
    assert_int_equal(host_of(&course, 1), 2);
    assert_int_equal(host_of(&course, 2), 0);
    assert_int_equal(host_of(&course, 3), -1);
    assert_int_equal(host_of(&course, 4), -1);
    end(&course);
}

static void ranks_hold_inside(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 6);
    for (int32_t host = 1; host < 6; host++)
        book(&course, "course", (host * 2) % 5 + 1, NOW - 10, false);
    add_waiting(&course, 1, "course", "SPEED");
    add_waiting(&course, 2, "course", "- SPEED");
    add_waiting(&course, 3, "course", "SPEED");
    plan(&course);
    assert_int_equal(host_of(&course, 1), 5);
    assert_int_equal(host_of(&course, 2), 1);
    assert_int_equal(host_of(&course, 3), 4);
    end(&course);
}

/* A lease that need not name the booking may be on either side. */
static void a_magnetic_booking_takes_who_names_none(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 2);
    book(&course, "course", 1, NOW - 10, true);
    add_waiting(&course, 1, "", "SPEED");
    add_waiting(&course, 2, "", "SPEED");
    store_put_text(&add_waiting(&course, 3, "", "SPEED")->user_group, "other", STORE_NAME_MAX);
    plan(&course);
    assert_int_equal(host_of(&course, 1), 1);
    assert_int_equal(host_of(&course, 2), 0);
    assert_int_equal(host_of(&course, 3), -1);
    end(&course);
}

/* Inside is open from the beginning on, and outside as long as leases end before. */
static void before_it_begins_others_use_the_host(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 2);
    book(&course, "course", 0, NOW + LENGTH, false);
    book(&course, "course", 1, NOW + LENGTH - 1, false);
    add_waiting(&course, 1, "course", "SPEED");
    add_waiting(&course, 2, "", "SPEED");
    plan(&course);
    assert_int_equal(host_of(&course, 1), -1);
    assert_int_equal(host_of(&course, 2), 0);
    end(&course);
}

static void before_it_begins_those_inside_are_told_when(void **state)
{
    struct course course;
    char text[STORE_ACTIVITY_MAX], when[64], wanted[160];

    begin(&course, ((struct store_fixture *)*state)->store, 1);
    book(&course, "course", 0, NOW + 2 * LENGTH, false);
    add_waiting(&course, 1, "course", "SPEED");
    plan(&course);
    store_activity(store_lease(course.store, 1), NOW, text, sizeof text);
    lease_time_text(NOW + 2 * LENGTH, when, sizeof when);
    snprintf(wanted, sizeof wanted, "Waiting until %s, when booking 'course' begins", when);
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        fail_msg("%s", text);
    end(&course);
}

/* A VM that no lease of ours has cannot be made to leave. */
static void who_stays_holds_room_inside(void **state)
{
    struct course course;

    begin(&course, ((struct store_fixture *)*state)->store, 2);
    book(&course, "course", 0, NOW - 10, false);
    book(&course, "course", 1, NOW - 10, false);
    fake_cloud_add_vm(course.house.scene.fake, 9, VM_RUNNING, 1, 100, MEMORY);
    add_waiting(&course, 1, "course", "SPEED");
    add_waiting(&course, 2, "course", "SPEED");
    plan(&course);
    assert_int_equal(host_of(&course, 1), 0);
    assert_int_equal(host_of(&course, 2), -1);
    end(&course);
}

/* Waiting leases of half a host that may be suspended, which takes 10 s: the threshold is 20 s. */
static struct lease_record *add_suspendable(struct course *course, int32_t id)
{
    struct lease_record *lease = add_waiting(course, id, "", "SPEED");

    lease->terms = TERMS_SUSPENDABLE;
    vm_to_change(course->store, id)->cpu = CPU / 2;
    for (size_t i = 0; i < course->house.scene.fake->n_vms; i++)
        course->house.scene.fake->vms[i].cpu = CPU / 2;
    return lease;
}

static void begin_near(struct course *course, struct store *store, int n_hosts, int64_t gap)
{
    begin(course, store, n_hosts);
    course->house.scene.settings.resumes_anywhere = true;
    book(course, "course", n_hosts - 1, NOW + gap, false);
}

/* The others on its host are suspended one after another: the first would be at once. */
static void nobody_starts_to_be_suspended_at_once_for_a_booking(void **state)
{
    struct course course;
    struct store *store = ((struct store_fixture *)*state)->store;

    begin_near(&course, store, 1, 25);
    add_suspendable(&course, 1);
    add_suspendable(&course, 2);
    plan(&course);
    rebuild(&course.house, NOW);
    assert_int_equal(host_of(&course, 1), 0);
    assert_int_equal(host_of(&course, 2), -1);
    assert_false(planner_is_outdated(course.house.planner));
    rebuild(&course.house, NOW + 24);
    assert_int_equal(host_of(&course, 2), -1);
    rebuild(&course.house, NOW + 25 + BOOKED);
    assert_int_equal(host_of(&course, 2), 0);
    end(&course);
}

static void it_starts_on_a_host_that_is_not_booked(void **state)
{
    struct course course;
    struct store *store = ((struct store_fixture *)*state)->store;

    begin_near(&course, store, 2, 25);
    for (int32_t id = 1; id <= 2; id++)
        add_suspendable(&course, id);
    plan(&course);
    rebuild(&course.house, NOW);
    assert_int_equal(host_of(&course, 1), 1);
    assert_int_equal(host_of(&course, 2), 0);
    end(&course);
}

static void it_starts_if_it_can_run_for_a_while(void **state)
{
    struct course course;
    struct store *store = ((struct store_fixture *)*state)->store;

    begin_near(&course, store, 1, 30);
    add_suspendable(&course, 1);
    add_suspendable(&course, 2);
    plan(&course);
    assert_int_equal(host_of(&course, 1), 0);
    assert_int_equal(host_of(&course, 2), 0);
    end(&course);
}

static void it_starts_if_it_ends_before(void **state)
{
    struct course course;
    struct store *store = ((struct store_fixture *)*state)->store;

    begin_near(&course, store, 1, 25);
    add_suspendable(&course, 1);
    add_suspendable(&course, 2)->duration = 25;
    plan(&course);
    assert_int_equal(host_of(&course, 2), 0);
    end(&course);
}

static void expect_refused(const struct course *course, int64_t id, const char *why)
{
    const struct lease_record *lease = store_lease(course->store, id);

    char text[STORE_SENTENCE_MAX];

    assert_int_equal(lease->phase, PHASE_REFUSED);
    store_reason_sentence(lease, true, text, sizeof text);
    assert_string_equal(text, why);
}

static void who_cannot_be_inside_is_refused(void **state)
{
    struct course course;
    struct lease_record *leases[3];

    begin(&course, ((struct store_fixture *)*state)->store, 1);
    book(&course, "course", 0, NOW - 10, false);
    leases[0] = add_waiting(&course, 1, "curse", "SPEED");
    leases[1] = add_waiting(&course, 2, "course", "SPEED");
    leases[2] = add_waiting(&course, 3, "course", "SPEED");
    for (int i = 0; i < 3; i++)
        leases[i]->accepted = false;
    store_put_text(&leases[1]->user, "carl", STORE_NAME_MAX);
    store_put_text(&leases[1]->user_group, "other", STORE_NAME_MAX);
    leases[2]->duration = BOOKED;
    plan(&course);
    expect_refused(&course, 1, "booking 'curse' does not exist or has ended");
    expect_refused(&course, 2, "booking 'course' admits neither user 'carl' nor group 'other'");
    expect_refused(&course, 3, "no host of booking 'course' is booked for as long as it runs");
    end(&course);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_booked_host_is_for_those_inside),
        TEST(each_booking_has_its_hosts),
        TEST(ranks_hold_inside),
        TEST(a_magnetic_booking_takes_who_names_none),
        TEST(before_it_begins_others_use_the_host),
        TEST(who_stays_holds_room_inside),
        TEST(who_cannot_be_inside_is_refused),
        TEST(before_it_begins_those_inside_are_told_when),
        TEST(nobody_starts_to_be_suspended_at_once_for_a_booking),
        TEST(it_starts_on_a_host_that_is_not_booked),
        TEST(it_starts_if_it_can_run_for_a_while),
        TEST(it_starts_if_it_ends_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
