/* Writes SCHED_MESSAGE and promises into VMs. */
#include "daemon/live/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/guard.h"
#include "daemon/live/promises.h"
#include "daemon/state/vm_state.h"
#include "daemon/store/awake.h"
#include "daemon/store/words.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/time_text.h"
#include "util/words.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum {
    AT_ONCE = 100,          /* calls in progress or queued */
    ESTIMATE_INTERVAL = 30, /* seconds between messages of a waiting VM with the same reason */
    ROOM_INTERVAL = 10,     /* likewise, between different reasons for lack of room */
    REWRITE_INTERVAL = 2,   /* seconds between two messages of a VM that is not to be suspended */
    LOCKED_INTERVAL = 60,   /* likewise, of a locked VM, whose messages OpenNebula refuses */
    PER_SECOND = 10,        /* messages of all VMs together that differ only in such details */
};

/* A message is sent like a command, once it is proved that no other galernad acts (fence.h): a
 * promise written late by a deposed galernad would replace a later one. */
struct sent_message {
    struct messages *messages; /* NULL: neither prepared nor in flight */
    bool is_sent;
    int32_t vm;
    char text[STORE_TEXT_MAX];
    enum message_kind kind;
    bool has_promise;
    struct promise_due promise;
};

/* The message that a VM should show. */
struct message {
    const struct vm_record *vm;
    const struct lease_record *lease;
    char text[STORE_TEXT_MAX];
    enum message_kind kind;
    bool has_promise; /* the promise is written as well */
    struct promise_due promise;
};

