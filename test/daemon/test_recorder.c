/* The record is a whole trace after every step, says what happened, and is gone on with. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/record/record_site.h"
#include "daemon/record/recorder.h"
#include "lwf/trace_open.h"
#include "util/instant.h"

enum { START = 1700000000, READ_MAX = 64 };

static char folder[64], path[128];
static struct site site;

/* What a trace says, read with the reader that replays use. */
static struct {
    struct lease_request leases[READ_MAX];
    struct node_set first[READ_MAX];
    size_t n, n_hosts;
} trace;

static int begin(void **state)
{
    struct amounts amounts = {.of = {800, 16384, 0}};
    struct error err;

    snprintf(folder, sizeof folder, "recorder.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/record.lwf", folder);
    site_init(&site);
    assert_int_equal(site_add_hosts(&site, 4, &amounts, &err), 0);
    return 0;
}

static int end(void **state)
{
    char aside[160];

    unlink(path);
    snprintf(aside, sizeof aside, "%s.1", path);
    unlink(aside);
    rmdir(folder);
    site_finish(&site);
    return 0;
}

static struct recorder *opened(int64_t start)
{
    struct error err = {0};
    struct recorder *recorder = recorder_open(path, &site, start, &err);

    if (!recorder)
        fail_msg("%s", err.text);
    return recorder;
}

static void closed(struct recorder *recorder)
{
    assert_int_equal(recorder_close(recorder, NULL), 0);
}

static void read_trace(void)
{
    struct error err = {0};
    struct lease_request request;
    struct trace *stream = trace_open(path, NULL, &err);
    int result;

    if (!stream)
        fail_msg("%s", err.text);
    trace.n_hosts = trace_site(stream)->n_hosts;
    for (trace.n = 0; (result = trace_next(stream, &request, &err)) == 1; trace.n++) {
        assert_true(trace.n < READ_MAX);
        trace.leases[trace.n] = request;
        trace.first[trace.n] = request.node_sets[0];
    }
    if (result < 0)
        fail_msg("%s", err.text);
    trace_destroy(stream);
}

static struct lease_record best_effort(int64_t id, int64_t submit, int64_t duration)
{
    return (struct lease_record){
        .id = id,
        .phase = PHASE_WAITING,
        .kind = LEASE_BEST_EFFORT,
        .submit = START + submit,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = duration,
        .since = INSTANT_NONE,
        .preemptible = true,
        .terms = TERMS_SUSPENDABLE,
        .uid = 2,
    };
}

/* Told with n VMs of one size. */
static void tell(struct recorder *recorder, const struct lease_record *lease, size_t n)
{
    struct vm_record vm = {.cpu = 100, .memory = 512};
    const struct vm_record *vms[8] = {&vm, &vm, &vm, &vm, &vm, &vm, &vm, &vm};
    struct error err = {0};

    if (recorder_lease(recorder, lease, vms, n, &err) < 0)
        fail_msg("%s", err.text);
}

static void test_empty(void **state)
{
    struct stat status;

    closed(opened(START));
    read_trace();
    assert_int_equal(trace.n, 0);
    assert_int_equal(trace.n_hosts, 4);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void test_life(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record lease = best_effort(7, 10, 3600);

    tell(recorder, &lease, 2);
    read_trace();
    assert_int_equal(trace.n, 1);
    assert_int_equal(trace.leases[0].submit, 10);
    assert_int_equal(trace.leases[0].duration, 3600);
    assert_int_equal(trace.leases[0].duration_known, SPAN_NONE);
    assert_int_equal(trace.leases[0].user, 2);
    assert_true(trace.leases[0].preemptible);
    assert_int_equal(trace.leases[0].n_node_sets, 1);
    assert_int_equal(trace.first[0].count, 2);
    assert_int_equal(trace.first[0].amounts.of[RESOURCE_CPU], 100);
    assert_int_equal(trace.first[0].amounts.of[RESOURCE_MEMORY], 512);

    lease.phase = PHASE_ENDED;
    lease.accumulated = 1234;
    tell(recorder, &lease, 2);
    tell(recorder, &lease, 2);
    read_trace();
    assert_int_equal(trace.n, 1);
    assert_int_equal(trace.leases[0].duration, 3600);
    assert_int_equal(trace.leases[0].duration_known, 1234);
    closed(recorder);
}

static void test_kinds(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record reservation = best_effort(1, 5, 60), now = best_effort(2, 6, 60),
                        deadline = best_effort(3, 7, 60), later = best_effort(4, 8, SPAN_UNLIMITED);

    reservation.kind = LEASE_RESERVATION;
    reservation.start = START + 500;
    reservation.preemptible = false;
    reservation.terms = TERMS_NON_PREEMPTABLE;
    now.kind = LEASE_IMMEDIATE;
    now.phase = PHASE_REFUSED;
    deadline.kind = LEASE_DEADLINE;
    deadline.deadline = START + 1000;
    deadline.priority = 3500;
    later.earliest = START + 100;
    tell(recorder, &reservation, 1);
    tell(recorder, &now, 1);
    tell(recorder, &deadline, 1);
    tell(recorder, &later, 1);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 4);
    assert_int_equal(trace.leases[0].kind, LEASE_RESERVATION);
    assert_int_equal(trace.leases[0].start, 500);
    assert_false(trace.leases[0].preemptible);
    assert_int_equal(trace.leases[1].kind, LEASE_IMMEDIATE);
    assert_int_equal(trace.leases[1].duration_known, SPAN_NONE);
    assert_int_equal(trace.leases[2].kind, LEASE_DEADLINE);
    assert_int_equal(trace.leases[2].deadline, 1000);
    assert_int_equal(trace.leases[2].priority, 3500);
    assert_int_equal(trace.leases[3].kind, LEASE_BEST_EFFORT);
    assert_int_equal(trace.leases[3].start, 100);
    assert_int_equal(trace.leases[3].duration, SPAN_UNLIMITED);
}

