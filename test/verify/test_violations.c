/* A sound record with one thing wrong: the check whose business it is finds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/verify/records.h"

/* Lease 1 runs on host 1, is suspended for the reservation 2 of four VMs, and comes back. */
#define PREEMPTED "haizea-1.0/pre-1be-local"
/* Leases 2 and 3 run on hosts 3 and 2 and are moved live, to host 1 when that is free, to host 3.
 */
#define MOVED    "../../verify/data/moved"
#define RECEIVED "../../verify/data/received"
/* Immediate lease 1, restartable, is stopped at 60 for reservation 2 and begins anew at 420. */
#define DISPLACED "../../verify/data/displaced"
/* Best-effort lease 1 is suspended at 300 for reservation 2, resumed at 600 and done at 964; lease
 * 3 then begins, and ends early. Of version 3. */
#define SUSPENDED "../../verify/data/suspended"

struct change {
    const char *path, *value; /* value NULL: taken away */
};

struct violation_case {
    enum verify_check check;
    const char *record;
    struct change changes[4];
    int64_t lease, host; /* where it must be reported; SCHEDULE_UNSET: anywhere */
};

#define ANY SCHEDULE_UNSET

static const struct violation_case cases[] = {
    /* One lease too many on host 1. */
    {CHECK_CAPACITY, PREEMPTED, {{"leases/1/rrs/0/start", "1700"}}, 2, 1},
    {CHECK_CAPACITY, PREEMPTED, {{"site/1/Memory", "1023"}}, ANY, 1},
    {CHECK_CAPACITY, PREEMPTED, {{"site/3/CPU", "99"}}, 2, 3},
    {CHECK_START, PREEMPTED, {{"leases/1/start_requested", "1801"}}, 2, ANY},
    {CHECK_START, PREEMPTED, {{"leases/1/rrs/0/start", "1801"}}, 2, ANY},
    {CHECK_IMMEDIATE,
     PREEMPTED,
     {{"leases/1/type", "\"Immediate\""}, {"leases/1/start_requested", "\"Now\""}},
     2,
     ANY},
    {CHECK_DEADLINE,
     PREEMPTED,
     {{"leases/1/type", "\"Deadline\""}, {"leases/1/deadline", "3599"}},
     2,
     ANY},
    {CHECK_DEADLINE,
     PREEMPTED,
     {{"leases/1/type", "\"Deadline\""},
      {"leases/1/deadline", "9999"},
      {"leases/1/start_requested", "1801"}},
     2,
     ANY},
    {CHECK_SUBMISSION, PREEMPTED, {{"leases/1/submit", "1801"}}, 2, ANY},
    {CHECK_DURATION, PREEMPTED, {{"leases/0/duration_requested", "3601"}}, 1, ANY},
    {CHECK_DURATION, PREEMPTED, {{"leases/0/rrs/3/end", "5463"}}, 1, ANY},
    {CHECK_DURATION, PREEMPTED, {{"leases/0/duration_accumulated", "3599"}}, 1, ANY},
    {CHECK_DURATION, PREEMPTED, {{"leases/0/duration_known", "3599"}}, 1, ANY},
    /* No resumption; no suspension; a gap between run and suspension. */
    {CHECK_SEQUENCE, PREEMPTED, {{"leases/0/rrs/2", NULL}}, 1, ANY},
    {CHECK_SEQUENCE, PREEMPTED, {{"leases/0/rrs/1", NULL}}, 1, ANY},
    {CHECK_SEQUENCE, PREEMPTED, {{"leases/0/rrs/0/end", "1760"}}, 1, ANY},
    {CHECK_SEQUENCE, PREEMPTED, {{"leases/0/rrs/3/start", "3640"}}, 1, ANY},
    {CHECK_OVERLAP, PREEMPTED, {{"leases/0/rrs/1/start", "1760"}}, 1, ANY},
    {CHECK_OVERLAP, PREEMPTED, {{"leases/0/rrs/2/end", "3640"}}, 1, ANY},
    {CHECK_TOGETHER, PREEMPTED, {{"leases/1/rrs/0/map/4", NULL}}, 2, ANY},
    {CHECK_TOGETHER, PREEMPTED, {{"leases/1/rrs/0/res/2/CPU", "99"}}, 2, 2},
    {CHECK_TOGETHER, PREEMPTED, {{"leases/0/rrs/1/res/1/Memory", "1000"}}, 1, 1},
    {CHECK_PLACE, PREEMPTED, {{"leases/0/rrs/2/map/1", "2"}}, 1, 2},
    {CHECK_PLACE, PREEMPTED, {{"leases/0/rrs/1/map/1", "2"}}, 1, 2},
    {CHECK_PLACE, PREEMPTED, {{"leases/0/rrs/3/map/1", "3"}}, 1, 3},
    {CHECK_HOSTS, PREEMPTED, {{"leases/1/rrs/0/map/4", "9"}}, 2, 9},
    {CHECK_HOSTS, PREEMPTED, {{"leases/1/rrs/0/map/5", "1"}}, 2, 1},
    {CHECK_HOSTS, PREEMPTED, {{"leases/0/rrs/0/res/7", "{\"CPU\": 1}"}}, 1, 7},
    /* Two VMs of one host suspended at once. */
    {CHECK_EXCLUSION, "haizea-1.0/excl-samenode-local", {{"leases/0/rrs/1/end", "1800"}}, 1, ANY},
    {CHECK_EXCLUSION,
     "haizea-1.0/pre-1be-global",
     {{"leases/0/rrs/1/end", "1720"},
      {"galerna", "{\"schema\": \"galerna-record\", \"version\": 1, \"settings\": "
                  "{\"suspendresume-exclusion\": \"global\"}}"}},
     1,
     ANY},
    {CHECK_LENGTH,
     PREEMPTED,
     {{"galerna", "{\"schema\": \"galerna-record\", \"version\": 1, \"settings\": "
                  "{\"suspend-rate\": 31.9, \"enactment-overhead\": 0}}"}},
     1,
     1},
    {CHECK_LENGTH,
     PREEMPTED,
     {{"galerna", "{\"schema\": \"galerna-record\", \"version\": 1, \"settings\": "
                  "{\"resume-rate\": 32, \"enactment-overhead\": 1}}"}},
     1,
     1},
    {CHECK_LENGTH,
     PREEMPTED,
     {{"galerna", "{\"schema\": \"galerna-record\", \"version\": 1, \"settings\": "
                  "{\"shutdown-time\": 5, \"enactment-overhead\": 0}}"}},
     1,
     ANY},
    {CHECK_STATES, PREEMPTED, {{"state_log/5/3", "\"Active\""}}, 2, ANY},
    {CHECK_STATES, PREEMPTED, {{"state_log/0/0", "-1"}}, 1, ANY},
    {CHECK_STATES, PREEMPTED, {{"state_log/17", NULL}}, 1, ANY},
    {CHECK_STATES, PREEMPTED, {{"state_log/8", NULL}}, 1, ANY},
    {CHECK_STATES, PREEMPTED, {{"state_log/3/1", "77"}}, 77, ANY},
    {CHECK_STATES, PREEMPTED, {{"leases/1/start_actual", "1801"}}, 2, ANY},
    {CHECK_STATES, PREEMPTED, {{"leases/1/end", "3601"}}, 2, ANY},
    {CHECK_FINAL, PREEMPTED, {{"leases/0/state", "\"Suspended-Queued\""}}, 1, ANY},
    {CHECK_FINAL,
     "haizea-1.0/im-reject",
     {{"galerna", "{\"schema\": \"galerna-record\", \"version\": 1, \"leases\": []}"}},
     ANY,
     ANY},
    {CHECK_PREEMPTION, PREEMPTED, {{"preemptions/0/2", "1799"}}, 1, ANY},
    {CHECK_PREEMPTION, PREEMPTED, {{"preemptions/0/1", "5"}}, 5, ANY},
    {CHECK_PREEMPTION, PREEMPTED, {{"preemptions/0/0", "1900"}}, 1, ANY},
    {CHECK_PREEMPTION, PREEMPTED, {{"leases/0/preemptible", "false"}}, 1, ANY},
    /* Late, and nobody made it so: no word of it; somebody else was displaced; not then. */
    {CHECK_IMMEDIATE, DISPLACED, {{"preemptions/0", NULL}}, 1, ANY},
    {CHECK_IMMEDIATE, DISPLACED, {{"preemptions/0/1", "2"}}, 1, ANY},
    {CHECK_IMMEDIATE, DISPLACED, {{"preemptions/0/0", "70"}}, 1, ANY},
    {CHECK_IMMEDIATE, DISPLACED, {{"state_log/5/3", "\"Suspending\""}}, 1, ANY},
    /* Not begun, still going on, or over after the end of the run. */
    {CHECK_CARRIED_OUT, PREEMPTED, {{"leases/0/rrs/0/state", "\"Scheduled\""}}, 1, ANY},
    {CHECK_CARRIED_OUT, PREEMPTED, {{"leases/1/rrs/0/state", "\"Active\""}}, 2, ANY},
    {CHECK_CARRIED_OUT, PREEMPTED, {{"end_time", "5000"}}, 1, ANY},
    {CHECK_COUNTERS, PREEMPTED, {{"counters/CPU utilization/1/2", "0.9"}}, ANY, ANY},
    {CHECK_COUNTERS, PREEMPTED, {{"counters/CPU utilization/2/3", "0.9"}}, ANY, ANY},
    {CHECK_COUNTERS, PREEMPTED, {{"counters/Accepted AR/1/0", "901"}}, 2, ANY},
    {CHECK_COUNTERS, PREEMPTED, {{"counters/Disk usage/1", NULL}}, ANY, ANY},
    {CHECK_COUNTERS, PREEMPTED, {{"counters/Queue size/0/2", "1"}}, ANY, ANY},
    {CHECK_RESULTS, PREEMPTED, {{"lease_stats/1/Slowdown", "1.5"}}, 1, ANY},
    {CHECK_RESULTS, PREEMPTED, {{"lease_stats/1/Waiting time", "1"}}, 1, ANY},
    {CHECK_RESULTS, PREEMPTED, {{"stats/Total best-effort completed", "2"}}, ANY, ANY},
    /* No migration; one that is over before the VMs go on; from or to another host; less held there
     * than the VM needs; host 1 not free yet; VMs that do not run until then; no word of it. */
    {CHECK_SEQUENCE, MOVED, {{"leases/1/rrs/1", NULL}}, 2, ANY},
    {CHECK_SEQUENCE, MOVED, {{"leases/1/rrs/1/end", "340"}}, 2, ANY},
    {CHECK_PLACE, MOVED, {{"leases/1/rrs/1/map/1", "[2, 1]"}}, 2, 2},
    {CHECK_PLACE, MOVED, {{"leases/1/rrs/2/map/1", "2"}}, 2, 2},
    {CHECK_TOGETHER, MOVED, {{"leases/1/rrs/1/res/1/CPU", "99"}}, 2, 1},
    {CHECK_CAPACITY, MOVED, {{"leases/0/rrs/0/end", "301"}}, ANY, 1},
    {CHECK_SEQUENCE, MOVED, {{"leases/1/rrs/0/end", "340"}}, 2, ANY},
    {CHECK_OVERLAP, MOVED, {{"leases/1/rrs/1/end", "350"}}, 2, ANY},
    {CHECK_STATES, MOVED, {{"state_log/14", NULL}}, 2, ANY},
    {CHECK_TRANSFERS, MOVED, {{"galerna/settings/imagetransfer-bandwidth", "50"}}, 2, ANY},
    {CHECK_TRANSFERS, MOVED, {{"galerna/settings/imagetransfer-bandwidth", "null"}}, 2, ANY},
    /* An image that comes faster than the network of the host allows, or than it is sent. */
    {CHECK_TRANSFERS, RECEIVED, {{"leases/0/rrs/0/end", "82"}}, 1, ANY},
    {CHECK_TRANSFERS, RECEIVED, {{"leases/0/rrs/0/res/1000/Net-out", "100"}}, 1, ANY},
    {CHECK_TRANSFERS, RECEIVED, {{"leases/0/rrs/0/res/1/Net-in", "49"}}, 1, 1},
    {CHECK_CAPACITY, RECEIVED, {{"leases/0/rrs/0/res/1/Net-in", "100"}}, 1, 1},
};

