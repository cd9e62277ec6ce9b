/* Users change a lease by changing the attribute of its VM: the differences from the previous
 * attribute are checked like `galerna lease change`. The planner tries one change at a time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/control/json_term.h"
#include "daemon/live/intake.h"
#include "daemon/services/services_question.h"
#include "daemon/state/lease_state.h"
#include "daemon/state/vm_state.h"

/* --- reading attributes ----------------------------------------------------------------------- */

static int64_t start_of(const struct lease_spec *spec)
{
    return spec->kind == LEASE_RESERVATION ? spec->start : spec->earliest;
}

static json_t *json_from_spec(const struct lease_spec *spec)
{
    json_t *document = json_object();

    json_object_set_new(document, "kind", json_string(lease_kind_words[spec->kind]));
    json_object_set_new(document, "duration", json_integer(spec->duration));
    json_object_set_new(document, "start", json_integer(start_of(spec)));
    json_object_set_new(document, "deadline", json_integer(spec->deadline));
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (spec->given >> i & 1)
            json_object_set_new(document, lease_terms[i].name,
                                json_from_term(&lease_terms[i], &spec->term_values));
    return document;
}

static bool differs(const json_t *before, const json_t *now, const char *field)
{
    return !json_equal(json_object_get(before, field), json_object_get(now, field));
}

/* A lease whose earliest start was removed may start at once. */
static void want_start(const struct lease_record *lease, const struct lease_spec *spec, int64_t now,
                       struct lease_change *change)
{
    int64_t wanted = start_of(spec);
    int64_t is = lease->kind == LEASE_RESERVATION ? lease->start : lease->earliest;

    if (wanted == INSTANT_NONE)
        change->start = is > now && spec->kind == lease->kind ? now + 1 : INSTANT_NONE;
    else if (wanted != is || spec->kind != lease->kind)
        change->start = wanted;
}

/* The contents of an attribute now and before. */
struct reading {
    struct lease_spec spec; /* times by this machine's clock */
    json_t *document;       /* the same, by the clock at the VM's creation: constant when the
                               clock is set */
    char *text;             /* of the document */
    json_t *before;         /* the document as last seen */
};

/* Finds what has changed in the attribute since it was last read and differs from the lease. False:
 * nothing. */
static bool want(const struct lease_record *lease, const struct reading *reading, int64_t now,
                 struct lease_change *change)
{
    const struct lease_spec *spec = &reading->spec;
    const json_t *before = reading->before, *document = reading->document;

    *change = (struct lease_change){
        .duration = SPAN_NONE, .start = INSTANT_NONE, .deadline = INSTANT_NONE};
    if (differs(before, document, "kind") && spec->kind != lease->kind) {
        change->changes_kind = true;
        change->kind = spec->kind;
    }
    if (differs(before, document, "duration") && spec->duration != lease->duration)
        change->duration = spec->duration;
    if (differs(before, document, "start"))
        want_start(lease, spec, now, change);
    if (differs(before, document, "deadline") && spec->deadline != lease->deadline)
        change->deadline = spec->deadline;
    change->term_values = spec->term_values;
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (spec->given >> i & 1 && differs(before, document, lease_terms[i].name) &&
            !term_is_same(&lease_terms[i], &spec->term_values, &lease->term_values))
            change->given |= 1U << i;
    return change->changes_kind || change->duration != SPAN_NONE || change->start != INSTANT_NONE ||
           change->deadline != INSTANT_NONE || change->given;
}

/* --- the verdict ------------------------------------------------------------------------------ */

static void refuse(struct daemon *daemon, const struct lease_record *lease,
                   const struct told_refusal *refusal, int64_t now)
{
    char line[STORE_TEXT_MAX], text[STORE_SENTENCE_MAX];

    store_pack_refusal(refusal, line);
    if (strcmp(lease->change_refused, line) == 0)
        return;
    lease_note_change_refused(daemon->store, lease, line);
    store_refusal_text(line, text, sizeof text);
    store_history(daemon->store, lease->id, now, "change-refused", "%s", text);
    daemon_wake(daemon);
}

static void refuse_for_error(struct daemon *daemon, const struct lease_record *lease,
                             const char *error, int64_t now)
{
    struct told_refusal refusal = {.start = INSTANT_NONE, .duration = SPAN_NONE};

    store_tell_reason(&refusal.reason, &(struct reason){.id = REASON_TEXT, .text = error});
    refuse(daemon, lease, &refusal, now);
}