static void test_unlimited_with_an_end(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record lease = best_effort(1, 0, SPAN_UNLIMITED);

    tell(recorder, &lease, 1);
    lease.phase = PHASE_ENDED;
    lease.accumulated = 77;
    tell(recorder, &lease, 1);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.leases[0].duration, SPAN_UNLIMITED);
    assert_int_equal(trace.leases[0].duration_known, 77);
}

static void test_withdrawn_and_malformed_leave_no_lease(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record withdrawn = best_effort(1, 0, 60), malformed = best_effort(2, 0, 0);

    tell(recorder, &withdrawn, 1);
    read_trace();
    assert_int_equal(trace.n, 1);
    withdrawn.phase = PHASE_ENDED;
    tell(recorder, &withdrawn, 1);
    malformed.phase = PHASE_REFUSED;
    tell(recorder, &malformed, 1);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 0);
}

/* Leases that ran before: what is left of them counts, from second 0. */
static void test_older_than_the_record(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record lease = best_effort(1, -1000, 3600);

    lease.phase = PHASE_RUNNING;
    lease.since = START - 600;
    tell(recorder, &lease, 1);
    closed(recorder);
    recorder = opened(START + 5000); /* started again in between */
    lease.phase = PHASE_ENDED;
    lease.since = INSTANT_NONE;
    lease.accumulated = 900;
    tell(recorder, &lease, 1);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 1);
    assert_int_equal(trace.leases[0].submit, 0);
    assert_int_equal(trace.leases[0].duration, 3000);
    assert_int_equal(trace.leases[0].duration_known, 300);
}

static void test_gone_on_with(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record first = best_effort(1, 10, 60), second = best_effort(2, 300, 60);

    tell(recorder, &first, 1);
    closed(recorder);
    recorder = opened(START + 200);
    tell(recorder, &second, 1);
    first.phase = PHASE_ENDED;
    first.accumulated = 40;
    tell(recorder, &first, 1);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 2);
    assert_int_equal(trace.leases[0].duration_known, 40);
    assert_int_equal(trace.leases[1].submit, 300);
}

/* A line may outgrow its place; arrivals never run backwards. */
static void test_grown(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record first = best_effort(1, 10, 60), second = best_effort(2, 20, 60);
    struct vm_record large = {.cpu = 400, .memory = 8192}, small = {.cpu = 100, .memory = 512};
    const struct vm_record *vms[] = {&large, &small, &large};

    tell(recorder, &first, 1);
    tell(recorder, &second, 1);
    assert_int_equal(recorder_lease(recorder, &first, vms, 3, NULL), 0);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 2);
    assert_int_equal(trace.leases[0].submit, 20);
    assert_int_equal(trace.leases[1].submit, 20);
    assert_int_equal(trace.leases[1].n_node_sets, 3);
}

static void cut(long bytes)
{
    struct stat status;

    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size - bytes), 0);
}

/* A machine that lost power may leave half a line. */
static void test_torn_end_is_mended(void **state)
{
    struct recorder *recorder = opened(START);
    struct lease_record first = best_effort(1, 10, 60), second = best_effort(2, 20, 60);

    tell(recorder, &first, 1);
    tell(recorder, &second, 1);
    closed(recorder);
    cut(60);
    recorder = opened(START + 100);
    closed(recorder);
    read_trace();
    assert_int_equal(trace.n, 1);
}

