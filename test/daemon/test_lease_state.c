/* Every pair of a phase and an event: those of the table do what it says, all others nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/words.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

enum { NOW = 100000, VMS = 3 };

/* A lease whose VMs all have that goal, and have failed before; the last of them is gone. */
static struct lease_record *add(struct store *store, int64_t id, enum lease_phase phase,
                                enum vm_goal goal)
{
    struct lease_record *lease = store_add_lease(store, id);

    lease->phase = phase;
    lease->kind = LEASE_BEST_EFFORT;
    lease->duration = 600;
    lease->expected = NOW + 10;
    for (int32_t i = 0; i < VMS; i++) {
        struct vm_record *vm = store_add_vm(store, (int32_t)id + i, id);

        vm->goal = goal;
        vm->attempts = 2;
        vm->next_try = NOW + 30;
        vm->gone = i == VMS - 1;
    }
    return lease;
}

/* NULL: the pair is not in the table. */
static const struct lease_transition *row_of(int pair)
{
    return lease_transition_of((enum lease_phase)(pair / EVENTS),
                               (enum lease_event)(pair % EVENTS));
}

/* A goal that no transition to `goal` leaves as it is. */
static enum vm_goal another_goal(int goal)
{
    return goal == GOAL_STOP ? GOAL_RUN : GOAL_STOP;
}

static void expect_goals(const struct store *store, const struct lease_transition *row, int64_t id,
                         enum vm_goal before)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, id, &n);
    enum vm_goal goal = row->goal == GOAL_KEPT ? before : (enum vm_goal)row->goal;
    bool keeps_attempts = row->goal == GOAL_KEPT || row->goal == GOAL_NONE || row->goal == GOAL_RUN;

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(vms[i]->goal, vms[i]->gone ? before : goal);
        assert_int_equal(vms[i]->attempts, vms[i]->gone || keeps_attempts ? 2 : 0);
    }
}

struct heard {
    char word[32];
    int64_t lease;
};

static void hear(void *context, const struct store_event *event)
{
    struct heard *heard = context;

    snprintf(heard->word, sizeof heard->word, "%s", event->event);
    heard->lease = event->lease;
}

static void check_row(struct store *store, const struct lease_transition *row, int64_t id,
                      bool promised)
{
    enum vm_goal before = another_goal(row->goal);
    struct lease_record *lease = add(store, id, row->from, before);
    enum lease_phase to = row->to == PHASE_QUEUE ? promised ? PHASE_RESERVED : PHASE_WAITING
                                                 : (enum lease_phase)row->to;
    struct heard heard = {.word = ""};

    lease->kind = promised ? LEASE_DEADLINE : LEASE_BEST_EFFORT;
    lease->accepted = promised;
    store_must_commit(store);
    store_listen(store, hear, &heard);
    assert_int_equal(lease_apply(store, lease, row->event, NOW, "told"), 0);
    store_ignore(store, &heard);
    assert_int_equal(lease->phase, to);
    assert_true(lease->marked);
    assert_string_equal(heard.word, row->word ? row->word : "");
    if (row->word)
        assert_int_equal(heard.lease, id);
    expect_goals(store, row, id, before);
}

static void each_row_does_what_it_says(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    int64_t id = 0;

    for (int pair = 0; pair < PHASES * EVENTS; pair++) {
        const struct lease_transition *row = row_of(pair);

        if (!row)
            continue;
        check_row(store, row, id += 100, false);
        check_row(store, row, id + 50, true);
    }
}

/* Whatever is not in the table is refused, changes nothing, and tells nobody. */
static void all_other_pairs_change_nothing(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;

    for (int pair = 0; pair < PHASES * EVENTS; pair++) {
        enum lease_event event = (enum lease_event)(pair % EVENTS);
        struct lease_record *lease =
            add(store, pair * 10, (enum lease_phase)(pair / EVENTS), GOAL_STOP);
        struct lease_record before;

        assert_int_equal(lease_can(lease, event), row_of(pair) != NULL);
        if (row_of(pair))
            continue;
        store_must_commit(store);
        before = *lease;
        errno = 0;
        assert_int_equal(lease_apply(store, lease, event, NOW, "%s", ""), -1);
        assert_int_equal(errno, EINVAL);
        assert_memory_equal(lease, &before, sizeof before);
        assert_false(store_has_changes(store));
    }
}