/* More than one rule of the check applies to some: the words tell which. */
static const struct {
    struct violation_case wrong;
    const char *says;
} worded[] = {
    {{CHECK_TERMS, DISPLACED, {{"preemptions/0/3", "\"cancel\""}}, 1, ANY}, "ended to make room"},
    {{CHECK_TERMS,
      DISPLACED,
      {{"leases/0/state", "\"Cancelled\""}, {"galerna/leases/0/reason", "\"cancelled-for\""}},
      1,
      ANY},
     "never got its time"},
    {{CHECK_TERMS, DISPLACED, {{"leases/0/state", "\"Queued\""}, {"leases/0/end", "null"}}, 1, ANY},
     "never got its time"},
    {{CHECK_TERMS,
      DISPLACED,
      {{"leases/0/type", "\"Deadline\""},
       {"leases/0/start_requested", "\"Unspecified\""},
       {"leases/0/deadline", "1019"}},
      1,
      ANY},
     "promised by 1019, it made room and is Done at 1020"},
    {{CHECK_TERMS,
      DISPLACED,
      {{"leases/0/type", "\"Deadline\""},
       {"leases/0/start_requested", "\"Unspecified\""},
       {"leases/0/deadline", "2000"},
       {"leases/0/state", "\"Cancelled\""}},
      1,
      ANY},
     "promised by 2000, it made room and is Cancelled"},
    {{CHECK_SEQUENCE, SUSPENDED, {{"galerna/leases/0/reason", "\"ended-early\""}}, 1, ANY},
     "ended early, but is Done after a shutdown"},
    {{CHECK_SEQUENCE,
      SUSPENDED,
      {{"leases/2/state", "\"Queued\""}, {"galerna/leases/2/state", "\"Queued\""}},
      3,
      ANY},
     "ended early, but is Queued"},
    /* It came to the queue then; it had been suspended; it was over. */
    {{CHECK_PREEMPTION, SUSPENDED, {{"preemptions/0", "[0, 1, 60, \"suspend\"]"}}, 1, ANY},
     "did not make room"},
    {{CHECK_PREEMPTION,
      SUSPENDED,
      {{"preemptions/0", "[300, 1, 300, \"cancel+requeue\"]"}},
      1,
      ANY},
     "did not make room"},
    {{CHECK_PREEMPTION,
      SUSPENDED,
      {{"preemptions/0", "[964, 1, 1024, \"suspend\"]"}, {"galerna/preempted_for", "[3]"}},
      1,
      ANY},
     "did not make room"},
    /* Lease 2 was booked for 300; lease 3 began at once. */
    {{CHECK_PREEMPTION, SUSPENDED, {{"preemptions/0/2", "310"}}, 1, ANY},
     "which was planned for another time"},
    {{CHECK_PREEMPTION,
      SUSPENDED,
      {{"preemptions/0", "[964, 1, 1024, \"suspend\"]"}, {"galerna/preempted_for", "[3]"}},
      1,
      ANY},
     "which was planned for another time"},
};

