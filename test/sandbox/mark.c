/* The mark of the acting galernad, against the stand-in: which document it is, who makes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "adapters/opennebula/opennebula.h"
#include "test/sandbox/fixture.h"

enum { TYPE = 4711 };

struct site {
    struct oned *oned;
    char endpoint[64];
};

struct outcome {
    bool over;
    enum cloud_outcome outcome;
    enum cloud_refusal refusal;
    struct cloud_mark mark;
};

static int create(void **state)
{
    static struct site site;
    struct error err;
    int port;

    site.oned = fixture_create(ONED_7_4, 1);
    port = oned_listen(site.oned, "127.0.0.1", 0, &err);
    assert_true(port > 0);
    snprintf(site.endpoint, sizeof site.endpoint, "http://127.0.0.1:%d/RPC2", port);
    *state = &site;
    return 0;
}

static int destroy(void **state)
{
    oned_destroy(((struct site *)*state)->oned);
    return 0;
}

static struct cloud *connect_as(const struct site *site, const char *session)
{
    const struct rpc_settings settings = {
        .endpoint = site->endpoint,
        .session = session,
        .timeout = 5000,
        .connect_timeout = 1000,
        .parallel = 1,
        .answer_limit = 1 << 20,
    };
    struct error err;
    struct cloud *cloud = opennebula_create(&settings, false, &err);

    assert_non_null(cloud);
    return cloud;
}

static void ended(void *context, const struct cloud_reply *reply)
{
    struct outcome *outcome = context;

    assert_false(outcome->over);
    outcome->over = true;
    outcome->outcome = reply->outcome;
    outcome->refusal = reply->refusal;
}

static void told(void *context, const struct cloud_reply *reply, const struct cloud_mark *mark)
{
    ended(context, reply);
    ((struct outcome *)context)->mark = *mark;
}

static void wait_for(const struct site *site, struct cloud *cloud, const struct outcome *outcome)
{
    struct error err;

    while (!outcome->over) {
        assert_return_code(oned_step(site->oned, 0, &err), 0);
        assert_return_code(cloud_wait(cloud, NULL, 0, 1, &err), 0);
    }
}

static struct outcome read_mark(const struct site *site, struct cloud *cloud)
{
    struct outcome outcome = {0};

    cloud_read_mark(cloud, told, &outcome);
    wait_for(site, cloud, &outcome);
    return outcome;
}

static struct outcome write_mark(const struct site *site, struct cloud *cloud, const char *instance,
                                 int64_t beat)
{
    struct cloud_mark mark = {.place = "machine 1:2", .host = "front-1", .seen = "now"};
    struct outcome outcome = {0};

    snprintf(mark.instance, sizeof mark.instance, "%s", instance);
    mark.beat = beat;
    cloud_write_mark(cloud, &mark, ended, &outcome);
    wait_for(site, cloud, &outcome);
    return outcome;
}

static void assert_mark(const struct site *site, struct cloud *cloud, const char *instance,
                        int64_t beat)
{
    const struct outcome found = read_mark(site, cloud);

    assert_int_equal(found.outcome, CLOUD_DONE);
    assert_string_equal(found.mark.instance, instance);
    assert_int_equal(found.mark.beat, beat);
}

static int documents(const struct site *site)
{
    const char *at =
        fixture_call(site->oned, "one.documentpool.info", "(siiii)", ADMIN, -2, -1, -1, TYPE)->text;
    int n = 0;

    while ((at = strstr(at, "<DOCUMENT>"))) {
        at++;
        n++;
    }
    return n;
}

static void one_document_is_written_again_and_again(void **state)
{
    const struct site *site = *state;
    struct cloud *first = connect_as(site, ADMIN), *second = connect_as(site, ADMIN);

    assert_mark(site, first, "", 0);
    assert_int_equal(write_mark(site, first, "a", 1).outcome, CLOUD_DONE);
    assert_int_equal(write_mark(site, first, "a", 2).outcome, CLOUD_DONE);
    assert_mark(site, second, "a", 2);
    assert_int_equal(write_mark(site, second, "b", 3).outcome, CLOUD_DONE);
    assert_mark(site, first, "b", 3);
    assert_int_equal(documents(site), 1);
    cloud_destroy(first);
    cloud_destroy(second);
}

static void a_document_that_was_deleted_is_made_again(void **state)
{
    const struct site *site = *state;
    struct cloud *cloud = connect_as(site, ADMIN);

    assert_int_equal(write_mark(site, cloud, "a", 1).outcome, CLOUD_DONE);
    fixture_do(site->oned, "one.document.delete", "(si)", ADMIN, 0);
    assert_int_equal(write_mark(site, cloud, "a", 2).outcome, CLOUD_DONE);
    assert_mark(site, cloud, "a", 2);
    assert_int_equal(documents(site), 1);
    cloud_destroy(cloud);
}

/* Daemons that find none may each make one: the lowest id counts for all. */
static void the_oldest_document_counts(void **state)
{
    const struct site *site = *state;
    struct cloud *cloud = connect_as(site, ADMIN);

    fixture_do(site->oned, "one.document.allocate", "(ssi)", ADMIN,
               "NAME=galernad\nINSTANCE=a\nBEAT=7", TYPE);
    fixture_do(site->oned, "one.document.allocate", "(ssi)", ADMIN,
               "NAME=galernad\nINSTANCE=b\nBEAT=9", TYPE);
    assert_mark(site, cloud, "a", 7);
    cloud_destroy(cloud);
}

static void users_cannot_forge_the_mark(void **state)
{
    const struct site *site = *state;
    struct cloud *cloud = connect_as(site, ADMIN);

    fixture_do(site->oned, "one.user.allocate", "(ssss)", ADMIN, "anna", "secret", "core");
    fixture_do(site->oned, "one.document.allocate", "(ssi)", "anna:secret",
               "NAME=galernad\nINSTANCE=evil\nBEAT=7", TYPE);
    assert_mark(site, cloud, "", 0);
    assert_int_equal(write_mark(site, cloud, "a", 1).outcome, CLOUD_DONE);
    assert_mark(site, cloud, "a", 1);
    assert_int_equal(documents(site), 2);
    cloud_destroy(cloud);
}

static void a_daemon_outside_the_administrators_group_has_no_mark(void **state)
{
    const struct site *site = *state;
    struct cloud *cloud;
    struct outcome outcome;

    fixture_do(site->oned, "one.user.allocate", "(ssss)", ADMIN, "anna", "secret", "core");
    cloud = connect_as(site, "anna:secret");
    outcome = write_mark(site, cloud, "a", 1);
    assert_int_equal(outcome.outcome, CLOUD_REFUSED);
    assert_int_equal(outcome.refusal, CLOUD_NO_PERMISSION);
    assert_int_equal(documents(site), 0);
    cloud_destroy(cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_document_is_written_again_and_again, create, destroy),
        cmocka_unit_test_setup_teardown(a_document_that_was_deleted_is_made_again, create, destroy),
        cmocka_unit_test_setup_teardown(the_oldest_document_counts, create, destroy),
        cmocka_unit_test_setup_teardown(users_cannot_forge_the_mark, create, destroy),
        cmocka_unit_test_setup_teardown(a_daemon_outside_the_administrators_group_has_no_mark,
                                        create, destroy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
