/* Names, reasons, sites and resource types: what programs and people rely on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/behaviour.h"
#include "core/lease.h"
#include "core/reason_details.h"
#include "core/reservation.h"
#include "core/settings.h"
#include "core/site.h"
#include "util/instant.h"

static void states_are_called_as_in_haizea(void **state)
{
    static const char *const names[LEASE_STATES] = {"New",
                                                    "Pending",
                                                    "Rejected",
                                                    "Scheduled",
                                                    "Queued",
                                                    "Cancelled",
                                                    "Preparing",
                                                    "Ready",
                                                    "Active",
                                                    "Suspending",
                                                    "Suspended-Pending",
                                                    "Suspended-Queued",
                                                    "Suspended-Scheduled",
                                                    "Migrating",
                                                    "Resuming",
                                                    "Resumed-Ready",
                                                    "Done",
                                                    "Fail"};
    int n_final = 0;

    for (int i = 0; i < LEASE_STATES; i++) {
        assert_string_equal(lease_state_name((enum lease_state)i), names[i]);
        n_final += lease_state_is_final((enum lease_state)i);
    }
    assert_int_equal(n_final, 4);
    assert_true(lease_state_is_final(LEASE_REJECTED));
    assert_true(lease_state_is_final(LEASE_CANCELLED));
    assert_true(lease_state_is_final(LEASE_DONE));
    assert_true(lease_state_is_final(LEASE_FAILED));
}

static void kinds_and_operations_too(void **state)
{
    assert_string_equal(lease_kind_name(LEASE_BEST_EFFORT), "Best-effort");
    assert_string_equal(lease_kind_name(LEASE_IMMEDIATE), "Immediate");
    assert_string_equal(lease_kind_name(LEASE_RESERVATION), "AR");
    assert_string_equal(lease_kind_name(LEASE_DEADLINE), "Deadline");
    assert_string_equal(reservation_kind_name(RESERVATION_VM), "VM");
    assert_string_equal(reservation_kind_name(RESERVATION_SUSPEND), "SUSPEND");
    assert_string_equal(reservation_kind_name(RESERVATION_RESUME), "RESUME");
    assert_string_equal(reservation_kind_name(RESERVATION_SHUTDOWN), "SHUTDOWN");
    assert_string_equal(reservation_kind_name(RESERVATION_MEMORY_MIGRATION), "MEM_MIGRATION");
    assert_string_equal(reservation_kind_name(RESERVATION_DISK_MIGRATION), "DISK_MIGRATION");
    assert_string_equal(reservation_kind_name(RESERVATION_TRANSFER), "FILE_TRANSFER");
    assert_string_equal(reservation_state_name(RESERVATION_SCHEDULED), "Scheduled");
    assert_string_equal(reservation_state_name(RESERVATION_ACTIVE), "Active");
    assert_string_equal(reservation_state_name(RESERVATION_DONE), "Done");
}

static void every_vm_has_the_amounts_of_its_set(void **state)
{
    struct node_set sets[] = {{.count = 2, .amounts = {{10}}},
                              {.count = 1, .amounts = {{20}}},
                              {.count = 3, .amounts = {{30}}}};
    struct lease lease = {.request = {.node_sets = sets, .n_node_sets = 3}, .n_vms = 6};
    static const int64_t expected[] = {10, 10, 20, 30, 30, 30};

    for (uint32_t vm = 0; vm < 6; vm++)
        assert_int_equal(lease_vm_amounts(&lease, vm)->of[RESOURCE_CPU], expected[vm]);
}

/* --- reasons ---------------------------------------------------------------------------------- */

static void plus_text(int64_t instant, char *text, size_t size)
{
    snprintf(text, size, "+%lld", (long long)instant);
}

static void every_reason_has_its_own_name_and_a_sentence(void **state)
{
    for (int i = 0; i < REASONS; i++) {
        struct reason reason = {.id = (enum reason_id)i, .n = {1, 2, 3, 4}, .text = "because"};
        char sentence[200];
        size_t length = reason_format(&reason, sentence, sizeof sentence, plus_text);

        assert_non_null(reason_name(reason.id));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(reason_name((enum reason_id)k), reason_name(reason.id));
        assert_int_equal(length, strlen(sentence));
        if (i != REASON_NONE)
            assert_in_range(strlen(sentence), 5, 199);
        assert_null(strchr(sentence, '%'));
    }
}

