/* Leases as JSON text. */
#include "daemon/control/lease_json.h"

#include <math.h>
#include <stdlib.h>

#include "core/reason_details.h"
#include "daemon/control/json_values.h"
#include "daemon/store/words.h"
#include "util/memory.h"
#include "util/search.h"

/* --- a lease ---------------------------------------------------------------------------------- */

static void put_owner(struct json_writer *writer, const struct lease_record *lease)
{
    json_put_string(writer, "user", lease->user);
    json_put_string(writer, "user_group", lease->user_group);
    json_put_integer(writer, "uid", lease->uid);
    json_put_integer(writer, "gid", lease->gid);
}

static void put_size(struct json_writer *writer, const struct lease_record *lease,
                     const struct vm_record *const *vms, size_t n)
{
    if (vms) {
        int64_t count = 0, cpu = 0, memory = 0;

        for (size_t i = 0; i < n; i++) {
            if (vms[i]->gone && lease->phase < PHASE_ENDING) /* terminated by its user */
                continue;
            count++;
            cpu += vms[i]->cpu;
            memory += vms[i]->memory;
        }
        json_put_integer(writer, "vms", count);
        json_put_hundredths(writer, "cpu", cpu);
        json_put_integer(writer, "memory", memory);
    } else {
        json_put_null(writer, "vms");
        json_put_null(writer, "cpu");
        json_put_null(writer, "memory");
    }
    if (*lease->group)
        json_put_string(writer, "group", lease->group);
    else
        json_put_null(writer, "group");
    if (lease->group_size)
        json_put_integer(writer, "group_size", lease->group_size);
    else
        json_put_null(writer, "group_size");
}

/* An expected start in the past is not shown; if the lease has not started, it is shown as the
 * previous expectation. */
static void put_expectation(struct json_writer *writer, const struct lease_record *lease,
                            int64_t now)
{
    bool open = lease->phase == PHASE_GATHERING || lease->phase == PHASE_WAITING ||
                lease->phase == PHASE_RESERVED;
    int64_t start = lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION
                        ? lease->start
                        : lease->expected;
    bool passed = start < now; /* INSTANT_NONE as well */
    int64_t expected = passed ? INSTANT_NONE : start;
    int64_t was = passed && open ? start : INSTANT_NONE;

    json_put_instant(writer, "expected", expected);
    json_put_instant(writer, "was_expected", was);
    if (expected == INSTANT_NONE && was == INSTANT_NONE)
        json_put_null(writer, "promise");
    else
        json_put_string(writer, "promise", lease->contract ? "contract" : "estimate");
}

static void put_progress(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    int64_t run = store_has_run(lease, now), left = lease->duration;

    if (left != SPAN_UNLIMITED) {
        /* A reservation ends at its time, even if it started early or late. */
        left -= lease->kind == LEASE_RESERVATION ? instant_later(now, lease->start) - lease->start
                                                 : run;
        left = left > 0 ? left : 0;
    }
    json_put_integer(writer, "run", run);
    json_put_span(writer, "left", left);
}

static void put_times(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    json_put_instant(writer, "submitted", lease->submit);
    json_put_instant(writer, "start", lease->start);
    json_put_instant(writer, "earliest", lease->earliest);
    json_put_instant(writer, "deadline", lease->deadline);
    json_put_span(writer, "duration", lease->duration);
    json_put_instant(writer, "since", lease->since);
    json_put_instant(writer, "end", lease->end);
    put_expectation(writer, lease, now);
}

static void put_term(struct json_writer *writer, const struct lease_term *term,
                     const struct term_values *values)
{
    char text[TERM_TEXT_MAX];

    if (term->type == TERM_FLAG) {
        json_put_bool(writer, term->name, term_number(term, values) != 0);
    } else if (term->type == TERM_NUMBER) {
        json_write_key(writer, term->name);
        json_write_raw(writer);
        output_text(writer->out, term_write(term, values, text));
    } else {
        json_put_string(writer, term->name, term_word(term, values));
    }
}

