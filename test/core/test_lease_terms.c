/* The table of a lease's terms is complete, and values are read and written by it. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/lease.h"

static void every_row_is_complete(void **state)
{
    struct term_values values;
    char text[TERM_TEXT_MAX], expected[TERM_EXPECTED_MAX];

    term_values_init(&values);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];

        assert_ptr_equal(lease_term_find(term->name), term);
        for (size_t k = 0; term->name[k]; k++)
            assert_true(islower((unsigned char)term->name[k]) &&
                        toupper((unsigned char)term->name[k]) == term->attribute[k]);
        assert_int_equal(strlen(term->name), strlen(term->attribute));
        assert_true(strlen(term->sentence) > 20);
        assert_int_not_equal(term->sentence[strlen(term->sentence) - 1], '.');
        assert_int_equal(term->type == TERM_WORD, term->words != NULL);
        assert_true(term->type != TERM_NUMBER || term->least < term->most);
        assert_true(term->right.name == NULL || term->right.meaning != NULL);
        assert_true(strlen(term_expected(term, expected)) < TERM_EXPECTED_MAX - 1);
        /* What holds when nothing is said can be said. */
        assert_true(term_is_usual(term, &values));
        assert_int_equal(term_read(term, term_write(term, &values, text), &values, expected), 0);
        assert_true(term_is_usual(term, &values));
    }
    assert_null(lease_term_find("Priority"));
    assert_null(lease_term_find(""));
}

static void a_request_and_its_terms_are_one(void **state)
{
    struct lease_request request = {.priority = 7, .origin = ORIGIN_EXTERNAL};

    assert_int_equal(request.term_values.priority, 7);
    request.term_values.terms = TERMS_MIGRATABLE;
    assert_int_equal(request.terms, TERMS_MIGRATABLE);
    assert_int_equal(request.origin, ORIGIN_EXTERNAL);
}

static void expect_read(const struct lease_term *term, const char *text, const char *written)
{
    struct term_values values;
    char shown[TERM_TEXT_MAX], expected[TERM_EXPECTED_MAX];

    term_values_init(&values);
    if (term_read(term, text, &values, expected) < 0)
        fail_msg("%s '%s': expected %s", term->name, text, expected);
    assert_string_equal(term_write(term, &values, shown), written);
}

static void expect_refused(const struct lease_term *term, const char *text, const char *expected)
{
    struct term_values values, before;
    char shown[TERM_EXPECTED_MAX];

    term_values_init(&values);
    before = values;
    assert_int_equal(term_read(term, text, &values, shown), -1);
    assert_string_equal(shown, expected);
    assert_memory_equal(&values, &before, sizeof values);
}

#define NUMBER "a number from -1000000 to 1000000 with at most 3 decimals"

static void values_are_read_by_their_type(void **state)
{
    const struct lease_term *flag = lease_term_find("preemptible"),
                            *word = lease_term_find("origin"),
                            *number = lease_term_find("priority");

    expect_read(flag, "YES", "yes");
    expect_read(flag, "1", "yes");
    expect_read(flag, "false", "no");
    expect_refused(flag, "maybe", "yes or no");
    expect_read(word, "External", "external");
    expect_refused(word, "", "local or external");
    expect_read(lease_term_find("terms"), "non-preemptible", "non-preemptable");
    expect_refused(lease_term_find("terms"), "eternal",
                   "cancelable, suspendable, migratable, restartable or non-preemptable");
    expect_read(number, "-1000000", "-1000000");
    expect_read(number, "0.5", "0.5");
    expect_read(number, "-.250", "-0.25");
    expect_read(number, "+1000000.000", "1000000");
    expect_refused(number, "1000000.001", NUMBER);
    expect_refused(number, "0.0005", NUMBER);
    expect_refused(number, "1e3", NUMBER);
    expect_refused(number, "nan", NUMBER);
    expect_refused(number, "1000001", NUMBER);
    expect_refused(number, "99999999999999999999", NUMBER);
    expect_refused(number, " 1", NUMBER);
    expect_refused(number, "1 ", NUMBER);
    expect_refused(number, "", NUMBER);
}

/* No row has a text yet; one may come. */
static void texts_are_safe_in_templates(void **state)
{
    const struct lease_term term = {.name = "project", .type = TERM_TEXT};
    static const char *const wrong[] = {"a\"b", "a\\b", "a\nb", "caf\xc3\xa9"};
    union {
        term_text text;
        struct term_values values;
    } memory = {.text = ""};
    char expected[TERM_EXPECTED_MAX], shown[TERM_TEXT_MAX], longest[TERM_TEXT_MAX + 1];

    assert_true(term_is_usual(&term, &memory.values));
    assert_int_equal(term_read(&term, "physics 7", &memory.values, expected), 0);
    assert_string_equal(memory.text, "physics 7");
    assert_string_equal(term_write(&term, &memory.values, shown), "physics 7");
    assert_false(term_is_usual(&term, &memory.values));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(term_read(&term, wrong[i], &memory.values, expected), -1);
    memset(longest, 'x', sizeof longest);
    longest[TERM_TEXT_MAX] = '\0';
    assert_int_equal(term_read(&term, longest, &memory.values, expected), -1);
    assert_int_equal(term_read(&term, longest + 1, &memory.values, expected), 0);
}

static void fractions_are_rounded_down_to_whole_numbers(void **state)
{
    const struct lease_term *term = lease_term_find("priority");
    static const int32_t cases[][2] = {{500, 0}, {-1, -1}, {-1000, -1}, {-1001, -2}, {2999, 2}};
    struct term_values values;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        term_set_number(term, &values, cases[i][0]);
        assert_int_equal(term_whole(term, &values), cases[i][1]);
    }
}

static void preemptible_and_terms_follow_each_other(void **state)
{
    const unsigned preemptible = 1U << TERM_ID_preemptible, terms = 1U << TERM_ID_terms;
    struct term_values values;

    term_values_init(&values);
    assert_false(values.preemptible);
    assert_int_equal(values.terms, TERMS_NON_PREEMPTABLE);
    values.preemptible = true;
    assert_true(terms_settle(&values, preemptible));
    assert_int_equal(values.terms, TERMS_SUSPENDABLE);
    values.terms = TERMS_CANCELABLE;
    assert_true(terms_settle(&values, preemptible | terms));
    assert_int_equal(values.terms, TERMS_CANCELABLE);
    values.terms = TERMS_NON_PREEMPTABLE;
    assert_false(terms_settle(&values, preemptible | terms));
    assert_true(values.preemptible);
    assert_true(terms_settle(&values, terms));
    assert_false(values.preemptible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(a_request_and_its_terms_are_one),
        cmocka_unit_test(values_are_read_by_their_type),
        cmocka_unit_test(fractions_are_rounded_down_to_whole_numbers),
        cmocka_unit_test(texts_are_safe_in_templates),
        cmocka_unit_test(preemptible_and_terms_follow_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