static const struct {
    struct reason reason;
    const char *sentence;
} reason_cases[] = {
    {{.id = REASON_START_PASSED, .n = {100, 110, 1, 2}, .text = "g"},
     "refused: its start at +100 has passed, and only 1 of 2 VMs of group g were submitted"},
    {{.id = REASON_DEADLINE_UNREACHABLE, .n = {100, 110, 0, 1}, .text = "g"},
     "refused: must end by +100, but the earliest possible end is +110: only 1 VMs of group g "
     "were submitted"},
    {{.id = REASON_DEADLINE_UNREACHABLE, .n = {100, 110, 70}},
     "refused: must end by +100, but the earliest possible end is +110: its latest start is "
     "+70"},
    {{.id = REASON_DEADLINE_UNREACHABLE, .n = {100, 90, 70}, .text = "host 1 is drained"},
     "refused: no room in time for it to end by +100: its latest start is +70; host 1 is "
     "drained"},
    {{.id = REASON_DRAINED, .n = {1, 3}},
     "host 3, the only one that it may use, is drained: an operator is emptying it"},
    {{.id = REASON_DRAINED, .n = {2, 3, 1}},
     "the 2 hosts that it may use (host 3, ...) are drained or quarantined: an operator is "
     "emptying them"},
    {{.id = REASON_GIVEN_UP, .n = {3, 2, 1}, .text = "BOOT_FAILURE"},
     "VM 3 could not be started (attempts: 2); last failure: BOOT_FAILURE; the other VMs of "
     "its group are ended"},
    {{.id = REASON_HOSTS_EXCLUDED,
      .text = "\nnone-left 20\nout-of-service 1 20\nrequirements 19 20 1 RACK=r9\nunknown-"
              "attribute RAK\nsuggestion RACK"},
     "none of the 20 hosts can be used: 1 is disabled, offline or in error, 19 do not meet "
     "SCHED_REQUIREMENTS RACK=r9 at present; no host has an attribute RAK, did you mean "
     "'RACK'?"},
    {{.id = REASON_HOSTS_EXCLUDED, .text = "\nnone-left 1\nnot-permitted 1 1"},
     "the only host cannot be used: it is not permitted to the owner (MANAGE)"},
    {{.id = REASON_HOSTS_EXCLUDED, .text = "none of the 2 hosts can be used: of an older store"},
     "none of the 2 hosts can be used: of an older store"},
    {{.id = REASON_NO_ROOM_NOW,
      .n = {2, 0},
      .text = "\nhosts 2 5\nquarantined 2 5\nno-device 1 5 74183780467458\nhosts-closed 1 2 3 "
              "100"},
     "waits for room: 2 VMs requested, room for 0 now on the 2 of 5 hosts that it may use (2 "
     "are quarantined, 1 has no PCI device vendor 10de, device 20f1, class 0302): 1 of 2 hosts "
     "are drained or booked, host 3 until +100"},
    {{.id = REASON_NO_ROOM_NOW, .n = {2, 0}, .text = "\nhost-booked 3 9223372036854775807 c"},
     "waits for room: 2 VMs requested, room for 0 now: host 3 is booked for 'c'"},
    {{.id = REASON_NO_ROOM_WITH_DEVICE, .n = {1125908496777986}, .text = "\nhosts-have 2 5"},
     "no host with the PCI devices that a VM requires (class 0302) has room: 2 of 5 hosts have "
     "them"},
    {{.id = REASON_CANNOT_LEAVE, .n = {INSTANT_NONE}, .text = "\nhost-is-drained 4"},
     "must leave its host (host 4 is drained), but no other host that it may use has room for "
     "the rest of its lifetime"},
    {{.id = REASON_NO_OTHER_HOST, .n = {7, 4}, .text = "\nnone-left 2\nout-of-service 2 2"},
     "VM 7 must leave host 4: none of the 2 hosts can be used: 2 are disabled, offline or in "
     "error"},
    {{.id = REASON_KEPT_APART, .n = {3, 4}, .text = "\nrole 2 web\nnear 7 1"},
     "all hosts with enough room (3) run VMs from which it must be kept apart (lease 4): role "
     "web of VM group 2, VM 7 on host 1"},
    {{.id = REASON_RULE_BROKEN, .n = {7, 4}, .text = "\nrule-apart 2 8 web"},
     "VM 7 on host 4 breaks a rule of its VM group: role web of VM group 2 keeps it apart from "
     "VM 8"},
    {{.id = REASON_BOOKING, .text = "\nnot-admitted course\nuser carl\nuser-group other"},
     "booking 'course' admits neither user 'carl' nor group 'other'"},
    {{.id = REASON_BOOKING, .text = "\nnot-booked-from 100 course"},
     "no host of booking 'course' is booked from +100 for as long as it runs"},
    {{.id = REASON_NOT_GRANTED,
      .text = "\nnot-allowed\nterm-limit 500 1500 1 PRIORITY\nright-of max-priority\nowner anna"},
     "not allowed by the site's rules: PRIORITY is 0.5, at most 1.5 is allowed (max-priority "
     "of "
     "anna)"},
    {{.id = REASON_NOT_GRANTED, .text = "\nnot-allowed\nmax-share 57 100 50 -1\nshare-of-vms 2 4"},
     "not allowed by the site's rules: you would hold 57% of the cloud at +100, at most 50% is "
     "allowed while others wait for room (max-share): 2 of its 4 VMs"},
    {{.id = REASON_LATE, .n = {5, 2, 4}, .text = "PENDING"}, /* of an older store */
     "VM 2 on host 4 is PENDING"},
    {{.id = REASON_LATE, .text = "\nlate-vm 2 -1 BOOT"}, "VM 2 is BOOT"},
    {{.id = REASON_LATE, .text = "\nlate-vm-starts 2 4 PENDING\ndeparting 1 4 SAVE_STOP"},
     "VM 2 is PENDING and is to start on host 4; VM 1 (SAVE_STOP) has not left host 4"},
};