/* Each event can happen somewhere, and each phase can be reached and left. */
static void the_table_is_whole(void **state)
{
    bool happens[EVENTS] = {false}, reached[PHASES] = {false}, left[PHASES] = {false};

    reached[PHASE_RESERVED] = true; /* by PHASE_QUEUE */
    for (int pair = 0; pair < PHASES * EVENTS; pair++) {
        const struct lease_transition *row = row_of(pair);

        if (!row)
            continue;
        happens[row->event] = true;
        left[row->from] = true;
        if (row->to < PHASES)
            reached[row->to] = true;
    }
    for (int event = 0; event < EVENTS; event++) {
        assert_true(happens[event]);
        assert_non_null(lease_event_name((enum lease_event)event));
    }
    for (int phase = 0; phase < PHASES; phase++)
        assert_true(reached[phase] && left[phase]);
}

/* --- what events change besides --------------------------------------------------------------- */

static void a_start_has_an_end_when_it_is_a_reservation(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *reserved = add(store, 10, PHASE_RESERVED, GOAL_NONE);
    struct lease_record *waits = add(store, 20, PHASE_WAITING, GOAL_NONE);

    reserved->kind = LEASE_RESERVATION;
    reserved->start = NOW - 5;
    lease_explain(store, waits, &(struct reason){.id = REASON_NO_ROOM_NOW, .n = {1}}, NULL,
                  NOW + 5);
    assert_int_equal(lease_apply(store, reserved, EVENT_START, NOW, "%s", ""), 0);
    assert_int_equal(lease_apply(store, waits, EVENT_START, NOW, "%s", ""), 0);
    assert_int_equal(reserved->end, NOW - 5 + 600);
    assert_true(waits->end == INSTANT_NONE);
    assert_int_equal(waits->expected, NOW);
    assert_string_equal(waits->reason_word, "");
    assert_true(waits->retry == INSTANT_NONE);
}

static void the_end_follows_the_begin(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 10, PHASE_STARTING, GOAL_RUN);

    for (int32_t i = 0; i < VMS; i++)
        vm_to_change(store, 10 + i)->ran_for = 100 + i;
    lease_runs_since(store, lease, NOW, 100);
    assert_int_equal(lease->accumulated, 100);
    assert_int_equal(lease->end, NOW + 500);
    assert_int_equal(lease_end_from(lease, NOW + 50), NOW + 500);
    assert_false(lease_is_over(lease, NOW + 499));
    assert_true(lease_is_over(lease, NOW + 500));
    lease_stopped_running(store, lease);
    assert_true(lease->end == INSTANT_NONE);
    assert_int_equal(lease_end_from(lease, NOW + 50), NOW + 550);
    lease->duration = SPAN_UNLIMITED;
    assert_true(lease_end_from(lease, NOW) == INSTANT_NEVER);
    assert_false(lease_is_over(lease, INSTANT_NEVER - 1));
}

static void what_ran_counts_when_it_ends(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 10, PHASE_RUNNING, GOAL_RUN);

    lease->since = NOW - 600;
    assert_int_equal(lease_apply(store, lease, EVENT_TIME_OVER, NOW + 3, "its time is over"), 0);
    assert_int_equal(lease->end, NOW);
    assert_int_equal(lease_apply(store, lease, EVENT_ENDED, NOW + 9, "its time is over"), 0);
    assert_int_equal(lease->accumulated, 600);
    assert_int_equal(lease->end, NOW + 9);
    assert_true(lease->expected == INSTANT_NONE);
}

