/* Drains of hosts, and that they survive a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/kept_drains.h"
#include "daemon/state/drains.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

static void a_host_has_several_windows(void **state)
{
    struct drains drains = {0};

    drains_put(&drains, &(struct drain){3, 500, 600, ""});
    drains_put(&drains, &(struct drain){3, 100, 200, ""});
    drains_put(&drains, &(struct drain){4, 100, 900, ""});
    drains_put(&drains, &(struct drain){3, 200, 300, ""});
    assert_int_equal(drains_count(&drains, 3), 3);
    assert_int_equal(drains_of(&drains, 3)->from, 100);
    assert_non_null(drains_at(&drains, 3, 299));
    assert_null(drains_at(&drains, 3, 300));
    assert_non_null(drains_at(&drains, 3, 500));
    drains_put(&drains, &(struct drain){3, 299, 501, ""}); /* overlaps two */
    assert_int_equal(drains_count(&drains, 3), 2);
    assert_null(drains_at(&drains, 3, 250));
    assert_non_null(drains_at(&drains, 3, 400));
    assert_false(drains_remove(&drains, 3, 250));
    assert_true(drains_remove(&drains, 3, 500));
    assert_int_equal(drains_of(&drains, 3)->from, 100);
    assert_true(drains_expire(&drains, 200));
    assert_null(drains_of(&drains, 3));
    assert_int_equal(drains_of(&drains, 4)->until, 900);
    drains_finish(&drains);
}

static void what_overlaps_is_replaced(void **state)
{
    struct drains drains = {0};

    drains_put(&drains, &(struct drain){3, 100, 200, ""});
    drains_put(&drains, &(struct drain){4, 150, INSTANT_NEVER, ""});
    drains_put(&drains, &(struct drain){3, 120, 300, ""});
    assert_int_equal(drains.n, 2);
    assert_int_equal(drains_of(&drains, 3)->from, 120);
    assert_null(drains_of(&drains, 5));
    assert_null(drains_at(&drains, 3, 119));
    assert_non_null(drains_at(&drains, 3, 120));
    assert_non_null(drains_at(&drains, 3, 299));
    assert_null(drains_at(&drains, 3, 300));
    assert_true(drains_remove(&drains, 4, INSTANT_NONE));
    assert_false(drains_remove(&drains, 4, INSTANT_NONE));
    drains_finish(&drains);
}

static void a_window_ends(void **state)
{
    struct drains drains = {0}, copy;

    drains_put(&drains, &(struct drain){3, 100, 200, ""});
    drains_put(&drains, &(struct drain){4, 100, 300, ""});
    drains_put(&drains, &(struct drain){5, 100, INSTANT_NEVER, ""});
    drains_copy(&copy, &drains);
    assert_false(drains_expire(&drains, 199));
    assert_true(drains_expire(&drains, 200));
    assert_null(drains_of(&drains, 3));
    assert_true(drains_expire(&drains, 1000));
    assert_int_equal(drains.n, 1);
    assert_int_equal(copy.n, 3);
    drains_finish(&copy);
    drains_finish(&drains);
}

static const struct booking course = {.name = "course",
                                      .users = (char[]){"ann,Bob Smith"},
                                      .groups = (char[]){"students"},
                                      .owner = (char[]){"teacher"}},
                            open_course = {.name = "open",
                                           .magnetic = true,
                                           .users = (char[]){""},
                                           .groups = (char[]){"students"},
                                           .owner = (char[]){""}};

static void a_booking_admits_its_users_and_groups(void **state)
{
    assert_true(booking_admits(&course, "ann", "none"));
    assert_true(booking_admits(&course, "Bob Smith", "none"));
    assert_true(booking_admits(&course, "carl", "students"));
    assert_false(booking_admits(&course, "Bob", "none"));
    assert_false(booking_admits(&course, "carl", "ann"));
    assert_false(booking_admits(&open_course, "", ""));
}

/* Host 3 is booked in three windows, of which two follow each other. */
static void book_host(struct drains *drains, const struct booking *booking)
{
    struct drain drain = {3, 100, 200, ""};

    snprintf(drain.booking, sizeof drain.booking, "%s", booking->name);
    drains_book(drains, booking);
    drains_put(drains, &drain);
    drain.from = 200;
    drain.until = 300;
    drains_put(drains, &drain);
    drain.from = 500;
    drain.until = 600;
    drains_put(drains, &drain);
}

