/* Streams of made-up leases. */
#include "lwf_test.h"

#include <math.h>

#include "lwf/generate.h"

enum { STREAMS = 4 };

struct workload {
    struct site site;
    struct generate_stream streams[STREAMS];
    struct generate_settings settings;
};

/* 32 hosts of one processor and 1024 MB. */
static void workload_init(struct workload *workload, const char *const *streams, size_t n)
{
    const struct amounts capacity = {{100, 1024, 1000, 1000, 1000}};
    struct error err;

    site_init(&workload->site);
    assert_int_equal(site_add_hosts(&workload->site, 32, &capacity, &err), 0);
    for (size_t i = 0; i < n; i++)
        if (generate_stream_parse(&workload->streams[i], streams[i], &err) < 0)
            fail_msg("%s: %s", streams[i], err.text);
    workload->settings = (struct generate_settings){
        .seed = 1, .site = &workload->site, .streams = workload->streams, .n_streams = n};
}

static struct trace *open_workload(struct workload *workload)
{
    struct error err;
    struct trace *trace = generate_open(&workload->settings, &err);

    if (!trace)
        fail_msg("%s", err.text);
    return trace;
}

static struct trace *open_stream(struct workload *workload, const char *stream)
{
    workload_init(workload, &stream, 1);
    return open_workload(workload);
}

static void finish(struct workload *workload, struct trace *trace)
{
    trace_destroy(trace);
    site_finish(&workload->site);
}

