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
    const struct policy_host_settings settings = {0};
    struct policy_host_state host = {.settings = &settings};
    struct instance instance = {.state = &host};
    struct galerna_host api;
    union galerna_value value = {.integer = 4711};
    struct lease lease = {.n_vms = 1};
    const struct galerna_lease *handle = (const void *)&lease;

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
            assert_int_equal(value.integer, term_whole(term, values));
            break;
        case GALERNA_TEXT:
            assert_string_equal(value.text, term_word(term, values));
            break;
        default:
            fail_msg("no module can ask for %s", term->name);
        }
    }
    lease.request.priority = -500;
    assert_int_equal(api.lease_priority(handle), -1);
    assert_int_equal(api.lease_priority_thousandths(handle), -500);
    value.integer = 4711;
    assert_int_equal(api.lease_term(handle, "color", &value), -1);
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

    lease.origin = GALERNA_ORIGIN_EXTERNAL;
    lease.priority = 3;
    lease.thousandths = 500;
    assert_int_equal(api->lease_priority(handle), 3);
    assert_int_equal(api->lease_priority_thousandths(handle), 3500);
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

static void the_mock_host_answers_questions(void **state)
{
    const int64_t capacity[MOCK_TYPES] = {400, 2048}, rest[MOCK_TYPES] = {50, 2048};
    struct mock_host *mock = mock_host_create();
    const struct galerna_host *api = mock_host_api(mock);
    struct mock_lease leases[3] = {mock_lease(1, GALERNA_LEASE_BEST_EFFORT),
                                   mock_lease(2, GALERNA_LEASE_BEST_EFFORT),
                                   mock_lease(3, GALERNA_LEASE_BEST_EFFORT)};
    const struct galerna_lease *found[1] = {NULL};
    struct galerna_local_time local;
    uint32_t type = GALERNA_DISK;

    leases[0].state = GALERNA_STATE_OVER;
    leases[1].user_name = "ann";
    leases[1].group_name = "staff";
    leases[1].amounts[GALERNA_MEMORY] = 4096;
    mock_host_set_leases(mock, leases, 3);
    assert_int_equal(api->user_leases(api, -1, found, 1), 2);
    assert_int_equal(api->lease_id(found[0]), 2);
    assert_int_equal(api->lease_state(found[0]), GALERNA_STATE_WAITING);
    assert_string_equal(api->lease_user_name(found[0]), "ann");
    assert_string_equal(api->lease_group_name(found[0]), "staff");

    assert_int_equal(mock_host_add(mock, capacity, rest), 0);
    assert_int_equal(api->host_fit(api, found[0], 0, 0, &type), GALERNA_FIT_TOO_SMALL);
    assert_int_equal(type, GALERNA_MEMORY);
    assert_int_equal(api->host_fit(api, mock_lease_handle(&leases[2]), 0, 0, &type),
                     GALERNA_FIT_BUSY);
    assert_int_equal(type, GALERNA_CPU);
    assert_int_equal(api->host_fit(api, found[0], 1, 0, NULL), GALERNA_FIT_UNKNOWN);

    assert_false(api->local_time(api, 0, &local));
    mock_host_set_start(mock, 86399);
    assert_true(api->local_time(api, 1, &local));
    assert_int_equal(local.day, 2);
    assert_int_equal(local.weekday, 5);
    assert_int_equal(local.hour, 0);
    mock_host_destroy(mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_may_ask_for_it),
        cmocka_unit_test(the_mock_host_answers_alike),
        cmocka_unit_test(the_mock_host_answers_questions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