struct messages {
    struct daemon *daemon;
    size_t open; /* prepared, and calls without an answer */
    size_t left; /* messages that must wait for a free slot */
    size_t n_awake;
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

/* The lease runs as its owner expects and needs no message. */
static bool goes_as_expected(const struct lease_record *lease, int64_t now)
{
    if (store_is_leaving(lease) && lease->reason_id != REASON_LEAVES)
        return false;
    switch (lease->phase) {
    case PHASE_STARTING:
        return !lease->late &&
               (!lease->reason_word[0] || strcmp(lease->reason_word, "planned") == 0);
    case PHASE_RUNNING:
        return !lease->late && !lease->warned && !store_is_preempted(lease) &&
               lease->unused_until == INSTANT_NONE && lease->reason_id != REASON_UNKNOWN &&
               lease->reason_id != REASON_RULE_BROKEN;
    case PHASE_ENDING:
    case PHASE_ENDED:
        return lease->reason_id != REASON_MISSED;
    case PHASE_PARKED:
        return !store_stands_past_deadline(lease, now);
    default:
        return false;
    }
}

static bool tells_rank(const struct lease_record *lease, int64_t now)
{
    return goes_as_expected(lease, now) && lease->rank_ignored && lease->phase <= PHASE_RUNNING;
}

static void say_state(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    if (!goes_as_expected(lease, now))
        store_activity(lease, now, text, size);
    else
        snprintf(text, size, "%s", tells_rank(lease, now) ? STORE_RANK_IGNORED : "");
}

/* Appends a sentence to `text`; an empty sentence adds nothing. One that is too long ends after a
 * word, with "..."; no other follows it. */
static void add_sentence(char *text, size_t size, const char *sentence)
{
    static const char mark[] = "...";
    size_t length = strlen(text);
    bool is_cut = length >= strlen(mark) && strcmp(text + length - strlen(mark), mark) == 0;
    const char *between = length == 0 ? "" : is_cut ? " " : ". ";

    if (!*sentence || (is_cut && length > size / 2))
        return;
    snprintf(text + length, size - length, "%s%s", between, sentence);
    mark_cut(text, size);
}

void message_of(const struct lease_record *lease, const struct vm_record *vm, int64_t now,
                char *text, size_t size)
{
    char state[STORE_ACTIVITY_MAX], why[STORE_SENTENCE_MAX], when[TIME_TEXT_MAX];

    *text = '\0';
    if (*lease->change_refused && lease->phase < PHASE_ENDING) {
        store_refusal_text(lease->change_refused, why, sizeof why);
        snprintf(state, sizeof state, "Change refused: %s", why);
        add_sentence(text, size / 2, state);
    }
    say_state(lease, now, state, sizeof state);
    add_sentence(text, size, state);
    if (vm->unlocked)
        add_sentence(text, size, "Galerna unlocked this VM, which its owner had locked");
    if (vm->stuck && !vm->gone) {
        lease_time_text(vm->stuck, when, sizeof when);
        snprintf(state, sizeof state,
                 "OpenNebula has not finished an operation on this VM, at least since %s. If it is "
                 "lost, an administrator can repeat it: onevm recover --retry %d",
                 when, vm->id);
        add_sentence(text, size, state);
    }
}

static void leave_slot(struct sent_message *sent, const struct vm_record *vm)
{
    struct messages *messages = sent->messages;

    if (vm)
        vm_note_message_answered(messages->daemon->store, vm, clock_monotonic());
    if (vm && vm->gone)
        vm_note_stuck(messages->daemon->store, vm, 0);
    if (--messages->open == 0 && messages->left > 0)
        daemon_wake(messages->daemon);
    sent->messages = NULL;
}

static void promise_failed(struct store *store, const struct vm_record *vm,
                           const struct promise_due *promise, const struct cloud_reply *reply)
{
    if (reply->outcome == CLOUD_UNKNOWN)
        vm_note_promise(store, vm, PROMISE_UNANSWERED);
    else if (reply->outcome == CLOUD_REFUSED && reply->refusal != CLOUD_NO_SERVICE)
        vm_note_promise_refused(store, vm, promise->number);
}

static bool has(const struct vm_record *vm, const char *text, enum message_kind kind)
{
    return strcmp(vm->message, text) == 0 && vm->message_kind == kind;
}

static void answered(void *context, const struct cloud_reply *reply)
{
    struct sent_message *sent = context;
    struct store *store = sent->messages->daemon->store;
    const struct vm_record *vm = store_vm(store, sent->vm);
    bool awaited = vm && promises_precede(sent->messages->daemon, vm);

    crash_point("message answered");
    if (vm && reply->outcome == CLOUD_DONE && !has(vm, sent->text, sent->kind))
        vm_has_message(store, vm, sent->text, sent->kind);
    if (vm)
        vm_note_message_written(store, vm, reply->outcome == CLOUD_DONE);
    if (vm && reply->outcome == CLOUD_DONE) {
        if (sent->has_promise)
            vm_has_promise(store, vm, sent->promise.number, sent->promise.digest);
    } else if (reply->outcome != CLOUD_DONE) {
        log_debug_of(-1, sent->vm, "VM %d: cannot write its message: %s", sent->vm, reply->message);
        if (vm && sent->has_promise)
            promise_failed(store, vm, &sent->promise, reply);
    }
    if (awaited) /* the VM's command may be sent now */
        daemon_answered(sent->messages->daemon);
    leave_slot(sent, vm);
}

/* A quote or backslash would end the text in a template, and oned writes the text verbatim between
 * <![CDATA[ and ]]>: a reason may quote user input, which must not end that section either. */
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

static void prepare_message(struct messages *messages, struct sent_message *sent,
                            const struct message *message)
{
    messages->open++;
    sent->messages = messages;
    sent->is_sent = false;
    sent->vm = message->vm->id;
    snprintf(sent->text, sizeof sent->text, "%s", message->text);
    sent->kind = message->kind;
    sent->has_promise = message->has_promise;
    if (sent->has_promise) {
        sent->promise = message->promise;
        vm_sends_promise(messages->daemon->store, message->vm,
                         promise_stamp(sent->promise.number, sent->promise.digest));
    }
    vm_note_message_sent(messages->daemon->store, message->vm, message->lease, clock_now());
}

static void send_message(struct daemon *daemon, struct sent_message *sent)
{
    const struct vm_record *vm = store_vm(daemon->store, sent->vm);
    const struct cloud_message shown = {
        .text = sent->text,
        .kind = !vm || vm->message_kind == sent->kind ? NULL : store_message_words[sent->kind],
        .promise = sent->has_promise ? sent->promise.text : NULL,
        .send_by = guard_send_by(daemon->guard)};

    sent->is_sent = true;
    crash_point("before a message");
    cloud_message(daemon->cloud, sent->vm, &shown, answered, sent);
    crash_point("after a message");
}

static int64_t paced(const struct messages *messages, int64_t interval)
{
    int64_t all = (int64_t)(messages->n_awake / PER_SECOND);

    return all > interval ? all : interval;
}

/* Seconds until the message is replaced: small differences are not worth a call each time. */
static int64_t good_for(const struct messages *messages, const struct vm_record *vm,
                        const struct lease_record *lease)
{
    bool counts = lease->phase == PHASE_WAITING && lease->reason_id != REASON_NONE;

    if (counts && vm->message_reason == lease->reason_id &&
        (vm->message_expected == lease->expected ||
         (instant_is_set(vm->message_expected) && instant_is_set(lease->expected))))
        return paced(messages, ESTIMATE_INTERVAL); /* numbers and times */
    /* The missing resource changes from plan to plan as other leases come and go. */
    return counts && reason_is_of_room(vm->message_reason) && reason_is_of_room(lease->reason_id)
               ? paced(messages, ROOM_INTERVAL)
               : 0;
}

static const char *shown_message(const struct vm *form)
{
    const char *shown = attributes_find(&form->user_template, "SCHED_MESSAGE");

    return shown ? shown : "";
}

bool messages_differ(const struct vm_record *vm, const struct vm *form)
{
    return vm->promise_digest || attributes_find(&form->user_template, PROMISE_ATTRIBUTE) ||
           strcmp(shown_message(form), vm->message) != 0;
}

static enum message_kind shown_kind(const struct vm *form)
{
    const char *shown = attributes_find(&form->user_template, "GALERNA_MESSAGE");
    int kind = words_find(store_message_words, MESSAGE_KINDS, shown ? shown : "");

