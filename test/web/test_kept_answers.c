/* Answers are kept until something changes or some seconds pass. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    time_t now;
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

static uint64_t ask(struct fixture *fixture, const char *question)
{
    uint64_t state;

    assert_null(kept_answers_find(fixture->kept, question, fixture->now, &state));
    return state;
}

static void keep(struct fixture *fixture, const char *question, const char *answer)
{
    char *text = memory_text(question);

    kept_answers_keep(fixture->kept, text, answer, ask(fixture, text));
}

static void expect_none(struct fixture *fixture, const char *question)
{
    keep(fixture, question, NULL);
}

static void expect_kept(struct fixture *fixture, const char *question, const char *expected)
{
    uint64_t state;
    char *answer = kept_answers_find(fixture->kept, question, fixture->now, &state);

    assert_string_equal(answer, expected);
    free(answer);
}

static void an_answer_is_given_again(void **state)
{
    struct fixture *fixture = *state;

    keep(fixture, "a", "1");
    expect_kept(fixture, "a", "1");
    expect_none(fixture, "b");
    fixture->now += KEPT_ANSWER_SECONDS - 1;
    expect_kept(fixture, "a", "1");
    keep(fixture, "b", "2");
    fixture->now++;
    expect_none(fixture, "a");
    expect_kept(fixture, "b", "2");
}

static void the_oldest_answers_make_room(void **state)
{
    enum { LONG = 3 << 20, TIMES = 100 };
    struct fixture *fixture = *state;
    char *text = memory_new(LONG + 1, 1), question[24];

    memset(text, 'x', LONG);
    keep(fixture, "first", "1");
    for (int i = 0; i < TIMES; i++) {
        snprintf(question, sizeof question, "%d", i);
        keep(fixture, question, text);
    }
    expect_none(fixture, "first");
    expect_kept(fixture, question, text);
    for (int i = 0; i < TIMES * TIMES; i++) {
        snprintf(question, sizeof question, "short %d", i);
        keep(fixture, question, question);
    }
    expect_none(fixture, "short 0");
    expect_kept(fixture, question, question);
    free(text);
}

static void a_change_ends_it(void **state)
{
    struct fixture *fixture = *state;
    char *text = memory_text("a");
    uint64_t asked;

    keep(fixture, "a", "1");
    change_page_write(fixture->page, 5);
    asked = ask(fixture, text);
    change_page_write(fixture->page, 6); /* while galernad answers */
    expect_none(fixture, "b");
    kept_answers_keep(fixture->kept, text, "2", asked);
    expect_none(fixture, "a");
}

static void another_galernad_ends_it(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};

    keep(fixture, "a", "1");
    change_page_destroy(fixture->page);
    fixture->page = change_page_create(fixture->socket, (gid_t)-1, &err);
    fixture->now++;
    keep(fixture, "a", "2");
    expect_kept(fixture, "a", "2");
    change_page_write(fixture->page, 1);
    expect_none(fixture, "a");
}

static void without_a_number_nothing_is_kept(void **state)
{
    struct fixture *fixture = *state;

    change_page_destroy(fixture->page);
    fixture->page = NULL;
    keep(fixture, "a", "1");
    expect_none(fixture, "a");
}

/* Asks as another thread; its answer, or that it has to ask galernad itself: "". */
static void *ask_as_another(void *context)
{
    struct fixture *fixture = context;
    char *text = memory_text("a");
    uint64_t state;
    char *answer = kept_answers_find(fixture->kept, text, fixture->now, &state);

    if (answer)
        free(text);
    else
        kept_answers_keep(fixture->kept, text, NULL, state);
    return answer ? answer : memory_text("");
}

static void expect_other(pthread_t other, const char *expected)
{
    void *answer;

    assert_int_equal(pthread_join(other, &answer), 0);
    assert_string_equal(answer, expected);
    free(answer);
}

static void of_two_threads_one_asks(void **state)
{
    struct fixture *fixture = *state;
    const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    static const char *const answers[] = {"1", NULL}; /* galernad answers, or does not */

    for (int i = 0; i < 2; i++) {
        char *text = memory_text("a");
        uint64_t asked = ask(fixture, text);
        pthread_t others[2];

        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&others[k], NULL, ask_as_another, fixture), 0);
        nanosleep(&moment, NULL);
        kept_answers_keep(fixture->kept, text, answers[i], asked);
        for (int k = 0; k < 2; k++)
            expect_other(others[k], answers[i] ? answers[i] : "");
        change_page_write(fixture->page, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_answer_is_given_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_answers_make_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_galernad_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_two_threads_one_asks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_number_nothing_is_kept, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
