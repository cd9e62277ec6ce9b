#include "daemon/live/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/daemon.h"
#include "daemon/live/clock.h"
#include "daemon/live/vm_state.h"
#include "daemon/log.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/time_text.h"

enum {
    AT_ONCE = 20,           /* calls under way */
    ESTIMATE_INTERVAL = 30, /* seconds between two of a waiting VM that differ in numbers only */
    REWRITE_INTERVAL = 2,   /* seconds between any two to one VM */
};

struct messages {
    struct daemon *daemon;
    size_t in_flight;
};

struct sent_message {
    struct messages *messages;
    int32_t vm;
    char text[STORE_TEXT_MAX];
};

struct messages *messages_create(struct daemon *daemon)
{
    struct messages *messages = memory_new(1, sizeof *messages);

    messages->daemon = daemon;
    return messages;
}

void messages_destroy(struct messages *messages)
{
    free(messages);
}

/* The reason only repeats when it starts. */
static bool is_plan(const struct lease_record *lease)
{
    return !lease->reason_word[0] || strcmp(lease->reason_word, "planned") == 0;
}

/* What it waits for, and when it will probably start. */
static void waiting_message(const struct lease_record *lease, const char *reason, const char *when,
                            char *text, size_t size)
{
    int length = snprintf(text, size, "Waiting%s%s",
                          reason_lead(lease->reason_id) == LEAD_WAITS ? " " : ": ", reason);

    if ((size_t)length >= size)
        return;
    text += length;
    size -= (size_t)length;
    if (when[0])
        snprintf(text, size, ". Expected to start at %s (estimate)", when);
    else if (lease->expected == INSTANT_NEVER)
        snprintf(text, size,
                 ". Start time unknown: the VMs on the hosts it may use have no planned end");
    else if (lease->is_far)
        snprintf(text, size, ". Too far back in the queue to estimate its start");
}

#define RANK_IGNORED "SCHED_RANK cannot be read and is ignored"

/* Beside what else there is to say. */
static void add_notice(const struct lease_record *lease, char *text, size_t size)
{
    size_t length = strlen(text);

    if (lease->rank_ignored && length < size && lease->phase <= PHASE_RUNNING)
        snprintf(text + length, size - length, "%s%s", length ? ". " : "", RANK_IGNORED);
}

/* Of a VM that runs, a notice stays until there is something else to say, over a restart, too. */
static bool keeps_notice(const struct vm_record *vm, const struct lease_record *lease,
                         const char *text)
{
    return !*text && lease->phase == PHASE_RUNNING &&
           strncmp(vm->message, RANK_IGNORED, strlen(RANK_IGNORED)) == 0;
}

/* What was promised, and when it starts; a time that has passed is not announced. */
static void reserved_message(const struct lease_record *lease, const char *why, const char *when,
                             bool passed, char *text, size_t size)
{
    const char *reason = is_plan(lease) ? "" : why;

    if (lease->late)
        snprintf(text, size, "Late: the reservation for %s could not be started: %s", when, why);
    else if (lease->contract)
        snprintf(text, size, "Reserved: %s %s (contract)%s%s",
                 passed ? "was to start at" : "starts at", when, reason[0] ? ". " : "", reason);
    else
        snprintf(text, size, "Accepted: ends by its deadline%s%s",
                 passed || !when[0] ? "" : "; planned to start at ", passed ? "" : when);
}

static bool is_time(int64_t instant)
{
    return instant != INSTANT_NONE && instant != INSTANT_NEVER;
}

static void say_where_it_is(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    char when[64] = "", reason[STORE_SENTENCE_MAX];
    const char *what = lease->kind == LEASE_IMMEDIATE ? "lease" : "reservation";
    int64_t promised = lease->kind == LEASE_IMMEDIATE ? lease->expected : lease->start;
    bool passed = is_time(lease->expected) && lease->expected < now;

    store_reason_text(lease, true, now, reason, sizeof reason);
    text[0] = '\0';
    if (is_time(lease->expected))
        time_text_local(lease->expected, when, sizeof when);
    switch (lease->phase) {
    case PHASE_GATHERING:
        snprintf(text, size, "%s", reason);
        break;
    case PHASE_WAITING:
        waiting_message(lease, reason, passed ? "" : when, text, size);
        break;
    case PHASE_RESERVED:
        reserved_message(lease, reason, when, passed, text, size);
        break;
    case PHASE_STARTING:
        if (!is_plan(lease))
            snprintf(text, size, "Starting: %s", reason);
        else if (lease->late)
            snprintf(text, size, "Late: the %s is starting after its time", what);
        break;
    case PHASE_RUNNING:
        if (strcmp(lease->reason_word, "ends-soon") == 0)
            snprintf(text, size, "%s", reason);
        else if (lease->late && lease->since != INSTANT_NONE && is_time(promised))
            snprintf(text, size, "Late: the %s started %lld s after its time", what,
                     (long long)(lease->since - promised));
        break;
    case PHASE_REFUSED:
        snprintf(text, size, "Refused: %s", reason);
        break;
    case PHASE_FAILED:
        snprintf(text, size, "Failed: %s", reason);
        break;
    default:
        break;
    }
}