static void what_a_reason_is_made_of_are_numbers(void **state)
{
    char sentence[400];

    for (size_t i = 0; i < sizeof reason_cases / sizeof *reason_cases; i++) {
        reason_format(&reason_cases[i].reason, sentence, sizeof sentence, plus_text);
        assert_string_equal(sentence, reason_cases[i].sentence);
    }
}

/* Each detail is read as it was added, and has a sentence. */
static void details_are_values_until_they_are_shown(void **state)
{
    for (int i = 0; i < DETAILS; i++) {
        const struct detail added = {(enum detail_id)i, {1, 2, 3, 4, 5}, "a name"};
        char text[400] = "", name[DETAIL_NAME_MAX], sentence[200];
        const char *rest = text;
        struct detail read;

        for (int k = 0; k < i; k++)
            assert_string_not_equal(detail_words[i], detail_words[k]);
        details_add(text, sizeof text, &added);
        details_add(text, sizeof text, &added);
        assert_true(details_next(&rest, &read, name));
        assert_int_equal(read.id, added.id);
        assert_memory_equal(read.n, added.n, details_numbers(added.id) * sizeof *added.n);
        assert_string_equal(name, "a name");
        assert_true(details_next(&rest, &read, name));
        assert_false(details_next(&rest, &read, name));
        assert_ptr_equal(details_text(text, sentence, sizeof sentence, plus_text), sentence);
        assert_null(strchr(sentence, '\n'));
        for (const char *at = sentence; (at = strchr(at, '%')); at++)
            assert_int_equal(at[1], ' '); /* percent */
        assert_in_range(strlen(sentence), 10, 199);
    }
}

static void a_detail_without_room_is_left_out(void **state)
{
    char text[40] = "";

    for (int i = 0; i < 3; i++)
        details_add(text, sizeof text, &(struct detail){DETAIL_DEPARTING, {1, 4}, "SAVE"});
    assert_string_equal(text, "\ndeparting 1 4 SAVE\ndeparting 1 4 SAVE");
}