static void put_terms(struct json_writer *writer, const struct lease_record *lease)
{
    json_put_bool(writer, "plain", lease->plain);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        put_term(writer, &lease_terms[i], &lease->term_values);
    json_put_bool(writer, "accepted", lease->accepted && lease->phase != PHASE_REFUSED);
    json_put_bool(writer, "late", lease->late);
    json_put_instant(writer, "unused_until",
                     lease->phase == PHASE_RUNNING ? lease->unused_until : INSTANT_NONE);
}

/* Writes the lease's activity as a sentence, why it waits, and the lease for which it leaves its
 * hosts. */
static void put_activity(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    int64_t suspended_at = store_suspended_at(lease);
    bool preempted =
        store_is_preempted(lease) && lease->phase < PHASE_ENDED && suspended_at == INSTANT_NONE;
    char text[STORE_ACTIVITY_MAX];

    store_activity(lease, now, text, sizeof text);
    json_put_string(writer, "activity", text);
    if (lease->phase == PHASE_WAITING) {
        store_wait(lease, now, text, sizeof text);
        json_put_string(writer, "why", text);
    }
    if (preempted)
        json_put_integer(writer, "preempted_for", lease->preempted_for);
    else
        json_put_null(writer, "preempted_for");
    json_put_instant(writer, "preempted_at", preempted ? store_leaves_at(lease) : suspended_at);
}

static void put_details(struct json_writer *writer, const char *text)
{
    char name[DETAIL_NAME_MAX];
    struct detail detail;

    json_open_array(writer, "details");
    while (details_next(&text, &detail, name)) {
        json_begin_object(writer);
        json_put_string(writer, "word", detail_words[detail.id]);
        json_put_integers(writer, "numbers", detail.n, details_numbers(detail.id));
        json_put_string(writer, "name", name);
        json_end_object(writer);
    }
    json_end_array(writer);
}

void json_put_reason(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    char text[STORE_SENTENCE_MAX];
    struct told_reason cause;

    if (lease->reason_id == REASON_NONE && !*lease->reason_word && !*lease->reason) {
        json_put_null(writer, "reason");
        return;
    }
    json_open_object(writer, "reason");
    json_put_string(writer, "word", lease->reason_word);
    json_put_string(writer, "id", reason_name(lease->reason_id));
    json_put_integers(writer, "numbers", lease->reason_n, REASON_NUMBERS);
    put_details(writer, lease->reason);
    store_reason_text(lease, false, now, text, sizeof text);
    json_put_string(writer, "text", text);
    json_put_instant(writer, "retry", lease->retry > now ? lease->retry : INSTANT_NONE);
    if (store_cause(lease, &cause)) {
        json_open_object(writer, "cause");
        json_put_string(writer, "id", reason_name(cause.id));
        json_put_integers(writer, "numbers", cause.n, REASON_NUMBERS);
        put_details(writer, cause.text);
        json_end_object(writer);
    } else {
        json_put_null(writer, "cause");
    }
    json_end_object(writer);
}

enum { FEW_VMS = 64 };

/* The VM's host: current, last or planned; -1: none. The host of a plan that was given up, or that
 * has no place for the reservation, does not count. */
static int32_t host_of(const struct lease_record *lease, const struct vm_record *vm)
{
    bool is_planned =
        (lease->phase < PHASE_PARKED && !lease->at_risk) || lease->phase == PHASE_FAILED;

    return is_planned || vm->ran || vm->ran_for > 0 || *vm->stays ? vm->host : -1;
}

bool json_lease_uses(const struct shown_lease *view, int64_t host)
{
    for (size_t i = 0; view->vms && i < view->n_vms; i++)
        if (host_of(view->lease, view->vms[i]) == host)
            return true;
    return false;
}

