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
#include "util/printable.h"
#include "util/time_text.h"

enum {
    AT_ONCE = 20,           /* calls in progress */
    ESTIMATE_INTERVAL = 30, /* seconds between messages of a waiting VM with the same reason */
    REWRITE_INTERVAL = 2,   /* seconds between any two messages of a VM */
};

struct sent_message {
    struct messages *messages; /* NULL: not under way */
    int32_t vm;
    char text[STORE_TEXT_MAX];
};

struct messages {
    struct daemon *daemon;
    struct sent_message sent[AT_ONCE];
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

/* A running VM keeps its notice until there is a new message, across restarts as well. */
static bool keeps_notice(const struct vm_record *vm, const struct lease_record *lease,
                         const char *text)
{
    return !*text && lease->phase == PHASE_RUNNING &&
           strncmp(vm->message, STORE_RANK_IGNORED, strlen(STORE_RANK_IGNORED)) == 0;
}

static bool is_time(int64_t instant)
{
    return instant != INSTANT_NONE && instant != INSTANT_NEVER;
}

/* The lease does what its owner expects: no message. */
static bool goes_as_expected(const struct lease_record *lease)
{
    switch (lease->phase) {
    case PHASE_STARTING:
        return !lease->late &&
               (!lease->reason_word[0] || strcmp(lease->reason_word, "planned") == 0);
    case PHASE_RUNNING:
        return !lease->late && !lease->warned && !store_is_preempted(lease) &&
               lease->reason_id != REASON_UNKNOWN;
    case PHASE_PARKED:
    case PHASE_ENDING:
    case PHASE_ENDED:
        return true;
    default:
        return false;
    }
}

void message_of(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    if (!goes_as_expected(lease))
        store_activity(lease, now, text, size);
    else
        snprintf(text, size, "%s",
                 lease->rank_ignored && lease->phase <= PHASE_RUNNING ? STORE_RANK_IGNORED : "");
}

static void answered(void *context, const struct cloud_reply *reply)
{
    struct sent_message *sent = context;
    const struct vm_record *vm = store_vm(sent->messages->daemon->store, sent->vm);

    crash_point("message answered");
    if (vm && reply->outcome == CLOUD_DONE && strcmp(vm->message, sent->text) != 0) {
        vm_has_message(sent->messages->daemon->store, vm, sent->text);
    } else if (reply->outcome != CLOUD_DONE) {
        log_debug("VM %d: its message could not be written: %s", sent->vm, reply->message);
    }
    if (vm)
        vm_note_message_answered(sent->messages->daemon->store, vm, clock_monotonic());
    sent->messages = NULL;
}

/* In a template a quote or backslash would end the text, and oned writes it verbatim between
 * <![CDATA[ and ]]>: a reason may quote user input, which must not end that either. */
static void quote(const char *text, char *quoted, size_t size)
{
    size_t n = 0;

    for (; *text && n + 2 < size; text++) {
        bool ends = *text == '>' && n > 0 && quoted[n - 1] == ']';

        quoted[n++] = *text == '"' || *text == '\\' || ends ? '\'' : *text;
    }
    quoted[n] = '\0';
    mask_controls(quoted, '\'');
}

static struct sent_message *free_slot(struct messages *messages)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (!messages->sent[i].messages)
            return &messages->sent[i];
    return NULL;
}

static void send_message(struct messages *messages, struct sent_message *sent,
                         const struct vm_record *vm, const struct lease_record *lease,
                         const char *text)
{
    sent->messages = messages;
    sent->vm = vm->id;
    snprintf(sent->text, sizeof sent->text, "%s", text);
    vm_note_message_sent(messages->daemon->store, vm, lease, clock_now());
    crash_point("before a message");
    cloud_message(messages->daemon->cloud, vm->id, sent->text, answered, sent);
    crash_point("after a message");
}

/* The message shown differs in numbers and times only: not worth a call each time. */
static bool differs_in_numbers(const struct vm_record *vm, const struct lease_record *lease)
{
    return lease->phase == PHASE_WAITING && lease->reason_id != REASON_NONE &&
           vm->message_reason == lease->reason_id &&
           (vm->message_expected == lease->expected ||
            (is_time(vm->message_expected) && is_time(lease->expected)));
}

/* oned 7.x writes the attribute as well: OpenNebula's value counts, not the last one written. */
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
    /* The start announced in the message has passed. */
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
        struct sent_message *sent;

        if (vms[i]->gone || !lease)
            continue;
        message_of(lease, now, text, sizeof text);
        quote(text, quoted, sizeof quoted);
        if (!is_due(vms[i], lease, quoted, now) || keeps_notice(vms[i], lease, quoted))
            continue;
        sent = free_slot(messages);
        if (!sent)
            left++;
        else if (!daemon->live->dry_run)
            send_message(messages, sent, vms[i], lease, quoted);
    }
    return left;
}
