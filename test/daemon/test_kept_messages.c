/* Messages that VMs keep while there is nothing newer to say, also after the store was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/live/messages.h"
#include "daemon/state/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

/* The VM's message after a galernad that does not know it has read it. */
static const char *message_after(struct scene *scene, enum vm_state state, enum lease_phase phase,
                                 const char *text, const char *kind)
{
    struct store *store = scene->daemon.store;
    struct attribute shown[] = {{"SCHED_MESSAGE", text}, {"GALERNA_MESSAGE", kind}};
    struct error err = {0};

    fake_cloud_add_vm(scene->fake, 1, state, 0, 100, 512)->user_template =
        (struct attributes){.items = shown, .n = kind ? 2 : 1};
    scene_add(scene, 1, 1, GOAL_NONE, 0, 100, 512);
    lease_to_change(store, 1)->phase = phase;
    scene_poll(scene);
    messages_see(scene->daemon.messages, 1000);
    assert_string_equal(store_vm(store, 1)->message, text);
    messages_prepare(scene->daemon.messages, 1000);
    messages_send(scene->daemon.messages);
    while (cloud_pending(scene->daemon.cloud))
        assert_int_equal(cloud_wait(scene->daemon.cloud, NULL, 0, 0, &err), 0);
    return store_vm(store, 1)->message;
}

static void expect(void **state, enum vm_state vm, enum lease_phase phase, const char *text,
                   const char *kind, const char *after)
{
    struct scene scene;

    scene_open(&scene, ((struct store_fixture *)*state)->store);
    scene.daemon.messages = messages_create(&scene.daemon);
    assert_string_equal(message_after(&scene, vm, phase, text, kind), after);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

static void a_held_vm_keeps_why(void **state)
{
    expect(state, VM_HOLD, PHASE_PARKED, "Abgelehnt: zu viele VMs", "held",
           "Abgelehnt: zu viele VMs");
}

static void a_running_vm_keeps_that_its_rank_is_ignored(void **state)
{
    expect(state, VM_RUNNING, PHASE_RUNNING, "Its rank is ignored", "rank-ignored",
           "Its rank is ignored");
}

static void a_vm_that_runs_after_all_does_not_say_why_it_was_held(void **state)
{
    expect(state, VM_RUNNING, PHASE_RUNNING, "Refused: too many VMs", "held", "");
}

/* Only the kind counts: not the words. */
static void a_message_without_a_kind_passes(void **state)
{
    expect(state, VM_HOLD, PHASE_PARKED, "Refused: too many VMs", NULL, "");
}

static void a_message_of_an_unknown_kind_passes(void **state)
{
    expect(state, VM_HOLD, PHASE_PARKED, "Refused: too many VMs", "of a later version", "");
}

static void the_kind_is_written_with_the_message(void **state)
{
    struct store *store = ((struct store_fixture *)*state)->store;
    struct scene scene;

    scene_open(&scene, store);
    scene.daemon.messages = messages_create(&scene.daemon);
    message_after(&scene, VM_HOLD, PHASE_REFUSED, "Waiting", NULL);
    assert_string_equal(scene.fake->message_kind, "held");
    assert_int_equal(store_vm(store, 1)->message_kind, MESSAGE_HELD);
    messages_destroy(scene.daemon.messages);
    scene_close(&scene);
}

#define KEPT_TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

static void a_message_that_is_too_long_ends_after_a_word(void **state)
{
    const struct vm_record vm = {.unlocked = true};
    const struct lease_record lease = {
        .phase = PHASE_ENDED, .change_refused = "", .reason_word = "", .reason = ""};
    char text[33];

    message_of(&lease, &vm, 0, text, sizeof text);
    assert_string_equal(text, "Galerna unlocked this VM, ...");
}

static void a_change_that_was_refused_leaves_room_for_the_state(void **state)
{
    const struct vm_record vm = {.unlocked = true};
    const struct lease_record lease = {.phase = PHASE_RUNNING,
                                       .unused_until = INSTANT_NONE,
                                       .change_refused = "there is no room on any host",
                                       .reason_word = "",
                                       .reason = ""};
    char text[64];

    message_of(&lease, &vm, 0, text, sizeof text);
    assert_string_equal(text, "Change refused: there is no ... Galerna unlocked this VM, ...");
}

static void a_refused_change_is_told_with_the_nearest_alternative(void **state)
{
    const struct vm_record vm = {.id = 1};
    struct told_refusal refusal = {.start = INSTANT_NONE, .duration = 7200};
    struct lease_record lease = {
        .phase = PHASE_RUNNING, .unused_until = INSTANT_NONE, .reason_word = "", .reason = ""};
    char line[STORE_TEXT_MAX], text[512];

    store_tell_reason(&refusal.reason, &(struct reason){.id = REASON_TOO_BIG, .n = {3, 2}});
    store_pack_refusal(&refusal, line);
    lease.change_refused = line;
    message_of(&lease, &vm, 0, text, sizeof text);
    assert_non_null(strstr(text, "Change refused: 3 VMs requested, but all hosts together hold at "
                                 "most 2 when empty; longest possible duration: 2h"));
    refusal.start = 0;
    store_tell_reason(&refusal.reason, &(struct reason){.id = REASON_TEXT, .text = "it is over"});
    store_pack_refusal(&refusal, line);
    message_of(&lease, &vm, 0, text, sizeof text);
    assert_non_null(strstr(text, "Change refused: it is over; next possible start: 19"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_that_is_too_long_ends_after_a_word),
        cmocka_unit_test(a_change_that_was_refused_leaves_room_for_the_state),
        cmocka_unit_test(a_refused_change_is_told_with_the_nearest_alternative),
        KEPT_TEST(a_held_vm_keeps_why),
        KEPT_TEST(a_running_vm_keeps_that_its_rank_is_ignored),
        KEPT_TEST(a_vm_that_runs_after_all_does_not_say_why_it_was_held),
        KEPT_TEST(a_message_without_a_kind_passes),
        KEPT_TEST(a_message_of_an_unknown_kind_passes),
        KEPT_TEST(the_kind_is_written_with_the_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
