/* Decides the next step after a command that failed or had no effect. */
#include <stdio.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/pause.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/guard.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/quarantine.h"
#include "daemon/state/vm_state.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum {
    AVOID_SECONDS = 300,      /* a host where the VM failed is avoided this long */
    PAUSE_OF_OWNER = 60,      /* seconds, initially: users need time to free quotas and unlock
                               * VMs */
    PAUSE_OF_LOCK = 3600,     /* seconds, for a VM whose lease is over: its unlocking is noticed */
    TOO_LATE_MOST = 3,        /* uncounted refusals because of the VM's state */
    AVOID_AFTER_REFUSAL = 30, /* seconds: OpenNebula's usage of the host may be newer than ours */
    QUOTE_MOST = 180,         /* characters of OpenNebula's message */
};

/* Records the failure and the time of the next attempt, and logs the failure. A refused or failed
 * lease keeps its reason: further failures are not recorded. */
static void note(struct enactor *enactor, const struct vm_record *vm, const struct reason *reason,
                 int64_t again, int64_t now)
{
    struct store *store = enactor->daemon->store;
    const struct lease_record *lease = store_lease(store, vm->lease);
    char text[STORE_SENTENCE_MAX];

    if (lease_is_final(lease) && vm->attempts + vm->refusals > 1)
        return;
    if (lease_is_final(lease)) {
        reason_format_body(reason, text, sizeof text, lease_time_text);
    } else {
        lease_explain(store, lease, reason, NULL, again);
        store_reason_text(lease, false, now, text, sizeof text);
    }
    store_history(store, vm->lease, now, reason_word(reason), "%s", text);
    complaint_make(&enactor->complaint, vm, reason, text, now);
}

/* Retries are limited. */
static bool is_out_of_attempts(const struct enactor *enactor, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);

    return vm->attempts >= enactor->daemon->live->retry_limit && vm->goal == GOAL_RUN && lease &&
           lease->phase == PHASE_STARTING && !vm->ran;
}

/* The user is notified, and can release the VM for another attempt. */
static bool abandon_if_out_of_attempts(struct enactor *enactor, const struct vm_record *vm,
                                       int64_t now)
{
    if (!is_out_of_attempts(enactor, vm))
        return false;
    reconcile_abandon_start(enactor->daemon, vm, now);
    return true;
}

/* A VM that fails on every host does not indicate a fault of the host. */
static bool failed_elsewhere(const struct vm_record *vm, int32_t host, int64_t now)
{
    const struct avoided_hosts *avoided = vm->avoided;

    for (size_t i = 0; avoided && i < AVOIDED_MAX; i++)
        if (avoided->host[i] >= 0 && avoided->host[i] != host && avoided->until[i] > now)
            return true;
    return false;
}

/* The VM's state and the driver's message, without its leading date. */
static void failure_text(const struct vm_observation *observed, char *text, size_t size)
{
    const char *after = observed->error ? strstr(observed->error, ": ") : NULL;

    snprintf(text, size, "%s%s%.200s", observed->state_name, after ? ": " : "",
             after ? after + 2 : "");
    for (char *at = text; *at; at++)
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
}

/* A lease with a promise is tried on another host at once when its first start fails or is refused
 * on its host. */
static int64_t pause_after(const struct enactor *enactor, const struct vm_record *vm)
{
    const struct lease_record *lease = store_lease(enactor->daemon->store, vm->lease);

    if (lease && lease->accepted && lease->kind != LEASE_BEST_EFFORT && !vm->ran &&
        vm->attempts == 0)
        return 1;
    return pause_doubled(enactor->daemon->live->retry_backoff, vm->attempts + 1);
}

/* The VM's history record shows where and when the VM failed; each failure counts once. */
bool enactor_note_failure(struct enactor *enactor, const struct vm_record *vm,
                          const struct vm_observation *observed, int64_t now)
{
    struct store *store = enactor->daemon->store;
    char text[STORE_TEXT_MAX];
    int64_t again;

    if (!observed_failed(observed) || vm->goal == GOAL_HOLD) /* its lease has failed already */
        return true;
    if (vm->failed_record == observed->history.sequence && vm->attempts > 0)
        return !vm->ran || vm->next_try <= now;
    again = now + pause_after(enactor, vm);
    vm_failed(store, vm, observed->history.sequence, again);
    vm_avoid_host(store, vm, observed->history.host, now + AVOID_SECONDS);
    failure_text(observed, text, sizeof text);
    note(enactor, vm,
         &(struct reason){.id = REASON_VM_FAILED,
                          .n = {vm->id, observed->history.host, vm->attempts},
                          .text = text},
         is_out_of_attempts(enactor, vm) ? INSTANT_NONE : again, now);
    if (!failed_elsewhere(vm, observed->history.host, now) &&
        quarantine_note(&enactor->daemon->quarantine, observed->history.host, vm->id, now)) {
        enactor_tell_quarantine(enactor, observed->history.host, "several VMs failed on it", now);
    }
    abandon_if_out_of_attempts(enactor, vm, now);
    return !vm->ran;
}

/* Returns when the command is retried. The cause of the refusal determines the pause, and whether
 * the lease can fail: quotas, locks and faults of the cloud are not failures of the VM and are
 * counted separately. */