static bool found(const struct verification *verification, const struct violation_case *expected,
                  const char *says)
{
    for (size_t i = 0; i < verification->n_kept; i++) {
        const struct violation *violation = &verification->violations[i];

        if (violation->check == expected->check &&
            (expected->lease == ANY || violation->lease == expected->lease) &&
            (expected->host == ANY || violation->host == expected->host) &&
            strstr(violation->text, says))
            return true;
    }
    return false;
}

static void expect_found(const struct violation_case *wrong, const char *says)
{
    const struct verify_options options = {
        .partial = true, .compatibility = VERIFY_DEFAULT, .complete = true};
    struct verification verification;
    json_t *record = load_record(wrong->record);

    for (int i = 0; i < 4 && wrong->changes[i].path; i++)
        change_record(record, wrong->changes[i].path, wrong->changes[i].value);
    check_record(record, &options, &verification);
    if (!found(&verification, wrong, says))
        fail_msg("%s with another %s: the check %s says nothing", wrong->record,
                 wrong->changes[0].path, verify_check_name(wrong->check));
    verification_finish(&verification);
    json_decref(record);
}

static void each_wrong_record_is_found(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_found(&cases[i], "");
    for (size_t i = 0; i < sizeof worded / sizeof *worded; i++)
        expect_found(&worded[i].wrong, worded[i].says);
}