void message_of(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    say_where_it_is(lease, now, text, size);
    add_notice(lease, text, size);
}

static void answered(void *context, const struct cloud_reply *reply)
{
    struct sent_message *sent = context;
    const struct vm_record *vm = store_vm(sent->messages->daemon->store, sent->vm);

    sent->messages->in_flight--;
    crash_point("message answered");
    if (vm && reply->outcome == CLOUD_DONE && strcmp(vm->message, sent->text) != 0) {
        vm_has_message(sent->messages->daemon->store, vm, sent->text);
    } else if (reply->outcome != CLOUD_DONE) {
        log_debug("VM %d: its message could not be written: %s", sent->vm, reply->message);
    }
    if (vm)
        vm_note_message_answered(sent->messages->daemon->store, vm, clock_monotonic());
    free(sent);
}

/* In a template a quote or backslash would end the text, and oned puts it between <![CDATA[ and ]]>
 * as it is: what users wrote, of which a reason may quote a part, must not end that either. */
static void quote(const char *text, char *quoted, size_t size)
{
    size_t n = 0;

    for (; *text && n + 2 < size; text++) {
        bool ends = *text == '>' && n > 0 && quoted[n - 1] == ']';

        quoted[n++] =
            *text == '"' || *text == '\\' || (unsigned char)*text < 0x20 || ends ? '\'' : *text;
    }
    quoted[n] = '\0';
}

static void send_message(struct messages *messages, const struct vm_record *vm,
                         const struct lease_record *lease, const char *text)
{
    struct sent_message *sent = memory_new(1, sizeof *sent);

    sent->messages = messages;
    sent->vm = vm->id;
    snprintf(sent->text, sizeof sent->text, "%s", text);
    vm_note_message_sent(messages->daemon->store, vm, lease, clock_now());
    messages->in_flight++;
    crash_point("before a message");
    cloud_message(messages->daemon->cloud, vm->id, sent->text, answered, sent);
    crash_point("after a message");
}

/* What stands there says the same, and only numbers and times differ: not worth a call each time.
 */
static bool differs_in_numbers(const struct vm_record *vm, const struct lease_record *lease)
{
    return lease->phase == PHASE_WAITING && lease->reason_id != REASON_NONE &&
           vm->message_reason == lease->reason_id &&
           is_time(vm->message_expected) == is_time(lease->expected);
}

/* oned of 7.x writes the attribute too: what stands there counts, not what was written last. */
static void see_message(struct daemon *daemon, const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);
    const char *shown;

    if (vm->message_in_flight || !observed || !observed->full ||
        observed->asked <= vm->message_settled)
        return;
    shown = attributes_find(&observed->full->user_template, "SCHED_MESSAGE");
    if (strcmp(shown ? shown : "", vm->message) == 0)
        return;
    vm_has_message(daemon->store, vm, shown ? shown : "");
}

void messages_see(struct messages *messages)
{
    struct daemon *daemon = messages->daemon;
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone)
            see_message(daemon, vms[i]);
}

static bool is_due(const struct vm_record *vm, const struct lease_record *lease, const char *text,
                   int64_t now)
{
    if (vm->message_in_flight || strcmp(vm->message, text) == 0)
        return false;
    if (now - vm->message_at < REWRITE_INTERVAL && now >= vm->message_at)
        return false;
    /* The time that stands there has passed. */
    if (is_time(vm->message_expected) && vm->message_expected < now)
        return true;
    return !differs_in_numbers(vm, lease) || now - vm->message_at >= ESTIMATE_INTERVAL;
}

size_t messages_update(struct messages *messages, int64_t now)
{
    struct daemon *daemon = messages->daemon;
    size_t n, left = 0;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    for (size_t i = 0; i < n; i++) {
        const struct lease_record *lease = store_lease(daemon->store, vms[i]->lease);
        char text[STORE_TEXT_MAX], quoted[STORE_TEXT_MAX];

        if (vms[i]->gone || !lease)
            continue;
        message_of(lease, now, text, sizeof text);
        quote(text, quoted, sizeof quoted);
        if (!is_due(vms[i], lease, quoted, now) || keeps_notice(vms[i], lease, quoted))
            continue;
        if (messages->in_flight >= AT_ONCE) {
            left++;
            continue;
        }
        if (!daemon->live->dry_run)
            send_message(messages, vms[i], lease, quoted);
    }
    return left;
}
