/* Whose turn it is in a pass over the queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/demand.h"
#include "core/lease.h"
#include "core/lease_plan.h"
#include "core/turns.h"

enum { ROLES = 4, LEASES_MOST = 8 };

/* VMs of roles 0 to 2 must be with those of their own; those of 2 also with those of 1, but not the
 * other way round; role 3 is free. */
static const struct company_rule rules[][2] = {
    {{.role = 0}}, {{.role = 1}}, {{.role = 2}, {.role = 1}}};
static const struct vm_demand demands[ROLES] = {
    {.node = NODE_ANY, .role = 0, .rules = rules[0], .n_rules = 1},
    {.node = NODE_ANY, .role = 1, .rules = rules[1], .n_rules = 1},
    {.node = NODE_ANY, .role = 2, .rules = rules[2], .n_rules = 2},
    {.node = NODE_ANY, .role = 3}};

struct queue_of_roles {
    struct lease leases[LEASES_MOST];
    struct lease_plan plans[LEASES_MOST];
    struct node_set sets[LEASES_MOST];
    struct lease *items[LEASES_MOST];
    struct lease_list list;
};

/* A lease for each digit: its role; '-': none. */
static void fill(struct queue_of_roles *queue, const char *roles)
{
    memset(queue, 0, sizeof *queue);
    queue->list.items = queue->items;
    for (size_t i = 0; roles[i]; i++) {
        struct lease *lease = queue->items[i] = &queue->leases[i];

        lease->plan = &queue->plans[i];
        lease->request.id = (int64_t)i;
        lease->request.node_sets = &queue->sets[i];
        lease->request.n_node_sets = 1;
        if (roles[i] != '-') {
            queue->sets[i].demand = &demands[roles[i] - '0'];
            lease->plan->has_demand = true;
        }
        queue->list.n++;
    }
}

/* The ids in the order of their turns, with all or none of them placed. */
static const char *order(const struct queue_of_roles *queue, bool placed)
{
    static char text[LEASES_MOST + 1];
    struct turns turns;
    const struct lease *lease;
    size_t n = 0;

    turns_begin(&turns, &queue->list);
    while ((lease = turns_next(&turns))) {
        assert_true(n < LEASES_MOST);
        text[n++] = (char)('0' + lease->request.id);
        if (placed)
            turns_placed(&turns, lease);
    }
    text[n] = '\0';
    turns_end(&turns);
    return text;
}

static void in_the_order_given(void **state)
{
    struct queue_of_roles queue;

    fill(&queue, "");
    assert_string_equal(order(&queue, true), "");
    fill(&queue, "--3-3");
    assert_string_equal(order(&queue, true), "01234");
    fill(&queue, "01010");
    assert_string_equal(order(&queue, false), "01234");
}

static void members_follow_one_that_was_placed(void **state)
{
    struct queue_of_roles queue;

    fill(&queue, "0-1001-1");
    assert_string_equal(order(&queue, true), "03412576");
    fill(&queue, "2101"); /* role 1 follows 2; 0 is another group */
    assert_string_equal(order(&queue, true), "0132");
    fill(&queue, "12-1"); /* role 2 does not follow 1 */
    assert_string_equal(order(&queue, true), "0312");
}

static void priorities_are_kept(void **state)
{
    struct queue_of_roles queue;

    fill(&queue, "0-0-0");
    queue.leases[0].request.priority = queue.leases[1].request.priority =
        queue.leases[2].request.priority = 5;
    assert_string_equal(order(&queue, true), "02134");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_order_given),
        cmocka_unit_test(members_follow_one_that_was_placed),
        cmocka_unit_test(priorities_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
