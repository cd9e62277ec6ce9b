/* The guard reads and writes the mark through a cloud that answers when the test says so. */
#include "daemon/live/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CALLS_MAX = 8 };

struct slow_cloud {
    struct cloud cloud;
    struct {
        cloud_mark_told *told; /* of a read */
        cloud_done *done;      /* of a write */
        void *context;
    } calls[CALLS_MAX];
    size_t n_calls;
    struct cloud_mark mark;
};

static void read_mark(struct cloud *cloud, cloud_mark_told *told, void *context)
{
    struct slow_cloud *slow = (struct slow_cloud *)cloud;

    assert_true(slow->n_calls < CALLS_MAX);
    slow->calls[slow->n_calls].told = told;
    slow->calls[slow->n_calls++].context = context;
}

static void write_mark(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                       void *context)
{
    struct slow_cloud *slow = (struct slow_cloud *)cloud;

    assert_true(slow->n_calls < CALLS_MAX);
    slow->mark = *mark;
    slow->calls[slow->n_calls].done = done;
    slow->calls[slow->n_calls++].context = context;
}

static const struct cloud_operations operations = {.read_mark = read_mark,
                                                   .write_mark = write_mark};

static void answer(struct slow_cloud *slow, size_t call)
{
    const struct cloud_reply yes = {.outcome = CLOUD_DONE};

    if (slow->calls[call].told)
        slow->calls[call].told(slow->calls[call].context, &yes, &slow->mark);
    else
        slow->calls[call].done(slow->calls[call].context, &yes);
}

static struct guard *make_guard(struct slow_cloud *slow)
{
    const struct guard_settings settings = {.cloud = &slow->cloud,
                                            .endpoint = "http://here/RPC2",
                                            .instance = "me",
                                            .key = "",
                                            .configuration = "",
                                            .marked = true};
    struct error err = {0};
    struct guard *guard = guard_create(&settings, &err);

    assert_non_null(guard);
    return guard;
}

/* An oned that is busy with an election may be slow to answer the follower's look at the mark. */
static void an_election_does_not_wait_for_a_look_at_the_mark(void **state)
{
    const struct cloud_leadership leads = {.leads = true, .term = 7};
    struct slow_cloud slow = {.cloud.operations = &operations,
                              .mark = {.instance = "other", .place = "there", .term = 6}};
    struct guard *guard = make_guard(&slow);

    guard_rest(guard);
    assert_int_equal(slow.n_calls, 1);
    guard_lead(guard, &leads);
    guard_step(guard);
    assert_int_equal(slow.n_calls, 2);
    answer(&slow, 1);
    guard_step(guard);
    assert_int_equal(slow.n_calls, 3);
    assert_non_null(slow.calls[2].done);
    assert_int_equal(slow.mark.term, 7);
    answer(&slow, 2);
    slow.mark = (struct cloud_mark){.instance = "late", .place = "there", .term = 6};
    answer(&slow, 0); /* of what the mark was before: no longer of interest */
    assert_string_equal(guard_acting(guard)->instance, "other");
    guard_destroy(guard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_election_does_not_wait_for_a_look_at_the_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