static void a_start_that_is_repeated_warns_of_no_end_again(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 10, PHASE_RESERVED, GOAL_HOLD);

    lease->kind = LEASE_RESERVATION;
    lease->accepted = true;
    lease->start = lease->expected = NOW;
    lease->duration = 600;
    assert_int_equal(lease_apply(store, lease, EVENT_START, NOW, "starts"), 0);
    lease_note_warned(store, lease);
    assert_int_equal(lease_apply(store, lease, EVENT_REPLANNED, NOW + 5, "%s", ""), 0);
    assert_int_equal(lease_apply(store, lease, EVENT_START, NOW + 5, "starts"), 0);
    assert_int_equal(lease->end, NOW + 600);
    assert_true(lease->warned);
}

static void a_lease_that_is_asked_for_again_begins_afresh(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 10, PHASE_REFUSED, GOAL_HOLD);
    const struct reason malformed = {.id = REASON_MALFORMED, .text = "HAZEA is unknown"};

    lease->accepted = lease->late = lease->warned = true;
    lease->end = NOW - 5;
    assert_int_equal(lease_apply(store, lease, EVENT_ASKED_AGAIN, NOW, "%s", ""), 0);
    assert_false(lease->accepted || lease->late || lease->warned);
    assert_true(lease->end == INSTANT_NONE);
    assert_int_equal(lease_refuse(store, lease, NOW, &malformed, NULL), 0);
    assert_int_equal(lease->end, NOW);
    assert_string_equal(lease->reason_word, "malformed");
    assert_true(lease->expected == INSTANT_NONE);
    assert_int_equal(
        lease_refuse(store, lease, NOW, &(struct reason){.id = REASON_NOT_GRANTED}, NULL), -1);
    assert_string_equal(lease->reason_word, "malformed");
}

static void a_reservation_without_room_becomes_best_effort(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = add(store, 10, PHASE_WAITING, GOAL_NONE);

    lease->kind = LEASE_RESERVATION;
    lease->start = NOW + 100;
    lease->contract = true;
    assert_int_equal(lease_apply(store, lease, EVENT_CONVERTED, NOW, "%s", ""), 0);
    assert_int_equal(lease->kind, LEASE_BEST_EFFORT);
    assert_int_equal(lease->earliest, NOW + 100);
    assert_true(lease->start == INSTANT_NONE && lease->expected == INSTANT_NONE);
    assert_false(lease->contract);
}

/* What a deadline lease that ran was expected to do is past; what is promised stays. */
static void what_waits_again_keeps_its_promise(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *waits = add(store, 10, PHASE_STOPPING, GOAL_STOP);
    struct lease_record *promised = add(store, 20, PHASE_STARTING, GOAL_RUN);
    struct lease_record *ran = add(store, 30, PHASE_RUNNING, GOAL_RUN);

    promised->kind = ran->kind = LEASE_DEADLINE;
    promised->accepted = ran->accepted = true;
    assert_int_equal(lease_apply(store, waits, EVENT_SUSPENDED, NOW, "%s", ""), 0);
    assert_int_equal(lease_apply(store, promised, EVENT_START_FAILED, NOW, "%s", ""), 0);
    assert_int_equal(lease_apply(store, ran, EVENT_PENDING_AGAIN, NOW, "%s", ""), 0);
    assert_int_equal(waits->phase, PHASE_WAITING);
    assert_true(waits->expected == INSTANT_NONE);
    assert_int_equal(promised->phase, PHASE_RESERVED);
    assert_int_equal(promised->expected, NOW + 10);
    assert_int_equal(ran->phase, PHASE_RESERVED);
    assert_true(ran->expected == INSTANT_NONE);
}

/* Its preemption was planned and is not the cause. */
static void a_lease_whose_start_fails_was_not_preempted(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    static const enum lease_event events[] = {EVENT_PENDING_AGAIN, EVENT_START_FAILED};

    for (int64_t i = 0; i < 2; i++) {
        struct lease_record *lease =
            add(store, 10 + 10 * i, i == 0 ? PHASE_RUNNING : PHASE_STARTING, GOAL_RUN);

        assert_true(lease_note_preemption(store, lease, 3, NOW + 60));
        assert_int_equal(lease_apply(store, lease, events[i], NOW, "%s", ""), 0);
        assert_int_equal(lease->phase, PHASE_WAITING);
        assert_false(store_is_preempted(lease));
    }
}

