/* Builds the sentence for the reason of a lease from an id and numbers, when it is shown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/printable.h"
#include "util/time_text.h"
#include "util/words.h"

void lease_time_text(int64_t instant, char *text, size_t size)
{
    if (instant == INSTANT_NONE)
        snprintf(text, size, "an unknown time");
    else
        time_text_local(instant, text, size);
}

void store_tell_reason(struct told_reason *told, const struct reason *reason)
{
    *told = (struct told_reason){.id = reason->id};
    memcpy(told->n, reason->n, sizeof reason->n);
    snprintf(told->word, sizeof told->word, "%s", reason_word(reason));
    snprintf(told->text, sizeof told->text, "%s", reason->text ? reason->text : "");
}

static void pack(const struct told_reason *told, char *line, size_t size)
{
    size_t length = append_text(line, size, 0, "%s", reason_name(told->id));

    for (size_t i = 0; i < REASON_NUMBERS; i++)
        length = append_text(line, size, length, " %" PRId64, told->n[i]);
    append_text(line, size, length, " %s", told->text);
}

static struct told_reason told_of(const struct lease_record *lease)
{
    struct told_reason told = {.id = lease->reason_id};

    memcpy(told.n, lease->reason_n, sizeof told.n);
    snprintf(told.text, sizeof told.text, "%s", lease->reason);
    return told;
}

void store_pack_reason(const struct lease_record *lease, char line[STORE_TEXT_MAX])
{
    const struct told_reason told = told_of(lease);

    pack(&told, line, STORE_TEXT_MAX);
}

/* False: the line is not a packed reason; it may be the sentence of an older galernad. */
static bool unpack(const char *line, struct told_reason *told)
{
    size_t length = strcspn(line, " ");
    int id;

    *told = (struct told_reason){.id = REASON_NONE};
    snprintf(told->word, sizeof told->word, "%.*s", (int)length, line);
    id = words_find(reason_names, REASONS, told->word);
    line += length;
    for (size_t i = 0; i < REASON_NUMBERS; i++) {
        char *end;

        told->n[i] = strtoll(line, &end, 10);
        if (end == line || *end != ' ')
            return false;
        line = end;
    }
    if (id <= REASON_NONE)
        return false;
    told->id = (enum reason_id)id;
    snprintf(told->text, sizeof told->text, "%s", line + 1);
    return true;
}

static bool has_cause(enum reason_id id)
{
    return id == REASON_MISSED || id == REASON_GIVEN_UP;
}

bool store_cause(const struct lease_record *lease, struct told_reason *cause)
{
    return has_cause(lease->reason_id) && unpack(lease->reason, cause);
}

void store_told_text(const struct told_reason *told, bool body, char *text, size_t size)
{
    struct reason reason = {.id = told->id, .text = told->text};
    const int64_t *vm = &told->n[4];
    struct told_reason cause;
    char why[STORE_SENTENCE_MAX];
    size_t vms = told->id == REASON_HOSTS_TOO_SMALL ? 2 : 0; /* the place of their number */
    size_t length;

    if (told->id == REASON_NONE) {
        snprintf(text, size, "%s", told->text);
        return;
    }
    memcpy(reason.n, told->n, sizeof reason.n);
    if (has_cause(told->id) && unpack(told->text, &cause)) {
        store_told_text(&cause, true, why, sizeof why);
        reason.text = why;
    }
    length = (body ? reason_format_body : reason_format)(&reason, text, size, lease_time_text);
    if (vm[0] > 0 && length < size)
        snprintf(text + length, size - length, " (%lld.%02lld CPU and %lld MB%s)",
                 (long long)(vm[0] / 100), (long long)(vm[0] % 100), (long long)vm[1],
                 reason.n[vms] == 1 ? "" : " each");
    mark_cut(text, size);
}

/* --- refused changes: start, duration, reason ------------------------------------------------- */

void store_pack_refusal(const struct told_refusal *refusal, char line[STORE_TEXT_MAX])
{
    size_t length = (size_t)snprintf(line, STORE_TEXT_MAX, "%" PRId64 " %" PRId64 " ",
                                     refusal->start, refusal->duration);

    pack(&refusal->reason, line + length, STORE_TEXT_MAX - length);
}

void store_refusal_text(const char *line, char *text, size_t size)
{
    char *duration, *reason, nearest[TIME_TEXT_MAX];
    struct told_refusal refusal;
    size_t length;

    refusal.start = strtoll(line, &duration, 10);
    refusal.duration = strtoll(duration, &reason, 10);
    if (*reason != ' ' || !unpack(reason + 1, &refusal.reason)) {
        snprintf(text, size, "%s", line);
        return;
    }
    store_told_text(&refusal.reason, true, text, size);
    length = strlen(text);
    if (refusal.start != INSTANT_NONE && length < size) {
        lease_time_text(refusal.start, nearest, sizeof nearest);
        snprintf(text + length, size - length, "; next possible start: %s", nearest);
    } else if (refusal.duration != SPAN_NONE && length < size) {
        time_text_exact(refusal.duration, nearest, sizeof nearest);
        snprintf(text + length, size - length, "; longest possible duration: %s", nearest);
    }
}

/* --- sentences -------------------------------------------------------------------------------- */

void store_reason_sentence(const struct lease_record *lease, bool body, char *text, size_t size)
{
    struct told_reason told = told_of(lease);

    if (told.id == REASON_PLANNED && lease->expected != INSTANT_NONE)
        told.n[0] = lease->expected; /* rounded, and stable across small changes */
    /* An accepted lease is not "refused", whatever blocks it at present. */
    body = body || (reason_lead(told.id) == LEAD_REFUSED && lease->phase != PHASE_REFUSED);
    store_told_text(&told, body, text, size);
}

void store_reason_text(const struct lease_record *lease, bool body, int64_t now, char *text,
                       size_t size)
{
    char when[64];
    size_t length;

    store_reason_sentence(lease, body, text, size);
    length = strlen(text);
    if (lease->retry == INSTANT_NONE || lease->retry <= now || length >= size)
        return;
    lease_time_text(lease->retry, when, sizeof when);
    snprintf(text + length, size - length, "; it is tried again at %s", when);
    mark_cut(text, size);
}
