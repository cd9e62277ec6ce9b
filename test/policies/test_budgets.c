/* limits: budgets of VM-hours and CPU-hours for a week, against sums over plain lists of uses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "test/support/random.h"

extern const struct galerna_policy galerna_policy_limits;

enum { HOUR = 3600, DAY = 24 * HOUR, WEEK = 7 * DAY, USES = 30, ROUNDS = 300 };

/* Monday, 2026-11-23, 0:00. */
#define MONDAY INT64_C(1795392000)

struct scene {
    struct mock_host *mock;
    void *self;
    struct galerna_result *result;
    int64_t ids, now;
};

static void scene_init(struct scene *scene, const char *options, int64_t start)
{
    memset(scene, 0, sizeof *scene);
    scene->mock = mock_host_create();
    if (start != GALERNA_NONE)
        mock_host_set_start(scene->mock, start);
    scene->self = make(scene->mock, &galerna_policy_limits, options);
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

static struct mock_lease new_lease(struct scene *scene, int64_t user, uint32_t vms,
                                   int64_t duration)
{
    struct mock_lease lease = mock_lease(++scene->ids, GALERNA_LEASE_BEST_EFFORT);

    lease.user = user;
    lease.vms = vms;
    lease.duration = duration;
    lease.submit = scene->now;
    return lease;
}

static enum galerna_verdict ask(struct scene *scene, const struct mock_lease *lease)
{
    const struct galerna_admission_request request = {
        .size = sizeof request, .lease = mock_lease_handle(lease), .now = scene->now};

    mock_host_set_now(scene->mock, scene->now);
    scene->result = mock_host_result(scene->mock);
    return galerna_policy_limits.admission->admit(scene->self, &request, scene->result);
}

static void tell(struct scene *scene, enum galerna_event_kind kind, struct mock_lease *lease,
                 int64_t accumulated)
{
    struct galerna_event event = {.size = sizeof event,
                                  .kind = (uint32_t)kind,
                                  .time = scene->now,
                                  .lease = mock_lease_handle(lease),
                                  .accepted = true};

    lease->accumulated = accumulated;
    galerna_policy_limits.event(scene->self, &event);
}

/* The lease is accepted and runs from now on. */
static void starts(struct scene *scene, struct mock_lease *lease)
{
    if (ask(scene, lease) != GALERNA_OK)
        fail_msg("refused: %s", scene->result->text);
    tell(scene, GALERNA_EVENT_REQUESTED, lease, 0);
    tell(scene, GALERNA_EVENT_STARTED, lease, 0);
}

static void expect_refusal(struct scene *scene, const struct mock_lease *lease,
                           enum galerna_verdict verdict, const char *reason, const char *text)
{
    assert_int_equal(ask(scene, lease), verdict);
    assert_string_equal(scene->result->reason, reason);
    assert_string_equal(scene->result->text, text);
}

static void used_and_promised_hours_count(void **state)
{
    struct scene scene;
    struct mock_lease first, second;

    scene_init(&scene, "vm-hours=100", MONDAY);
    first = new_lease(&scene, 3, 4, 20 * HOUR);
    starts(&scene, &first); /* 80 VM-hours */
    scene.now = 5 * HOUR;
    second = new_lease(&scene, 3, 1, 20 * HOUR);
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    scene.now++; /* it was a trial */
    second = new_lease(&scene, 3, 1, 21 * HOUR);
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-vm-hours",
                   "21.0 VM-hours requested in a week; a user may have 100, of which 20.0 are used "
                   "and 60.0 promised; room from 2026-11-29 04:00 on");
    second = new_lease(&scene, 3, 101, HOUR);
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_GOOD, "too-many-vm-hours",
                   "101.0 VM-hours requested in a week; a user may have 100");
    second = new_lease(&scene, 4, 1, 100 * HOUR); /* another user */
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    /* What ends early was not used. */
    scene.now = 6 * HOUR;
    tell(&scene, GALERNA_EVENT_FINISHED, &first, 6 * HOUR);
    second = new_lease(&scene, 3, 1, 76 * HOUR);
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    second = new_lease(&scene, 3, 1, 77 * HOUR);
    assert_int_equal(ask(&scene, &second), GALERNA_REFUSED_FOR_NOW);
    /* A week later nothing counts any more. */
    scene.now = WEEK + 6 * HOUR;
    second = new_lease(&scene, 3, 1, 100 * HOUR);
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    finish(&scene);
}