static void expect_ahead(const struct drains *drains, const struct lease_record *lease, int64_t now,
                         int64_t from, int64_t until)
{
    struct drain ahead;

    assert_true(drains_ahead(drains, lease, 3, now, &ahead));
    assert_int_equal(ahead.from, from);
    assert_int_equal(ahead.until, until);
}

static void a_booked_host_is_closed_to_others_and_open_inside(void **state)
{
    struct lease_record outside = {.user = "ann", .user_group = "none"};
    struct lease_record inside = {.user = "ann", .user_group = "", .booking = "course"};
    struct drains drains = {0};
    struct drain ahead;

    book_host(&drains, &course);
    expect_ahead(&drains, &outside, 50, 100, 200);
    expect_ahead(&drains, &outside, 150, 100, 200);
    expect_ahead(&drains, &inside, 50, 100, 200);
    expect_ahead(&drains, &inside, 150, 300, 500);
    expect_ahead(&drains, &inside, 550, 600, INSTANT_NEVER);
    assert_false(drains_ahead(&drains, &inside, 4, 150, &ahead));
    drains_finish(&drains);
}

static void a_magnetic_booking_need_not_be_named(void **state)
{
    struct lease_record student = {.user = "carl", .user_group = "students"};
    struct lease_record stranger = {.user = "carl", .user_group = "others"};
    struct lease_record elsewhere = {.user = "", .user_group = "students", .booking = "course"};
    struct drains drains = {0};

    book_host(&drains, &open_course);
    assert_true(drains_let_in(&drains, "open", &student));
    assert_false(drains_let_in(&drains, "open", &stranger));
    assert_false(drains_let_in(&drains, "open", &elsewhere));
    expect_ahead(&drains, &student, 150, 300, 500);
    expect_ahead(&drains, &stranger, 150, 100, 200);
    drains_finish(&drains);
}

static void a_booking_ends_with_its_last_window(void **state)
{
    struct drains drains = {0};

    book_host(&drains, &course);
    drains_put(&drains, &(struct drain){4, 100, 900, ""});
    assert_true(drains_expire(&drains, 300));
    assert_non_null(drains_booking(&drains, "course"));
    assert_true(drains_expire(&drains, 600));
    assert_null(drains_booking(&drains, "course"));
    book_host(&drains, &course);
    assert_false(drains_unbook(&drains, "open", INSTANT_NONE));
    assert_true(drains_unbook(&drains, "course", INSTANT_NONE));
    assert_int_equal(drains.n, 1);
    assert_int_equal(drains.n_bookings, 0);
    drains_finish(&drains);
}

static void a_booking_is_shortened(void **state)
{
    struct drains drains = {0};

    book_host(&drains, &course);
    drains_put(&drains, &(struct drain){4, 100, 900, ""});
    assert_false(drains_unbook(&drains, "course", 600));
    assert_true(drains_unbook(&drains, "course", 250));
    assert_int_equal(drains.n, 3);
    assert_int_equal(drains_at(&drains, 3, 200)->until, 250);
    assert_null(drains_at(&drains, 3, 500));
    assert_int_equal(drains_of(&drains, 4)->until, 900);
    assert_true(drains_unbook(&drains, "course", 100));
    assert_null(drains_booking(&drains, "course"));
    drains_finish(&drains);
}

static void what_an_owner_has_booked_is_counted(void **state)
{
    struct drains drains = {0};

    assert_int_equal(drains_booked_by(&drains, "teacher"), 0);
    book_host(&drains, &course);
    drains_book(&drains, &open_course);
    drains_put(&drains, &(struct drain){4, 150, 210, "course"});
    drains_put(&drains, &(struct drain){5, 200, 300, "course"});
    drains_put(&drains, &(struct drain){6, 100, 900, "open"});
    drains_put(&drains, &(struct drain){7, 100, 900, ""});
    assert_int_equal(drains_booked_by(&drains, "teacher"), 3);
    assert_int_equal(drains_times_of(&drains, "teacher"), 4);
    assert_int_equal(drains_booked_by(&drains, "ann"), 0);
    drains_finish(&drains);
}

