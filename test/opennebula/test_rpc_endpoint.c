/* Which endpoints are taken, and which of them are this machine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/rpc.h"
#include "adapters/opennebula/rpc_endpoint.h"

static void this_machine(void **state)
{
    static const struct {
        const char *url;
        bool encrypted, loopback;
    } cases[] = {
        {"http://localhost:2633/RPC2", false, true},
        {"http://LocalHost/RPC2", false, true},
        {"http://127.0.0.1:2633/RPC2", false, true},
        {"http://127.255.255.254/RPC2", false, true},
        {"http://[::1]:2633/RPC2", false, true},
        {"http://[0:0::1]/RPC2", false, true},
        {"https://localhost/RPC2", true, true},
        {"https://one.example.org/RPC2", true, false},
        {"https://192.0.2.1/RPC2", true, false},
        {"https://[2001:db8::1]/RPC2", true, false},
        {"https://localhost.example.org/RPC2", true, false},
        {"https://127.0.0.1.example.org/RPC2", true, false},
        {"https://128.0.0.1/RPC2", true, false},
    };
    struct rpc_endpoint endpoint;
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (rpc_endpoint_init(&endpoint, cases[i].url, false, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(endpoint.encrypted, cases[i].encrypted);
        assert_int_equal(endpoint.loopback, cases[i].loopback);
        rpc_endpoint_finish(&endpoint);
    }
}

static void plain_text(void **state)
{
    static const char *const urls[] = {
        "http://one.example.org:2633/RPC2", "http://192.0.2.1/RPC2", "http://0.0.0.0/RPC2",
        "http://localhost.example.org/",    "http://[::]/RPC2",      "http://127.0.0.1.nip.io/RPC2",
        "http://[::ffff:127.0.0.1]/RPC2",
    };
    struct rpc_endpoint endpoint;
    struct error err;

    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        assert_int_equal(rpc_endpoint_init(&endpoint, urls[i], false, &err), -1);
        assert_int_equal(err.code, EPERM);
        assert_non_null(strstr(err.text, "plain text"));
        assert_non_null(strstr(err.text, "allow-plaintext"));
        rpc_endpoint_finish(&endpoint);
        assert_int_equal(rpc_endpoint_init(&endpoint, urls[i], true, &err), 0);
        assert_false(endpoint.loopback);
        rpc_endpoint_finish(&endpoint);
    }
}

static void no_endpoints(void **state)
{
    static const struct {
        const char *url, *says;
    } cases[] = {
        {"", "a URL such as http://localhost:2633/RPC2"},
        {NULL, "a URL such as"},
        {"localhost:2633", "a URL such as"},
        {"ftp://localhost/RPC2", "ftp is neither http nor https"},
        {"file:///etc/passwd", "a URL such as"},
        {"http://local host/RPC2", "a URL such as"},
        {"http://oneadmin:secret@localhost/RPC2", "contains a user or password"},
        {"http://oneadmin:secret@local host/RPC2", "a URL such as"},
        {"https://oneadmin@localhost/RPC2", "contains a user or password"},
    };
    struct rpc_endpoint endpoint;
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rpc_endpoint_init(&endpoint, cases[i].url, true, &err), -1);
        assert_int_equal(err.code, EINVAL);
        if (!strstr(err.text, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].says);
        assert_null(strstr(err.text, "secret"));
        rpc_endpoint_finish(&endpoint);
    }
}

static void settings(void **state)
{
    struct rpc_settings given = {.endpoint = "https://localhost/RPC2",
                                 .session = "a:b",
                                 .parallel = 1,
                                 .ca_file = "/nowhere/ca.pem"};
    struct error err;
    struct rpc *rpc;

    assert_null(rpc_create(&given, &err));
    assert_int_equal(err.code, ENOENT);
    assert_non_null(strstr(err.text, "/nowhere/ca.pem: cannot read the file with certificates"));
    given.ca_file = NULL;
    rpc = rpc_create(&given, &err);
    assert_non_null(rpc);
    assert_int_equal(rpc_pending(rpc), 0);
    rpc_destroy(rpc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine),
        cmocka_unit_test(plain_text),
        cmocka_unit_test(no_endpoints),
        cmocka_unit_test(settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