static void refuse_with_alternative(struct daemon *daemon, const struct lease_record *lease,
                                    const struct lease_trial *trial, int64_t now)
{
    const struct lease_record *other =
        trial->in_the_way < 0 ? NULL : store_lease(daemon->store, trial->in_the_way);
    struct told_refusal refusal = {trial->reason, trial->start, trial->duration};
    struct reason reason = {.id = REASON_TEXT, .text = trial->text};

    if (other)
        reason = planner_unplaced_reason(other);
    if (other || refusal.reason.id == REASON_NONE)
        store_tell_reason(&refusal.reason, &reason);
    refuse(daemon, lease, &refusal, now);
}

/* Did the planner or the store fail, or is it busy? All other errors are reported to the owner. */
static bool is_temporary(const struct error *err)
{
    return err->code == EAGAIN || err->code == EIO;
}

/* Has the planner try the change in daemon->question, or handles its answer. */
static void judge(struct daemon *daemon)
{
    const struct services_question *question = daemon->question;
    const struct vm_record *vm = store_vm(daemon->store, question->vm);
    const struct lease_record *lease = vm ? store_lease(daemon->store, vm->lease) : NULL;
    struct lease_trial trial = {0};
    struct error err = {0};
    char who[STORE_NAME_MAX + 64];
    int result;

    daemon->attribute_asked = false;
    if (!lease || !lease_can(lease, EVENT_CHANGED))
        return;
    snprintf(who, sizeof who, "%.60s (attribute of VM %d)", lease->user, vm->id);
    result = services_change(
        daemon, &(struct change_order){.lease = lease->id, .change = &question->wanted, .who = who},
        &trial, &err);
    if (result < 0 && err.code == EINPROGRESS) {
        daemon->attribute_asked = true;
        return;
    }
    if (result < 0 && is_temporary(&err))
        return; /* the change is tried again after the next poll */
    vm_has_asked(daemon->store, vm, question->asked);
    if (result < 0)
        refuse_for_error(daemon, lease, err.text, clock_now());
    else if (!trial.accepted)
        refuse_with_alternative(daemon, lease, &trial, clock_now());
}

/* --- the VMs ---------------------------------------------------------------------------------- */

static void ask(struct daemon *daemon, const struct vm_record *vm,
                const struct lease_change *change, const char *asked)
{
    struct services_question question = {
        .daemon = daemon, .again = judge, .vm = vm->id, .wanted = *change};

    snprintf(question.asked, sizeof question.asked, "%s", asked);
    daemon->question = &question;
    judge(daemon);
    daemon->question = NULL;
}

/* Handles an attribute that has changed. */
static void see_change(struct daemon *daemon, const struct vm_record *vm,
                       const struct lease_record *lease, struct reading *reading, int64_t now)
{
    const struct vm *full = world_vm(daemon->world, vm->id)->full;
    char reason[LEASE_SPEC_TEXT_MAX];
    struct lease_change change;

    if (intake_read(daemon, full, clocks_ahead_at(daemon, full->stime), &reading->spec, reason) < 0)
        return;
    reading->before = json_loads(vm->asked, 0, NULL);
    if (want(lease, reading, now, &change)) {
        ask(daemon, vm, &change, reading->text);
    } else {
        vm_has_asked(daemon->store, vm, reading->text);
        lease_note_change_refused(daemon->store, lease, "");
    }
    json_decref(reading->before);
}

static void see_attribute(struct daemon *daemon, const struct vm_record *vm,
                          const struct lease_record *lease, const struct vm *full, int64_t now)
{
    char reason[LEASE_SPEC_TEXT_MAX];
    struct reading reading;

    if (intake_read(daemon, full, 0, &reading.spec, reason) < 0) {
        if (*vm->asked)
            refuse_for_error(daemon, lease, reason, now);
        return;
    }
    if (!reading.spec.present)
        return;
    reading.document = json_from_spec(&reading.spec);
    reading.text = json_dumps(reading.document, JSON_COMPACT | JSON_SORT_KEYS);
    if (!*vm->asked && strlen(reading.text) < STORE_ASKED_MAX)
        vm_has_asked(daemon->store, vm, reading.text);
    else if (strcmp(vm->asked, reading.text) != 0 && strlen(reading.text) < STORE_ASKED_MAX)
        see_change(daemon, vm, lease, &reading, now);
    free(reading.text);
    json_decref(reading.document);
}

void services_attributes(struct daemon *daemon, int64_t now)
{
    size_t n;
    const int32_t *forms = world_forms(daemon->world, &n);

    for (size_t i = 0; i < n && !daemon->attribute_asked; i++) {
        const struct vm_record *vm = store_vm(daemon->store, forms[i]);
        const struct lease_record *lease = vm ? store_lease(daemon->store, vm->lease) : NULL;

        if (!lease || vm->gone || lease->plain)
            continue;
        if (!*vm->asked || (lease->accepted && lease_can(lease, EVENT_CHANGED)))
            see_attribute(daemon, vm, lease, world_vm(daemon->world, vm->id)->full, now);
    }
}
