/* Promises in the templates of VMs: written once for each change, restored from there when the
 * store is lost, and repaired when they are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <nettle/base64.h>
#include <nettle/hmac.h>

#include "adapters/opennebula/rights.h"
#include "configuration/ini.h"
#include "daemon/live/lease_state.h"
#include "daemon/live/messages.h"
#include "daemon/live/vm_state.h"
#include "test/daemon/change_records.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/instant.h"

enum { NOW = 100000, START = 200000, SUBMITTED = 90000 };

static const struct promise_key key = {"0123456789abcdef0123456789abcde"};

struct stage {
    struct scene scene;
    struct store *store;
    struct ini ini;
    struct attribute shown[FAKE_VMS_MAX];
    char texts[FAKE_VMS_MAX][PROMISE_TEXT_MAX];
    char events[1024]; /* the history since the last look: "1 promise-damaged, " */
};

static void hear(void *context, const struct store_event *event)
{
    struct stage *stage = context;
    size_t length = strlen(stage->events);

    snprintf(stage->events + length, sizeof stage->events - length, "%lld %s, ",
             (long long)event->lease, event->event);
}

static void open_on(struct stage *stage, struct store *store)
{
    struct error err = {0};

    memset(stage, 0, sizeof *stage);
    stage->store = store;
    scene_open(&stage->scene, store);
    ini_init(&stage->ini);
    stage->scene.daemon.rights = rights_create(&stage->ini, &err);
    stage->scene.daemon.promises = (struct promises){.has_key = true, .key = key};
    stage->scene.daemon.messages = messages_create(&stage->scene.daemon);
    store_listen(store, hear, stage);
}

static void close_it(struct stage *stage)
{
    store_listen(stage->store, NULL, NULL);
    messages_destroy(stage->scene.daemon.messages);
    rights_destroy(stage->scene.daemon.rights);
    ini_finish(&stage->ini);
    scene_close(&stage->scene);
}

static void looked(void *context, bool ok)
{
    (void)context;
    assert_true(ok);
}

static void finish_calls(struct stage *stage)
{
    struct error err = {0};

    while (cloud_pending(stage->scene.daemon.cloud))
        assert_int_equal(cloud_wait(stage->scene.daemon.cloud, NULL, 0, 0, &err), 0);
}

/* What was written becomes what OpenNebula shows. Returns the number of promises. */
static size_t write_all(struct stage *stage)
{
    size_t before = stage->scene.fake->n_promises;

    messages_prepare(stage->scene.daemon.messages, NOW);
    messages_send(stage->scene.daemon.messages);
    finish_calls(stage);
    for (size_t i = 0; i < stage->scene.fake->n_vms; i++) {
        struct vm *vm = &stage->scene.fake->vms[i];

        if (stage->scene.fake->promises[vm->id][0])
            snprintf(stage->texts[vm->id], sizeof stage->texts[0], "%s",
                     stage->scene.fake->promises[vm->id]);
    }
    return stage->scene.fake->n_promises - before;
}

static void look(struct stage *stage)
{
    for (size_t i = 0; i < stage->scene.fake->n_vms; i++) {
        struct vm *vm = &stage->scene.fake->vms[i];

        stage->shown[vm->id] = (struct attribute){PROMISE_ATTRIBUTE, stage->texts[vm->id]};
        vm->user_template = (struct attributes){.items = &stage->shown[vm->id], .n = 1};
    }
    stage->events[0] = '\0';
    scene_poll(&stage->scene);
    intake(&stage->scene.daemon, NOW);
    messages_see(stage->scene.daemon.messages, NOW);
}

/* An accepted reservation, with so many VMs from `id` on. */
static struct lease_record *reserve(struct stage *stage, int32_t id, int n_vms)
{
    struct lease_record *lease = store_add_lease(stage->store, id);

    lease->phase = PHASE_RESERVED;
    lease->kind = LEASE_RESERVATION;
    lease->submit = SUBMITTED;
    lease->start = lease->expected = START;
    lease->duration = 3600;
    lease->accepted = true;
    lease->priority = 5 * PRIORITY_ONE;
    if (n_vms > 1) {
        snprintf(lease->group, sizeof lease->group, "front ends");
        lease->group_size = (uint32_t)n_vms;
    }
    for (int32_t vm = id; vm < id + n_vms; vm++) {
        store_add_vm(stage->store, vm, id);
        fake_cloud_add_vm(stage->scene.fake, vm, VM_PENDING, -1, 100, 512);
    }
    return lease;
}

