/* Every term of a lease goes through all that handles leases and comes out as it went in: a row of
 * core/lease_terms.h that one of them does not know fails here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/lease_spec.h"
#include "adapters/opennebula/rights.h"
#include "core/reason_details.h"
#include "daemon/control/jansson_values.h"
#include "daemon/control/json_term.h"
#include "daemon/control/lease_json.h"
#include "daemon/control/order.h"
#include "daemon/record/recorder_line.h"
#include "lwf/lwf_reader.h"
#include "lwf/source.h"
#include "planner/protocol.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 1795273200 };

/* A value that nobody has by default. */
static void set_unusual(const struct lease_term *term, struct term_values *values)
{
    char expected[TERM_EXPECTED_MAX];

    term_values_init(values);
    if (term->type == TERM_TEXT)
        assert_int_equal(term_read(term, "some text", values, expected), 0);
    else
        term_set_number(term, values, term->otherwise ? 0 : 1);
    assert_true(terms_settle(values, 1U << (term - lease_terms)));
}

static void assert_same(const struct lease_term *term, const struct term_values *values,
                        const struct term_values *wanted)
{
    char one[TERM_TEXT_MAX], other[TERM_TEXT_MAX];

    if (strcmp(term_write(term, values, one), term_write(term, wanted, other)) != 0)
        fail_msg("%s is %s, not %s", term->name, one, other);
}

static struct order some_order(const struct term_values *values)
{
    return (struct order){.kind = LEASE_BEST_EFFORT,
                          .sizes = {{1, 100, 512}},
                          .n_sizes = 1,
                          .count = 1,
                          .template = -1,
                          .start = INSTANT_NONE,
                          .earliest = INSTANT_NONE,
                          .deadline = INSTANT_NONE,
                          .duration = 60,
                          .term_values = *values};
}

/* --- templates and rights --------------------------------------------------------------------- */

static void read_template(const char *attribute, const char *value, struct lease_spec *spec)
{
    const struct lease_spec_defaults defaults = {.duration = SPAN_UNLIMITED};
    char name[64], text[64], reason[LEASE_SPEC_TEXT_MAX];
    struct attribute item = {name, text};
    struct vm vm = {.id = 1, .stime = NOW, .is_extended = true};

    snprintf(name, sizeof name, "GALERNA/%s", attribute);
    snprintf(text, sizeof text, "%s", value);
    vm.user_template = (struct attributes){.items = &item, .n = 1};
    if (lease_spec_read(&vm, &defaults, spec, reason) < 0)
        fail_msg("%s", reason);
}

static void templates_say_it(void **state)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        struct term_values values;
        struct lease_spec spec;
        char text[TERM_TEXT_MAX];

        set_unusual(term, &values);
        read_template(term->attribute, term_write(term, &values, text), &spec);
        assert_same(term, &spec.term_values, &values);
        assert_true(spec.given >> i & 1);
    }
}

/* The daemon writes templates, too, for those who ask it. */
static void orders_write_it_into_templates(void **state)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        char text[ORDER_TEXT_MAX], value[TERM_TEXT_MAX], wanted[2 * TERM_TEXT_MAX];
        struct term_values values;
        struct order order;

        set_unusual(term, &values);
        order = some_order(&values);
        order_attribute(&order, "", text, sizeof text);
        snprintf(wanted, sizeof wanted, "%s=\"%s\"", term->attribute,
                 term_write(term, &values, value));
        if (!strstr(text, wanted))
            fail_msg("%s lacks %s", text, wanted);
    }
}

/* With a right to be had, what is restricted is refused to those who do not have it. */
static void rights_restrict_it(void **state)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        char text[128], reason[LEASE_SPEC_TEXT_MAX], sentence[REASON_DETAILS_MAX];
        struct lease_spec spec;
        struct rights_request request = {.user = "a", .group = "b", .spec = &spec, .n_vms = 1};
        struct error err = {0};
        struct rights *rights;
        struct ini ini;

        if (!term->right.name)
            continue;
        snprintf(text, sizeof text, "[rights]\n%s: %s\n", term->right.name,
                 term->type == TERM_NUMBER ? "1" : "no");
        ini_init(&ini);
        assert_int_equal(ini_read_text(&ini, "f", text, strlen(text), &err), 0);
        rights = rights_create(&ini, &err);
        if (!rights)
            fail_msg("%s", err.text);
        read_template("DURATION", "unlimited", &spec);
        spec.given = 1U << i;
        term_set_number(term, &spec.term_values,
                        term->type == TERM_NUMBER ? 2000 : term->restricted);
        assert_int_equal(rights_grant(rights, &request, reason), -1);
        assert_non_null(
            strstr(details_text(reason, sentence, sizeof sentence, NULL), term->attribute));
        rights_destroy(rights);
        ini_finish(&ini);
    }
}

/* --- the store, the socket, the engine -------------------------------------------------------- */