/* It was suspended for lease 3, which is over: nothing is known but that it waits. */
static void a_lease_suspended_for_one_that_is_over_waits(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *cause = add(store, 30, PHASE_RUNNING, GOAL_RUN);
    struct lease_record *waits = add(store, 10, PHASE_WAITING, GOAL_RUN);
    struct lease_record *stops = add(store, 20, PHASE_RUNNING, GOAL_RUN);
    char text[STORE_ACTIVITY_MAX];

    waits->accumulated = stops->accumulated = 60;
    waits->reason_id = REASON_SUSPENDED_FOR;
    lease_note_preemption(store, waits, cause->id, NOW - 60);
    lease_note_preemption(store, stops, cause->id, NOW);
    assert_int_equal(lease_apply(store, stops, EVENT_SUSPEND, NOW, "%s", ""), 0);
    assert_int_equal(lease_apply(store, cause, EVENT_ENDED, NOW, "%s", ""), 0);
    assert_false(store_is_preempted(waits));
    store_activity(waits, NOW, text, sizeof text);
    assert_null(strstr(text, "uspended"));
    assert_true(store_is_preempted(stops));
    assert_int_equal(lease_apply(store, stops, EVENT_SUSPENDED, NOW, "%s", ""), 0);
    assert_false(store_is_preempted(stops));
}

/* --- without an event ------------------------------------------------------------------------- */

static void a_new_reason_forgets_the_old_one(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct lease_record *lease = store_add_lease(store, 1);
    const struct reason failed = {.id = REASON_VM_FAILED, .n = {1, 2, 3}, .text = "BOOT_FAILURE"};
    char text[STORE_SENTENCE_MAX];
    const struct reason long_one = {.id = REASON_MALFORMED, .text = text};

    assert_true(lease_explain(store, lease, &failed, NULL, 1000));
    store_must_commit(store);
    assert_false(lease_explain(store, lease, &failed, NULL, 1000));
    assert_false(lease->marked);
    assert_true(lease_explain(store, lease, &failed, NULL, INSTANT_NONE));
    assert_true(lease->marked);
    assert_string_equal(lease->reason, "BOOT_FAILURE");
    assert_true(lease->retry == INSTANT_NONE);
    store_reason_text(lease, false, 999, text, sizeof text);
    assert_string_equal(text, "VM 1 failed on host 2, attempt 3 (BOOT_FAILURE)");
    assert_true(
        lease_explain(store, lease, &(struct reason){.id = REASON_PARKED}, NULL, INSTANT_NONE));
    assert_string_equal(lease->reason_word, "parked");
    assert_string_equal(lease->reason, "");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    lease_explain(store, lease, &long_one, NULL, 1000);
    assert_int_equal(strlen(lease->reason), STORE_TEXT_MAX - 1);
    store_reason_text(lease, false, 999, text, sizeof text);
    assert_int_equal(strlen(text),
                     STORE_TEXT_MAX - 1 + strlen("; it is tried again at YYYY-mm-dd HH:MM:SS"));
}

