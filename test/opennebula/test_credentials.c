/* Endpoint and session, from wherever they may be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "adapters/opennebula/credentials.h"

static char home[64];

static const char *in_home(const char *name)
{
    static char path[2][128];
    static int which;

    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", home, name);
    return path[which];
}

static void write_file(const char *name, const char *content, mode_t mode)
{
    FILE *file = fopen(in_home(name), "w");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(in_home(name), mode), 0);
}

static int make_home(void **state)
{
    snprintf(home, sizeof home, "/tmp/galerna-credentials-XXXXXX");
    assert_non_null(mkdtemp(home));
    assert_int_equal(mkdir(in_home(".one"), 0700), 0);
    setenv("HOME", home, 1);
    unsetenv("ONE_AUTH");
    unsetenv("ONE_XMLRPC");
    return 0;
}

static int remove_home(void **state)
{
    static const char *const files[] = {".one/one_auth", ".one/one_endpoint", "auth"};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(in_home(files[i]));
    rmdir(in_home(".one"));
    return rmdir(home);
}

static struct credentials find(const char *endpoint, const char *auth_file)
{
    struct credentials credentials;
    struct error err;

    if (credentials_find(&credentials, endpoint, auth_file, &err) < 0)
        fail_msg("%s", err.text);
    return credentials;
}

static void assert_fails(const char *auth_file, int code, const char *says)
{
    struct credentials credentials;
    struct error err;

    assert_int_equal(credentials_find(&credentials, NULL, auth_file, &err), -1);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    assert_null(strstr(err.text, "secret"));
    assert_null(credentials.session);
}

static void session_at_home(void **state)
{
    struct credentials credentials;

    write_file(".one/one_auth", "oneadmin:ge heim:x\n", 0600);
    credentials = find(NULL, NULL);
    assert_string_equal(credentials.session, "oneadmin:ge heim:x");
    assert_string_equal(credentials.user, "oneadmin");
    assert_string_equal(credentials.session_from, in_home(".one/one_auth"));
    assert_string_equal(credentials.warning, "");
    credentials_finish(&credentials);
    assert_null(credentials.session);
}

static void session_by_name(void **state)
{
    struct credentials credentials;

    write_file(".one/one_auth", "home:secret\n", 0600);
    write_file("auth", "named:secret", 0600);
    setenv("ONE_AUTH", in_home("auth"), 1);
    credentials = find(NULL, NULL);
    assert_string_equal(credentials.session, "named:secret");
    credentials_finish(&credentials);
    /* What is configured goes first; an empty value is none. */
    credentials = find("", in_home(".one/one_auth"));
    assert_string_equal(credentials.session, "home:secret");
    credentials_finish(&credentials);
    credentials = find(NULL, "");
    assert_string_equal(credentials.session, "named:secret");
    credentials_finish(&credentials);
    /* A file that is named must be there. */
    setenv("ONE_AUTH", "/nowhere/auth", 1);
    assert_fails(NULL, ENOENT, "ONE_AUTH: /nowhere/auth: No such file");
    assert_fails("/nowhere/else", ENOENT, "auth-file in [opennebula]: /nowhere/else: No such");
}

static void no_session(void **state)
{
    if (access("/var/lib/one/.one/one_auth", F_OK) == 0)
        skip();
    assert_fails(NULL, ENOENT, "ONE_AUTH");
    assert_fails(NULL, ENOENT, in_home(".one/one_auth"));
    assert_fails(NULL, ENOENT, "/var/lib/one/.one/one_auth");
}

static void no_sessions(void **state)
{
    static const char *const contents[] = {"",
                                           "\n",
                                           "secret",
                                           ":secret",
                                           "secret:",
                                           "secret:\n",
                                           "user:secret\nuser:secret\n",
                                           "user:secret\x01x"};
    char large[8192];

    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        write_file("auth", contents[i], 0600);
        assert_fails(in_home("auth"), EINVAL, "the content is not shown");
    }
    memset(large, 'x', sizeof large);
    memcpy(large, "secret:", 7);
    large[sizeof large - 1] = '\0';
    write_file("auth", large, 0600);
    assert_fails(in_home("auth"), EINVAL, "more than 4096 bytes");
    assert_fails(in_home(".one"), EINVAL, "not a regular file");
    assert_fails("/dev/zero", EINVAL, "not a regular file");
}

static void warnings(void **state)
{
    struct credentials credentials;

    write_file("auth", "user:secret", 0644);
    credentials = find(NULL, in_home("auth"));
    assert_non_null(strstr(credentials.warning, "all users of this machine can read"));
    assert_non_null(strstr(credentials.warning, in_home("auth")));
    assert_null(strstr(credentials.warning, "secret"));
    credentials_finish(&credentials);
    write_file("auth", "user:secret", 0640);
    credentials = find(NULL, in_home("auth"));
    assert_string_equal(credentials.warning, "");
    credentials_finish(&credentials);
}

static void assert_endpoint(const char *configured, const char *endpoint, const char *from)
{
    struct credentials credentials = find(configured, NULL);

    assert_string_equal(credentials.endpoint, endpoint);
    assert_string_equal(credentials.endpoint_from, from);
    credentials_finish(&credentials);
}

static void endpoints(void **state)
{
    write_file(".one/one_auth", "oneadmin:secret\n", 0600);
    if (access("/var/lib/one/.one/one_endpoint", F_OK) != 0)
        assert_endpoint(NULL, "http://localhost:2633/RPC2", "default");
    write_file(".one/one_endpoint", " https://at.home/RPC2\n", 0644);
    assert_endpoint(NULL, "https://at.home/RPC2", in_home(".one/one_endpoint"));
    setenv("ONE_XMLRPC", "https://variable/RPC2", 1);
    assert_endpoint("", "https://variable/RPC2", "ONE_XMLRPC");
    assert_endpoint("https://configured/RPC2", "https://configured/RPC2", "configuration");
}

static void protection(void **state)
{
    struct error err;

    assert_int_equal(credentials_protect(&err), 0);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
    assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_home)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOME(session_at_home),     IN_HOME(session_by_name), IN_HOME(no_session),
        IN_HOME(no_sessions),         IN_HOME(warnings),        IN_HOME(endpoints),
        cmocka_unit_test(protection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