static void numbers_times_and_texts_go_into_the_sentence(void **state)
{
    struct reason room = {.id = REASON_NO_ROOM_AT_START, .n = {3, 100, 200, 1}};
    struct reason policy = {.id = REASON_REFUSED_BY_POLICY, .text = "days: not today"};
    struct reason silent = {.id = REASON_FAILED};
    struct reason drained = {.id = REASON_ROOM_RESERVED, .n = {1, -1, 3, 100}};
    struct reason booked = {.id = REASON_NO_ROOM_AT_ONCE, .n = {1, -1, 3, 100}, .text = "course"};
    struct reason reserved = {.id = REASON_NO_ROOM_AT_ONCE, .n = {1, 7, 3, 100}};
    struct reason narrow = {.id = REASON_NO_ROOM_NOW, .n = {2, 0}, .text = " on some hosts"};
    struct reason in_time = {.id = REASON_DEADLINE_UNREACHABLE, .n = {100, 90}};
    struct reason together = {.id = REASON_TOO_BIG, .n = {3, 3}};
    struct reason out = {.id = REASON_QUARANTINED, .n = {1, 3, 100}};
    struct reason all_out = {.id = REASON_QUARANTINED, .n = {2, 3, 100}};
    struct reason stays = {.id = REASON_CANNOT_LEAVE, .n = {INSTANT_NONE}, .text = " (why)"};
    char sentence[160];

    reason_format(&room, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "refused: no room for 3 VMs from +100 until +200, only for 1");
    reason_format(&out, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence,
                        "host 3, the only one that it may use, is quarantined until +100: "
                        "VMs failed or are stuck on it");
    reason_format(&all_out, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "the 2 hosts that it may use are quarantined, host 3 until +100: "
                                  "VMs failed or are stuck on them");
    reason_format(&policy, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "refused: policy days: not today");
    reason_format(&silent, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "failed: ");
    reason_format(&drained, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "waits for room: 1 VM requested, but the room now free does "
                                  "not last: host 3 is drained from +100 on");
    reason_format(&booked, sentence, sizeof sentence, plus_text);
    assert_string_equal(
        sentence, "refused: 1 VM requested for an immediate start, but the room now free does "
                  "not last: host 3 is booked for 'course' from +100 on");
    reason_format(&reserved, sentence, sizeof sentence, plus_text);
    assert_string_equal(
        sentence, "refused: 1 VM requested for an immediate start, but the room now free does "
                  "not last: lease 7 needs host 3 from +100 on");
    reason_format(&narrow, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "waits for room: 2 VMs requested, room for 0 now on some hosts");
    reason_format(&in_time, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "refused: no room in time for it to end by +100");
    reason_format(&together, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "refused: 3 VMs requested, but all hosts together do not hold "
                                  "all of them when empty");
    reason_format(&stays, sentence, sizeof sentence, plus_text);
    assert_string_equal(sentence, "must leave its host (why), but no other host that it may use "
                                  "has room for the rest of its lifetime");
}

static void a_sentence_is_cut_to_the_room_there_is(void **state)
{
    struct reason room = {.id = REASON_NO_ROOM_AT_START, .n = {INT64_MIN, INT64_MIN, INT64_MAX}};
    char whole[200], part[200];
    size_t length = reason_format(&room, whole, sizeof whole, plus_text);

    for (size_t size = 1; size <= length + 1; size++) {
        memset(part, 'x', sizeof part);
        assert_int_equal(reason_format(&room, part, size, plus_text), size - 1);
        assert_int_equal(part[size - 1], '\0');
        assert_memory_equal(part, whole, size - 1);
        assert_int_equal(part[size], 'x');
    }
}

/* --- sites and resources ---------------------------------------------------------------------- */

static void resource_types_are_found_and_added(void **state)
{
    struct resource_types types;
    struct error err = {0};
    char name[RESOURCE_NAME_MAX + 1];

    resource_types_init(&types);
    assert_int_equal(types.count, RESOURCE_TYPES_FIXED);
    assert_int_equal(resource_types_find(&types, "CPU"), RESOURCE_CPU);
    assert_int_equal(resource_types_find(&types, "Net-out"), RESOURCE_NET_OUT);
    assert_int_equal(resource_types_find(&types, "cpu"), -1);
    assert_int_equal(resource_types_add(&types, "Memory", &err), RESOURCE_MEMORY);
    assert_int_equal(resource_types_add(&types, "GPU", &err), RESOURCE_TYPES_FIXED);
    assert_int_equal(resource_types_add(&types, "GPU", &err), RESOURCE_TYPES_FIXED);
    assert_int_equal(resource_types_add(&types, "", &err), -1);
    assert_int_equal(resource_types_add(&types, "\xff", &err), -1);
    assert_string_equal(err.text, "the name of a resource type is not UTF-8 text, or has control "
                                  "characters");
    assert_int_equal(resource_types_add(&types, "GPU\n", &err), -1);
    assert_int_equal(err.code, EINVAL);
    memset(name, 'x', RESOURCE_NAME_MAX);
    name[RESOURCE_NAME_MAX] = '\0';
    assert_int_equal(resource_types_add(&types, name, &err), -1);
    name[RESOURCE_NAME_MAX - 1] = '\0';
    assert_int_equal(resource_types_add(&types, name, &err), RESOURCE_TYPES_FIXED + 1);
    for (int i = types.count; i < RESOURCE_TYPES_MAX; i++) {
        snprintf(name, sizeof name, "type %d", i);
        assert_int_equal(resource_types_add(&types, name, &err), i);
    }
    assert_int_equal(resource_types_add(&types, "one more", &err), -1);
    assert_int_equal(err.code, ENOSPC);
    assert_int_equal(types.count, RESOURCE_TYPES_MAX);
}