static uint64_t digest_of(struct trace *trace)
{
    struct lease_request request;
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    while (trace_next(trace, &request, NULL) > 0) {
        const int64_t fields[] = {request.id,
                                  (int64_t)request.kind,
                                  request.submit,
                                  request.start,
                                  request.deadline,
                                  request.duration,
                                  request.user,
                                  (int64_t)request.node_sets->count,
                                  request.priority / PRIORITY_ONE,
                                  (int64_t)request.terms,
                                  request.origin,
                                  request.duration_known};

        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            digest = (digest ^ (uint64_t)fields[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static const char *const mixed[] = {
    "two-types,jobs=2000,nodes=32,class=local,users=9,overestimate=1.5",
    "bags,span=1d,bag=lease,slack=2:5,urgent=0.25,most-vms=32,priority=vms",
    "poisson,jobs=500,gap=5m,time=10m,vms=1:8,class=cancelable:2+suspendable:1+migratable:1",
    "reservations,rho=0.1,delta=2h,vms=4:8",
};

static void same_seed_same_bits_on_every_machine(void **state)
{
    struct workload workload;
    struct trace *trace;
    uint64_t first;

    workload_init(&workload, mixed, STREAMS);
    trace = open_workload(&workload);
    first = digest_of(trace);
    if (first != UINT64_C(0x4424f4fb8d2afbad))
        fail_msg("the workload is another one: %#" PRIx64, first);
    trace_destroy(trace);
    workload.settings.seed = 2;
    trace = open_workload(&workload);
    assert_true(digest_of(trace) != first);
    finish(&workload, trace);
}

static void leases_are_in_order_and_the_census_knows_them(void **state)
{
    struct workload workload;
    struct trace_census census, counted = {.sorted = true};
    struct lease_request request;
    struct trace *trace;

    workload_init(&workload, mixed, STREAMS);
    trace = open_workload(&workload);
    assert_int_equal(trace_take_census(trace, &census, NULL), 0);
    while (trace_next(trace, &request, NULL) > 0) {
        assert_true(request.submit >= counted.last_submit);
        counted.last_submit = request.submit;
        assert_int_equal(request.id, ++counted.total);
        counted.leases[request.kind]++;
        assert_true(request.duration >= 1 && request.node_sets->count >= 1);
        assert_in_range(request.node_sets->count, 1, 32);
    }
    assert_memory_equal(census.leases, counted.leases, sizeof census.leases);
    assert_int_equal(census.total, counted.total);
    assert_int_equal(census.last_submit, counted.last_submit);
    assert_true(census.sorted && trace_site(trace)->n_hosts == 32);
    finish(&workload, trace);
}

static void classes_have_exact_shares_and_their_terms(void **state)
{
    struct workload workload;
    struct trace *trace =
        open_stream(&workload, "typeless,jobs=2000,nodes=32,class=local:2+cancelable:1+"
                               "suspendable+migratable+non-preemptable");
    struct lease_request request;
    int local = 0, external[5] = {0};

    while (trace_next(trace, &request, NULL) > 0) {
        if (request.origin == ORIGIN_LOCAL) {
            local++;
            assert_int_equal(request.kind, LEASE_RESERVATION);
            assert_int_equal(request.terms, TERMS_NON_PREEMPTABLE);
            assert_int_equal(request.start, request.submit);
        } else {
            external[request.terms]++;
        }
        assert_int_equal(request.preemptible, request.terms != TERMS_NON_PREEMPTABLE);
        if (request.terms == TERMS_MIGRATABLE) {
            assert_int_equal(request.kind, LEASE_DEADLINE);
            assert_int_equal(request.deadline, request.submit + 3 * request.duration);
        }
        if (request.terms == TERMS_CANCELABLE || request.terms == TERMS_SUSPENDABLE)
            assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    }
    assert_int_equal(local, 667);
    assert_in_range(external[TERMS_CANCELABLE], 333, 334);
    assert_in_range(external[TERMS_SUSPENDABLE], 333, 334);
    assert_in_range(external[TERMS_MIGRATABLE], 333, 334);
    assert_in_range(external[TERMS_NON_PREEMPTABLE], 333, 334);
    finish(&workload, trace);
}

/* Classes and their attributes do not change the jobs. */
static void streams_are_independent(void **state)
{
    struct workload one, other;
    struct trace *left = open_stream(&one, "typeless,jobs=300,nodes=32");
    struct trace *right = open_stream(&other, "typeless,jobs=300,nodes=32,users=4,slack=1:9,"
                                              "class=cancelable+suspendable");
    struct lease_request a, b;

    while (trace_next(left, &a, NULL) > 0) {
        assert_int_equal(trace_next(right, &b, NULL), 1);
        assert_int_equal(a.submit, b.submit);
        assert_int_equal(a.duration, b.duration);
        assert_int_equal(a.node_sets->count, b.node_sets->count);
        assert_in_range(b.user, 1, 4);
        assert_true(b.deadline >= b.submit + b.duration);
    }
    finish(&one, left);
    finish(&other, right);
}

/* A seed of its own makes a stream the same wherever it stands. */
static void a_stream_may_have_a_seed_of_its_own(void **state)
{
    const char *streams[] = {"poisson,jobs=50,seed=7", "poisson,jobs=50,seed=7,class=cancelable"};
    struct workload workload;
    struct lease_request request;
    struct trace *trace;
    int64_t sums[2] = {0};

    workload_init(&workload, streams, 2);
    trace = open_workload(&workload);
    while (trace_next(trace, &request, NULL) > 0)
        sums[request.origin] += request.submit * 1000003 + request.duration;
    assert_int_equal(sums[ORIGIN_LOCAL], sums[ORIGIN_EXTERNAL]);
    finish(&workload, trace);
}

static void mean_sizes_are_as_asked_for(void **state)
{
    struct workload workload;
    struct trace *trace = open_stream(&workload, "typeless,jobs=20000,nodes=32,mean-vms=7");
    struct lease_request request;
    double sum = 0;

    while (trace_next(trace, &request, NULL) > 0)
        sum += request.node_sets->count;
    assert_true(fabs(sum / 20000 - 7) < 0.2);
    finish(&workload, trace);

    trace = open_stream(&workload, "typeless,jobs=20000,nodes=32");
    assert_true(workload.streams[0].lublin[0].size_high == 5);
    assert_true(workload.streams[0].lublin[0].size_middle == 2.5);
    for (sum = 0; trace_next(trace, &request, NULL) > 0;)
        sum += request.node_sets->count;
    assert_true(fabs(sum / 20000 - 4) < 0.1);
    finish(&workload, trace);
}

static void poisson_has_its_rates(void **state)
{
    struct workload workload;
    struct trace *trace = open_stream(&workload, "poisson,jobs=20000,gap=100,time=60,vms=2:4");
    struct lease_request request;
    double time = 0, vms = 0, last = 0;

    while (trace_next(trace, &request, NULL) > 0) {
        time += (double)request.duration;
        vms += request.node_sets->count;
        last = (double)request.submit;
    }
    assert_true(fabs(last / 20000 - 100) < 3);
    assert_true(fabs(time / 20000 - 59.5) < 2); /* whole seconds, rounded down */
    assert_true(fabs(vms / 20000 - 3) < 0.03);
    finish(&workload, trace);

    trace = open_stream(&workload, "poisson,jobs=9,time=90,time-law=fixed,overestimate=2,first=1h");
    while (trace_next(trace, &request, NULL) > 0) {
        assert_int_equal(request.duration, 180);
        assert_int_equal(request.duration_known, 90);
        assert_true(request.submit >= 3600);
    }
    finish(&workload, trace);
}

static void reservations_take_the_share_rho(void **state)
{
    struct workload workload;
    struct trace *trace =
        open_stream(&workload, "reservations,rho=0.2,delta=2h,vms=4:8,span=30d,lead=1d");
    struct lease_request request;
    double work = 0, seconds = 0, n = 0, begin = 0;

    while (trace_next(trace, &request, NULL) > 0) {
        assert_int_equal(request.kind, LEASE_RESERVATION);
        assert_int_equal(request.terms, TERMS_NON_PREEMPTABLE);
        assert_in_range(request.node_sets->count, 4, 8);
        assert_in_range(request.duration, 1, 7200 + 1800);
        assert_int_equal(request.submit, request.start > 86400 ? request.start - 86400 : 0);
        assert_true(request.start <= 30 * 86400);
        assert_true((double)request.start >= begin);
        begin = (double)request.start;
        work += request.node_sets->count * (double)request.duration;
        seconds += (double)request.duration;
        n++;
    }
    assert_true(fabs(work - 0.2 * 32 * 30 * 86400) <= 8);
    assert_true(fabs(seconds / n - 7200) < 200);
    assert_true(begin > 29 * 86400);
    finish(&workload, trace);
}

/* The trace they are added to sets the time, unless the streams go on for longer. */
static void reservations_spread_over_the_others(void **state)
{
    const char *streams[] = {"poisson,jobs=100,gap=100,time=10", "reservations,rho=0.1,delta=1h,"
                                                                 "vms=2"};
    struct workload workload;
    struct trace_census census;
    struct lease_request request;
    struct trace *trace;
    double work;

    workload_init(&workload, streams, 2);
    for (int i = 0; i < 2; i++) {
        int64_t last = 0;

        workload.settings.horizon = i == 0 ? 0 : 5 * 86400;
        trace = open_workload(&workload);
        for (work = 0; trace_next(trace, &request, NULL) > 0;)
            if (request.kind == LEASE_RESERVATION)
                work += request.node_sets->count * (double)request.duration;
            else
                last = request.submit;
        assert_int_equal(trace_take_census(trace, &census, NULL), 0);
        assert_true(fabs(work - 0.1 * 32 * (double)(i == 0 ? last : 5 * 86400)) <= 2);
        trace_destroy(trace);
    }
    site_finish(&workload.site);
}

static void bags_have_peaks_and_equal_tasks(void **state)
{
    struct workload workload;
    struct trace *trace = open_stream(&workload, "bags,span=4d,users=1000");
    struct lease_request request, before = {.submit = -1};
    double peak = 0, quiet = 0;

    while (trace_next(trace, &request, NULL) > 0) {
        int64_t hour = request.submit / 3600 % 24;

        assert_int_equal(request.node_sets->count, 1);
        assert_in_range(request.duration, 1, 86400);
        if (request.user == before.user && request.submit == before.submit) {
            assert_int_equal(request.duration, before.duration);
        } else {
            *(hour >= 8 && hour < 17 ? &peak : &quiet) += 1;
        }
        before = request;
    }
    /* One in 7.15 s for 9 hours, 21.5 in half an hour for 15. */
    assert_true(fabs(peak / 4 - 9 * 3600 / 7.15) < 30);
    assert_true(fabs(quiet / 4 - 30 * 21.5) < 60);
    finish(&workload, trace);

    trace = open_stream(&workload, "bags,jobs=5000,bag=lease,most-vms=16");
    for (double sum = 0; trace_next(trace, &request, NULL) > 0;) {
        assert_in_range(request.node_sets->count, 1, 16);
        sum += request.node_sets->count;
        if (request.id == 5000)
            assert_true(sum / 5000 > 4 && sum / 5000 < 6);
    }
    finish(&workload, trace);
}

static void kinds_leads_and_slacks(void **state)
{
    struct workload workload;
    struct trace *trace = open_stream(&workload, "poisson,jobs=2000,kind=deadline,lead=1m,slack=4,"
                                                 "urgent=0.3,urgent-slack=2,priority=-3.5");
    struct lease_request request;
    double urgent = 0;

    while (trace_next(trace, &request, NULL) > 0) {
        int64_t slack = request.deadline - request.start;

        assert_int_equal(request.kind, LEASE_DEADLINE);
        assert_int_equal(request.start, request.submit + 60);
        assert_true(slack == 4 * request.duration || slack == 2 * request.duration);
        assert_int_equal(request.priority, -3500);
        urgent += slack == 2 * request.duration;
    }
    assert_true(fabs(urgent / 2000 - 0.3) < 0.03);
    finish(&workload, trace);

    trace = open_stream(&workload, "poisson,jobs=400,class=suspendable+migratable,slack=2,"
                                   "slack-of=deadline");
    for (int i = 0; i < 400; i++) {
        request = next_request(trace);
        if (request.kind == LEASE_DEADLINE)
            assert_int_equal(request.deadline, request.start + 2 * request.duration);
        else
            assert_true(request.deadline == INSTANT_NONE);
    }
    finish(&workload, trace);

    trace = open_stream(&workload, "poisson,jobs=5,kind=best-effort,lead=1m");
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_BEST_EFFORT);
    assert_int_equal(request.start, request.submit + 60);
    assert_true(request.deadline == INSTANT_NONE);
    finish(&workload, trace);
    trace = open_stream(&workload, "poisson,jobs=5,class=local-immediate,cpu=50,memory=256");
    request = next_request(trace);
    assert_int_equal(request.kind, LEASE_IMMEDIATE);
    assert_true(request.start == INSTANT_NONE && request.deadline == INSTANT_NONE);
    assert_int_equal(request.node_sets->amounts.of[RESOURCE_CPU], 50);
    assert_int_equal(request.node_sets->amounts.of[RESOURCE_MEMORY], 256);
    finish(&workload, trace);
}

static void wrong_streams_are_explained(void **state)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", "'' is not a model"},
        {"lublin,jobs=3", "'lublin' is not a model"},
        {"typless,jobs=3", "did you mean 'typeless'?"},
        {"typeless", "the stream has no end: set jobs=N or span=TIME"},
        {"typeless,jobs", "'jobs': expected KEY=VALUE"},
        {"typeless,jobs=", "jobs: '', expected a number"},
        {"typeless,jobs=1.5", "jobs: '1.5', expected a whole number"},
        {"typeless,jobs=1e9", "jobs: '1e9', expected 0 to 5000000"},
        {"typeless,jobs=nan", "jobs: 'nan', expected a number"},
        {"typeless,jobs=0x10", "jobs: '0x10', expected a number"},
        {"typeless,jobs=3,jobs=4", "jobs is given twice"},
        {"typeless,jobs=3,rho=0.1", "'rho' is not a key of typeless"},
        {"typeless,jobs=3,sereal=0.1", "did you mean 'serial'?"},
        {"typeless,jobs=3,serial=0.6,power-of-two=0.6", "more than 1 together"},
        {"typeless,jobs=3,size-low=5", "expected them to ascend"},
        {"typeless,jobs=3,nodes=32,mean-vms=20", "mean-vms: 20 cannot be reached, only"},
        {"typeless,jobs=3,class=lokal", "class: 'lokal' is not one of"},
        {"typeless,jobs=3,class=local:0", "the weight of local is '0'"},
        {"typeless,jobs=3,class=local+", "class: '' is not one of"},
        {"typeless,jobs=3,kind=ar", "kind: 'ar' is not one of"},
        {"typeless,jobs=3,slack-of=local", "slack-of: 'local', expected all or deadline"},
        {"typeless,jobs=3,lead=2:1", "the lower one first"},
        {"typeless,jobs=3,lead=2x", "expected a time such as"},
        {"typeless,jobs=3,priority=high", "decimals or the word vms"},
        {"poisson,jobs=3,time-law=normal", "expected exponential or fixed"},
        {"bags,jobs=3,bag=box", "expected lease or tasks"},
        {"reservations,delta=1h", "rho is missing"},
        {"reservations,rho=2", "rho: '2', expected 0 to 1"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct generate_stream stream;
        struct error err;

        if (generate_stream_parse(&stream, wrong[i].text, &err) == 0)
            fail_msg("'%s' is taken", wrong[i].text);
        if (!strstr(err.text, wrong[i].error))
            fail_msg("'%s': %s\nexpected: %s", wrong[i].text, err.text, wrong[i].error);
    }
}

static void expect_no_trace(struct workload *workload, const char *stream, bool has_site,
                            const char *text)
{
    struct error err;

    workload_init(workload, &stream, 1);
    if (!has_site)
        workload->settings.site = NULL;
    assert_null(generate_open(&workload->settings, &err));
    if (!strstr(err.text, text))
        fail_msg("%s\nexpected: %s", err.text, text);
    site_finish(&workload->site);
}

static void workloads_that_cannot_be_are_explained(void **state)
{
    struct workload workload;
    struct error err;

    expect_no_trace(&workload, "reservations,rho=0.1,span=1d", false, "rho is a share of the site");
    expect_no_trace(&workload, "reservations,rho=0.1", true,
                    "there are no other requests; set span");
    expect_no_trace(&workload, "reservations,rho=0.1,vms=33,span=1d", true, "the site holds 32");
    expect_no_trace(&workload, "reservations,rho=1,delta=1,delta-spread=0,span=10000d", true,
                    "more than 5000000 reservations");
    expect_no_trace(&workload, "poisson,jobs=5000,gap-factor=1e6,gap=1e4", true,
                    "set fewer jobs, or span");
    workload.settings.n_streams = 0;
    assert_null(generate_open(&workload.settings, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_bits_on_every_machine),
        cmocka_unit_test(leases_are_in_order_and_the_census_knows_them),
        cmocka_unit_test(classes_have_exact_shares_and_their_terms),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(a_stream_may_have_a_seed_of_its_own),
        cmocka_unit_test(mean_sizes_are_as_asked_for),
        cmocka_unit_test(poisson_has_its_rates),
        cmocka_unit_test(reservations_take_the_share_rho),
        cmocka_unit_test(reservations_spread_over_the_others),
        cmocka_unit_test(bags_have_peaks_and_equal_tasks),
        cmocka_unit_test(kinds_leads_and_slacks),
        cmocka_unit_test(wrong_streams_are_explained),
        cmocka_unit_test(workloads_that_cannot_be_are_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
