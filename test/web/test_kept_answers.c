/* Answers are kept until something changes or the second passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/control/change_page.h"
#include "test/daemon/directory.h"
#include "util/memory.h"
#include "web/kept_answers.h"

struct fixture {
    char directory[DIRECTORY_NAME_MAX], socket[96];
    struct change_page *page;
    struct kept_answers *kept;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    directory_make(fixture->directory);
    snprintf(fixture->socket, sizeof fixture->socket, "%s/control.sock", fixture->directory);
    fixture->page = change_page_create(fixture->socket, (gid_t)-1, &err);
    fixture->kept = kept_answers_create(fixture->socket);
    *state = fixture;
    return fixture->page ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    kept_answers_destroy(fixture->kept);
    change_page_destroy(fixture->page);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

static uint64_t expect_none(struct fixture *fixture, const char *question)
{
    uint64_t state;

    assert_null(kept_answers_find(fixture->kept, question, &state));
    return state;
}

static void expect_kept(struct fixture *fixture, const char *question, const char *expected)
{
    uint64_t state;
    char *answer = kept_answers_find(fixture->kept, question, &state);

    assert_string_equal(answer, expected);
    free(answer);
}

/* The first moments of a second: what follows is in the same one. */
static void wait_for_second(void)
{
    time_t before = time(NULL);

    while (time(NULL) == before)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void an_answer_is_given_again(void **state)
{
    struct fixture *fixture = *state;

    wait_for_second();
    kept_answers_keep(fixture->kept, memory_text("a"), "1", expect_none(fixture, "a"));
    expect_kept(fixture, "a", "1");
    expect_none(fixture, "b");
    wait_for_second();
    expect_none(fixture, "a");
}

static void a_change_ends_it(void **state)
{
    struct fixture *fixture = *state;
    uint64_t asked;

    wait_for_second();
    kept_answers_keep(fixture->kept, memory_text("a"), "1", expect_none(fixture, "a"));
    change_page_write(fixture->page, 5);
    asked = expect_none(fixture, "a");
    change_page_write(fixture->page, 6); /* while galernad answers */
    expect_none(fixture, "b");
    kept_answers_keep(fixture->kept, memory_text("a"), "2", asked);
    expect_none(fixture, "a");
}

static void another_galernad_ends_it(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};

    wait_for_second();
    kept_answers_keep(fixture->kept, memory_text("a"), "1", expect_none(fixture, "a"));
    change_page_destroy(fixture->page);
    fixture->page = change_page_create(fixture->socket, (gid_t)-1, &err);
    wait_for_second();
    kept_answers_keep(fixture->kept, memory_text("a"), "2", expect_none(fixture, "a"));
    expect_kept(fixture, "a", "2");
    change_page_write(fixture->page, 1);
    expect_none(fixture, "a");
}

static void without_a_number_nothing_is_kept(void **state)
{
    struct fixture *fixture = *state;

    change_page_destroy(fixture->page);
    fixture->page = NULL;
    wait_for_second();
    kept_answers_keep(fixture->kept, memory_text("a"), "1", expect_none(fixture, "a"));
    expect_none(fixture, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_answer_is_given_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_galernad_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_number_nothing_is_kept, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
