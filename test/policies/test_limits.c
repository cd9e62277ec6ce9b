/* limits: what users and groups may ask for and have. */
#include <string.h>

#include "support.h"

extern const struct galerna_policy galerna_policy_limits;

enum { NOW = 5000 };

struct scene {
    struct mock_host *mock;
    void *self;
    struct galerna_result *result;
    int64_t ids;
};

static void scene_init(struct scene *scene, const char *options)
{
    memset(scene, 0, sizeof *scene);
    scene->mock = mock_host_create();
    scene->self = make(scene->mock, &galerna_policy_limits, options);
}

static void finish(struct scene *scene)
{
    mock_host_destroy(scene->mock);
}

static struct mock_lease new_lease(struct scene *scene, int64_t user)
{
    struct mock_lease lease = mock_lease(++scene->ids, GALERNA_LEASE_BEST_EFFORT);

    lease.user = user;
    return lease;
}

static enum galerna_verdict ask(struct scene *scene, const struct mock_lease *lease)
{
    const struct galerna_admission_request request = {
        .size = sizeof request, .lease = mock_lease_handle(lease), .now = NOW};

    scene->result = mock_host_result(scene->mock);
    return galerna_policy_limits.admission->admit(scene->self, &request, scene->result);
}

static void tell(struct scene *scene, enum galerna_event_kind kind, const struct mock_lease *lease)
{
    const struct galerna_event event = {.size = sizeof event,
                                        .kind = (uint32_t)kind,
                                        .time = NOW,
                                        .lease = mock_lease_handle(lease),
                                        .accepted = true};

    galerna_policy_limits.event(scene->self, &event);
}

static void expect_passes(struct scene *scene, const struct mock_lease *lease)
{
    if (ask(scene, lease) != GALERNA_OK)
        fail_msg("refused: %s", scene->result->text);
    tell(scene, GALERNA_EVENT_REQUESTED, lease);
}

static void expect_refusal(struct scene *scene, const struct mock_lease *lease,
                           enum galerna_verdict verdict, const char *reason, const char *text)
{
    assert_int_equal(ask(scene, lease), verdict);
    assert_string_equal(scene->result->reason, reason);
    assert_string_equal(scene->result->text, text);
}

static void without_limits_everything_passes(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, NULL);
    for (int i = 0; i < 100; i++) {
        lease = new_lease(&scene, i % 3 - 1);
        lease.kind = GALERNA_LEASE_RESERVATION;
        lease.start = NOW + 1000000;
        lease.duration = GALERNA_UNLIMITED;
        lease.vms = 1000;
        expect_passes(&scene, &lease);
    }
    finish(&scene);
}

static void a_lease_has_limits(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "duration=2h horizon=1d vms=8 cpu=600 memory=7000");
    lease = new_lease(&scene, 3);
    lease.duration = 7200;
    lease.vms = 6;
    expect_passes(&scene, &lease);
    lease = new_lease(&scene, 3);
    lease.duration = 7201;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-long",
                   "duration: 2h00m01s requested; a user may have 2h");
    lease.duration = GALERNA_UNLIMITED;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-long",
                   "duration: unlimited requested; a user may have 2h");
    lease.duration = 60;
    lease.start = NOW + 86401;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-far-ahead",
                   "time until the start: 1d00h00m01s requested; a user may have 1d");
    lease.start = NOW - 10;
    lease.vms = 9;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-many-vms",
                   "VMs: 9 requested; a user may have 8");
    lease.vms = 7;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-much-cpu",
                   "CPU in percent of a processor: 700 requested; a user may have 600");
    lease.amounts[GALERNA_CPU] = 10;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-much-memory",
                   "memory in MB: 7168 requested; a user may have 7000");
    finish(&scene);
}