static void the_store_keeps_it(void **state)
{
    struct store_fixture *fixture = *state;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        struct lease_record *lease = store_add_lease(fixture->store, (int64_t)i);

        store_add_vm(fixture->store, (int32_t)i, (int64_t)i);
        set_unusual(&lease_terms[i], &lease->term_values);
    }
    store_must_commit(fixture->store);
    store_reopen(fixture);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        struct term_values values;

        set_unusual(&lease_terms[i], &values);
        assert_same(&lease_terms[i], &store_lease(fixture->store, (int64_t)i)->term_values,
                    &values);
    }
}

static json_t *shown_of(const struct lease_record *lease)
{
    struct output *text = output_create_memory();
    struct json_writer writer;

    json_writer_init(&writer, text);
    json_write_lease(&writer, &(struct shown_lease){.lease = lease, .began = INSTANT_NONE}, NOW);
    return json_from_output(text);
}

static void the_control_socket_takes_it_and_tells_it(void **state)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        struct lease_record lease = {.id = 1,
                                     .user = "",
                                     .user_group = "",
                                     .name = "",
                                     .group = "",
                                     .reason_word = "",
                                     .reason = "",
                                     .change_refused = ""};
        json_t *request =
            json_pack("{s:s, s:i, s:i}", "command", "lease-request", "cpu", 1, "memory", 64);
        struct error err = {0};
        struct lease_request engine;
        struct term_values values;
        struct order order;
        struct node_set sets[ORDER_SIZES_MAX];
        json_t *told;

        set_unusual(term, &values);
        json_object_set_new(request, term->name, json_from_term(term, &values));
        if (order_read(request, NOW, &order, &err) < 0)
            fail_msg("%s", err.text);
        assert_same(term, &order.term_values, &values);
        order_lease_request(&order, NOW, sets, &engine);
        assert_same(term, &engine.term_values, &values);
        json_object_set_new(request, term->name, json_pack("[]"));
        assert_int_equal(order_read(request, NOW, &order, &err), -1);
        assert_non_null(strstr(err.text, term->name));
        json_decref(request);

        lease.term_values = values;
        told = shown_of(&lease);
        request = json_from_term(term, &values);
        assert_true(json_equal(json_object_get(told, term->name), request));
        json_decref(request);
        json_decref(told);
    }
}

static void the_planner_process_is_told(void **state)
{
    const struct node_set one = {.count = 1};

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        struct lease_request request = {.node_sets = &one, .n_node_sets = 1}, read;
        struct wire_writer writer = {0};
        struct wire_reader reader;
        struct node_set *sets;

        set_unusual(&lease_terms[i], &request.term_values);
        wire_put_request(&writer, &request, NULL);
        wire_reader_init(&reader, wire_bytes(&writer), writer.n);
        wire_get_request(&reader, &read, &sets, NULL);
        assert_true(wire_is_at_end(&reader));
        assert_same(&lease_terms[i], &read.term_values, &request.term_values);
        free(sets);
        wire_writer_finish(&writer);
    }
}

/* --- traces ----------------------------------------------------------------------------------- */

static void read_trace(const char *text, size_t length, struct term_values *values)
{
    struct error err = {0};
    struct lease_request request;
    struct trace *trace = lwf_open_source(source_open_memory("memory", text, length), NULL, &err);

    if (!trace || trace_next(trace, &request, &err) != 1)
        fail_msg("%s: %s", err.text, text);
    *values = request.term_values;
    trace_destroy(trace);
}

static void traces_hold_it(void **state)
{
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        struct lease_record lease = {.id = 1,
                                     .phase = PHASE_WAITING,
                                     .start = INSTANT_NONE,
                                     .earliest = INSTANT_NONE,
                                     .deadline = INSTANT_NONE,
                                     .since = INSTANT_NONE,
                                     .duration = 60};
        const struct vm_record vm = {.id = 1, .cpu = 100, .memory = 64}, *vms = &vm;
        const struct recorded_lease facts = {&lease, &vms, 1};
        const struct record_line line = {.id = 1};
        struct term_values values;
        struct error err = {0};
        char *header, *text, *whole = NULL;

        set_unusual(term, &lease.term_values);
        header = record_header(NULL, NOW, &err);
        text = record_line(&facts, &line, NOW, &err);
        assert_non_null(header);
        assert_non_null(text);
        assert_true(asprintf(&whole, "%s%s\n%s", header, text, RECORD_FOOTER) > 0);
        read_trace(whole, strlen(whole), &values);
        assert_same(term, &values, &lease.term_values);
        free(header);
        free(text);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_say_it),
        cmocka_unit_test(orders_write_it_into_templates),
        cmocka_unit_test(rights_restrict_it),
        cmocka_unit_test_setup_teardown(the_store_keeps_it, store_set_up, store_tear_down),
        cmocka_unit_test(the_control_socket_takes_it_and_tells_it),
        cmocka_unit_test(the_planner_process_is_told),
        cmocka_unit_test(traces_hold_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