static void hosts_are_numbered_on(void **state)
{
    struct site site, copy;
    struct amounts capacity = {{100, 1024}}, negative = {{100, -1}};
    struct error err = {0};

    site_init(&site);
    assert_int_equal(site_add_hosts(&site, 3, &capacity, &err), 0);
    site.hosts[2].id = 40;
    assert_int_equal(site_add_hosts(&site, 1, &capacity, &err), 0);
    assert_int_equal(site.hosts[0].id, 1);
    assert_int_equal(site.hosts[3].id, 41);
    assert_int_equal(site_add_hosts(&site, 0, &capacity, &err), -1);
    assert_int_equal(err.code, EINVAL);
    assert_int_equal(site_add_hosts(&site, 1, &negative, &err), -1);
    assert_non_null(strstr(err.text, "Memory"));
    assert_int_equal(site.n_hosts, 4);

    site_copy(&copy, &site);
    site.hosts[0].capacity.of[RESOURCE_CPU] = 7;
    assert_int_equal(copy.hosts[0].capacity.of[RESOURCE_CPU], 100);
    assert_int_equal(copy.n_hosts, 4);
    site_finish(&copy);
    site_finish(&site);
    assert_int_equal(site.n_hosts, 0);
}

/* --- settings --------------------------------------------------------------------------------- */

static void behaviour_is_all_or_nothing(void **state)
{
    struct behaviour normal, haizea;
    const unsigned char *a = (const unsigned char *)&normal, *b = (const unsigned char *)&haizea;

    memset(&normal, 7, sizeof normal);
    memset(&haizea, 7, sizeof haizea);
    behaviour_default(&normal);
    behaviour_haizea_1_0(&haizea);
    for (size_t i = 0; i < sizeof normal; i++) {
        assert_int_equal(a[i], 0);
        assert_int_equal(b[i], 1);
    }
}

static void settings_begin_as_haizeas_defaults(void **state)
{
    struct engine_settings settings;

    memset(&settings, 0xff, sizeof settings);
    engine_settings_init(&settings);
    assert_int_equal(settings.backfilling, BACKFILLING_AGGRESSIVE);
    assert_int_equal(settings.suspension, SUSPENSION_ALL);
    assert_int_equal(settings.exclusion, EXCLUSION_LOCAL);
    assert_int_equal(settings.migration, MIGRATION_NO);
    assert_int_equal(settings.preparation, PREPARATION_UNMANAGED);
    assert_true(settings.suspend_rate == 32 && settings.resume_rate == 32);
    assert_true(settings.scheduling_threshold_factor == 1);
    assert_true(settings.force_scheduling_threshold == SPAN_NONE);
    assert_true(settings.override_suspend_time == SPAN_NONE);
    assert_int_equal(settings.shutdown_time, 0);
    assert_int_equal(settings.transfer_bandwidth, 100);
    assert_false(settings.behaviour.preempt_needless_victims);
}

static void never_and_unlimited_absorb(void **state)
{
    assert_int_equal(instant_add(40, 2), 42);
    assert_int_equal(instant_add(-40, -2), -42);
    assert_true(instant_add(INSTANT_NEVER, -5) == INSTANT_NEVER);
    assert_true(instant_add(-5, SPAN_UNLIMITED) == INSTANT_NEVER);
    assert_true(instant_add(INT64_MAX - 1, 2) == INSTANT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_called_as_in_haizea),
        cmocka_unit_test(kinds_and_operations_too),
        cmocka_unit_test(every_vm_has_the_amounts_of_its_set),
        cmocka_unit_test(every_reason_has_its_own_name_and_a_sentence),
        cmocka_unit_test(what_a_reason_is_made_of_are_numbers),
        cmocka_unit_test(details_are_values_until_they_are_shown),
        cmocka_unit_test(a_detail_without_room_is_left_out),
        cmocka_unit_test(numbers_times_and_texts_go_into_the_sentence),
        cmocka_unit_test(a_sentence_is_cut_to_the_room_there_is),
        cmocka_unit_test(resource_types_are_found_and_added),
        cmocka_unit_test(hosts_are_numbered_on),
        cmocka_unit_test(behaviour_is_all_or_nothing),
        cmocka_unit_test(settings_begin_as_haizeas_defaults),
        cmocka_unit_test(never_and_unlimited_absorb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
