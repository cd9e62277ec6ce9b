/* What OpenNebula says of VMs, against the stand-in: it is told as it comes, however long it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "adapters/opennebula/opennebula.h"
#include "test/sandbox/fixture.h"

enum { VMS = 600 };

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

/* Owners make templates as long as they like: no answer with them is read in one go. */
static void vms_are_told_in_parts(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    char endpoint[64];
    struct rpc_settings settings = {.endpoint = endpoint,
                                    .session = ADMIN,
                                    .timeout = 5000,
                                    .connect_timeout = 1000,
                                    .parallel = 1,
                                    .answer_limit = 1 << 24};
    struct error err;
    int port = oned_listen(oned, "127.0.0.1", 0, &err);
    struct cloud *cloud;

    (void)state;
    assert_true(port > 0);
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d/RPC2", port);
    cloud = opennebula_create(&settings, false, &err);
    assert_non_null(cloud);
    for (int i = 0; i < VMS; i++)
        fixture_vm(oned, 1, 128);
    assert_told_in_parts(oned, cloud, CLOUD_VMS, VMS);
    assert_told_in_parts(oned, cloud, CLOUD_WAITING, VMS);
    assert_told_in_parts(oned, cloud, CLOUD_SOME, CLOUD_IDS_MAX);
    cloud_destroy(cloud);
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vms_are_told_in_parts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