static void a_user_has_limits(void **state)
{
    struct scene scene;
    struct mock_lease first, second, third, reservation;

    scene_init(&scene, "leases=2 reservations=1 all-vms=10");
    first = new_lease(&scene, 3);
    first.vms = 6;
    expect_passes(&scene, &first);
    second = new_lease(&scene, 3);
    second.vms = 5;
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-vms-at-a-time",
                   "VMs at a time: 5 requested in addition to 6; a user may have 10");
    second.user = 4; /* somebody else */
    expect_passes(&scene, &second);
    reservation = new_lease(&scene, 3);
    reservation.kind = GALERNA_LEASE_RESERVATION;
    reservation.start = NOW + 60;
    expect_passes(&scene, &reservation);
    second = new_lease(&scene, 3);
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 2; a user may have 2");
    tell(&scene, GALERNA_EVENT_FINISHED, &first);
    second.kind = GALERNA_LEASE_RESERVATION;
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-reservations",
                   "reservations at a time: 1 requested in addition to 1; a user may have 1");
    second.kind = GALERNA_LEASE_DEADLINE;
    expect_passes(&scene, &second);
    finish(&scene);

    /* The user may have others instead of a lease that is parked, until it goes on. */
    scene_init(&scene, "leases=1 all-vms=6");
    first = new_lease(&scene, 3);
    expect_passes(&scene, &first);
    second = new_lease(&scene, 3);
    second.vms = 6;
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 1; a user may have 1");
    tell(&scene, GALERNA_EVENT_PARKED, &first);
    expect_passes(&scene, &second);
    /* Both go on: the limit is exceeded, and nothing new is accepted. */
    tell(&scene, GALERNA_EVENT_RELEASED, &first);
    third = new_lease(&scene, 3);
    expect_refusal(&scene, &third, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 2; a user may have 1");
    tell(&scene, GALERNA_EVENT_PARKED, &first);
    tell(&scene, GALERNA_EVENT_FINISHED, &second);
    tell(&scene, GALERNA_EVENT_RELEASED, &first);
    expect_refusal(&scene, &second, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 1; a user may have 1");
    finish(&scene);

    scene_init(&scene, "reservations=0");
    expect_passes(&scene, &first);
    expect_refusal(&scene, &reservation, GALERNA_REFUSED_FOR_GOOD, "too-many-reservations",
                   "reservations at a time: 1 requested; a user may have 0");
    finish(&scene);
}

static void a_group_has_limits_together(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "leases=5 groups=students:10-99,200:vms=4:leases=3;staff:1-9:horizon=60");
    for (int user = 10; user < 13; user++) {
        lease = new_lease(&scene, user);
        lease.vms = 4;
        expect_passes(&scene, &lease);
    }
    lease = new_lease(&scene, 200);
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 3; group students may have 3");
    lease.vms = 5;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-many-vms",
                   "VMs: 5 requested; group students may have 4");
    lease.user = 100; /* in no group */
    expect_passes(&scene, &lease);
    lease = new_lease(&scene, 9);
    lease.start = NOW + 61;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_GOOD, "too-far-ahead",
                   "time until the start: 1m01s requested; group staff may have 1m");
    lease.start = NOW + 60;
    for (int i = 0; i < 5; i++) {
        lease.id = ++scene.ids;
        expect_passes(&scene, &lease);
    }
    lease.id = ++scene.ids;
    expect_refusal(&scene, &lease, GALERNA_REFUSED_FOR_NOW, "too-many-leases",
                   "leases at a time: 1 requested in addition to 5; a user may have 5");
    finish(&scene);
}