static void every_check_has_a_wrong_record(void **state)
{
    bool tried[CHECKS] = {[CHECK_RECORD] = true, [CHECK_REPEATED] = true}; /* elsewhere */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tried[cases[i].check] = true;
    for (size_t i = 0; i < sizeof worded / sizeof *worded; i++)
        tried[worded[i].wrong.check] = true;
    for (int check = 0; check < CHECKS; check++)
        if (!tried[check])
            fail_msg("no wrong record for %s", verify_check_name((enum verify_check)check));
}

/* What is left out cannot hide anything: only the caller can say that it may be missing. */
static void a_record_that_is_not_complete_is_a_violation(void **state)
{
    static const struct {
        const char *record;
        struct change change;
    } incomplete[] = {
        {"haizea-1.0/pre-1be-local", {NULL, NULL}}, /* Haizea's own */
        {MOVED, {"counters/Queue size", NULL}},     {MOVED, {"galerna", NULL}},
        {MOVED, {"galerna/version", "1"}},          {MOVED, {"stats/all-best-effort", NULL}},
    };

    for (size_t i = 0; i < sizeof incomplete / sizeof *incomplete; i++)
        for (int partial = 0; partial < 2; partial++) {
            const struct verify_options options = {.partial = partial};
            struct verification verification;
            json_t *record = load_record(incomplete[i].record);

            if (incomplete[i].change.path)
                change_record(record, incomplete[i].change.path, incomplete[i].change.value);
            check_record(record, &options, &verification);
            if ((verification.violated[CHECK_RECORD] > 0) == (partial > 0))
                fail_msg("%s without %s, partial %d", incomplete[i].record,
                         incomplete[i].change.path, partial);
            verification_finish(&verification);
            json_decref(record);
        }
}

