/* Sites in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/site_text.h"

static void test_both_ways_of_writing(void **state)
{
    static const char *const texts[] = {"144,cpu=100,memory=1024", "144  CPU:100 Memory:1024",
                                        " 144, Memory=1024 , cpu:100 "};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct site site;
        struct error err = {0};

        if (site_text_parse(texts[i], &site, &err) < 0)
            fail_msg("%s: %s", texts[i], err.text);
        assert_int_equal(site.n_hosts, 144);
        assert_int_equal(site.types.count, RESOURCE_TYPES_FIXED);
        assert_int_equal(site.hosts[0].id, 1);
        assert_int_equal(site.hosts[143].id, 144);
        assert_int_equal(site.hosts[143].capacity.of[RESOURCE_CPU], 100);
        assert_int_equal(site.hosts[143].capacity.of[RESOURCE_MEMORY], 1024);
        assert_int_equal(site.hosts[143].capacity.of[RESOURCE_DISK], 1000000);
        assert_int_equal(site.hosts[143].capacity.of[RESOURCE_NET_OUT], 1000000);
        site_finish(&site);
    }
}

static void test_different_hosts_and_further_types(void **state)
{
    struct site site;

    assert_int_equal(
        site_text_parse("2,cpu=100,memory=64 + 1,cpu=400,memory=128,gpu=2,disk=9", &site, NULL), 0);
    assert_int_equal(site.n_hosts, 3);
    assert_int_equal(site.types.count, RESOURCE_TYPES_FIXED + 1);
    assert_string_equal(site.types.names[RESOURCE_TYPES_FIXED], "gpu");
    assert_int_equal(site.hosts[1].capacity.of[RESOURCE_TYPES_FIXED], 0);
    assert_int_equal(site.hosts[2].capacity.of[RESOURCE_TYPES_FIXED], 2);
    assert_int_equal(site.hosts[2].capacity.of[RESOURCE_CPU], 400);
    assert_int_equal(site.hosts[2].capacity.of[RESOURCE_DISK], 9);
    assert_int_equal(site.hosts[2].id, 3);
    site_finish(&site);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "a number of hosts"},
        {"cpu=100,memory=1", "a number of hosts"},
        {"0,cpu=100,memory=1", "0 hosts"},
        {"9999999,cpu=100,memory=1", "9999999 is too many, at most"},
        {"600000,cpu=1,memory=1+600000,cpu=1,memory=1", "expected 1 to 1000000"},
        {"4", "hosts have no cpu"},
        {"4,cpu=100", "hosts have no memory"},
        {"4,cpu=100,memry=9", "hosts have no memory; is 'memry' a misspelling of it?"},
        {"4,cpu", "TYPE=AMOUNT"},
        {"4,cpu=", "an amount"},
        {"4,cpu=-1,memory=1", "an amount"},
        {"4,cpu=1x,memory=1", "an amount"},
        {"4,cpu=99999999999999999999,memory=1", "too many"},
        {"4,cpu=1,memory=1,averyveryveryveryveryverylongname=1", "TYPE=AMOUNT"},
        {"4,cpu=1,memory=1,\xff=1", "is not UTF-8 text"},
        {"4,cpu=1,memory=1,\xe2\x80\xae=1", "has control characters"},
        {"4,cpu=1,memory=1,", NULL},
        {"4,cpu=1,memory=1+", "a number of hosts"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct site site;
        struct error err = {0};
        int result = site_text_parse(cases[i].text, &site, &err);

        if (!cases[i].words) {
            assert_int_equal(result, 0);
            site_finish(&site);
        } else if (result == 0 || !strstr(err.text, cases[i].words)) {
            fail_msg("'%s': '%s' does not say '%s'", cases[i].text, err.text, cases[i].words);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_of_writing),
        cmocka_unit_test(test_different_hosts_and_further_types),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
