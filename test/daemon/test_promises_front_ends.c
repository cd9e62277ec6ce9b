/* Promises that a galernad of another front-end wrote, or a newer galernad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <nettle/base64.h>
#include <nettle/hmac.h>

#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/promises_fixture.h"
#include "util/instant.h"

static void a_newer_promise_of_another_front_end_is_taken_over(void **state)
{
    struct stage stage;
    struct promise promise;
    const struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    assert_int_equal(promise_read(stage.texts[1], &stage_key, 0, 1, &promise), PROMISE_VALID);
    promise.number += 3;
    promise.terms.start = START + 500;
    promise_write(&promise, &stage_key, stage.texts[1]);
    stage_look(&stage);
    assert_string_equal(stage.events, "1 taken-over, 1 restored, ");
    assert_int_equal(lease->start, START + 500);
    assert_int_equal(stage_write(&stage), 0);
    stage_close(&stage);
}

/* The VM `to` gets what VM `from` was promised, as a lease of its own. */
static void sign_for(struct stage *stage, int32_t from, int32_t to)
{
    struct promise promise;

    assert_int_equal(promise_read(stage->texts[from], &stage_key, 0, from, &promise),
                     PROMISE_VALID);
    promise.lease = promise.vm = to;
    promise_write(&promise, &stage_key, stage->texts[to]);
}

/* A front-end that watches sees the VM before the one that acts has decided about it. */
static void what_another_front_end_accepts_is_reserved_here(void **state)
{
    struct stage stage;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    stage_look(&stage);
    assert_int_equal(store_lease(stage.store, 2)->phase, PHASE_WAITING);
    sign_for(&stage, 1, 2);
    stage_look(&stage);
    assert_string_equal(stage.events, "2 taken-over, 2 restored, ");
    assert_int_equal(store_lease(stage.store, 2)->phase, PHASE_RESERVED);
    assert_int_equal(store_lease(stage.store, 2)->start, START);
    stage_close(&stage);
}

/* The VM shows what a galernad of another front-end wrote later. */
static void rewrite(struct stage *stage, int32_t vm, bool suspended, int64_t duration)
{
    struct promise promise;

    assert_int_equal(promise_read(stage->texts[vm], &stage_key, 0, vm, &promise), PROMISE_VALID);
    promise.number++;
    promise.suspended = suspended;
    promise.sequence = suspended ? 0 : -1;
    promise.ran_for = suspended ? 700 : 0;
    promise.terms.duration = duration;
    promise_write(&promise, &stage_key, stage->texts[vm]);
}

/* A best-effort lease that runs until NOW + 100, as far as this store knows. */
static struct lease_record *run(struct stage *stage, int32_t id)
{
    struct lease_record *lease = stage_reserve(stage, id, 1);

    lease->kind = LEASE_BEST_EFFORT;
    lease->start = lease->expected = INSTANT_NONE;
    lease->phase = PHASE_RUNNING;
    lease->duration = 1000;
    lease->since = NOW - 900;
    lease->end = NOW + 100;
    fake_cloud_put(stage->scene.fake, id, VM_RUNNING, 2);
    stage->scene.fake->vms[stage->scene.fake->n_vms - 1].history.rstime = NOW - 900;
    stage_write(stage);
    return lease;
}

static void what_another_front_end_suspended_waits_here_with_the_time_it_has_left(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    rewrite(&stage, 1, true, 1000);
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, 2);
    stage_look(&stage);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->accumulated, 700);
    assert_true(lease->end == INSTANT_NONE);
    assert_true(store_vm(stage.store, 1)->suspended_by_us);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_NONE);
    reconcile(&stage.scene.daemon, NOW + 200);
    assert_int_equal(lease->phase, PHASE_WAITING);
    stage_close(&stage);
}

/* The one that acts announces a suspension and ends before its command has an effect. */
static const struct lease_record *watch_announcement(struct stage *stage)
{
    const struct lease_record *lease = run(stage, 1);

    rewrite(stage, 1, true, 5000);
    stage->scene.fake->leads = false;
    world_read_all(stage->scene.daemon.world);
    stage_look(stage);
    reconcile(&stage->scene.daemon, NOW + 1);
    stage->scene.fake->leads = true;
    return lease;
}

static void a_suspension_that_another_front_end_announced_is_no_owners(void **state)
{
    struct stage stage;
    const struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = watch_announcement(&stage);
    for (int i = 0; i < 2; i++) {
        fake_cloud_put(stage.scene.fake, 1, i == 0 ? VM_CHANGING : VM_STOPPED, 2);
        stage_look(&stage);
        reconcile(&stage.scene.daemon, NOW + 2);
        assert_int_not_equal(lease->phase, PHASE_PARKED);
        assert_true(store_vm(stage.store, 1)->suspended_by_us);
    }
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_RUN);
    stage_close(&stage);
}

