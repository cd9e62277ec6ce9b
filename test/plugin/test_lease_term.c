/* Modules may ask for every term of a lease by its name, in the program and under the mock host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/lease.h"
#include "galerna_mock_host.h"
#include "plugin/instance.h"

static void set_unusual(const struct lease_term *term, struct term_values *values)
{
    char expected[TERM_EXPECTED_MAX];

    term_values_init(values);
    if (term->type == TERM_TEXT)
        assert_int_equal(term_read(term, "some text", values, expected), 0);
    else
        term_set_number(term, values, term->otherwise ? 0 : 1);
}

static void modules_may_ask_for_it(void **state)
{
    struct host_state host = {0};
    struct instance instance = {.state = &host};
    struct galerna_host api;
    union galerna_value value = {.integer = 4711};
    struct lease lease = {.n_vms = 1};
    const struct galerna_lease *handle = (const void *)&lease;

    (void)state;
    host_api_init(&api, &instance);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        struct term_values *values = &lease.request.term_values;

        set_unusual(term, values);
        switch (api.lease_term(handle, term->name, &value)) {
        case GALERNA_BOOLEAN:
            assert_int_equal(value.boolean, term_number(term, values));
            break;
        case GALERNA_INTEGER:
            assert_int_equal(value.integer, term_number(term, values));
            break;
        case GALERNA_TEXT:
            assert_string_equal(value.text, term_word(term, values));
            break;
        default:
            fail_msg("no module can ask for %s", term->name);
        }
    }
    value.integer = 4711;
    assert_int_equal(api.lease_term(handle, "colour", &value), -1);
    assert_int_equal(value.integer, 4711);
}

/* A test of a module gives terms that the mock has no member for. */
static void the_mock_host_answers_alike(void **state)
{
    struct mock_host *mock = mock_host_create();
    const struct galerna_host *api = mock_host_api(mock);
    struct mock_lease lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
    const struct galerna_lease *handle = mock_lease_handle(&lease);
    const struct mock_term more[] = {{"project", GALERNA_TEXT, {.text = "physics"}},
                                     {"priority", GALERNA_INTEGER, {.integer = 9}}};
    union galerna_value value = {.integer = 4711};

    (void)state;
    lease.origin = GALERNA_ORIGIN_EXTERNAL;
    lease.priority = 3;
    assert_int_equal(api->lease_term(handle, "preemptible", &value), GALERNA_BOOLEAN);
    assert_true(value.boolean);
    assert_int_equal(api->lease_term(handle, "terms", &value), GALERNA_TEXT);
    assert_string_equal(value.text, "suspendable");
    assert_int_equal(api->lease_term(handle, "origin", &value), GALERNA_TEXT);
    assert_string_equal(value.text, "external");
    assert_int_equal(api->lease_term(handle, "priority", &value), GALERNA_INTEGER);
    assert_int_equal(value.integer, 3);
    assert_int_equal(api->lease_term(handle, "project", &value), -1);
    lease.more_terms = more;
    lease.n_more_terms = 2;
    assert_int_equal(api->lease_term(handle, "project", &value), GALERNA_TEXT);
    assert_string_equal(value.text, "physics");
    assert_int_equal(api->lease_term(handle, "priority", &value), GALERNA_INTEGER);
    assert_int_equal(value.integer, 9);
    mock_host_destroy(mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_may_ask_for_it),
        cmocka_unit_test(the_mock_host_answers_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