static void bookings_survive_a_restart(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    book_host(&drains, &course);
    drains_book(&drains, &open_course);
    drains_put(&drains, &(struct drain){4, 100, 900, "open"});
    drains_put(&drains, &(struct drain){5, 100, 900, ""});
    drains_save(&drains, fixture->store);
    drains_finish(&drains);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 5);
    assert_int_equal(drains.n_bookings, 2);
    assert_string_equal(drains_at(&drains, 3, 550)->booking, "course");
    assert_string_equal(drains_at(&drains, 5, 550)->booking, "");
    assert_string_equal(drains_booking(&drains, "course")->users, "ann,Bob Smith");
    assert_false(drains_booking(&drains, "course")->magnetic);
    assert_string_equal(drains_booking(&drains, "course")->groups, "students");
    assert_string_equal(drains_booking(&drains, "course")->owner, "teacher");
    assert_string_equal(drains_booking(&drains, "open")->groups, "students");
    assert_string_equal(drains_booking(&drains, "open")->owner, "");
    assert_true(drains_booking(&drains, "open")->magnetic);
    drains_finish(&drains);
}

/* A window whose booking cannot be read is not given to anybody, nor kept from anybody. */
static void a_damaged_booking_is_left_out(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    store_set_fact(fixture->store, "bookings", "a b\tno\tann\t\ncourse\tno\tann\t\nshort\n");
    store_set_fact(fixture->store, "drains", "3 5 9 course;4 5 9 short;5 5 9;");
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 2);
    assert_int_equal(drains.n_bookings, 1);
    assert_null(drains_of(&drains, 4));
    drains_finish(&drains);
}

static void hosts_show_what_is_planned_there(void **state)
{
    const struct booking odd = {.name = "odd",
                                .users = (char[]){"O\"Neil; =,a%b"},
                                .groups = (char[]){""},
                                .owner = (char[]){"Jo\xc3\xa3o"}};
    struct drains drains = {.number = 6}, read = {0};
    char *third, *fourth;

    book_host(&drains, &odd);
    drains_put(&drains, &(struct drain){3, 700, INSTANT_NEVER, ""});
    drains_put(&drains, &(struct drain){4, 100, 200, ""});
    third = kept_drains_text(&drains, 3);
    fourth = kept_drains_text(&drains, 4);
    assert_null(strchr(third, '"'));
    assert_string_equal(fourth, "6;100 200");
    assert_int_equal(kept_drains_number(third), 6);
    kept_drains_read(&read, 3, third);
    kept_drains_read(&read, 4, fourth);
    kept_drains_read(&read, 5, NULL);
    assert_int_equal(read.n, 5);
    assert_string_equal(drains_booking(&read, "odd")->users, odd.users);
    assert_string_equal(drains_booking(&read, "odd")->groups, "");
    assert_string_equal(drains_booking(&read, "odd")->owner, odd.owner);
    assert_string_equal(drains_at(&read, 3, 550)->booking, "odd");
    assert_int_equal(drains_at(&read, 3, 700)->until, INSTANT_NEVER);
    assert_true(kept_drains_is_shown("5;100 200", fourth));
    assert_false(kept_drains_is_shown("6;100 201", fourth));
    assert_false(kept_drains_is_shown(NULL, fourth));
    assert_true(kept_drains_is_shown(NULL, "6"));
    free(third);
    free(fourth);
    drains_finish(&read);
    drains_finish(&drains);
}

static void count_event(void *context, const struct store_event *event)
{
    *(size_t *)context += strcmp(event->event, "drains-restored") == 0;
}

/* How many events of the history tell that drains were restored from hosts that show that text. */
static size_t restorations(void **state, const char *text)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct attribute shown = {KEPT_DRAINS_ATTRIBUTE, text};
    struct scene scene;
    struct error err;
    size_t n = 0;

    scene_open(&scene, store);
    scene.daemon.promises.has_key = true;
    fake_cloud_add_host(scene.fake, 1, 100, 100)->attributes =
        (struct attributes){.items = &shown, .n = 1};
    scene_poll(&scene);
    kept_drains_see(&scene.daemon, 1000);
    assert_int_equal(scene.daemon.drains.number, kept_drains_number(text));
    assert_int_equal(store_each_event(store, STORE_NO_LEASE, 0, count_event, &n, &err), 0);
    drains_finish(&scene.daemon.drains);
    scene_close(&scene);
    return n;
}

