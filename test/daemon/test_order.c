/* What a request is written as for OpenNebula is read from there as the same spec. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/lease_spec.h"
#include "daemon/control/order.h"

#define NOW INT64_C(1795273200)

/* One attribute KEY=[A="1", B="2"] as the pool's reader flattens it. */
struct parsed {
    char text[ORDER_TEXT_MAX], names[24][48];
    struct attribute items[24];
    struct attributes attributes;
};

static void parse(struct parsed *parsed)
{
    char *at = strchr(parsed->text, '['), *end;
    size_t n = 0;

    parsed->attributes = (struct attributes){.items = parsed->items};
    assert_int_equal(strncmp(parsed->text, "GALERNA=[", 9), 0);
    for (at++; *at && *at != ']'; n++) {
        char *equals = strchr(at, '=');

        *equals = '\0';
        snprintf(parsed->names[n], sizeof parsed->names[n], "GALERNA/%s", at);
        assert_int_equal(equals[1], '"');
        end = strchr(equals + 2, '"');
        *end = '\0';
        parsed->items[n] = (struct attribute){parsed->names[n], equals + 2};
        at = end + 1 + strspn(end + 1, ", ");
    }
    parsed->attributes.n = n;
}

static void read_back(const struct order *order, struct lease_spec *spec)
{
    const struct lease_spec_defaults defaults = {.preemptible = false, .duration = SPAN_UNLIMITED};
    char reason[LEASE_SPEC_TEXT_MAX] = "";
    struct parsed parsed;
    struct vm vm = {.id = 1, .stime = NOW, .is_extended = true};
    size_t length = order_attribute(order, "request-1", parsed.text, sizeof parsed.text);

    assert_int_equal(length, strlen(parsed.text));
    parse(&parsed);
    vm.user_template = parsed.attributes;
    if (lease_spec_read(&vm, &defaults, spec, reason) < 0)
        fail_msg("%s", reason);
    assert_true(spec->present);
    assert_int_equal(spec->kind, order->kind);
    assert_int_equal(spec->duration, order->duration);
    assert_int_equal(spec->deadline, order->deadline);
    assert_int_equal(spec->terms, order->terms);
    assert_int_equal(spec->preemptible, order->terms != TERMS_NON_PREEMPTABLE);
    assert_int_equal(spec->priority, order->priority);
    assert_string_equal(spec->group, order->count > 1 ? "request-1" : "");
    assert_int_equal(spec->group_size, order->count > 1 ? order->count : 0);
}

static struct order some_order(enum lease_kind kind)
{
    return (struct order){
        .kind = kind,
        .count = 1,
        .sizes = {{1, 100, 512}},
        .n_sizes = 1,
        .template = -1,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = SPAN_UNLIMITED,
        .terms = TERMS_NON_PREEMPTABLE,
    };
}

static void every_kind_is_understood(void **state)
{
    struct order order = some_order(LEASE_BEST_EFFORT);
    struct lease_spec spec;

    read_back(&order, &spec);
    order.earliest = NOW + 5;
    order.duration = 1;
    read_back(&order, &spec);
    assert_int_equal(spec.earliest, NOW + 5);
    order = some_order(LEASE_IMMEDIATE);
    order.duration = 90061;
    read_back(&order, &spec);
    order = some_order(LEASE_RESERVATION);
    order.start = NOW + 86400 * 200; /* in summer, when it is winter now */
    order.duration = 360000;
    read_back(&order, &spec);
    assert_int_equal(spec.start, order.start);
    order = some_order(LEASE_DEADLINE);
    order.earliest = NOW + 10;
    order.deadline = NOW + 1000;
    order.duration = 60;
    read_back(&order, &spec);
}

static void terms_priorities_and_groups_are_understood(void **state)
{
    struct order order = some_order(LEASE_BEST_EFFORT);
    struct lease_spec spec;

    for (int terms = TERMS_CANCELABLE; terms <= TERMS_NON_PREEMPTABLE; terms++) {
        order.terms = (enum lease_terms)terms;
        order.preemptible = order.terms != TERMS_NON_PREEMPTABLE;
        order.priority = 3 - terms;
        order.count = 1 + (uint32_t)terms;
        read_back(&order, &spec);
    }
}

static void a_latest_start_is_a_deadline(void **state)
{
    json_t *request = json_pack("{s:s, s:i, s:i, s:i, s:s}", "kind", "deadline", "cpu", 1, "memory",
                                64, "duration", 3600, "latest", "2026-11-21T15:00:00Z");
    struct order order;
    struct error err;

    assert_int_equal(order_read(request, NOW, &order, &err), 0);
    assert_int_equal(order.kind, LEASE_DEADLINE);
    assert_int_equal(order.deadline, 1795276800); /* 16:00 */
    json_decref(request);
}

static void processors_have_limits_that_are_named(void **state)
{
    static const double wrong[] = {0, 0.009, 1000001, 1e23};
    int64_t cpu, memory;
    struct error err;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *request = json_pack("{s:f}", "cpu", wrong[i]);

        assert_int_equal(order_read_size(request, &cpu, &memory, &err), -1);
        assert_string_equal(err.text, "cpu: expected a number of processors from 0.01 to 1000000");
        json_decref(request);
    }
}

static void the_engine_is_asked_for_the_same(void **state)
{
    struct order order = some_order(LEASE_DEADLINE);
    struct lease_request request;
    struct node_set sets[ORDER_SIZES_MAX];

    order.sizes[0].count = 7;
    order.sizes[1] = (struct order_size){3, 50, 64};
    order.n_sizes = 2;
    order.earliest = NOW + 10;
    order.deadline = NOW + 1000;
    order.duration = 60;
    order.terms = TERMS_RESTARTABLE;
    order.preemptible = true;
    order_lease_request(&order, NOW, sets, &request);
    assert_int_equal(sets[0].count, 7);
    assert_int_equal(sets[0].amounts.of[RESOURCE_CPU], 100);
    assert_int_equal(sets[0].amounts.of[RESOURCE_MEMORY], 512);
    assert_int_equal(sets[1].count, 3);
    assert_int_equal(sets[1].amounts.of[RESOURCE_CPU], 50);
    assert_int_equal(request.n_node_sets, 2);
    assert_int_equal(request.kind, LEASE_DEADLINE);
    assert_int_equal(request.start, NOW + 10);
    assert_int_equal(request.deadline, NOW + 1000);
    assert_int_equal(request.duration, 60);
    assert_true(request.preemptible);
    assert_ptr_equal(request.node_sets, sets);
    order = some_order(LEASE_RESERVATION);
    order.start = NOW + 7;
    order_lease_request(&order, NOW, sets, &request);
    assert_int_equal(request.start, NOW + 7);
    assert_false(request.preemptible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_latest_start_is_a_deadline),
        cmocka_unit_test(processors_have_limits_that_are_named),
        cmocka_unit_test(the_engine_is_asked_for_the_same),
        cmocka_unit_test(every_kind_is_understood),
        cmocka_unit_test(terms_priorities_and_groups_are_understood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