/* Writes the hosts of the lease's VMs, each once. */
static void put_hosts(struct json_writer *writer, const struct shown_lease *view)
{
    const struct vm_record *const *vms = view->vms;
    size_t n = vms ? view->n_vms : 0;
    int32_t few[FEW_VMS], *hosts = n > FEW_VMS ? memory_new(n, sizeof *hosts) : few;
    size_t n_hosts = 0;

    for (size_t i = 0; i < n; i++)
        if ((hosts[n_hosts] = host_of(view->lease, vms[i])) >= 0)
            n_hosts++;
    qsort(hosts, n_hosts, sizeof *hosts, search_by_id);
    json_open_array(writer, "hosts");
    for (size_t i = 0; i < n_hosts; i++)
        if (i == 0 || hosts[i] != hosts[i - 1])
            json_write_integer(writer, hosts[i]);
    json_end_array(writer);
    if (hosts != few)
        free(hosts);
}

/* Writes usage in CPU-hours. */
static void put_share(struct json_writer *writer, const struct share_view *share)
{
    enum { CPU_HOUR = 3600 };

    json_put_hundredths(writer, "used", llround(share->used / CPU_HOUR));
    json_put_integer(writer, "shares", share->shares);
    if (!share->group_shares)
        return;
    json_put_hundredths(writer, "group_used", llround(share->group_used / CPU_HOUR));
    json_put_integer(writer, "group_shares", share->group_shares);
}

void json_write_lease(struct json_writer *writer, const struct shown_lease *view, int64_t now)
{
    json_begin_lease(writer, view, now);
    json_end_object(writer);
}

void json_begin_lease(struct json_writer *writer, const struct shown_lease *view, int64_t now)
{
    const struct lease_record *lease = view->lease;

    json_begin_object(writer);
    json_put_integer(writer, "lease", lease->id);
    json_put_string(writer, "name", lease->name);
    json_put_string(writer, "kind", lease_kind_words[lease->kind]);
    json_put_string(writer, "phase", phase_name(lease->phase));
    put_owner(writer, lease);
    put_size(writer, lease, view->vms, view->n_vms);
    put_hosts(writer, view);
    json_put_stays(writer, view);
    put_times(writer, lease, now);
    if (!view->lasting)
        put_progress(writer, lease, now);
    json_put_instant(writer, "began", view->began);
    put_terms(writer, lease);
    put_activity(writer, lease, now);
    json_put_reason(writer, lease, now);
    if (view->position)
        json_put_integer(writer, "position", (int64_t)view->position);
    if (view->share)
        put_share(writer, view->share);
}

static const char *promise_word(const struct vm_record *vm)
{
    static const char *const words[] = {
        [PROMISE_INTACT] = "written",        [PROMISE_DAMAGED] = "damaged",
        [PROMISE_REPAIRED] = "repaired",     [PROMISE_OF_OTHERS] = "unreadable",
        [PROMISE_UNANSWERED] = "unanswered",
    };

    return vm->promise_digest || vm->promise_state != PROMISE_INTACT ? words[vm->promise_state]
                                                                     : "none";
}

void json_write_vm(struct json_writer *writer, const struct lease_record *lease,
                   const struct vm_record *vm)
{
    json_begin_object(writer);
    json_put_integer(writer, "vm", vm->id);
    json_put_string(writer, "goal", store_goal_words[vm->goal]);
    json_put_id(writer, "host", host_of(lease, vm));
    json_put_hundredths(writer, "cpu", vm->cpu);
    json_put_integer(writer, "memory", vm->memory);
    json_put_bool(writer, "ran", vm->ran);
    json_put_bool(writer, "gone", vm->gone);
    json_put_string(writer, "command", vm->command ? command_words[vm->command] : NULL);
    json_put_instant(writer, "sent", vm->sent);
    json_put_integer(writer, "attempts", vm->attempts);
    json_put_instant(writer, "next_try", vm->next_try);
    json_put_string(writer, "message", *vm->message ? vm->message : NULL);
    json_put_string(writer, "promise", promise_word(vm));
    json_end_object(writer);
}
