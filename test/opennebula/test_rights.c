/* What users and groups may ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/rights.h"
#include "core/reason_details.h"
#include "util/time_text.h"

enum { ALL_GIVEN = (1U << LEASE_TERM_COUNT) - 1, NOW = 1700000000, DAY = 86400 };

static struct rights *read_rights(const char *text, struct error *err)
{
    struct ini ini;
    struct rights *rights;

    ini_init(&ini);
    if (ini_read_text(&ini, "galerna.conf", text, strlen(text), err) < 0)
        fail_msg("%s", err->text);
    rights = rights_create(&ini, err);
    ini_finish(&ini);
    return rights;
}

static struct lease_spec plain_wish(void)
{
    return (struct lease_spec){.present = true,
                               .kind = LEASE_BEST_EFFORT,
                               .start = INSTANT_NONE,
                               .earliest = INSTANT_NONE,
                               .deadline = INSTANT_NONE,
                               .duration = 3600,
                               .preemptible = true,
                               .terms = TERMS_SUSPENDABLE,
                               .given = ALL_GIVEN,
                               .group_timeout = -1};
}

static struct rights_request request_of(struct lease_spec *spec)
{
    return (struct rights_request){
        .user = "alice", .group = "lab", .spec = spec, .n_vms = 1, .now = NOW};
}

static void granted(const struct rights *rights, const struct rights_request *request)
{
    char reason[LEASE_SPEC_TEXT_MAX];

    if (rights_grant(rights, request, reason) < 0)
        fail_msg("%s", reason);
    assert_string_equal(reason, "");
}

static void refused(const struct rights *rights, const struct rights_request *request,
                    const char *part)
{
    char reason[LEASE_SPEC_TEXT_MAX] = "", sentence[REASON_DETAILS_MAX];

    assert_int_equal(rights_grant(rights, request, reason), -1);
    details_text(reason, sentence, sizeof sentence, time_text_local);
    assert_non_null(strstr(sentence, "not allowed by the site's rules: "));
    if (!strstr(sentence, part))
        fail_msg("'%s' does not say '%s'", sentence, part);
}

static void without_sections_only_priority_and_origin_are_closed(void **state)
{
    struct error err = {0};
    struct rights *rights = read_rights("[galerna]\n", &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    granted(rights, &request);
    spec.kind = LEASE_RESERVATION;
    spec.start = NOW + 80 * DAY;
    spec.duration = SPAN_UNLIMITED;
    spec.preemptible = false;
    spec.terms = TERMS_NON_PREEMPTABLE;
    request.n_vms = 5000;
    request.reservations = 10;
    granted(rights, &request);
    spec.priority = 500;
    refused(rights, &request, "PRIORITY is 0.5, at most 0 is allowed (max-priority)");
    request.change = &(struct rights_change){.left = DAY};
    refused(rights, &request, "PRIORITY is 0.5, at most 0 is allowed (max-priority of alice)");
    request.change = NULL;
    spec.given = 0; /* it is the administrator's: USER_PRIORITY */
    granted(rights, &request);
    spec.priority = -5;
    spec.given = ALL_GIVEN;
    granted(rights, &request);
    spec.origin = ORIGIN_EXTERNAL;
    refused(rights, &request, "ORIGIN=external");
    rights_destroy(rights);
}

#define TENTH INT64_C(100000000)