/* An id and its numbers; the sentence is made when it is shown. */
static void a_reason_is_a_value(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct vm_record vm = {.cpu = 150, .memory = 512};
    const struct reason no_room = {.id = REASON_NO_ROOM_NOW, .n = {2, 1}};
    const struct reason small = {.id = REASON_HOSTS_TOO_SMALL, .n = {100, 512, 1, TOO_SMALL_CPU}};
    const struct reason refused = {
        .id = REASON_REFUSED_BY_POLICY, .text = "days: not on Sundays", .word = "sunday"};
    const struct lease_record *lease = add(store, 10, PHASE_WAITING, GOAL_NONE);
    char text[STORE_SENTENCE_MAX], cut[40];

    assert_true(lease_explain(store, lease, &no_room, &vm, INSTANT_NONE));
    store_must_commit(store);
    assert_false(lease_explain(store, lease, &no_room, &vm, INSTANT_NONE));
    assert_false(lease->marked);
    assert_string_equal(lease->reason, "");
    assert_string_equal(lease->reason_word, "no-room-now");
    store_reason_sentence(lease, false, text, sizeof text);
    assert_string_equal(
        text, "waits for room: 2 VMs requested, room for 1 now (1.50 CPU and 512 MB each)");
    store_reason_sentence(lease, false, cut, sizeof cut);
    assert_string_equal(cut, "waits for room: 2 VMs requested, ...");
    store_activity(lease, NOW, cut, sizeof cut);
    assert_string_equal(cut, "Waiting for room: 2 VMs requested, ...");
    store_reason_sentence(lease, true, text, sizeof text);
    assert_string_equal(text,
                        "for room: 2 VMs requested, room for 1 now (1.50 CPU and 512 MB each)");
    assert_true(lease_explain(store, lease, &small, &vm, INSTANT_NONE));
    store_reason_sentence(lease, true, text, sizeof text);
    assert_string_equal(text, "no host it may use has enough CPU: at most 1.00 CPU and 512 MB, "
                              "1 VM requested (1.50 CPU and 512 MB)");
    assert_int_equal(lease_refuse(store, lease, NOW, &refused, NULL), 0);
    assert_string_equal(lease->reason_word, "sunday");
    assert_string_equal(lease->reason, "days: not on Sundays");
    assert_int_equal(lease->reason_n[4], 0);
    store_reason_sentence(lease, false, text, sizeof text);
    assert_string_equal(text, "refused: policy days: not on Sundays");
}

static void the_oldest_host_to_avoid_is_forgotten(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    const struct vm_record *vm;

    store_add_lease(store, 1);
    vm = store_add_vm(store, 1, 1);
    vm_avoid_host(store, vm, -1, NOW);
    assert_null(vm->avoided);
    for (size_t i = 0; i < AVOIDED_MAX; i++)
        vm_avoid_host(store, vm, (int32_t)i, NOW + (int64_t)i);
    vm_avoid_host(store, vm, 2, NOW + 100); /* known: longer */
    vm_avoid_host(store, vm, 77, NOW + 200);
    assert_int_equal(vm->avoided->host[0], 77);
    assert_int_equal(vm->avoided->host[2], 2);
    assert_int_equal(vm->avoided->until[2], NOW + 100);
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_table(void)
{
    printf("| phase | event | next phase | goal of its VMs | in its history |\n"
           "|---|---|---|---|---|\n");
    for (int pair = 0; pair < PHASES * EVENTS; pair++) {
        const struct lease_transition *row = row_of(pair);

        if (row)
            printf("| %s | %s | %s | %s | %s |\n", phase_name(row->from),
                   lease_event_name(row->event),
                   row->to == PHASE_QUEUE ? "reserved or waiting"
                                          : phase_name((enum lease_phase)row->to),
                   row->goal == GOAL_KEPT ? "" : store_goal_words[row->goal],
                   row->word ? row->word : "");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(each_row_does_what_it_says),
        TEST(all_other_pairs_change_nothing),
        cmocka_unit_test(the_table_is_whole),
        TEST(a_start_has_an_end_when_it_is_a_reservation),
        TEST(the_end_follows_the_begin),
        TEST(what_ran_counts_when_it_ends),
        TEST(a_start_that_is_repeated_warns_of_no_end_again),
        TEST(a_lease_that_is_asked_for_again_begins_afresh),
        TEST(a_reservation_without_room_becomes_best_effort),
        TEST(what_waits_again_keeps_its_promise),
        TEST(a_lease_whose_start_fails_was_not_preempted),
        TEST(a_lease_suspended_for_one_that_is_over_waits),
        TEST(a_new_reason_forgets_the_old_one),
        TEST(a_reason_is_a_value),
        TEST(the_oldest_host_to_avoid_is_forgotten),
    };

    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        print_table();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