static void a_live_move_is_clean(void **state)
{
    const struct verify_options options = {
        .partial = true, .compatibility = VERIFY_DEFAULT, .complete = true};
    const struct verify_options as_haizea = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};
    json_t *record = load_record(MOVED);
    struct verification verification;

    check_record(record, &options, &verification);
    assert_int_equal(verification.n_violations, 0);
    verification_finish(&verification);
    check_record(record, &as_haizea, &verification); /* Haizea knows none */
    assert_true(verification.n_violations > 0);
    verification_finish(&verification);
    json_decref(record);
}

/* Haizea moves all VMs of a lease or none, also those that stay where they are, and resumes each
 * where it was moved to. */
static void haizea_moves_each_vm_of_a_lease_once(void **state)
{
    static const struct change wrong[] = {
        {NULL, NULL},
        {"leases/0/rrs/2/map/1", NULL},
        {"leases/0/rrs/2/map/1", "[1, 2]"},
        {"leases/0/rrs/2/map/1", "[2, 1]"},
    };
    const struct verify_options as_haizea = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct verification verification;
        json_t *record = load_record("random/rnd-0044");

        if (wrong[i].path)
            change_record(record, wrong[i].path, wrong[i].value);
        check_record(record, &as_haizea, &verification);
        if ((verification.n_violations > 0) != (i > 0))
            fail_msg("map/1 %s", wrong[i].value ? wrong[i].value : "missing");
        verification_finish(&verification);
        json_decref(record);
    }
}

/* Haizea's migrations may exceed the network of a host that its VMs do not. */
static void the_network_of_a_host_is_enough_for_its_vms(void **state)
{
    static const char *const vms[] = {
        "{\"CPU\": 150, \"Memory\": 1024, \"Net-out\": 100}",
        "{\"CPU\": 150, \"Memory\": 1024, \"Net-out\": 101}",
    };
    const struct verify_options as_haizea = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct verification verification;
        json_t *record = load_record("generated/network-exceeded");

        change_record(record, "leases/4/rrs/0/res/3", vms[i]);
        check_record(record, &as_haizea, &verification);
        assert_int_equal(verification.violated[CHECK_CAPACITY], i);
        verification_finish(&verification);
        json_decref(record);
    }
}

static void expect_no(const char *name, struct change change, bool complete,
                      enum verify_check check)
{
    const struct verify_options options = {
        .partial = true, .compatibility = VERIFY_DEFAULT, .complete = complete};
    json_t *record = load_record(name);
    struct verification verification;

    if (change.path)
        change_record(record, change.path, change.value);
    check_record(record, &options, &verification);
    assert_true(verification.examined[check] > 0);
    if (verification.violated[check])
        fail_msg("%s: %s", verify_check_name(check), verification.violations[0].text);
    verification_finish(&verification);
    json_decref(record);
}

/* A record says who made room, so it may start later; whoever gave up a lease, no terms were
 * broken; what a run that was cut short leaves open may still be kept; a cancelable lease was
 * promised nothing. */
