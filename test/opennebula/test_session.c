/* What the error codes of OpenNebula mean to a user whose session is used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapters/opennebula/session.h"
#include "test/opennebula/rpc_fixture.h"

static const struct {
    int code;
    int of_user, of_vm; /* the error of session_user() and of session_ask() */
} refusals[] = {
    {RPC_CODE_AUTHENTICATION, EACCES, EPERM}, {RPC_CODE_AUTHORIZATION, EACCES, EPERM},
    {RPC_CODE_NO_EXISTS, EAGAIN, ENOENT},     {RPC_CODE_INTERNAL, EAGAIN, EAGAIN},
    {RPC_CODE_REPLICATION, EAGAIN, EAGAIN},
};

static struct rpc *connect_refused(int code)
{
    char session[32];
    struct rpc_settings settings = {.endpoint = server.endpoint,
                                    .session = session,
                                    .timeout = 5000,
                                    .connect_timeout = 1000,
                                    .parallel = 1,
                                    .answer_limit = 1 << 20};
    struct error err = {0};
    struct rpc *rpc;

    snprintf(session, sizeof session, "refused-%d:word", code);
    rpc = rpc_create(&settings, &err);
    if (!rpc)
        fail_msg("%s", err.text);
    return rpc;
}

static void only_denied_sessions_are_rejected(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct rpc *rpc = connect_refused(refusals[i].code);
        struct user_pool user;
        struct error err = {0};

        assert_int_equal(session_user(rpc, &user, &err), -1);
        assert_int_equal(err.code, refusals[i].of_user);
        rpc_destroy(rpc);
    }
}

static void only_denied_vms_are_forbidden(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct rpc *rpc = connect_refused(refusals[i].code);
        struct error refusal = {0}, err = {0};

        session_ask(rpc, 7, false, &refusal);
        assert_int_equal(session_answers(rpc, &refusal, &err), -1);
        assert_int_equal(err.code, refusals[i].of_vm);
        rpc_destroy(rpc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_denied_sessions_are_rejected),
        cmocka_unit_test(only_denied_vms_are_forbidden),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
