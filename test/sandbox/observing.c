/* What OpenNebula says of VMs, against the stand-in: it is told as it comes, however long it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "adapters/opennebula/opennebula.h"
#include "test/sandbox/fixture.h"
#include "util/memory.h"

enum {
    VMS = 1100, /* a listing takes more than 1 MB */
    MANY = 10600,
    LONG = 60, /* VMs of this length are more than the limit of an answer */
    LONG_TEMPLATE = 400 << 10,
    KEPT_MAX = 1000,
    BUDGET = 4 << 20,
    TIMEOUT = 200 /* milliseconds */
};

struct seen {
    size_t n_answers, n_vms;
    bool over;
};

static void told(void *context, struct cloud_answer *answer)
{
    struct seen *seen = context;

    assert_false(seen->over);
    assert_null(answer->error);
    assert_true(answer->vms.n < VMS);
    seen->n_answers++;
    seen->n_vms += answer->vms.n;
    seen->over = !answer->more;
}

static void assert_told_in_parts(struct oned *oned, struct cloud *cloud, enum cloud_subject subject,
                                 size_t n)
{
    int32_t ids[CLOUD_IDS_MAX];
    struct seen seen = {0};
    struct error err;

    for (size_t i = 0; i < n && i < CLOUD_IDS_MAX; i++)
        ids[i] = (int32_t)i;
    cloud_ask(cloud,
              &(struct cloud_question){
                  .subject = subject, .ids = ids, .n_ids = n, .told = told, .context = &seen});
    while (!seen.over) {
        assert_return_code(oned_step(oned, 0, &err), 0);
        assert_return_code(cloud_wait(cloud, NULL, 0, 1, &err), 0);
    }
    assert_int_equal(seen.n_vms, n);
    assert_true(seen.n_answers > 1);
}

static struct cloud *connect_for(struct oned *oned, struct memory_budget *budget, long timeout)
{
    char endpoint[64];
    struct rpc_settings settings = {.endpoint = endpoint,
                                    .session = ADMIN,
                                    .timeout = timeout,
                                    .connect_timeout = 1000,
                                    .parallel = 1,
                                    .answer_limit = 1 << 24,
                                    .budget = budget};
    struct error err;
    int port = oned_listen(oned, "127.0.0.1", 0, &err);
    struct cloud *cloud;

    assert_true(port > 0);
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d/RPC2", port);
    cloud = opennebula_create(&settings, false, &err);
    assert_non_null(cloud);
    return cloud;
}

static struct cloud *connect_to(struct oned *oned, struct memory_budget *budget)
{
    return connect_for(oned, budget, 60000);
}

/* Owners make templates as long as they like: no answer with them is read in one go. */
static void vms_are_told_in_parts(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    struct cloud *cloud = connect_to(oned, NULL);

    for (int i = 0; i < VMS; i++)
        fixture_vm(oned, 1, 128);
    assert_told_in_parts(oned, cloud, CLOUD_VMS, VMS);
    assert_told_in_parts(oned, cloud, CLOUD_WAITING, VMS);
    assert_told_in_parts(oned, cloud, CLOUD_SOME, CLOUD_IDS_MAX);
    cloud_destroy(cloud);
    oned_destroy(oned);
}

struct waiting {
    bool seen[MANY];
    size_t n_seen, n_told;
    bool over;
};

static void note_waiting(void *context, struct cloud_answer *answer)
{
    struct waiting *waiting = context;

    assert_null(answer->error);
    for (size_t i = 0; i < answer->vms.n; i++) {
        waiting->n_told++;
        waiting->n_seen += !waiting->seen[answer->vms.items[i].id];
        waiting->seen[answer->vms.items[i].id] = true;
    }
    waiting->over = !answer->more;
}

static void read_all(struct oned *oned, struct cloud *cloud, enum cloud_subject subject,
                     struct waiting *waiting)
{
    int32_t ids[LONG];
    struct error err;

    for (int32_t i = 0; i < LONG; i++)
        ids[i] = i;
    cloud_ask(cloud, &(struct cloud_question){.subject = subject,
                                              .ids = ids,
                                              .n_ids = LONG,
                                              .told = note_waiting,
                                              .context = waiting});
    while (!waiting->over) {
        assert_return_code(oned_step(oned, 0, &err), 0);
        assert_return_code(cloud_wait(cloud, NULL, 0, 1, &err), 0);
    }
}

/* One document could not hold them all, and they change meanwhile. */
static void many_waiting_vms_are_read_in_several_calls(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    struct cloud *cloud;
    struct waiting *waiting = memory_new(1, sizeof *waiting);

    for (int i = 0; i < MANY; i++)
        fixture_vm(oned, 1, 128);
    cloud = connect_to(oned, NULL);
    read_all(oned, cloud, CLOUD_WAITING, waiting);
    assert_int_equal(waiting->n_seen, MANY);
    assert_true(waiting->n_told > MANY); /* each call repeats the last VMs of the one before */
    cloud_destroy(cloud);
    free(waiting);
    oned_destroy(oned);
}

/* A user whose VMs are together too long for an answer does not keep galernad from reading those of
 * others. */