static int64_t count_refusal(const struct enactor *enactor, const struct vm_record *vm,
                             enum cloud_refusal refusal, int64_t now)
{
    const struct daemon *daemon = enactor->daemon;
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);
    bool others_fault = refusal == CLOUD_NO_OWNER || refusal == CLOUD_NO_PERMISSION ||
                        refusal == CLOUD_NO_CREDENTIALS || refusal == CLOUD_NO_SERVICE ||
                        (refusal == CLOUD_NO_RECORD && vm->message_failed);
    bool unlocks = refusal == CLOUD_NO_OWNER && enactor_may_unlock(enactor, vm, now);
    int32_t times = 1 + (others_fault ? vm->refusals : vm->attempts);
    int64_t first =
        refusal == CLOUD_NO_OWNER && !unlocks ? PAUSE_OF_OWNER : daemon->live->retry_backoff;
    int64_t again =
        now + (refusal == CLOUD_NO_HOST ? pause_after(enactor, vm) : pause_doubled(first, times));

    if (unlocks && observed && !observed->locked) /* locked after its last observation */
        again = now + 1;
    else if (!unlocks && observed && observed->locked &&
             lease_is_final(store_lease(daemon->store, vm->lease)))
        again = now + PAUSE_OF_LOCK;
    vm_command_refused(daemon->store, vm, others_fault, again);
    return again;
}

/* The effects of starts, holds and releases are visible when the command is answered. oned begins
 * all other operations after its answer, which takes seconds under load. */
static bool is_shown_with_the_answer(enum command command)
{
    enum command_effect effect = command_kinds[command].effect;

    return effect == EFFECT_START || effect == EFFECT_NONE;
}

/* oned answers before the write is safely in its database: the write is lost if oned loses the
 * leadership, and delayed if the replication of its log is. */
bool enactor_may_repeat(struct enactor *enactor, const struct vm_record *vm,
                        const struct vm_observation *observed, int64_t now)
{
    struct daemon *daemon = enactor->daemon;
    int times = vm->in_vain + !is_shown_with_the_answer(vm->last);
    int64_t pause = times > 0 ? pause_doubled(daemon->live->retry_backoff, times) : 0;

    if (!guard_covers(daemon->guard, vm->settled, observed->asked)) {
        guard_confirm(daemon->guard);
        return false;
    }
    vm_command_in_vain(daemon->store, vm, pause > 0 ? now + pause : INSTANT_NONE);
    return pause == 0;
}

/* The length without a final full stop, since the sentence continues. */
static int quoted_length(const char *message)
{
    size_t length = strnlen(message, QUOTE_MOST);

    while (length > 0 && strchr(". \n", message[length - 1]))
        length--;
    return (int)length;
}

/* If OpenNebula counts VMs on the host that are not there, it refuses starts there until an
 * administrator corrects its database: the capacity is not free. */
static void note_wrong_count(struct enactor *enactor, const struct vm_record *vm)
{
    struct unread_room room;

    if (world_note_refusal(enactor->daemon->world, vm->host, &room))
        log_warning_of(
            vm->lease, vm->id,
            "host %d: OpenNebula counts %lld.%02lld CPU and %lld MB for VMs that are not there, "
            "and refuses starts: 'onedb fsck', while oned is stopped, corrects this",
            vm->host, (long long)(room.cpu / 100), (long long)(room.cpu % 100),
            (long long)room.memory);
}

/* The datastore or a network may be the cause. */
static void forget_places(struct enactor *enactor, const struct vm_record *vm)
{
    struct world *world = enactor->daemon->world;

    vm_take_datastore(enactor->daemon->store, vm, -1);
    world_promise_addresses(world, vm->id, NULL, 0);
    world_promise(world, vm->id, NULL, 0);
}

void enactor_note_refusal(struct enactor *enactor, const struct vm_record *vm,
                          const struct cloud_reply *reply, int64_t now)
{
    static const char *const whose[] = {
        [CLOUD_NO_VM] = "",
        [CLOUD_NO_STATE] = "",
        [CLOUD_NO_OWNER] = " (a quota, a lock, a network or a deleted owner)",
        [CLOUD_NO_HOST] = " on this host",
        [CLOUD_NO_PERMISSION] = " (not the VM's fault)",
        [CLOUD_NO_CREDENTIALS] = " (not the VM's fault)",
        [CLOUD_NO_SERVICE] = " (not the VM's fault)",
        [CLOUD_NO_RECORD] = " (its history in OpenNebula's database may be damaged)",
    };
    struct store *store = enactor->daemon->store;
    char quote[STORE_TEXT_MAX];
    const struct lease_record *lease = store_lease(store, vm->lease);

    /* Some actions begin only after oned's answer, and users also act on VMs: the observed state is
     * outdated. Not counted as a failure unless the refusal persists. */
    if (reply->refusal == CLOUD_NO_STATE && vm->too_late < TOO_LATE_MOST) {
        log_info_of(vm->lease, vm->id, "VM %d of lease %lld has changed state: %s", vm->id,
                    (long long)vm->lease, reply->message);
        vm_command_too_late(store, vm, now + 1);
        return;
    }
    if (vm->command == COMMAND_DEPLOY)
        forget_places(enactor, vm);
    snprintf(quote, sizeof quote, "%s%s: %.*s", command_words[vm->command], whose[reply->refusal],
             quoted_length(reply->message), reply->message);
    note(enactor, vm, &(struct reason){.id = REASON_COMMAND_REFUSED, .n = {vm->id}, .text = quote},
         count_refusal(enactor, vm, reply->refusal, now), now);
    if (vm->goal == GOAL_END && vm->attempts + vm->refusals == 1)
        daemon_replan(enactor->daemon, "VM %d is not leaving host %d", vm->id, vm->host);
    if (abandon_if_out_of_attempts(enactor, vm, now) || reply->refusal != CLOUD_NO_HOST)
        return;
    note_wrong_count(enactor, vm);
    vm_avoid_host(store, vm, vm->host, now + AVOID_AFTER_REFUSAL);
    if (lease && lease->phase == PHASE_STARTING)
        daemon_replan(enactor->daemon, "VM %d was refused on host %d", vm->id, vm->host);
}