static void a_week_of_the_calendar_begins_on_monday(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "vm-hours=48 week=calendar", MONDAY + 2 * DAY); /* Wednesday */
    scene.now = 12 * HOUR;
    lease = new_lease(&scene, 3, 2, 24 * HOUR);
    starts(&scene, &lease);
    lease = new_lease(&scene, 3, 1, HOUR);
    expect_refusal(
        &scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-vm-hours",
        "1.0 VM-hours requested in a week; a user may have 48, of which 0.0 are used and "
        "48.0 promised; room from 2026-11-30 00:00 on");
    lease = new_lease(&scene, 3, 1, 36);
    expect_refusal(
        &scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-vm-hours",
        "0.0100 VM-hours requested in a week; a user may have 48, of which 0.0 are used and "
        "48.0 promised; room from 2026-11-30 00:00 on");
    lease = new_lease(&scene, 3, 1, HOUR);
    lease.kind = GALERNA_LEASE_RESERVATION;
    lease.start = 5 * DAY; /* the next Monday */
    assert_int_equal(ask(&scene, &lease), GALERNA_OK);
    lease.start -= HOUR / 2; /* one half in each week */
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_NOW);
    finish(&scene);
}

/* A plain VM of OpenNebula takes 168 hours of each week. */
static void leases_without_an_end_take_whole_weeks(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "vm-hours=336", GALERNA_NONE);
    for (int i = 0; i < 2; i++) {
        lease = new_lease(&scene, 3, 1, GALERNA_UNLIMITED);
        starts(&scene, &lease);
    }
    lease = new_lease(&scene, 3, 1, GALERNA_UNLIMITED);
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-vm-hours",
                   "168.0 VM-hours requested in a week; a user may have 336, of which 0.0 are used "
                   "and 336.0 promised; the lease does not fit within the next four weeks");
    lease = new_lease(&scene, 3, 3, GALERNA_UNLIMITED);
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_GOOD);
    finish(&scene);
}

/* The fullest week begins with a full hour, after the request. */
static void a_request_is_told_in_full(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "vm-hours=337", GALERNA_NONE);
    scene.now = HOUR / 2;
    lease = new_lease(&scene, 3, 2, GALERNA_UNLIMITED);
    starts(&scene, &lease);
    lease = new_lease(&scene, 3, 1, 2 * HOUR);
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-vm-hours",
                   "2.0 VM-hours requested in a week; a user may have 337, of which 0.0 are used "
                   "and 336.0 promised; the lease does not fit within the next four weeks");
    lease = new_lease(&scene, 3, 338, HOUR);
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-many-vm-hours",
                   "338.0 VM-hours requested in a week; a user may have 337");
    finish(&scene);
}

static void groups_have_budgets_together(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "groups=students:10-99:cpu-hours=100", GALERNA_NONE);
    for (int user = 10; user < 12; user++) {
        lease = new_lease(&scene, user, 1, 20 * HOUR);
        lease.amounts[GALERNA_CPU] = 200;
        starts(&scene, &lease);
    }
    lease = new_lease(&scene, 12, 1, 30 * HOUR);
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-cpu-hours",
                   "30.0 CPU-hours requested in a week; group students may have 100, of which 0.0 "
                   "are used and 80.0 promised; room in 148 h");
    lease.user = 100;
    assert_int_equal(ask(&scene, &lease), GALERNA_OK);
    finish(&scene);
}

static void suspensions_do_not_count(void **state)
{
    struct scene scene;
    struct mock_lease lease, other;

    scene_init(&scene, "vm-hours=100", GALERNA_NONE);
    lease = new_lease(&scene, 3, 1, 60 * HOUR);
    starts(&scene, &lease);
    scene.now = 10 * HOUR;
    tell(&scene, GALERNA_EVENT_PREEMPTED, &lease, 10 * HOUR);
    scene.now = 90 * HOUR;
    other = new_lease(&scene, 3, 1, 40 * HOUR);
    assert_int_equal(ask(&scene, &other), GALERNA_OK); /* 10 used, 50 promised */
    scene.now++;
    other = new_lease(&scene, 3, 1, 41 * HOUR);
    assert_int_equal(ask(&scene, &other), GALERNA_REFUSED_FOR_NOW);
    tell(&scene, GALERNA_EVENT_RESUMED, &lease, 10 * HOUR);
    scene.now = 140 * HOUR;
    tell(&scene, GALERNA_EVENT_FINISHED, &lease, 60 * HOUR);
    other = new_lease(&scene, 3, 1, 41 * HOUR);
    assert_int_equal(ask(&scene, &other), GALERNA_REFUSED_FOR_NOW);
    finish(&scene);
}

/* --- random uses ------------------------------------------------------------------------------ */