static void test_killed(void **state)
{
    int status;
    pid_t child;

    child = fork();
    if (child == 0) {
        struct recorder *recorder = opened(START);

        for (int64_t id = 1; id <= 40; id++) {
            struct lease_record lease = best_effort(id, id, 60);

            tell(recorder, &lease, 1);
        }
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    read_trace();
    assert_int_equal(trace.n, 40);
}

static void test_another_site_is_put_aside(void **state)
{
    struct amounts amounts = {.of = {800, 16384, 0}};
    struct lease_record lease = best_effort(1, 10, 60);
    struct recorder *recorder = opened(START);
    char aside[160];

    tell(recorder, &lease, 1);
    closed(recorder);
    assert_int_equal(site_add_hosts(&site, 1, &amounts, NULL), 0);
    closed(opened(START + 50));
    read_trace();
    assert_int_equal(trace.n, 0);
    assert_int_equal(trace.n_hosts, 5);
    snprintf(aside, sizeof aside, "%s.1", path);
    assert_int_equal(access(aside, R_OK), 0);
}

static void test_other_files_are_left_alone(void **state)
{
    FILE *file = fopen(path, "w");
    struct error err = {0};
    struct stat status;

    fputs("<lease-workload name=\"mine\">\nprecious\n", file);
    fclose(file);
    assert_null(recorder_open(path, &site, START, &err));
    assert_non_null(strstr(err.text, "not a record"));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 38);
    assert_null(recorder_open("no/such/folder/record.lwf", &site, START, &err));
    assert_non_null(strstr(err.text, "no/such/folder/record.lwf"));
}

static void test_site_of_hosts(void **state)
{
    struct host items[] = {
        {.id = 1, .state = HOST_ON, .cpu = 800, .memory = 16384},
        {.id = 2, .state = HOST_INIT},
        {.id = 5, .state = HOST_DISABLED, .cpu = 400, .memory = 8192},
    };
    struct host_pool hosts = {.items = items, .n = 3};
    struct site made;
    struct error err = {0};

    assert_int_equal(record_site(&made, &hosts, &err), 0);
    assert_int_equal(made.n_hosts, 2);
    assert_int_equal(made.hosts[0].capacity.of[RESOURCE_CPU], 800);
    assert_int_equal(made.hosts[1].capacity.of[RESOURCE_MEMORY], 8192);
    site_finish(&made);
    hosts.items = &items[1];
    hosts.n = 1;
    assert_int_equal(record_site(&made, &hosts, &err), -1);
    assert_non_null(strstr(err.text, "no host"));
}

/* For the test that replays a record: everything that can stand in one. */
static int write_sample(const char *file)
{
    struct recorder *recorder;
    struct lease_record lease;

    begin(NULL);
    rmdir(folder);
    snprintf(path, sizeof path, "%s", file);
    unlink(path);
    recorder = opened(START);
    for (int64_t id = 1; id <= 30; id++) {
        lease = best_effort(id, id * 20, id % 5 == 0 ? SPAN_UNLIMITED : 600);
        lease.kind = id % 3 == 0 ? LEASE_RESERVATION : LEASE_BEST_EFFORT;
        if (lease.kind == LEASE_RESERVATION) {
            lease.start = lease.submit + 900;
            lease.duration = 600;
        }
        tell(recorder, &lease, 1 + (size_t)(id % 8));
        lease.phase = PHASE_ENDED;
        lease.accumulated = id % 7 ? 300 + id : 0;
        tell(recorder, &lease, 1 + (size_t)(id % 8));
    }
    closed(recorder);
    site_finish(&site);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_empty, begin, end),
        cmocka_unit_test_setup_teardown(test_life, begin, end),
        cmocka_unit_test_setup_teardown(test_kinds, begin, end),
        cmocka_unit_test_setup_teardown(test_unlimited_with_an_end, begin, end),
        cmocka_unit_test_setup_teardown(test_withdrawn_and_malformed_leave_no_lease, begin, end),
        cmocka_unit_test_setup_teardown(test_older_than_the_record, begin, end),
        cmocka_unit_test_setup_teardown(test_gone_on_with, begin, end),
        cmocka_unit_test_setup_teardown(test_grown, begin, end),
        cmocka_unit_test_setup_teardown(test_torn_end_is_mended, begin, end),
        cmocka_unit_test_setup_teardown(test_killed, begin, end),
        cmocka_unit_test_setup_teardown(test_another_site_is_put_aside, begin, end),
        cmocka_unit_test(test_site_of_hosts),
        cmocka_unit_test_setup_teardown(test_other_files_are_left_alone, begin, end),
    };

    if (argc == 3 && !strcmp(argv[1], "--sample"))
        return write_sample(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