static void long_vms_are_read_in_shorter_pages(void **state)
{
    static const enum cloud_subject subjects[] = {CLOUD_WAITING, CLOUD_SOME, CLOUD_VMS};
    char *text = memory_format("CPU=1\nMEMORY=128\nLABELS=\"%*s\"\n", LONG_TEMPLATE, "x");

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        struct oned *oned = fixture_create(ONED_7_4, 1);
        struct waiting *waiting = memory_new(1, sizeof *waiting);
        struct cloud *cloud;

        for (int vm = 0; vm < LONG; vm++)
            fixture_do(oned, "one.vm.allocate", "(ssb)", ADMIN, text, 0);
        cloud = connect_to(oned, NULL);
        read_all(oned, cloud, subjects[i], waiting);
        assert_int_equal(waiting->n_seen, LONG);
        cloud_destroy(cloud);
        free(waiting);
        oned_destroy(oned);
    }
    free(text);
}

/* What was told and is kept. */
struct kept {
    struct vm_pool pools[KEPT_MAX];
    size_t n;
    bool over;
    char error[300];
};

static void keep(void *context, struct cloud_answer *answer)
{
    struct kept *kept = context;

    kept->over = !answer->more;
    if (answer->error)
        snprintf(kept->error, sizeof kept->error, "%s", answer->error);
    assert_true(kept->n < KEPT_MAX);
    kept->pools[kept->n++] = answer->vms;
    answer->vms = (struct vm_pool){0};
    vm_use_pool_finish(&answer->uses);
}

static void drop(struct kept *kept)
{
    while (kept->n > 0)
        vm_pool_finish(&kept->pools[--kept->n]);
}

static void ask(struct oned *oned, struct cloud *cloud, enum cloud_subject subject,
                struct kept *kept)
{
    int32_t ids[CLOUD_IDS_MAX];
    struct error err;

    for (int32_t i = 0; i < CLOUD_IDS_MAX; i++)
        ids[i] = i;
    kept->over = false;
    kept->error[0] = '\0';
    cloud_ask(
        cloud,
        &(struct cloud_question){
            .subject = subject, .ids = ids, .n_ids = CLOUD_IDS_MAX, .told = keep, .context = kept});
    while (!kept->over) {
        assert_return_code(oned_step(oned, 0, &err), 0);
        assert_return_code(cloud_wait(cloud, NULL, 0, 1, &err), 0);
    }
}

/* Each answer is small enough, but not all that is kept of them: the next one is refused, says
 * which are too large, and is taken once the others are gone. */
static void all_answers_together_are_bounded(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    struct memory_budget *budget = memory_budget_create(BUDGET);
    struct cloud *cloud = connect_to(oned, budget);
    struct kept *kept = memory_new(1, sizeof *kept);

    for (int i = 0; i < VMS; i++)
        fixture_vm(oned, 1, 128);
    ask(oned, cloud, CLOUD_SOME, kept);
    assert_string_equal(kept->error, "");
    for (int i = 0; i < KEPT_MAX / 3 && !kept->error[0]; i++)
        ask(oned, cloud, CLOUD_SOME, kept);
    assert_non_null(strstr(kept->error, "one.vmpool.infoset: the answer is too large"));
    assert_non_null(strstr(kept->error, "all answers may take 4 MB (memory-limit)"));
    assert_non_null(strstr(kept->error, "of which one.vmpool.infoset takes 3 MB"));
    ask(oned, cloud, CLOUD_VMS, kept);
    assert_non_null(strstr(kept->error, "one.vmpool.info: the answer is too large"));
    drop(kept);
    ask(oned, cloud, CLOUD_SOME, kept);
    assert_string_equal(kept->error, "");
    ask(oned, cloud, CLOUD_VMS, kept);
    assert_string_equal(kept->error, "");
    drop(kept);
    assert_true(memory_budget_fits(budget, BUDGET - 2 * VMS * 1024));
    cloud_destroy(cloud);
    assert_true(memory_budget_fits(budget, BUDGET - 2 * VMS * 1024));
    memory_budget_destroy(budget);
    free(kept);
    oned_destroy(oned);
}

/* A shorter page would not be answered either, and each takes the whole time. */
static void a_page_that_is_not_answered_in_time_is_not_asked_for_again(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    struct cloud *cloud = connect_for(oned, NULL, TIMEOUT);
    struct kept *kept = memory_new(1, sizeof *kept);
    struct error err;

    for (int i = 0; i < 10; i++)
        fixture_vm(oned, 1, 128);
    fixture_do(oned, "sandbox.fault", "(ss)", ADMIN,
               "FAULT=[KIND=\"delay\",METHOD=\"one.vmpool.infoextended\",TIME=\"60000\","
               "COUNT=\"-1\"]");
    ask(oned, cloud, CLOUD_WAITING, kept);
    assert_non_null(strstr(kept->error, "infoextended"));
    for (int i = 0; i < 3 * TIMEOUT; i++) {
        assert_return_code(oned_step(oned, 0, &err), 0);
        assert_return_code(cloud_wait(cloud, NULL, 0, 1, &err), 0);
    }
    assert_int_equal(
        fixture_first(fixture_call(oned, "sandbox.faults", "(s)", ADMIN)->text, "HITS"), 1);
    drop(kept);
    free(kept);
    cloud_destroy(cloud);
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vms_are_told_in_parts),
        cmocka_unit_test(many_waiting_vms_are_read_in_several_calls),
        cmocka_unit_test(long_vms_are_read_in_shorter_pages),
        cmocka_unit_test(a_page_that_is_not_answered_in_time_is_not_asked_for_again),
        cmocka_unit_test(all_answers_together_are_bounded)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
