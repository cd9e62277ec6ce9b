/* One file for many runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/configuration.h"
#include "test/configuration/configuration_text.h"

static const char file[] = "[multi]\n"
                           "tracedir: traces\n"
                           "tracefiles: one.lwf two.lwf\n"
                           "injectiondir: /inj\n"
                           "injectionfiles: x.lwf\n"
                           "datadir: results\n"
                           "[common:general]\n"
                           "mode: simulated\n"
                           "[common:simulation]\n"
                           "resources: 4 CPU:100 Memory:1024\n"
                           "imagetransfer-bandwidth: 100\n"
                           "[common:accounting]\n"
                           "probes: ar\n"
                           "[common:scheduling]\n"
                           "suspend-rate: 32\n"
                           "resume-rate: 32\n"
                           "suspension: none\n"
                           "[off:scheduling]\n"
                           "backfilling: off\n"
                           "[on:scheduling]\n"
                           "backfilling: aggressive\n"
                           "suspension: all\n";

static struct configuration_list list;

static int end(void **state)
{
    configuration_list_finish(&list);
    return 0;
}

static void test_profiles_traces_injections(void **state)
{
    static const char *const names[] = {"off_one", "off_one+x", "off_two", "off_two+x",
                                        "on_one",  "on_one+x",  "on_two",  "on_two+x"};
    struct error err = {0};

    assert_int_equal(configuration_of_text("here/m.conf", file, NULL, &list, &err), 0);
    assert_int_equal(list.n_items, 8);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(list.items[i]->name, names[i]);
    assert_string_equal(list.items[0]->tracefile, "here/traces/one.lwf");
    assert_null(list.items[0]->injectionfile);
    assert_string_equal(list.items[1]->injectionfile, "/inj/x.lwf");
    assert_string_equal(list.items[3]->attributes, "profile=off,tracefile=two,injectfile=x");
    assert_string_equal(list.items[4]->attributes, "profile=on,tracefile=one,injectfile=none");
    assert_int_equal(list.items[0]->settings.suspension, SUSPENSION_NONE);
    assert_int_equal(list.items[0]->settings.backfilling, BACKFILLING_OFF);
    assert_int_equal(list.items[7]->settings.suspension, SUSPENSION_ALL);
    assert_int_equal(list.items[7]->settings.backfilling, BACKFILLING_AGGRESSIVE);
}

static void refused(const char *text, const char *words)
{
    struct error err = {0};

    assert_int_equal(configuration_of_text("m.conf", text, NULL, &list, &err), -1);
    assert_int_equal(list.n_items, 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void test_errors(void **state)
{
    refused("[multi]\ntracedir: a\n[p:general]\n", "m.conf: section [multi] has no traces");
    refused("[multi]\ntracefiles: a\n[common:general]\n", "no profile besides");
    refused("[multi]\ntracefiles: a\n[general]\nmode: simulated\n",
            "m.conf:3: section [general] cannot be combined with [multi]; write [common:general]");
    refused("[multi]\ntracefile: a\n", "m.conf:2: unknown option 'tracefile' in section [multi], "
                                       "did you mean 'tracefiles'?");
    refused("[multi]\ntracefiles: a\n[p:galerna]\nsed: 1\n",
            "m.conf:4: unknown option 'sed' in section [galerna], did you mean 'seed'?");
    refused("[multi]\ntracefiles: a\n[p:generall]\nmode: simulated\n",
            "m.conf:3: unknown section [generall], did you mean 'general'?");
}

static void test_blowing_up_is_bounded(void **state)
{
    static char text[9000];
    size_t n = (size_t)sprintf(text, "[multi]\ntracefiles:");

    for (int i = 0; i < 100; i++)
        n += (size_t)sprintf(text + n, " a");
    n += (size_t)sprintf(text + n, "\ninjectionfiles:");
    for (int i = 0; i < 100; i++)
        n += (size_t)sprintf(text + n, " b");
    sprintf(text + n, "\n[p:galerna]\n");
    refused(text, "[multi] describes more than 1000 configurations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_profiles_traces_injections, end),
        cmocka_unit_test_teardown(test_errors, end),
        cmocka_unit_test_teardown(test_blowing_up_is_bounded, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
