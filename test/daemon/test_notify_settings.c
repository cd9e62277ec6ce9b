/* Sections [notify NAME]: what they say, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/notify/settings.h"

static struct notify_settings *read_text(const char *text, struct error *err)
{
    struct notify_settings *settings;
    struct ini ini;

    ini_init(&ini);
    assert_int_equal(ini_read_text(&ini, "a.conf", text, strlen(text), err), 0);
    settings = notify_settings_create(&ini, err);
    ini_finish(&ini);
    return settings;
}

static void sections_are_targets(void **state)
{
    struct error err = {0};
    struct notify_settings *settings =
        read_text("[rights]\nmax-vms: 3\n"
                  "[notify people]\nmail: owner, ops@example.org\non: end,late\nretry-limit: 2\n"
                  "[notify hook]\nwebhook: https://x/y\nkey-file: /k\n",
                  &err);
    const struct notify_target *people;

    assert_non_null(settings);
    assert_int_equal(notify_targets(settings), 2);
    people = notify_target_named(settings, "people");
    assert_int_equal(people->events, 1U << NOTICE_END | 1U << NOTICE_LATE);
    assert_int_equal(people->retry_limit, 2);
    assert_int_equal(people->retry_pause, 60);
    assert_string_equal(people->sendmail, "/usr/sbin/sendmail");
    assert_int_equal(notify_target_named(settings, "hook")->events, (1U << NOTICE_EVENTS) - 1);
    assert_null(notify_target_named(settings, "rights"));
    notify_settings_destroy(settings);
}

static void mistakes_are_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"[notify]\nmail: owner\n", "needs a name"},
        {"[notify a]\non: end\n", "set mail, webhook or program"},
        {"[notify a]\nmail: owner\nprogram: /x\n", "set only one of"},
        {"[notify a]\nmail: me\n", "a.conf:2: mail of [notify a] is 'me'"},
        {"[notify a]\nmail: owner\non: ends\n", "some of start, end"},
        {"[notify a]\nprogram: x\n", "absolute path"},
        {"[notify a]\nwebhook: ftp://x\nkey-file: /k\n", "https://"},
        {"[notify a]\nwebhook: http://x\n", "set key-file"},
        {"[notify a]\nmail: owner\nretry-limit: 0\n", "from 1 to 100"},
        {"[notify a]\nmail: owner\nform: x@y\n", "did you mean 'from'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};

        assert_null(read_text(cases[i].text, &err));
        if (!strstr(err.text, cases[i].part))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

static void only_plain_addresses_are_used(void **state)
{
    static const char *const good[] = {"a@b", "anna.b+c@mail.example.org", "o'neil@x-y.org"};
    static const char *const bad[] = {
        "",        "anna",      "@b",    "a@",    "-oQ/tmp@b", "a@b c", "a@b\nBcc: c",
        "a@b,c@d", "\"a b\"@c", "a@b@c", "<a@b>", "a@b\r",     "a@b;c", "\xc3\xa4@b",
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(notify_is_address(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(notify_is_address(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_targets),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(only_plain_addresses_are_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
