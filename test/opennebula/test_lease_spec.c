/* What a VM's template says about its lease. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "adapters/opennebula/lease_spec.h"

enum { CREATED = 1700000000, HOUR = 3600, DAY = 86400 };

#define GIVEN(term) (1U << TERM_ID_##term)

static const struct lease_spec_defaults defaults = {.preemptible = false,
                                                    .duration = SPAN_UNLIMITED};

/* "NAME=value;NAME=value" as attributes. */
static struct attributes attributes_of(char *text)
{
    static struct attribute items[2][16];
    static size_t turn;
    struct attributes attributes = {.items = items[turn++ % 2]};
    char *pair;

    while ((pair = strsep(&text, ";"))) {
        struct attribute *added = &attributes.items[attributes.n];

        if (!*pair)
            continue;
        added->name = strsep(&pair, "=");
        added->value = pair ? pair : "";
        attributes.n++;
    }
    return attributes;
}

static int read_both(const char *template, const char *user_template, struct lease_spec *spec,
                     char *reason)
{
    char texts[2][512];
    struct vm vm = {.id = 1, .stime = CREATED, .is_extended = true};

    snprintf(texts[0], sizeof texts[0], "%s", template);
    snprintf(texts[1], sizeof texts[1], "%s", user_template);
    vm.template = attributes_of(texts[0]);
    vm.user_template = attributes_of(texts[1]);
    return lease_spec_read(&vm, &defaults, spec, reason);
}

static struct lease_spec accept(const char *user_template)
{
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    if (read_both("", user_template, &spec, reason) < 0)
        fail_msg("%s: %s", user_template, reason);
    assert_string_equal(reason, "");
    return spec;
}

static void refuse(const char *user_template, const char *part)
{
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    if (read_both("", user_template, &spec, reason) == 0)
        fail_msg("%s is accepted", user_template);
    if (!strstr(reason, part))
        fail_msg("%s: '%s' does not say '%s'", user_template, reason, part);
}