    return kind < 0 ? MESSAGE_PASSING : (enum message_kind)kind;
}

/* oned 7.x writes the message as well: OpenNebula's value counts, not the last written one. */
static void see_message(struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);

    if (vm->message_in_flight || !observed || !observed->full ||
        observed->full_asked <= vm->message_settled)
        return;
    promises_see(daemon, vm, observed->full, now);
    if (strcmp(shown_message(observed->full), vm->message) != 0)
        vm_has_message(daemon->store, vm, shown_message(observed->full),
                       shown_kind(observed->full));
}

void messages_see(struct messages *messages, int64_t now)
{
    struct daemon *daemon = messages->daemon;
    size_t n;
    const int32_t *forms = world_forms(daemon->world, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *vm = store_vm(daemon->store, forms[i]);

        if (vm && !vm->gone)
            see_message(daemon, vm, now);
    }
}

static bool may_be_written(const struct daemon *daemon, const struct vm_record *vm, int64_t now)
{
    const struct vm_observation *observed = world_vm(daemon->world, vm->id);
    int64_t interval = observed && observed->locked ? LOCKED_INTERVAL : REWRITE_INTERVAL;

    return !vm->message_in_flight && (now - vm->message_at >= interval || now < vm->message_at ||
                                      promises_precede(daemon, vm));
}

static enum message_kind kind_of(const struct lease_record *lease, int64_t now)
{
    if (lease->phase > PHASE_ENDED)
        return MESSAGE_HELD;
    return tells_rank(lease, now) && !*lease->change_refused ? MESSAGE_RANK : MESSAGE_PASSING;
}

/* A running VM keeps its notice until there is a new message, also across restarts; a VM held
 * before the store was lost keeps the reason. */
static bool keeps_message(const struct vm_record *vm, const struct lease_record *lease)
{
    return (lease->phase == PHASE_PARKED && vm->message_kind == MESSAGE_HELD) ||
           (lease->phase == PHASE_RUNNING && vm->message_kind == MESSAGE_RANK);
}

/* Composes the message. True: the VM shows it. */
static bool shows(const struct daemon *daemon, struct message *message, int64_t now)
{
    const struct vm_record *vm = message->vm;
    char text[sizeof message->text - 1]; /* one byte is left by quote() */

    message_of(message->lease, vm, now, text, sizeof text);
    quote(text, message->text, sizeof message->text);
    message->kind = kind_of(message->lease, now);
    if (!*message->text && keeps_message(vm, message->lease)) {
        snprintf(message->text, sizeof message->text, "%s", vm->message);
        message->kind = vm->message_kind;
    }
    message->has_promise = promises_due(daemon, vm, message->lease, &message->promise);
    return !message->has_promise && has(vm, message->text, message->kind);
}

/* False: the difference is too small for now. */
static bool is_due(const struct messages *messages, const struct message *message, int64_t now)
{
    const struct vm_record *vm = message->vm;

    if (message->has_promise)
        return true;
    /* The start announced in the message has passed. */
    if (instant_is_set(vm->message_expected) && vm->message_expected < now)
        return true;
    return now - vm->message_at >= good_for(messages, vm, message->lease) || now < vm->message_at;
}

/* A VM that is gone needs no message, except that it is no longer stuck. */
static bool is_silent(const struct vm_record *vm)
{
    return vm->gone && !vm->stuck;
}

size_t messages_prepare(struct messages *messages, int64_t now)
{
    struct daemon *daemon = messages->daemon;
    size_t n, prepared = 0;
    const struct vm_record *const *vms = store_awake_vms(daemon->store, &n);

    messages->left = 0;
    messages->n_awake = n;
    if (daemon->live->dry_run)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct message message;
        struct sent_message *slot;
        bool may;

        message.vm = vms[i];
        message.lease = store_lease(daemon->store, vms[i]->lease);
        may = may_be_written(daemon, vms[i], now);
        if (is_silent(vms[i]) || !message.lease || (may && shows(daemon, &message, now)))
            continue;
        store_wake(daemon->store, vms[i]->lease); /* until the VM shows the message */
        if (!may || !is_due(messages, &message, now))
            continue;
        slot = free_slot(messages);
        if (slot) {
            prepare_message(messages, slot, &message);
            prepared++;
        } else {
            messages->left++;
        }
    }
    return prepared;
}

static bool is_prepared(const struct sent_message *message)
{
    return message->messages && !message->is_sent;
}

void messages_send(struct messages *messages)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (is_prepared(&messages->sent[i]))
            send_message(messages->daemon, &messages->sent[i]);
}

void messages_withdraw(struct messages *messages)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (is_prepared(&messages->sent[i]))
            leave_slot(&messages->sent[i], store_vm(messages->daemon->store, messages->sent[i].vm));
}