/* Behind it in the chain another policy, or a lack of room, may refuse what it has let pass. */
static void what_others_refuse_does_not_count(void **state)
{
    struct galerna_event refused = {.size = sizeof refused, .kind = GALERNA_EVENT_REQUESTED};
    struct galerna_admission_request later = {.size = sizeof later, .now = NOW + 1};
    struct mock_lease first, second, third;
    struct scene scene;

    scene_init(&scene, "reservations=1");
    first = new_lease(&scene, 3);
    second = new_lease(&scene, 3);
    third = new_lease(&scene, 3);
    first.kind = second.kind = third.kind = GALERNA_LEASE_RESERVATION;
    assert_int_equal(ask(&scene, &first), GALERNA_OK);
    assert_int_equal(ask(&scene, &first), GALERNA_OK); /* asked twice, it counts once */
    assert_int_equal(ask(&scene, &second), GALERNA_REFUSED_FOR_NOW);
    refused.time = NOW;
    refused.lease = mock_lease_handle(&first);
    galerna_policy_limits.event(scene.self, &refused);
    assert_int_equal(ask(&scene, &second), GALERNA_OK);
    /* Of a trial nothing more is heard: it is forgotten when time goes on. */
    later.lease = mock_lease_handle(&third);
    assert_int_equal(
        galerna_policy_limits.admission->admit(scene.self, &later, mock_host_result(scene.mock)),
        GALERNA_OK);
    /* Told again after a restart of the daemon: counted once, until it is over. */
    tell(&scene, GALERNA_EVENT_REQUESTED, &third);
    tell(&scene, GALERNA_EVENT_REQUESTED, &third);
    assert_int_equal(ask(&scene, &first), GALERNA_REFUSED_FOR_NOW);
    tell(&scene, GALERNA_EVENT_FINISHED, &third);
    assert_int_equal(ask(&scene, &first), GALERNA_OK);
    finish(&scene);
}

static void an_origin_may_be_left_out(void **state)
{
    struct scene scene;
    struct mock_lease lease;

    scene_init(&scene, "leases=1 origin=external");
    for (int i = 0; i < 3; i++) {
        lease = new_lease(&scene, 3);
        expect_passes(&scene, &lease);
    }
    lease = new_lease(&scene, 3);
    lease.origin = GALERNA_ORIGIN_EXTERNAL;
    expect_passes(&scene, &lease);
    lease.id = ++scene.ids;
    assert_int_equal(ask(&scene, &lease), GALERNA_REFUSED_FOR_NOW);
    finish(&scene);
}

static void wrong_groups_are_explained(void **state)
{
    static const struct {
        const char *option, *text;
    } wrong[] = {
        {"groups=students", "expected NAME:USERS:LIMIT=N at 'students'"},
        {"groups=:1-2", "expected NAME:USERS:LIMIT=N at ':1-2'"},
        {"groups=a:", "expected user numbers such as 1-9,100 at ''"},
        {"groups=a:1-", "at '1-'"},
        {"groups=a:9-1", "at '9-1'"},
        {"groups=a:1,", "at ''"},
        {"groups=a:1:vm=3", "expected LIMIT=N with duration,"},
        {"groups=a:1:vms", "expected LIMIT=N with duration,"},
        {"groups=a:1:vms=x", "expected a number, 0 or more, behind = at 'vms=x'"},
        {"groups=a:1:vms=3x", "expected ':' and a limit, or ';' and another group at 'x'"},
        {"groups=a:99999999999999999999", "expected user numbers"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mock_host *mock = mock_host_create();
        const struct galerna_result *result = mock_host_result(mock);
        void *self;

        assert_int_equal(mock_host_instance(mock, &galerna_policy_limits, wrong[i].option, &self),
                         GALERNA_ERROR);
        if (!strstr(result->text, wrong[i].text))
            fail_msg("%s: %s\nexpected: %s", wrong[i].option, result->text, wrong[i].text);
        mock_host_destroy(mock);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_everything_passes),
        cmocka_unit_test(a_lease_has_limits),
        cmocka_unit_test(a_user_has_limits),
        cmocka_unit_test(a_group_has_limits_together),
        cmocka_unit_test(what_others_refuse_does_not_count),
        cmocka_unit_test(an_origin_may_be_left_out),
        cmocka_unit_test(wrong_groups_are_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