struct use {
    int64_t from, until, vms;
    bool is_over, waits;
};

static int64_t overlap(const struct use *use, int64_t from, int64_t until)
{
    from = use->from > from ? use->from : from;
    until = use->until < until ? use->until : until;
    return until > from ? (until - from) * use->vms : 0;
}

/* Does every week, from each hour on, keep to the budget? */
static bool fits(const struct use *uses, int n, const struct use *more, int64_t budget)
{
    for (int64_t week = more->from - WEEK; week < more->until; week += HOUR) {
        int64_t sum = overlap(more, week, week + WEEK);

        if (sum == 0)
            continue;
        for (int i = 0; i < n; i++)
            sum += overlap(&uses[i], week, week + WEEK);
        if (sum > budget * HOUR)
            return false;
    }
    return true;
}

static int64_t room_for(const struct use *uses, int n, struct use more, int64_t budget)
{
    for (int hours = 0; hours < 4 * 168; hours++, more.from += HOUR, more.until += HOUR)
        if (fits(uses, n, &more, budget))
            return hours;
    return -1;
}

/* Leases that have run, run, and are promised; then a request. Everything on the hour. */
static void play(uint32_t seed)
{
    struct use uses[USES], more;
    struct mock_lease lease;
    struct random random;
    struct scene scene;
    char options[64], *text;
    int64_t budget, room;
    int n;

    random_init(&random, seed);
    budget = random_between(&random, 10, 400);
    snprintf(options, sizeof options, "vm-hours=%d", (int)budget);
    scene_init(&scene, options, GALERNA_NONE);
    n = (int)random_between(&random, 0, USES);
    for (int i = 0; i < n; i++) {
        uses[i] = (struct use){.vms = random_between(&random, 1, 3)};
        uses[i].from = scene.now;
        uses[i].until = scene.now + HOUR * random_between(&random, 1, 30);
        lease = new_lease(&scene, 1, (uint32_t)uses[i].vms, uses[i].until - uses[i].from);
        if (random_once_in(&random, 3)) {
            int64_t ahead = HOUR * random_between(&random, 1, 200);

            uses[i].from += ahead;
            uses[i].until += ahead;
            lease.kind = GALERNA_LEASE_RESERVATION;
            lease.start = uses[i].from;
            uses[i].waits = true;
        }
        /* Told as accepted whatever the budget says: it may have been changed. */
        tell(&scene, GALERNA_EVENT_REQUESTED, &lease, 0);
        if (lease.kind == GALERNA_LEASE_BEST_EFFORT) {
            int64_t begun = scene.now, ran = HOUR * random_between(&random, 1, 30);

            tell(&scene, GALERNA_EVENT_STARTED, &lease, 0);
            if (random_once_in(&random, 2)) { /* over at once, as far as the test goes */
                scene.now = uses[i].until = begun + ran;
                uses[i].is_over = true;
                tell(&scene, GALERNA_EVENT_FINISHED, &lease, ran);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        if (uses[i].waits && uses[i].from < scene.now) { /* it is late */
            uses[i].until += scene.now - uses[i].from;
            uses[i].from = scene.now;
        } else if (!uses[i].is_over && uses[i].until < scene.now) { /* so are its VMs */
            uses[i].until = scene.now;
        }
    }
    more = (struct use){0};
    more.vms = random_between(&random, 1, 3);
    more.from = scene.now;
    more.until = more.from + HOUR * random_between(&random, 1, 40);
    lease = new_lease(&scene, 1, (uint32_t)more.vms, more.until - more.from);
    room = room_for(uses, n, more, budget);
    if ((ask(&scene, &lease) == GALERNA_OK) != (room == 0))
        fail_msg("seed %u: room in %d h, but: %s", seed, (int)room, scene.result->text);
    text = strstr(scene.result->text, "room in ");
    if (room > 0 && (!text || atoi(text + strlen("room in ")) != room))
        fail_msg("seed %u: room in %d h, but: %s", seed, (int)room, scene.result->text);
    finish(&scene);
}

static void every_week_keeps_to_the_budget(void **state)
{
    for (uint32_t seed = 1; seed <= ROUNDS; seed++)
        play(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(used_and_promised_hours_count),
        cmocka_unit_test(a_week_of_the_calendar_begins_on_monday),
        cmocka_unit_test(leases_without_an_end_take_whole_weeks),
        cmocka_unit_test(a_request_is_told_in_full),
        cmocka_unit_test(groups_have_budgets_together),
        cmocka_unit_test(suspensions_do_not_count),
        cmocka_unit_test(every_week_keeps_to_the_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