static void who_makes_room_by_its_terms_is_clean(void **state)
{
    const struct change cancelable = {"galerna/leases/0/terms", "\"cancelable\""};
    const struct change ended = {"preemptions/0/3", "\"cancel\""};
    const struct verify_options options = {
        .partial = true, .compatibility = VERIFY_DEFAULT, .complete = true};
    json_t *record = load_record(DISPLACED);
    struct verification verification;

    expect_no(DISPLACED, (struct change){NULL, NULL}, true, CHECK_IMMEDIATE);
    expect_no(DISPLACED, (struct change){NULL, NULL}, true, CHECK_TERMS);
    expect_no(DISPLACED, (struct change){"leases/0/state", "\"Queued\""}, false, CHECK_TERMS);
    change_record(record, cancelable.path, cancelable.value);
    change_record(record, ended.path, ended.value);
    check_record(record, &options, &verification);
    assert_int_equal(verification.violated[CHECK_TERMS], 0);
    verification_finish(&verification);
    change_record(record, cancelable.path, "\"migratable\"");
    change_record(record, ended.path, "\"cancel+requeue\"");
    change_record(record, "leases/0/state", "\"Cancelled\"");
    change_record(record, "galerna/leases/0/reason", "\"cancelled\"");
    check_record(record, &options, &verification);
    assert_int_equal(verification.violated[CHECK_TERMS], 0);
    verification_finish(&verification);
    json_decref(record);
}

static void the_record_itself_is_clean(void **state)
{
    const struct verify_options options = {
        .partial = true, .compatibility = VERIFY_DEFAULT, .complete = true};
    json_t *record = load_record(PREEMPTED);
    struct verification verification;

    check_record(record, &options, &verification);
    assert_int_equal(verification.n_violations, 0);
    for (int check = 0; check < CHECKS; check++)
        if (check != CHECK_DEADLINE && check != CHECK_IMMEDIATE && check != CHECK_LENGTH &&
            check != CHECK_TERMS && check != CHECK_RECORD && check != CHECK_TRANSFERS &&
            check != CHECK_REPEATED)
            assert_true(verification.examined[check] > 0);
    verification_finish(&verification);
    json_decref(record);
}

/* Memory of a VM that waits for its turn stays on its host, whatever the reservations hold. */
static void memory_that_waits_for_its_suspension_counts(void **state)
{
    const struct verify_options strict = {.partial = true, .compatibility = VERIFY_DEFAULT};
    const struct verify_options as_haizea = {.partial = true, .compatibility = VERIFY_HAIZEA_1_0};
    json_t *record = load_record("haizea-1.0/pre-1be-global");
    struct verification verification;

    /* Another lease on host 4 while VMs 1 to 3 are suspended one after the other. */
    change_record(record, "leases/1/rrs/0/start", "1770");
    change_record(record, "leases/1/rrs/0/res", "{\"1\": {\"Memory\": 1024}}");
    check_record(record, &as_haizea, &verification);
    assert_true(verification.violated[CHECK_CAPACITY] > 0);
    verification_finish(&verification);
    change_record(record, "leases/1/rrs/0/start", "1700");
    change_record(record, "leases/1/rrs/0/end", "1760");
    change_record(record, "leases/1/rrs/0/res", "{\"1\": {\"Memory\": 1024}}");
    check_record(record, &as_haizea, &verification);
    assert_int_equal(verification.violated[CHECK_CAPACITY], 0);
    verification_finish(&verification);
    check_record(record, &strict, &verification);
    assert_true(verification.violated[CHECK_CAPACITY] > 0);
    verification_finish(&verification);
    json_decref(record);
}

/* A lost run holds its hosts, too. */
static void work_that_was_lost_held_its_hosts(void **state)
{
    const struct verify_options options = {.partial = true, .compatibility = VERIFY_DEFAULT};
    json_t *record = load_record(PREEMPTED);
    struct verification verification;

    change_record(
        record, "galerna",
        "{\"schema\": \"galerna-record\", \"version\": 1, \"withdrawn\": [[1, 1900, 2000, [1]]]}");
    check_record(record, &options, &verification);
    assert_int_equal(verification.violated[CHECK_CAPACITY], 2); /* CPU and memory */
    verification_finish(&verification);
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_record_itself_is_clean),
        cmocka_unit_test(a_record_that_is_not_complete_is_a_violation),
        cmocka_unit_test(a_live_move_is_clean),
        cmocka_unit_test(haizea_moves_each_vm_of_a_lease_once),
        cmocka_unit_test(the_network_of_a_host_is_enough_for_its_vms),
        cmocka_unit_test(who_makes_room_by_its_terms_is_clean),
        cmocka_unit_test(each_wrong_record_is_found),
        cmocka_unit_test(every_check_has_a_wrong_record),
        cmocka_unit_test(memory_that_waits_for_its_suspension_counts),
        cmocka_unit_test(work_that_was_lost_held_its_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