static void only_drains_that_there_are_count_as_restored(void **state)
{
    assert_int_equal(restorations(state, "6;2000 3000"), 1);
}

static void drains_that_are_over_are_not_restored(void **state)
{
    assert_int_equal(restorations(state, "6;100 200"), 0);
    assert_int_equal(restorations(state, "7"), 0);
}

static void what_hosts_show_wrongly_is_left_out(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "7;",
                                        "7;1",
                                        "7;9 5",
                                        "7;1 2 curse",
                                        "7;=",
                                        "7;=a b c",
                                        "7;=a no % % %2;1 2 a",
                                        "7;=a no %0a % %;1 2 a",
                                        ";;=;= ; "};
    struct drains drains = {0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        kept_drains_read(&drains, 3, texts[i]);
    assert_int_equal(drains.n, 0);
    assert_int_equal(kept_drains_number("-4"), 0);
    drains_finish(&drains);
}

static void each_change_has_a_number(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    store_set_fact(fixture->store, "drains", "3 5 9;");
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.number, 1); /* of a store without a number */
    drains_save(&drains, fixture->store);
    drains_keep(&drains, fixture->store);
    drains_finish(&drains);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.number, 2);
    drains_finish(&drains);
}

static void they_survive_a_restart(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 0);
    drains_put(&drains, &(struct drain){3, 1700000000, 1700003600, ""});
    drains_put(&drains, &(struct drain){3, 1700007200, 1700009000, ""});
    drains_put(&drains, &(struct drain){2000000000, 1700000001, INSTANT_NEVER, ""});
    drains_save(&drains, fixture->store);
    drains_finish(&drains);
    store_must_commit(fixture->store);
    store_reopen(fixture);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 3);
    assert_int_equal(drains_of(&drains, 3)->until, 1700003600);
    assert_non_null(drains_at(&drains, 3, 1700008000));
    assert_int_equal(drains_of(&drains, 2000000000)->until, INSTANT_NEVER);
    drains_remove(&drains, 3, INSTANT_NONE);
    drains_remove(&drains, 3, INSTANT_NONE);
    drains_remove(&drains, 2000000000, INSTANT_NONE);
    drains_save(&drains, fixture->store);
    drains_finish(&drains);
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 0);
}

static void what_cannot_be_read_is_left_out(void **state)
{
    struct store_fixture *fixture = *state;
    struct drains drains = {0};

    store_set_fact(fixture->store, "drains", "-1 5 9;3 9 5;4 5 9;x 5 9;5 5 9;");
    drains_load(&drains, fixture->store);
    assert_int_equal(drains.n, 2);
    assert_non_null(drains_of(&drains, 4));
    assert_non_null(drains_of(&drains, 5));
    drains_finish(&drains);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_has_several_windows),
        cmocka_unit_test(what_overlaps_is_replaced),
        cmocka_unit_test(a_window_ends),
        WITH_STORE(they_survive_a_restart),
        WITH_STORE(each_change_has_a_number),
        cmocka_unit_test(hosts_show_what_is_planned_there),
        cmocka_unit_test(what_hosts_show_wrongly_is_left_out),
        WITH_STORE(only_drains_that_there_are_count_as_restored),
        WITH_STORE(drains_that_are_over_are_not_restored),
        WITH_STORE(what_cannot_be_read_is_left_out),
        cmocka_unit_test(a_booking_admits_its_users_and_groups),
        cmocka_unit_test(a_booked_host_is_closed_to_others_and_open_inside),
        cmocka_unit_test(a_magnetic_booking_need_not_be_named),
        cmocka_unit_test(a_booking_ends_with_its_last_window),
        cmocka_unit_test(a_booking_is_shortened),
        cmocka_unit_test(what_an_owner_has_booked_is_counted),
        WITH_STORE(bookings_survive_a_restart),
        WITH_STORE(a_damaged_booking_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