/* Now anything; what is held later than a day from now, or while others wait, is limited. */
static void one_user_holds_a_share_of_the_cloud(void **state)
{
    struct rights_holding holdings[] = {{NOW, NOW + DAY, 10 * TENTH},
                                        {NOW + 2 * DAY, NOW + 3 * DAY, 3 * TENTH},
                                        {NOW + 5 * DAY, INSTANT_NEVER, TENTH}};
    struct error err = {0};
    struct rights *rights = read_rights("[rights group:oneadmin]\nmax-ahead: 1000:00:00\n"
                                        "[rights user:ann]\nmax-share: unlimited\n"
                                        "[rights user:ben]\nmax-share: 10\nshare-after: 0\n",
                                        &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    spec.kind = LEASE_RESERVATION;
    spec.start = NOW;
    spec.duration = DAY;
    request.n_vms = 4;
    request.user = request.group = "eve";
    request.holdings = holdings;
    request.n_holdings = 3;
    granted(rights, &request);
    request.others_wait = true;
    refused(rights, &request, "you would hold 100% of the cloud at ");
    refused(rights, &request,
            ", at most 50% is allowed while others wait for room (max-share): 2 "
            "of its 4 VMs");
    request.others_wait = false;
    holdings[0].until++;
    refused(rights, &request, "at most 50% is allowed 1d00h or more ahead (max-share): 2 of its");
    holdings[0] = (struct rights_holding){NOW + 2 * DAY - 60, NOW + 2 * DAY, 5 * TENTH};
    granted(rights, &request);
    holdings[0].until++; /* beside the next one */
    refused(rights, &request, "hold 80% of the cloud at ");
    refused(rights, &request, ": 1 of its 4 VMs");
    request.n_vms = 1;
    refused(rights, &request, "(max-share): possible from ");
    holdings[0].share = 2 * TENTH;
    granted(rights, &request);
    holdings[0] = (struct rights_holding){NOW + 3 * DAY, INSTANT_NEVER, 4 * TENTH};
    granted(rights, &request);
    holdings[0].share++;
    refused(rights, &request, "hold 51% of the cloud at ");
    spec.kind = LEASE_DEADLINE;
    refused(rights, &request, "(max-share)");
    spec.kind = LEASE_BEST_EFFORT;
    granted(rights, &request);
    spec.kind = LEASE_RESERVATION;
    request.user = "ann";
    granted(rights, &request);
    request.user = "eve";
    request.group = "oneadmin";
    granted(rights, &request);
    request.user = "ben"; /* of that group, with a section of its own */
    refused(rights, &request, "at most 10% is allowed 0s or more ahead");
    request.n_holdings = 0; /* a change that takes no more than before */
    granted(rights, &request);
    rights_destroy(rights);
}

static void each_limit_is_kept(void **state)
{
    static const char text[] = "[rights]\nreservations: no\nimmediate: no\ndeadlines: no\n"
                               "non-preemptible: no\nmax-duration: 1:00:00:00\nmax-vms: 4\n"
                               "[rights user:bob]\nreservations: yes\nmax-ahead: 48:00:00\n"
                               "max-reservations: 2\nmax-priority: 10.5\nmax-vms: unlimited\n"
                               "deadlines: on\n";
    struct error err = {0};
    struct rights *rights = read_rights(text, &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    granted(rights, &request);
    spec.kind = LEASE_IMMEDIATE;
    refused(rights, &request, "START=now");
    spec.kind = LEASE_DEADLINE;
    refused(rights, &request, "DEADLINE");
    spec.kind = LEASE_RESERVATION;
    spec.start = NOW + 2 * DAY;
    refused(rights, &request, "may not make advance reservations");
    request.user = "bob";
    granted(rights, &request);
    spec.start++;
    refused(rights, &request, "START is 2d00h00m01s ahead, at most 2d");
    spec.start = NOW - 5;
    granted(rights, &request);
    request.reservations = 2;
    refused(rights, &request, "you have 2 reservations and leases with a deadline, at most 2");
    spec.kind = LEASE_DEADLINE;
    refused(rights, &request, "are allowed (max-reservations)");
    spec.kind = LEASE_RESERVATION;
    request.reservations = 1;
    request.cloud_time = 2 * DAY;
    granted(rights, &request);
    request.cloud_time++;
    refused(rights, &request,
            "your reservations and leases with a deadline would take the whole cloud for "
            "2d00h00m01s, at most 2d is allowed (max-cloud-time)");
    request.cloud_time = 0;
    spec.duration = DAY + 1;
    refused(rights, &request, "DURATION is 1d00h00m01s, at most 1d is");
    spec.duration = SPAN_UNLIMITED;
    refused(rights, &request, "DURATION is unlimited");
    spec.duration = DAY;
    spec.priority = 10500;
    granted(rights, &request);
    spec.priority = 10501;
    refused(rights, &request, "PRIORITY is 10.501, at most 10.5 is allowed (max-priority)");
    spec.priority = 0;
    spec.preemptible = false;
    spec.terms = TERMS_NON_PREEMPTABLE;
    refused(rights, &request,
            "leases that cannot be preempted are not allowed: request PREEMPTIBLE=yes "
            "(non-preemptible)");
    spec.preemptible = true;
    spec.terms = TERMS_SUSPENDABLE;
    spec.kind = LEASE_DEADLINE;
    spec.start = INSTANT_NONE;
    spec.deadline = NOW + 3 * DAY;
    refused(rights, &request, "DEADLINE is 3d");
    request.n_vms = 100;
    spec.deadline = NOW + DAY;
    granted(rights, &request);
    rights_destroy(rights);
}

/* Where the administrator says nothing: nobody books years ahead, or without end. */
static void what_there_is_one_of_is_singular(void **state)
{
    struct error err = {0};
    struct rights *rights = read_rights("[rights]\nmax-reservations: 1\nmax-vms: 1\n", &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    spec.kind = LEASE_DEADLINE;
    request.reservations = 1;
    refused(rights, &request,
            "you have 1 reservation or lease with a deadline, at most 1 is allowed");
    request.n_vms = 2;
    refused(rights, &request, "the lease has 2 VMs, at most 1 is allowed (max-vms)");
    rights_destroy(rights);
}

static void what_is_ahead_is_limited_by_default(void **state)
{
    struct error err = {0};
    struct rights *rights = read_rights("", &err);
    struct rights *unlimited =
        read_rights("[rights]\nmax-ahead: unlimited\nmax-reservations: unlimited\n", &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    assert_non_null(unlimited);
    spec.kind = LEASE_RESERVATION;
    spec.start = NOW + 90 * DAY;
    request.reservations = 19;
    granted(rights, &request);
    request.reservations = 20;
    refused(rights, &request, "at most 20 are allowed (max-reservations)");
    granted(unlimited, &request);
    request.reservations = 0;
    spec.start++;
    refused(rights, &request,
            "START is 90d00h00m01s ahead, at most 90d is allowed "
            "(max-ahead)");
    granted(unlimited, &request);
    rights_destroy(unlimited);
    rights_destroy(rights);
}

/* Who may not have a lease that is never preempted does not get one by not saying so. */
static void what_is_not_said_follows_the_rights(void **state)
{
    struct error err = {0};
    struct rights *rights = read_rights("[rights]\nnon-preemptible: no\n"
                                        "[rights user:bob]\nnon-preemptable: yes\n",
                                        &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    for (int is_bob = 0; is_bob < 2; is_bob++) {
        request.user = is_bob ? "bob" : "alice";
        spec.given = 0;
        spec.preemptible = false;
        spec.terms = TERMS_NON_PREEMPTABLE;
        granted(rights, &request);
        assert_int_equal(spec.preemptible, !is_bob);
        assert_int_equal(spec.terms, is_bob ? TERMS_NON_PREEMPTABLE : TERMS_SUSPENDABLE);
    }
    spec.present = false; /* a plain VM is what the administrator says of plain VMs */
    request.user = "alice";
    granted(rights, &request);
    assert_false(spec.preemptible);
    rights_destroy(rights);
}

static void user_beats_group_beats_all(void **state)
{
    static const char text[] = "[rights]\nmax-vms: 2\n[rights group:lab]\nmax-vms: 4\n"
                               "max-duration: 60\n[rights user:alice]\nmax-vms: 8\n"
                               "[rights group:alice]\nmax-vms: 1\n";
    struct error err = {0};
    struct rights *rights = read_rights(text, &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);

    assert_non_null(rights);
    spec.duration = 60;
    request.n_vms = 8;
    granted(rights, &request);
    request.n_vms = 9;
    refused(rights, &request, "the lease has 9 VMs, at most 8");
    request.n_vms = 1;
    spec.group_size = 9;
    refused(rights, &request, "9 VMs");
    spec.group_size = 0;
    spec.duration = 61;
    refused(rights, &request, "DURATION is 1m01s");
    spec.present = false; /* the site's own default */
    granted(rights, &request);
    request.user = "carol";
    request.n_vms = 5;
    refused(rights, &request, "at most 4");
    request.group = NULL;
    refused(rights, &request, "at most 2");
    request.user = NULL;
    refused(rights, &request, "at most 2");
    rights_destroy(rights);
}

static void wrong_sections_are_told(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"[rights]\nmax-vm: 3\n",
         "galerna.conf:2: unknown option 'max-vm' in section [rights], did you mean 'max-vms'?"},
        {"[rights]\n\nmax-vms: 0\n", "galerna.conf:3: rights.max-vms is '0', expected a whole"},
        {"[rights]\nmax-vms: many\n", "expected a whole number from 1 to 100000, or unlimited"},
        {"[rights user:bob]\nreservations: 5\n", "rights user:bob.reservations is '5'"},
        {"[rights]\nmax-priority: unlimited\n", "from -1000000 to 1000000"},
        {"[rights]\nmax-ahead: 00:61:00\n", "seconds, or a duration"},
        {"[rights]\nmax-duration: -1\n", "1 s or more"},
        {"[rights users:bob]\nmax-vms: 3\n",
         "galerna.conf:1: section [rights users:bob]: expected [rights], [rights user:NAME]"},
        {"[rights user:]\nmax-vms: 3\n", "expected [rights]"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};

        if (read_rights(cases[i].text, &err) || !strstr(err.text, cases[i].part))
            fail_msg("%s: '%s'", cases[i].text, err.text);
    }
}

static void the_command_line_counts_too(void **state)
{
    struct ini ini;
    struct error err = {0};
    struct ini_entry entry = {
        .section = "rights users:bob", .key = "max-vms", .value = "3", .origin = "--set"};

    ini_init(&ini);
    ini_add(&ini, &entry);
    assert_null(rights_create(&ini, &err));
    assert_non_null(strstr(err.text, "--set: section [rights users:bob]"));
    ini_finish(&ini);
}

static void changes_are_limited(void **state)
{
    struct error err;
    struct rights *rights = read_rights("[rights]\nmax-changes: 3\nmax-extension: 3600\n"
                                        "change-before: 600\n[rights user:bob]\nmax-changes: "
                                        "unlimited\n",
                                        &err);
    struct lease_spec spec = {.present = true,
                              .kind = LEASE_BEST_EFFORT,
                              .duration = 60,
                              .start = INSTANT_NONE,
                              .earliest = INSTANT_NONE,
                              .deadline = INSTANT_NONE};
    struct rights_change change = {.made = 2, .extended = 3600, .extends = true, .left = 600};
    struct rights_request request = {.user = "alice", .spec = &spec, .n_vms = 1, .now = NOW};

    assert_non_null(rights);
    granted(rights, &request); /* a new one */
    request.change = &change;
    granted(rights, &request);
    change.extended++;
    refused(rights, &request, "extended by 1h00m01s in all, at most 1h");
    change.extends = false; /* shorter, or later */
    granted(rights, &request);
    change.left = 599;
    refused(rights, &request, "ends in 9m59s, changes are allowed up to 10m");
    change.left = SPAN_UNLIMITED;
    granted(rights, &request);
    change.made = 3;
    refused(rights, &request, "changed 3 times, at most 3 are allowed (max-changes)");
    request.user = "bob";
    granted(rights, &request);
    rights_destroy(rights);
}

static void expect_booking(const struct rights *rights, const struct rights_booking *booking,
                           const char *part)
{
    char reason[LEASE_SPEC_TEXT_MAX] = "", sentence[REASON_DETAILS_MAX];
    int result = rights_grant_booking(rights, booking, reason);
    const char *said = details_text(reason, sentence, sizeof sentence, time_text_local);

    if ((result == 0) != (part == NULL) || (part && !strstr(said, part)))
        fail_msg("expected '%s', got %d '%s'", part ? part : "", result, said);
}

static void users_book_hosts_within_limits(void **state)
{
    struct error err;
    struct rights *rights =
        read_rights("[rights]\nmax-duration: 7200\nmax-ahead: 86400\nmax-reservations: 2\n"
                    "[rights group:teachers]\nmax-booked-hosts: 3\n"
                    "[rights user:bob]\nmax-booked-hosts: unlimited\n",
                    &err);
    struct rights_booking booking = {.user = "alice",
                                     .group = "users",
                                     .hosts = 1,
                                     .times = 2,
                                     .from = NOW + 86400,
                                     .until = NOW + 86400 + 7200,
                                     .now = NOW};

    assert_non_null(rights);
    expect_booking(rights, &booking, "only operators may book hosts (max-booked-hosts)");
    booking.group = "teachers";
    booking.hosts = 3;
    expect_booking(rights, &booking, NULL);
    booking.hosts = 4;
    expect_booking(rights, &booking, "4 hosts booked at the same time, at most 3 are allowed");
    booking.user = "bob";
    expect_booking(rights, &booking, NULL);
    booking.times = 3;
    expect_booking(rights, &booking,
                   "hosts for 3 windows, at most 2 are allowed (max-reservations)");
    booking.times = 1;
    booking.until++;
    expect_booking(rights, &booking, "lasts 2h00m01s, at most 2h");
    booking.from += 2;
    expect_booking(rights, &booking, "the booking is 1d00h00m02s ahead, at most 1d");
    rights_destroy(rights);
}

/* In tenths: the most that the holdings have during the first one, if it begins at `start`. */
static int most_during(const struct rights_holding *holdings, size_t n, int64_t start)
{
    int most = 0;

    for (int64_t at = start; at < start + holdings[0].until - holdings[0].from; at++) {
        int sum = (int)(holdings[0].share / TENTH);

        for (size_t i = 1; i < n; i++)
            if (holdings[i].from <= at && at < holdings[i].until)
                sum += (int)(holdings[i].share / TENTH);
        most = sum > most ? sum : most;
    }
    return most;
}

/* Random holdings, second by second. */
static void shares_are_those_of_each_second(void **state)
{
    enum { HOLDINGS = 12, SECONDS = 20, ROUNDS = 3000 };
    struct rights_holding holdings[HOLDINGS];
    struct error err = {0};
    struct rights *rights = read_rights("[rights]\nshare-after: 0\n", &err);
    struct lease_spec spec = plain_wish();
    struct rights_request request = request_of(&spec);
    char part[80], time[40];
    unsigned seed = 1;

    spec.kind = LEASE_RESERVATION;
    request.holdings = holdings;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start;
        int most;

        request.n_holdings = 1 + (size_t)(rand_r(&seed) % HOLDINGS);
        for (size_t i = 0; i < request.n_holdings; i++) {
            holdings[i].from = NOW + rand_r(&seed) % SECONDS;
            holdings[i].until = holdings[i].from + rand_r(&seed) % SECONDS;
            holdings[i].share = TENTH * (1 + rand_r(&seed) % 3);
        }
        start = holdings[0].from;
        most = most_during(holdings, request.n_holdings, start);
        if (most <= 5) {
            granted(rights, &request);
            continue;
        }
        snprintf(part, sizeof part, "you would hold %d0%% of the cloud", most);
        refused(rights, &request, part);
        while (most_during(holdings, request.n_holdings, start) > 5)
            start++;
        time_text_local(start, time, sizeof time);
        snprintf(part, sizeof part, "(max-share): possible from %s", time);
        refused(rights, &request, part);
    }
    rights_destroy(rights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_sections_only_priority_and_origin_are_closed),
        cmocka_unit_test(changes_are_limited),
        cmocka_unit_test(users_book_hosts_within_limits),
        cmocka_unit_test(each_limit_is_kept),
        cmocka_unit_test(one_user_holds_a_share_of_the_cloud),
        cmocka_unit_test(shares_are_those_of_each_second),
        cmocka_unit_test(what_is_ahead_is_limited_by_default),
        cmocka_unit_test(what_there_is_one_of_is_singular),
        cmocka_unit_test(what_is_not_said_follows_the_rights),
        cmocka_unit_test(user_beats_group_beats_all),
        cmocka_unit_test(wrong_sections_are_told),
        cmocka_unit_test(the_command_line_counts_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
