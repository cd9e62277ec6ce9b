/* Addresses of this machine, and all others. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/loopback.h"

static void addresses_of_this_machine_are_read(void **state)
{
    union loopback_address address;

    assert_int_equal(loopback_read("127.0.0.1:9750", &address, NULL), 0);
    assert_int_equal(address.v4.sin_family, AF_INET);
    assert_int_equal(ntohs(address.v4.sin_port), 9750);
    assert_int_equal(ntohl(address.v4.sin_addr.s_addr), INADDR_LOOPBACK);
    assert_int_equal(loopback_size(&address), sizeof address.v4);
    assert_int_equal(loopback_read("127.3.2.1:65535", &address, NULL), 0);
    assert_int_equal(loopback_read("[::1]:1", &address, NULL), 0);
    assert_int_equal(address.v6.sin6_family, AF_INET6);
    assert_memory_equal(&address.v6.sin6_addr, &in6addr_loopback, sizeof in6addr_loopback);
    assert_int_equal(loopback_size(&address), sizeof address.v6);
}

static void all_else_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "0.0.0.0:1",
        "192.168.1.1:80",
        "[::]:80",
        "::1:80",
        "localhost:80",
        ":80",
        "127.0.0.1:80x",
        "9750",
        "127.1:80",
        "127.0.0.1:+80",
        "127.0.0.1:99999999999999999999",
        "127.0.0.1 :80",
        "127.0.0.1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:80"};
    union loopback_address address;
    struct error err;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        err = (struct error){0};
        assert_int_equal(loopback_read(texts[i], &address, &err), -1);
        assert_non_null(strstr(err.text, texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_this_machine_are_read),
        cmocka_unit_test(all_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