static void a_promise_is_written_once_for_each_change(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = reserve(&stage, 1, 1);
    assert_int_equal(write_all(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:1:reservation;"));
    for (int i = 0; i < 3; i++) {
        look(&stage);
        assert_string_equal(stage.events, "");
        assert_int_equal(write_all(&stage), 0);
    }
    lease->late = true;
    assert_int_equal(write_all(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:2:reservation;"));
    close_it(&stage);
}

static void plain_vms_have_a_promise_only_while_they_are_suspended(void **state)
{
    struct stage stage;
    struct lease_record *lease;
    struct vm_record *vm;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = store_add_lease(stage.store, 1);
    lease->plain = lease->accepted = true;
    lease->phase = PHASE_RUNNING;
    vm = store_add_vm(stage.store, 1, 1);
    fake_cloud_add_vm(stage.scene.fake, 1, VM_RUNNING, 0, 100, 512);
    assert_int_equal(write_all(&stage), 0);
    vm->suspended_by_us = true;
    assert_int_equal(write_all(&stage), 1);
    assert_non_null(strstr(stage.texts[1], "v1:1:best-effort;"));
    vm->suspended_by_us = false;
    assert_int_equal(write_all(&stage), 1);
    assert_string_equal(stage.scene.fake->promises[1], "");
    close_it(&stage);
}

static void an_empty_store_gets_its_leases_back(void **state)
{
    struct store_fixture *fixture = *state;
    struct stage stage, other;
    char directory[DIRECTORY_NAME_MAX];
    struct lease_record *lease;
    struct vm_record *vm;
    struct store *empty;
    const struct lease_record *found;
    size_t n;

    open_on(&stage, fixture->store);
    reserve(&stage, 1, 1);
    reserve(&stage, 4, 3);
    lease = store_add_lease(stage.store, 9);
    lease->phase = PHASE_WAITING;
    lease->plain = lease->accepted = true;
    lease->submit = SUBMITTED + 1;
    lease->duration = 1000;
    vm = store_add_vm(stage.store, 9, 9);
    vm->suspended_by_us = true;
    vm->sequence = 2;
    vm->ran_for = 700;
    fake_cloud_add_vm(stage.scene.fake, 9, VM_SUSPENDED, 2, 100, 512);
    assert_int_equal(write_all(&stage), 5);

    directory_make(directory);
    empty = store_must_open(directory);
    open_on(&other, empty);
    memcpy(other.texts, stage.texts, sizeof stage.texts);
    memcpy(other.scene.fake->vms, stage.scene.fake->vms, sizeof stage.scene.fake->vms);
    other.scene.fake->n_vms = stage.scene.fake->n_vms;
    look(&other);
    assert_string_equal(other.events, "1 restored, 4 restored, 9 restored, -1 restored, ");
    found = store_lease(empty, 1);
    assert_int_equal(found->phase, PHASE_RESERVED);
    assert_int_equal(found->kind, LEASE_RESERVATION);
    assert_int_equal(found->start, START);
    assert_int_equal(found->submit, SUBMITTED);
    assert_int_equal(found->priority, 5 * PRIORITY_ONE);
    assert_true(found->accepted);
    store_vms_of(empty, 4, &n);
    assert_int_equal(n, 3);
    assert_string_equal(store_lease(empty, 4)->group, "front ends");
    found = store_lease(empty, 9);
    assert_int_equal(found->phase, PHASE_WAITING);
    assert_int_equal(found->accumulated, 700);
    assert_int_equal(found->submit, SUBMITTED + 1);
    assert_true(store_vm(empty, 9)->suspended_by_us);
    assert_non_null(store_fact(empty, "restored"));
    assert_int_equal(write_all(&other), 0); /* they are as they were */

    close_it(&other);
    store_close(empty);
    directory_remove(directory);
    close_it(&stage);
}

static void a_suspended_lease_keeps_its_deadline_and_the_time_it_has_left(void **state)
{
    struct stage stage, other;
    char directory[DIRECTORY_NAME_MAX];
    const struct lease_record *found;
    struct lease_record *lease;
    struct vm_record *vm;
    struct store *empty;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = reserve(&stage, 1, 1);
    lease->kind = LEASE_DEADLINE;
    lease->start = INSTANT_NONE;
    lease->deadline = START;
    lease->duration = 1000;
    vm = vm_to_change(stage.store, 1);
    vm->suspended_by_us = vm->ran = true;
    vm->sequence = 0;
    vm->ran_for = 400;
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, 2);
    assert_int_equal(write_all(&stage), 1);

    directory_make(directory);
    empty = store_must_open(directory);
    open_on(&other, empty);
    memcpy(other.texts, stage.texts, sizeof stage.texts);
    memcpy(other.scene.fake->vms, stage.scene.fake->vms, sizeof stage.scene.fake->vms);
    other.scene.fake->n_vms = stage.scene.fake->n_vms;
    look(&other);
    found = store_lease(empty, 1);
    assert_int_equal(found->phase, PHASE_RESERVED); /* promised, not only queued */
    assert_int_equal(found->kind, LEASE_DEADLINE);
    assert_int_equal(found->deadline, START);
    assert_int_equal(found->duration - found->accumulated, 600);
    assert_true(store_vm(empty, 1)->suspended_by_us);
    assert_int_equal(write_all(&other), 0);
    close_it(&other);
    store_close(empty);
    directory_remove(directory);
    close_it(&stage);
}

static void what_users_write_over_it_is_said_and_repaired_once(void **state)
{
    static const char *const damages[] = {"", "nonsense", "v1:9:reservation;;1,2:AAAA"};

    struct stage stage;
    char good[PROMISE_TEXT_MAX];
    struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = reserve(&stage, 1, 1);
    write_all(&stage);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        snprintf(stage.texts[1], sizeof stage.texts[1], "%s", damages[i]);
        look(&stage);
        assert_string_equal(stage.events, "1 promise-damaged, ");
        assert_int_equal(write_all(&stage), 1);
        snprintf(good, sizeof good, "%s", stage.texts[1]);
        look(&stage);
        assert_string_equal(stage.events, "");
        /* The owner damages it again: not a second repair of the same promise. */
        snprintf(stage.texts[1], sizeof stage.texts[1], "%s", damages[i]);
        look(&stage);
        assert_string_equal(stage.events, "");
        assert_int_equal(write_all(&stage), 0);
        lease->duration++;
        assert_int_equal(write_all(&stage), 1);
        assert_string_not_equal(stage.texts[1], good);
        look(&stage);
        assert_string_equal(stage.events, "");
    }
    assert_int_equal(lease->start, START);
    close_it(&stage);
}

/* Short forms are newer than the extended one that was read before the promise was written. */
static void a_template_read_before_the_promise_was_written_proves_nothing(void **state)
{
    struct stage stage;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    look(&stage);
    write_all(&stage);
    stage.texts[1][0] = '\0'; /* as it was read */
    fake_cloud_wait_a_moment();
    fake_cloud_put(stage.scene.fake, 1, VM_RUNNING, 0);
    world_look(stage.scene.daemon.world, (int32_t[]){1}, 1, looked, NULL);
    finish_calls(&stage);
    messages_see(stage.scene.daemon.messages, NOW);
    assert_string_equal(stage.events, "");
    close_it(&stage);
}

static void a_copy_and_an_older_one_are_found(void **state)
{
    struct stage stage;
    char old[PROMISE_TEXT_MAX];
    struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = reserve(&stage, 1, 1);
    reserve(&stage, 2, 1)->start = START + 1;
    write_all(&stage);
    snprintf(old, sizeof old, "%s", stage.texts[1]);
    lease->start = START + 2;
    write_all(&stage);
    snprintf(stage.texts[1], sizeof stage.texts[1], "%s", old);
    snprintf(stage.texts[2], sizeof stage.texts[2], "%s", old);
    look(&stage);
    assert_string_equal(stage.events, "1 promise-damaged, 2 promise-damaged, ");
    assert_int_equal(lease->start, START + 2);
    assert_int_equal(store_lease(stage.store, 2)->start, START + 1);
    assert_int_equal(write_all(&stage), 2);
    close_it(&stage);
}

static void a_forged_promise_gives_a_new_vm_nothing(void **state)
{
    struct stage stage;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    write_all(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    fake_cloud_add_vm(stage.scene.fake, 3, VM_PENDING, -1, 100, 512);
    snprintf(stage.texts[2], sizeof stage.texts[2], "%s", stage.texts[1]); /* copied */
    snprintf(stage.texts[3], sizeof stage.texts[3], "%s", stage.texts[1]);
    stage.texts[3][5]++;
    look(&stage);
    assert_int_equal(store_lease(stage.store, 2)->kind, LEASE_BEST_EFFORT);
    assert_true(store_lease(stage.store, 2)->plain && store_lease(stage.store, 3)->plain);
    assert_false(store_lease(stage.store, 3)->accepted);
    assert_non_null(strstr(stage.events, "2 promise-damaged, "));
    assert_non_null(strstr(stage.events, "3 promise-damaged, "));
    close_it(&stage);
}

static void a_newer_promise_of_another_front_end_is_taken_over(void **state)
{
    struct stage stage;
    struct promise promise;
    const struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = reserve(&stage, 1, 1);
    write_all(&stage);
    assert_int_equal(promise_read(stage.texts[1], &key, 0, 1, &promise), PROMISE_VALID);
    promise.number += 3;
    promise.terms.start = START + 500;
    promise_write(&promise, &key, stage.texts[1]);
    look(&stage);
    assert_string_equal(stage.events, "1 taken-over, 1 restored, ");
    assert_int_equal(lease->start, START + 500);
    assert_int_equal(write_all(&stage), 0);
    close_it(&stage);
}

/* The VM `to` gets what VM `from` was promised, as a lease of its own. */
static void sign_for(struct stage *stage, int32_t from, int32_t to)
{
    struct promise promise;

    assert_int_equal(promise_read(stage->texts[from], &key, 0, from, &promise), PROMISE_VALID);
    promise.lease = promise.vm = to;
    promise_write(&promise, &key, stage->texts[to]);
}

/* A front-end that watches sees the VM before the one that acts has decided about it. */
static void what_another_front_end_accepts_is_reserved_here(void **state)
{
    struct stage stage;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    write_all(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    look(&stage);
    assert_int_equal(store_lease(stage.store, 2)->phase, PHASE_WAITING);
    sign_for(&stage, 1, 2);
    look(&stage);
    assert_string_equal(stage.events, "2 taken-over, 2 restored, ");
    assert_int_equal(store_lease(stage.store, 2)->phase, PHASE_RESERVED);
    assert_int_equal(store_lease(stage.store, 2)->start, START);
    close_it(&stage);
}

/* The VM shows what a galernad of another front-end wrote later. */
static void rewrite(struct stage *stage, int32_t vm, bool suspended, int64_t duration)
{
    struct promise promise;

    assert_int_equal(promise_read(stage->texts[vm], &key, 0, vm, &promise), PROMISE_VALID);
    promise.number++;
    promise.suspended = suspended;
    promise.sequence = suspended ? 0 : -1;
    promise.ran_for = suspended ? 700 : 0;
    promise.terms.duration = duration;
    promise_write(&promise, &key, stage->texts[vm]);
}

/* A best-effort lease that runs until NOW + 100, as far as this store knows. */
static struct lease_record *run(struct stage *stage, int32_t id)
{
    struct lease_record *lease = reserve(stage, id, 1);

    lease->kind = LEASE_BEST_EFFORT;
    lease->start = lease->expected = INSTANT_NONE;
    lease->phase = PHASE_RUNNING;
    lease->duration = 1000;
    lease->since = NOW - 900;
    lease->end = NOW + 100;
    fake_cloud_put(stage->scene.fake, id, VM_RUNNING, 2);
    stage->scene.fake->vms[stage->scene.fake->n_vms - 1].history.rstime = NOW - 900;
    write_all(stage);
    return lease;
}

static void what_another_front_end_suspended_waits_here_with_the_time_it_has_left(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    rewrite(&stage, 1, true, 1000);
    fake_cloud_put(stage.scene.fake, 1, VM_STOPPED, 2);
    look(&stage);
    assert_int_equal(lease->phase, PHASE_WAITING);
    assert_int_equal(lease->accumulated, 700);
    assert_true(lease->end == INSTANT_NONE);
    assert_true(store_vm(stage.store, 1)->suspended_by_us);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_NONE);
    reconcile(&stage.scene.daemon, NOW + 200);
    assert_int_equal(lease->phase, PHASE_WAITING);
    close_it(&stage);
}

/* A galernad that was cut off has ended the lease; the one that acts has changed it since. */
static void a_lease_that_was_ended_too_early_runs_on(void **state)
{
    struct stage stage;
    struct lease_record *lease;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    lease = run(&stage, 1);
    look(&stage);
    reconcile(&stage.scene.daemon, NOW + 101);
    assert_int_equal(lease->phase, PHASE_ENDING);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_END);
    rewrite(&stage, 1, false, 5000);
    look(&stage);
    assert_int_equal(lease->phase, PHASE_ENDING); /* VMs that run are not read each time */
    world_read_all(stage.scene.daemon.world);
    look(&stage);
    reconcile(&stage.scene.daemon, NOW + 102);
    assert_int_equal(lease->phase, PHASE_RUNNING);
    assert_int_equal(store_vm(stage.store, 1)->goal, GOAL_RUN);
    assert_true(lease->end > NOW + 102);
    close_it(&stage);
}

/* What was written before an election may be lost, or come late. */
static void a_promise_of_a_later_term_counts_more(void **state)
{
    struct stage stage;
    struct lease_record *lease;
    int64_t lost;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    stage.scene.fake->term = 4;
    look(&stage);
    lease = reserve(&stage, 1, 1);
    for (int i = 0; i < 3; i++) {
        lease->duration++;
        write_all(&stage);
    }
    lost = store_vm(stage.store, 1)->promise_number;
    vm_to_change(stage.store, 1)->promise_number = 1; /* of the galernad that acts next */
    stage.scene.fake->term = 5;
    look(&stage);
    lease->duration = 60;
    write_all(&stage);
    assert_true(store_vm(stage.store, 1)->promise_number > lost);
    close_it(&stage);
}

/* Who only watches sees old pictures, and writes nothing. */
static void who_does_not_act_reports_no_damage(void **state)
{
    struct stage stage;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    write_all(&stage);
    stage.scene.fake->leads = false;
    stage.texts[1][0] = '\0';
    look(&stage);
    assert_string_equal(stage.events, "");
    stage.scene.fake->leads = true;
    look(&stage);
    assert_string_equal(stage.events, "1 promise-damaged, ");
    close_it(&stage);
}

/* That it learns of new leases by their promises is no loss. */
static void who_does_not_act_has_lost_nothing(void **state)
{
    struct stage stage;

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    write_all(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    sign_for(&stage, 1, 2);
    stage.scene.fake->leads = false;
    look(&stage);
    assert_string_equal(stage.events, "2 restored, ");
    assert_null(store_fact(stage.store, "restored"));
    fake_cloud_add_vm(stage.scene.fake, 3, VM_PENDING, -1, 100, 512);
    sign_for(&stage, 1, 3);
    stage.scene.fake->leads = true;
    look(&stage);
    assert_string_equal(stage.events, "3 restored, -1 restored, ");
    assert_non_null(store_fact(stage.store, "restored"));
    close_it(&stage);
}

/* A promise as a galernad of a later version signs it. */
static void write_as_newer(char text[PROMISE_TEXT_MAX])
{
    static const char body[] = "v2:7:what this version cannot read";
    char signature[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct hmac_sha256_ctx hmac;

    hmac_sha256_set_key(&hmac, sizeof key.bytes, key.bytes);
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

    open_on(&stage, ((struct store_fixture *)*state)->store);
    reserve(&stage, 1, 1);
    write_all(&stage);
    fake_cloud_add_vm(stage.scene.fake, 2, VM_PENDING, -1, 100, 512);
    write_as_newer(stage.texts[1]);
    write_as_newer(stage.texts[2]);
    look(&stage);
    assert_string_equal(stage.events, "1 promise-unreadable, ");
    assert_null(store_vm(stage.store, 2));
    assert_int_equal(stage.scene.daemon.promises.unreadable, 1);
    look(&stage);
    assert_string_equal(stage.events, "");
    lease_to_change(stage.store, 1)->start++;
    assert_int_equal(write_all(&stage), 0);
    close_it(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_promise_is_written_once_for_each_change),
        TEST(plain_vms_have_a_promise_only_while_they_are_suspended),
        TEST(what_another_front_end_accepts_is_reserved_here),
        TEST(what_another_front_end_suspended_waits_here_with_the_time_it_has_left),
        TEST(a_lease_that_was_ended_too_early_runs_on),
        TEST(a_promise_of_a_later_term_counts_more),
        TEST(who_does_not_act_reports_no_damage),
        TEST(who_does_not_act_has_lost_nothing),
        TEST(a_promise_of_a_newer_galernad_is_left_alone),
        TEST(an_empty_store_gets_its_leases_back),
        TEST(a_suspended_lease_keeps_its_deadline_and_the_time_it_has_left),
        TEST(what_users_write_over_it_is_said_and_repaired_once),
        TEST(a_template_read_before_the_promise_was_written_proves_nothing),
        TEST(a_copy_and_an_older_one_are_found),
        TEST(a_forged_promise_gives_a_new_vm_nothing),
        TEST(a_newer_promise_of_another_front_end_is_taken_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