static void requests_given_twice(void **state)
{
    static const char one[] = "<GALERNA><START>now</START></GALERNA>",
                      other[] = "<GALERNA><DURATION>1h</DURATION></GALERNA>",
                      haizea[] = "<HAIZEA><START>now</START></HAIZEA>";
    const struct {
        const char *inside[2], *user[2];
        bool galerna, haizea;
    } cases[] = {
        {{"", ""}, {one, ""}, false, false},     {{"", ""}, {one, other}, true, false},
        {{"", ""}, {one, haizea}, false, false}, {{"", ""}, {haizea, haizea}, false, true},
        {{one, ""}, {other, ""}, false, false},  {{one, other}, {"", ""}, true, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct vm_pool pool;
        struct error err;

        snprintf(text, sizeof text,
                 "<VM><ID>1</ID><STATE>1</STATE><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS>"
                 "<TEMPLATE><CPU>1</CPU>%s%s<MEMORY>1</MEMORY></TEMPLATE>"
                 "<USER_TEMPLATE>%s%s</USER_TEMPLATE></VM>",
                 cases[i].inside[0], cases[i].inside[1], cases[i].user[0], cases[i].user[1]);
        assert_int_equal(vm_pool_parse(&pool, text, strlen(text), &err), 0);
        assert_int_equal(pool.n, 1);
        assert_int_equal(pool.items[0].galerna_twice, cases[i].galerna);
        assert_int_equal(pool.items[0].haizea_twice, cases[i].haizea);
        vm_pool_finish(&pool);
    }
}

/* OpenNebula keeps both. */
static void two_requests_are_refused(void **state)
{
    char text[] = "GALERNA/START=now;GALERNA/START=best_effort";
    struct vm vm = {.galerna_twice = true, .user_template = attributes_of(text)};
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    assert_int_equal(lease_spec_read(&vm, &defaults, &spec, reason), -1);
    assert_string_equal(reason,
                        "GALERNA: given twice, expected one GALERNA=[...] with all attributes");
}

static void without_attribute_it_is_best_effort(void **state)
{
    struct lease_spec spec = accept("RACK=r1;HAIZEASTART=now");

    assert_false(spec.present);
    assert_int_equal(spec.kind, LEASE_BEST_EFFORT);
    assert_int_equal(spec.duration, SPAN_UNLIMITED);
    assert_false(spec.preemptible);
    assert_int_equal(spec.terms, TERMS_NON_PREEMPTABLE);
    assert_int_equal(spec.given, 0);
    assert_int_equal(spec.start, INSTANT_NONE);
    assert_int_equal(spec.group_timeout, -1);
    assert_string_equal(spec.group, "");
}

static void kinds_follow_from_start(void **state)
{
    struct lease_spec spec =
        accept("HAIZEA/START=now;HAIZEA/DURATION=01:00:00;HAIZEA/PREEMPTIBLE=no");

    assert_true(spec.present);
    assert_int_equal(spec.kind, LEASE_IMMEDIATE);
    assert_int_equal(spec.duration, HOUR);
    spec = accept("HAIZEA/START=Best_Effort;HAIZEA/DURATION=00:10;HAIZEA/PREEMPTIBLE=YES");
    assert_int_equal(spec.kind, LEASE_BEST_EFFORT);
    assert_int_equal(spec.duration, 600);
    assert_true(spec.preemptible);
    assert_int_equal(spec.terms, TERMS_SUSPENDABLE);
    assert_int_equal(spec.given, GIVEN(preemptible) | GIVEN(terms));
    spec = accept("HAIZEA/START=+00:00:40;HAIZEA/DURATION=Unlimited");
    assert_int_equal(spec.kind, LEASE_RESERVATION);
    assert_int_equal(spec.start, CREATED + 40);
    assert_int_equal(spec.duration, SPAN_UNLIMITED);
    spec = accept("HAIZEA/DURATION=2:01:00:00;HAIZEA/DEADLINE=+4:00:00:00;HAIZEA/EARLIEST=+12:00");
    assert_int_equal(spec.kind, LEASE_DEADLINE);
    assert_int_equal(spec.duration, 2 * DAY + HOUR);
    assert_int_equal(spec.deadline, CREATED + 4 * DAY);
    assert_int_equal(spec.earliest, CREATED + DAY / 2);
    assert_int_equal(spec.start, INSTANT_NONE);
    spec = accept("GALERNA/DURATION=02:00:00;GALERNA/LATEST=+04:00:00;GALERNA/EARLIEST=+04:00:00");
    assert_int_equal(spec.kind, LEASE_DEADLINE);
    assert_int_equal(spec.deadline, CREATED + 6 * HOUR);
    assert_int_equal(spec.earliest, CREATED + 4 * HOUR);
    assert_true(spec.relative_deadline);
    spec = accept("HAIZEA/START=best_effort;HAIZEA/EARLIEST=+100:00:00");
    assert_int_equal(spec.kind, LEASE_BEST_EFFORT);
    assert_int_equal(spec.earliest, CREATED + 100 * HOUR);
}

static int64_t start_of(const char *time)
{
    char text[128];

    snprintf(text, sizeof text, "GALERNA/START=%s", time);
    return accept(text).start;
}

static void times_of_the_calendar(void **state)
{
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    assert_int_equal(start_of("2026-11-21 10:00:00"), 1795251600);
    assert_int_equal(start_of("2026-11-21T10:00"), 1795251600);
    assert_int_equal(start_of("2026-11-21 09:00:00Z"), 1795251600);
    assert_int_equal(start_of("2026-11-21T04:00:00-0500"), 1795251600);
    assert_int_equal(start_of("2026-11-21 14:30:00+05:30"), 1795251600);
    assert_int_equal(start_of("2026-07-01 12:00:00"), start_of("2026-07-01 10:00:00Z"));
    /* Clocks go forward at 02:00 on 29 March 2026, and back at 03:00 on 25 October. */
    assert_int_equal(start_of("2026-03-29 03:00:00"), start_of("2026-03-29 01:00:00Z"));
    refuse("HAIZEA/START=2026-03-29 02:30:00", "this time does not exist on that day");
    assert_int_equal(start_of("2026-10-25 02:30:00"), start_of("2026-10-25 00:30:00Z"));
    assert_int_equal(start_of("2028-02-29 00:00:00Z"), 1835395200);
    refuse("HAIZEA/START=2026-02-29 00:00:00", "invalid date or time");
    refuse("HAIZEA/START=2026-13-01 00:00:00", "expected a time such as");
    refuse("HAIZEA/START=2026-01-01 24:00:00", "expected a time such as");
    refuse("HAIZEA/START=1066-01-01 00:00:00", "the year must be");
    assert_int_equal(start_of("2026-11-21"), start_of("2026-11-20 23:00:00Z"));
    refuse("HAIZEA/START= 2026-11-21", "expected now");
    refuse("HAIZEA/START=2026-11-21 10:00:00 tomorrow", "expected ");
    refuse("HAIZEA/START=2026-11-21 10:00:00+99:00", "expected ");
    refuse("HAIZEA/START=20261-11-21 10:00:00", "expected ");
    setenv("TZ", "UTC", 1);
    tzset();
}

static void wrong_values_are_told(void **state)
{
    char long_name[200] = "HAIZEA/GROUP=";

    refuse("HAIZEA/START=yesterday", "HAIZEA: START is 'yesterday': expected now, best_effort");
    refuse("HAIZEA/START=", "now, best_effort");
    refuse("HAIZEA/START=+00:99", "minutes must be at most 59");
    refuse("HAIZEA/START=+00:00:60", "seconds must be at most 59");
    refuse("HAIZEA/START=+1:24:00:00", "hours must be at most 23");
    refuse("HAIZEA/START=+", "expected ");
    refuse("HAIZEA/START=+1", "expected ");
    refuse("HAIZEA/START=+1:", "expected ");
    refuse("HAIZEA/START=+-1:00:00", "expected ");
    refuse("HAIZEA/START=+9999999:00:00", "more than a hundred years");
    refuse("HAIZEA/START=+99999999999:00:00", "more than a hundred years");
    refuse("HAIZEA/DURATION=forever", "DURATION is 'forever': expected a duration such as 90s");
    refuse("HAIZEA/DURATION=-01:00:00", "cannot be negative");
    refuse("HAIZEA/DURATION=00:00:00", "at least one second");
    refuse("HAIZEA/DURATION=3600", "expected a duration");
    refuse("HAIZEA/DURATION=1:1:1:1:1", "expected ");
    refuse("HAIZEA/DURATION= 01:00:00", "expected ");
    refuse("HAIZEA/PREEMPTIBLE=maybe", "yes or no");
    refuse("HAIZEA/TERMS=none", "cancelable, suspendable");
    refuse("HAIZEA/TERMS=migratable;HAIZEA/PREEMPTIBLE=no", "it contradicts PREEMPTIBLE");
    refuse("HAIZEA/ORIGIN=mars", "local or external");
    refuse("HAIZEA/PRIORITY=high", "a number");
    refuse("HAIZEA/PRIORITY=2147483648", "a number from -1000000");
    refuse("HAIZEA/PRIORITY= 1", "a number");
    refuse("HAIZEA/GROUP=", "a name");
    refuse("HAIZEA/GROUP=a\tb", "printable");
    refuse("HAIZEA/GROUP_SIZE=4", "GROUP_SIZE requires GROUP");
    refuse("HAIZEA/GROUP=g;HAIZEA/GROUP_SIZE=0", "from 1 to");
    refuse("HAIZEA/GROUP=g;HAIZEA/GROUP_TIMEOUT=soon", "expected ");
    refuse("HAIZEA/STRAT=now", "unknown attribute 'STRAT', did you mean 'START'?");
    refuse("HAIZEA/START=now;HAIZEA/START=now", "START is given twice");
    refuse("HAIZEA=now", "HAIZEA=[START=");
    refuse("GALERNA=now", "GALERNA: ");
    refuse("HAIZEA/START=now;HAIZEA/DEADLINE=+01:00:00", "START is an exact time");
    refuse("HAIZEA/START=+01:00;HAIZEA/EARLIEST=+01:00:00", "START is an exact time");
    refuse("HAIZEA/START=+01:00:00;HAIZEA/LATEST=+02:00:00", "with LATEST, START must be");
    refuse("HAIZEA/LATEST=+01:00:00", "LATEST requires a limited DURATION");
    refuse("HAIZEA/LATEST=+01:00:00;HAIZEA/DEADLINE=+02:00:00;HAIZEA/DURATION=00:30:00",
           "cannot be combined");
    refuse("HAIZEA/LATEST=+01:00:00;HAIZEA/EARLIEST=+01:00:01;HAIZEA/DURATION=00:30:00",
           "LATEST is 1s before EARLIEST");
    refuse("HAIZEA/DEADLINE=+01:00:00", "DEADLINE requires a limited DURATION");
    refuse("HAIZEA/DEADLINE=+01:00:00;HAIZEA/DURATION=02:00:00",
           "DEADLINE is only 1h after the VM's creation, but DURATION is 2h");
    refuse("HAIZEA/DEADLINE=+01:00:00;HAIZEA/EARLIEST=+02:00:00;HAIZEA/DURATION=00:01:00",
           "DEADLINE is before EARLIEST");
    memset(long_name + 13, 'g', 64);
    refuse(long_name, "1 to 63");
}

static void what_wins(void **state)
{
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    assert_int_equal(read_both("HAIZEA/START=now", "HAIZEA/START=best_effort", &spec, reason), 0);
    assert_int_equal(spec.kind, LEASE_BEST_EFFORT);
    assert_int_equal(read_both("HAIZEA/START=now", "", &spec, reason), 0);
    assert_int_equal(spec.kind, LEASE_IMMEDIATE);
    assert_int_equal(read_both("GALERNA/START=now", "HAIZEA/START=best_effort", &spec, reason), 0);
    assert_int_equal(spec.kind, LEASE_IMMEDIATE);
    assert_int_equal(read_both("", "HAIZEA/START=nonsense;GALERNA/START=now", &spec, reason), 0);
    assert_int_equal(spec.kind, LEASE_IMMEDIATE);
    assert_int_equal(read_both("HAIZEA/START=nonsense", "HAIZEA/DURATION=01:00", &spec, reason), 0);
    assert_int_equal(spec.kind, LEASE_BEST_EFFORT);
}

static void groups_terms_and_priorities(void **state)
{
    struct lease_spec spec = accept("HAIZEA/GROUP=my group;HAIZEA/GROUP_SIZE=4;"
                                    "HAIZEA/GROUP_TIMEOUT=00:05:00;HAIZEA/PRIORITY=-3.125;"
                                    "HAIZEA/TERMS=Restartable;HAIZEA/ORIGIN=external");

    assert_string_equal(spec.group, "my group");
    assert_int_equal(spec.group_size, 4);
    assert_int_equal(spec.group_timeout, 300);
    assert_int_equal(spec.priority, -3125);
    assert_true(spec.given & GIVEN(priority));
    assert_int_equal(spec.terms, TERMS_RESTARTABLE);
    assert_true(spec.preemptible);
    assert_int_equal(spec.origin, ORIGIN_EXTERNAL);
    spec = accept("USER_PRIORITY=7.5;HAIZEA/START=best_effort");
    assert_int_equal(spec.priority, 7500);
    assert_false(spec.given & GIVEN(priority));
    spec = accept("USER_PRIORITY=7;HAIZEA/PRIORITY=2");
    assert_int_equal(spec.priority, 2000);
    assert_true(spec.given & GIVEN(priority));
    assert_int_equal(accept("USER_PRIORITY=text").priority, 0);
    assert_int_equal(accept("USER_PRIORITY=nan").priority, 0);
    assert_int_equal(accept("USER_PRIORITY=1e300").priority, 1000000000);
    assert_int_equal(accept("USER_PRIORITY=-1e300").priority, -1000000000);
    assert_int_equal(accept("USER_PRIORITY=0.5").priority, 500);
    assert_int_equal(accept("USER_PRIORITY=-0.0006").priority, -1);
    assert_int_equal(accept("HAIZEA/TERMS=non-preemptable").preemptible, false);
}

static void attributes_come_from_documents(void **state)
{
    static const char document[] =
        "<VM><ID>7</ID><UID>5</UID><GID>1</GID><UNAME>ada</UNAME><GNAME>users</GNAME><NAME>x</NAME>"
        "<PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE><LCM_STATE>0</"
        "LCM_STATE><STIME>1700000000</STIME><ETIME>0</ETIME>"
        "<TEMPLATE><CPU>1</CPU><MEMORY>64</MEMORY></TEMPLATE><USER_TEMPLATE><HAIZEA>"
        "<DURATION><![CDATA[00:00:30]]></DURATION><PREEMPTIBLE><![CDATA[yes]]></PREEMPTIBLE>"
        "<START><![CDATA[+00:00:40]]></START></HAIZEA></USER_TEMPLATE><HISTORY_RECORDS/></VM>";
    struct vm_pool pool;
    struct error err = {0};
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    if (vm_pool_parse(&pool, document, sizeof document - 1, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(pool.n, 1);
    if (lease_spec_read(&pool.items[0], &defaults, &spec, reason) < 0)
        fail_msg("%s", reason);
    assert_int_equal(spec.start, CREATED + 40);
    assert_int_equal(spec.duration, 30);
    assert_true(spec.preemptible);
    vm_pool_finish(&pool);
}

static void hostile_values_stay_short_and_printable(void **state)
{
    char value[400] = "HAIZEA/START=", reason[LEASE_SPEC_TEXT_MAX];
    struct lease_spec spec;

    for (size_t i = strlen(value); i < sizeof value - 1; i++)
        value[i] = (char)(i % 200 + 56);
    for (char *c = value + 13; *c; c++)
        *c = *c == ';' ? '\n' : *c;
    assert_int_equal(read_both("", value, &spec, reason), -1);
    assert_true(strlen(reason) < 160);
    for (char *c = reason; *c; c++)
        assert_true(*c >= ' ' && *c <= '~' && *c != '"');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_attribute_it_is_best_effort),
        cmocka_unit_test(requests_given_twice),
        cmocka_unit_test(two_requests_are_refused),
        cmocka_unit_test(kinds_follow_from_start),
        cmocka_unit_test(times_of_the_calendar),
        cmocka_unit_test(wrong_values_are_told),
        cmocka_unit_test(what_wins),
        cmocka_unit_test(groups_terms_and_priorities),
        cmocka_unit_test(attributes_come_from_documents),
        cmocka_unit_test(hostile_values_stay_short_and_printable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
