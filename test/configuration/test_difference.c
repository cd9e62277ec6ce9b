/* Differences between configurations, and what a reload takes over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/difference.h"
#include "configuration/option.h"

static struct configuration *configuration_of(const char *text)
{
    struct configuration *configuration;
    struct error err = {0};
    FILE *file = fopen("difference.conf", "w");
    const struct configuration_overrides overrides = {0};

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    configuration = live_configuration_read("difference.conf", &overrides, &err);
    remove("difference.conf");
    if (!configuration)
        fail_msg("%s", err.text);
    return configuration;
}

static void collect(void *context, const char *section, const char *name)
{
    char *text = context;
    size_t n = strlen(text);

    snprintf(text + n, 256 - n, "%s.%s ", section, name);
}

static void assert_same(const char *one, const char *other, bool same)
{
    struct configuration *first = configuration_of(one), *second = configuration_of(other);
    char a[CONFIGURATION_FINGERPRINT_MAX], b[CONFIGURATION_FINGERPRINT_MAX];

    configuration_fingerprint(first, a);
    configuration_fingerprint(second, b);
    assert_int_equal(strlen(a), 16);
    assert_int_equal(strcmp(a, b) == 0, same);
    configuration_destroy(first);
    configuration_destroy(second);
}

/* What is the machine's own may differ between front-ends, what decides about leases may not. */
static void fingerprints_of_front_ends(void **state)
{
    const char *first = "[opennebula]\nretry-limit: 3\nend-warning: 5\n[rights]\nmax-vms: 3\n";

    assert_same(first,
                "[rights]\nmax-vms: 3\n[opennebula]\nend-warning: 4\n# a remark\n"
                "end-warning: 5\nretry-limit: 3\n"
                "endpoint: http://localhost:2633/RPC2\npromise-key: /etc/galerna/promise.key\n"
                "[daemon]\nlog-level: debug\n",
                true);
    assert_same(first, "[opennebula]\nretry-limit: 3\nend-warning: 5\n[rights]\nmax-vms: 4\n",
                false);
    assert_same(first, "[opennebula]\nretry-limit: 3\n[rights]\nmax-vms: 3\n", false);
    assert_same(first, "[opennebula]\nretry-limit: 5\nend-warning: 3\n[rights]\nmax-vms: 3\n",
                false);
}

static void the_options_that_differ_are_named(void **state)
{
    struct configuration *first = configuration_of(
        "[opennebula]\nretry-limit: 3\nend-warning: 5\n[rights user:a;b]\nmax-vms: 3\n");
    struct configuration *second =
        configuration_of("[opennebula]\nend-warning: 5\nretry-limit: 4\nunused-after: 1h\n"
                         "endpoint: http://localhost:2633/RPC2\n");
    char own[CONFIGURATION_DIGESTS_MAX], other[CONFIGURATION_DIGESTS_MAX], small[64], text[256];

    configuration_digests(first, own, sizeof own);
    configuration_digests(second, other, sizeof other);
    configuration_name_differences(own, other, text, sizeof text);
    assert_string_equal(text,
                        "opennebula/retry-limit, rights user:a_b/max-vms, opennebula/unused-after");
    configuration_name_differences(own, other, text, 64);
    assert_string_equal(text, "opennebula/retry-limit, and 2 more");
    configuration_name_differences(own, other, text, 48);
    assert_string_equal(text, "3 more");
    configuration_name_differences(own, own, text, sizeof text);
    assert_string_equal(text, "");
    configuration_digests(first, small, sizeof small);
    assert_int_equal(small[strlen(small) - 1], ';'); /* whole options only */
    assert_true(strlen(small) < strlen(own));
    configuration_destroy(first);
    configuration_destroy(second);
}

static void each_changed_option_is_visited_once(void **state)
{
    struct configuration *before =
        configuration_of("[opennebula]\ntimeout: 3\nend-warning: 5\n[daemon]\nlog-level: info\n");
    struct configuration *after =
        configuration_of("[opennebula]\ntimeout: 3\n[daemon]\nlog-level: info\nlog-level: debug\n"
                         "[rights group:a b]\nmax-vms: 3\n");
    char text[256] = "";

    configuration_compare(before, before, collect, text);
    assert_string_equal(text, "");
    configuration_compare(before, after, collect, text);
    assert_string_equal(text, "daemon.log-level rights group:a b.max-vms opennebula.end-warning ");
    configuration_destroy(before);
    configuration_destroy(after);
}

static void what_reloads_is_taken_over(void **state)
{
    struct configuration *running = configuration_of("[opennebula]\nend-warning: 5\n");
    struct configuration *next =
        configuration_of("[opennebula]\nend-warning: 6\nend-action: poweroff\ntimeout: 7\n");
    int64_t timeout = running->live.timeout;

    configuration_take_over(running, next);
    assert_int_equal(running->live.end_warning, 6);
    assert_int_equal(running->live.end_action, END_POWEROFF);
    assert_int_equal(running->live.timeout, timeout);
    configuration_destroy(running);
    configuration_destroy(next);
}

static void options_that_reload_exist(void **state)
{
    size_t n = 0;

    for (size_t i = 0; i < option_count; i++)
        n += option_reloads(option_table[i].section, option_table[i].name);
    assert_int_equal(n, 20);
    assert_true(option_reloads("rights", "max-vms"));
    assert_true(option_reloads("rights user:a", "max-vms"));
    assert_false(option_reloads("rightsomething", "max-vms"));
    assert_true(option_reloads("policy spread", "option"));
    assert_false(option_reloads("daemon", "state-dir"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints_of_front_ends),
        cmocka_unit_test(the_options_that_differ_are_named),
        cmocka_unit_test(each_changed_option_is_visited_once),
        cmocka_unit_test(what_reloads_is_taken_over),
        cmocka_unit_test(options_that_reload_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