static void a_suspension_that_was_only_announced_is_over(void **state)
{
    struct stage stage;
    const struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = watch_announcement(&stage);
    assert_int_equal(lease->phase, PHASE_STARTING);
    stage_look(&stage);
    reconcile(&stage.scene.daemon, NOW + 2);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_false(store_vm(stage.store, 1)->suspended_by_us);
    stage_close(&stage);
}

/* A galernad that was cut off has ended the lease; the one that acts has changed it since. */
static void a_lease_that_was_ended_too_early_runs_on(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    stage_look(&stage);
    reconcile(&stage.scene.daemon, NOW + 101);
    assert_int_equal(lease->phase, PHASE_ENDING);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_END);
    rewrite(&stage, 1, false, 5000);
    stage_look(&stage);
    assert_int_equal(lease->phase, PHASE_ENDING); /* VMs that run are not read each time */
    world_read_all(stage.scene.daemon.world);
    stage_look(&stage);
    reconcile(&stage.scene.daemon, NOW + 102);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_RUN);
    assert_true(lease->end > NOW + 102);
    stage_close(&stage);
}

/* The VM shows that another front-end, which acted last, promises nothing any more. */
static void end_promise(struct stage *stage, int32_t vm)
{
    struct promise promise;

    assert_int_equal(promise_read(stage->texts[vm], &stage_key, 0, vm, &promise), PROMISE_VALID);
    promise = (struct promise){.vm = vm, .number = promise.number + 1, .over = true};
    promise_write(&promise, &stage_key, stage->texts[vm]);
}

/* Its owner has not held it, and it is not ended when its time is over. `known`: the store knows
 * that the lease had a promise. */
static void expect_to_stay_on_hold(void **state, bool known)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    if (!known)
        vm_to_change(stage.store, 1)->promise_number =
            vm_to_change(stage.store, 1)->promise_digest = 0;
    end_promise(&stage, 1);
    fake_cloud_put(stage.scene.fake, 1, VM_HOLD, -1);
    stage_look(&stage);
    assert_string_equal(stage.events, "1 taken-over, 1 adopted, ");
    reconcile(&stage.scene.daemon, START + 4000);
    assert_int_equal(lease->phase, PHASE_PARKED);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_NONE);
    assert_int_equal(stage_write(&stage), 0);
    stage_close(&stage);
}

static void what_another_front_end_refused_stays_on_hold(void **state)
{
    expect_to_stay_on_hold(state, true);
}

/* The store is from between the acceptance and the answer to its message. */
static void what_was_refused_after_an_acceptance_stays_on_hold(void **state)
{
    expect_to_stay_on_hold(state, false);
}

/* Or cancelled; it is ended here if that one did not come so far. */
static void what_another_front_end_ended_is_not_continued(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    end_promise(&stage, 1);
    stage_look(&stage);
    assert_string_equal(stage.events, "1 ending, ");
    assert_int_equal(lease->phase, PHASE_ENDING);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_END);
    stage_close(&stage);
}

/* The store is from before it was accepted. */
static void what_was_accepted_and_ended_since_is_not_continued(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    end_promise(&stage, 1);
    lease->phase = PHASE_GATHERING;
    lease->accepted = false;
    vm_to_change(stage.store, 1)->promise_number = vm_to_change(stage.store, 1)->promise_digest = 0;
    stage_look(&stage);
    assert_string_equal(stage.events, "1 ending, ");
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_END);
    stage_close(&stage);
}

/* It was suspended to make room, and resumed: who suspends it then is its owner. */
static void a_plain_vm_that_another_front_end_resumed_is_its_owners(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    lease = store_add_lease(stage.store, 1);
    lease->uid = lease->gid = 0;
    lease->plain = lease->accepted = true;
    lease->phase = PHASE_WAITING;
    lease->duration = SPAN_UNLIMITED;
    store_add_vm(stage.store, 1, 1)->suspended_by_us = true;
    fake_cloud_add_vm(stage.scene.fake, 1, VM_SUSPENDED, 0, 100, 512);
    stage_look(&stage);
    stage_write(&stage);
    end_promise(&stage, 1);
    world_read_all(stage.scene.daemon.world);
    stage_look(&stage);
    reconcile(&stage.scene.daemon, NOW);
    assert_int_equal(lease->phase, PHASE_PARKED);
    stage_close(&stage);
}

/* What was written before an election may be lost, or come late. */
static void a_promise_of_a_later_term_counts_more(void **state)
{
    struct stage stage;
    struct lease_record *lease;
    int64_t lost;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage.scene.fake->term = 4;
    stage_look(&stage);
    lease = stage_reserve(&stage, 1, 1);
    for (int i = 0; i < 3; i++) {
        lease->duration++;
        stage_write(&stage);
    }
    lost = store_vm(stage.store, 1)->promise_number;
    vm_to_change(stage.store, 1)->promise_number = 1; /* of the galernad that acts next */
    stage.scene.fake->term = 5;
    stage_look(&stage);
    lease->duration = 60;
    stage_write(&stage);
    assert_true(store_vm(stage.store, 1)->promise_number > lost);
    stage_close(&stage);
}

/* Who only watches sees old pictures, and writes nothing. */
static void who_does_not_act_reports_no_damage(void **state)
{
    struct stage stage;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    stage.scene.fake->leads = false;
    stage.texts[1][0] = '\0';
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    stage.scene.fake->leads = true;
    stage_look(&stage);
    assert_string_equal(stage.events, "1 promise-damaged, ");
    stage_close(&stage);
}

/* That it learns of new leases by their promises is no loss. */
static void who_does_not_act_has_lost_nothing(void **state)
{
    struct stage stage;
    int64_t at;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    sign_for(&stage, 1, 2);
    stage.scene.fake->leads = false;
    stage_look(&stage);
    assert_string_equal(stage.events, "2 restored, ");
    assert_int_equal(promises_restored_last(stage.store, &at), 0);
    fake_cloud_add_vm(stage.scene.fake, 3, VM_PENDING, -1, 100, 512);
    sign_for(&stage, 1, 3);
    stage.scene.fake->leads = true;
    stage_look(&stage);
    assert_string_equal(stage.events, "3 restored, -1 restored, ");
    assert_int_equal(promises_restored_last(stage.store, &at), 1);
    stage_close(&stage);
}

/* A promise as a galernad of a later version signs it. */
static void write_as_newer(char text[PROMISE_TEXT_MAX])
{
    static const char body[] = "v2:7:what this version cannot read";
    char signature[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct hmac_sha256_ctx hmac;

    hmac_sha256_set_key(&hmac, sizeof stage_key.bytes, stage_key.bytes);
    hmac_sha256_update(&hmac, strlen(body), (const uint8_t *)body);
    hmac_sha256_digest(&hmac, sizeof digest, digest);
    base64_encode_raw(signature, sizeof digest, digest);
    snprintf(text, PROMISE_TEXT_MAX, "%s:%.*s", body, (int)sizeof signature, signature);
}

/* It is said once and not written over; a VM that the store does not know is left to the newer one.
 */
static void a_promise_of_a_newer_galernad_is_left_alone(void **state)
{
    struct stage stage;

    stage_open(&stage, ((struct store_fixture *)*state)->store);
    stage_reserve(&stage, 1, 1);
    stage_write(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    write_as_newer(stage.texts[1]);
    write_as_newer(stage.texts[2]);
    stage_look(&stage);
    assert_string_equal(stage.events, "1 promise-unreadable, ");
    assert_null(store_vm(stage.store, 2));
    assert_int_equal(stage.scene.daemon.promises.n_unreadable, 1);
    fake_cloud_put(stage.scene.fake, 2, VM_RUNNING, 0); /* not read in full any more */
    stage_look(&stage);
    stage_look(&stage);
    assert_string_equal(stage.events, "");
    assert_int_equal(stage.scene.daemon.promises.n_unreadable, 1);
    fake_cloud_put(stage.scene.fake, 2, VM_DONE, 0);
    stage_look(&stage);
    assert_int_equal(stage.scene.daemon.promises.n_unreadable, 0);
    lease_to_change(stage.store, 1)->start++;
    assert_int_equal(stage_write(&stage), 0);
    stage_close(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_newer_promise_of_another_front_end_is_taken_over),
        TEST(what_another_front_end_accepts_is_reserved_here),
        TEST(what_another_front_end_suspended_waits_here_with_the_time_it_has_left),
        TEST(a_suspension_that_another_front_end_announced_is_no_owners),
        TEST(a_suspension_that_was_only_announced_is_over),
        TEST(a_lease_that_was_ended_too_early_runs_on),
        TEST(what_another_front_end_refused_stays_on_hold),
        TEST(what_was_refused_after_an_acceptance_stays_on_hold),
        TEST(what_another_front_end_ended_is_not_continued),
        TEST(what_was_accepted_and_ended_since_is_not_continued),
        TEST(a_plain_vm_that_another_front_end_resumed_is_its_owners),
        TEST(a_promise_of_a_later_term_counts_more),
        TEST(who_does_not_act_reports_no_damage),
        TEST(who_does_not_act_has_lost_nothing),
        TEST(a_promise_of_a_newer_galernad_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
