#include "daemon/control/answers_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_json.h"
#include "daemon/control/moment.h"
#include "daemon/store/words.h"
#include "util/memory.h"

/* --- values ----------------------------------------------------------------------------------- */

static void put(struct json_writer *writer, const char *bytes, size_t length)
{
    size_t needed = writer->length + length;

    if (needed > writer->allocated)
        writer->bytes = memory_grow(writer->bytes, &writer->allocated, needed, 1);
    if (length)
        memcpy(writer->bytes + writer->length, bytes, length);
    writer->length = needed;
}

static void put_word(struct json_writer *writer, const char *word)
{
    put(writer, word, strlen(word));
}

static void separate(struct json_writer *writer)
{
    char last = writer->length ? writer->bytes[writer->length - 1] : '[';

    if (last != '[' && last != '{')
        put(writer, ",", 1);
}

static void put_key(struct json_writer *writer, const char *key)
{
    separate(writer);
    put(writer, "\"", 1);
    put_word(writer, key);
    put(writer, "\":", 2);
}

static void put_number(struct json_writer *writer, const char *key, int64_t number)
{
    char digits[24];

    put_key(writer, key);
    put(writer, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, number));
}

static void put_null(struct json_writer *writer, const char *key)
{
    put_key(writer, key);
    put(writer, "null", 4);
}

static void put_flag(struct json_writer *writer, const char *key, bool flag)
{
    put_key(writer, key);
    put_word(writer, flag ? "true" : "false");
}

/* A text that needs no escapes. */
static void put_plain(struct json_writer *writer, const char *key, const char *text)
{
    put_key(writer, key);
    put(writer, "\"", 1);
    put_word(writer, text);
    put(writer, "\"", 1);
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

/* A text that others wrote. */
static void put_text(struct json_writer *writer, const char *key, const char *text)
{
    json_t *value;
    char *encoded;

    if (is_plain(text)) {
        put_plain(writer, key, text);
        return;
    }
    value = json_from_text(text);
    encoded = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    if (!encoded)
        abort(); /* for want of memory alone */
    put_key(writer, key);
    put_word(writer, encoded);
    free(encoded);
}

static void put_instant(struct json_writer *writer, const char *key, int64_t instant)
{
    char text[MOMENT_TEXT_MAX];

    if (instant == INSTANT_NONE) {
        put_null(writer, key);
        return;
    }
    moment_format(instant, text);
    put_plain(writer, key, text);
}

static void put_span(struct json_writer *writer, const char *key, int64_t span)
{
    if (span == SPAN_NONE)
        put_null(writer, key);
    else if (span == SPAN_UNLIMITED)
        put_plain(writer, key, "unlimited");
    else
        put_number(writer, key, span);
}

static void put_hundredths(struct json_writer *writer, const char *key, int64_t number)
{
    char digits[32];
    const char *sign = number < 0 ? "-" : "";

    put_key(writer, key);
    put(writer, digits,
        (size_t)snprintf(digits, sizeof digits, "%s%lld.%02lld", sign, llabs(number / 100),
                         llabs(number % 100)));
}

/* --- a lease ---------------------------------------------------------------------------------- */

static void put_owner(struct json_writer *writer, const struct lease_record *lease)
{
    put_text(writer, "user", lease->user);
    put_text(writer, "user_group", lease->user_group);
    put_number(writer, "uid", lease->uid);
    put_number(writer, "gid", lease->gid);
}

static void put_size(struct json_writer *writer, const struct lease_record *lease,
                     const struct vm_record *const *vms, size_t n)
{
    if (vms) {
        int64_t cpu = 0, memory = 0;

        for (size_t i = 0; i < n; i++) {
            cpu += vms[i]->cpu;
            memory += vms[i]->memory;
        }
        put_number(writer, "vms", (int64_t)n);
        put_hundredths(writer, "cpu", cpu);
        put_number(writer, "memory", memory);
    } else {
        put_null(writer, "vms");
        put_null(writer, "cpu");
        put_null(writer, "memory");
    }
    if (*lease->group)
        put_text(writer, "group", lease->group);
    else
        put_null(writer, "group");
    if (lease->group_size)
        put_number(writer, "group_size", lease->group_size);
    else
        put_null(writer, "group_size");
}

static int64_t seconds_run(const struct lease_record *lease, int64_t now)
{
    int64_t run = lease->accumulated;

    if (lease->since != INSTANT_NONE && now > lease->since)
        run += now - lease->since;
    return run;
}

/* A start that has passed is expected no more: of what has not begun, it is told as what it was. */
static void put_expectation(struct json_writer *writer, const struct lease_record *lease,
                            int64_t now)
{
    bool open = lease->phase == PHASE_GATHERING || lease->phase == PHASE_WAITING ||
                lease->phase == PHASE_RESERVED;
    bool passed = lease->expected < now; /* INSTANT_NONE as well */
    int64_t expected = passed ? INSTANT_NONE : lease->expected;
    int64_t was = passed && open ? lease->expected : INSTANT_NONE;

    put_instant(writer, "expected", expected);
    put_instant(writer, "was_expected", was);
    if (expected == INSTANT_NONE && was == INSTANT_NONE)
        put_null(writer, "promise");
    else
        put_plain(writer, "promise", lease->contract ? "contract" : "estimate");
}

static void put_times(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    int64_t run = seconds_run(lease, now), left = lease->duration;

    if (left != SPAN_UNLIMITED)
        left = left > run ? left - run : 0;
    put_instant(writer, "submitted", lease->submit);
    put_instant(writer, "start", lease->start);
    put_instant(writer, "earliest", lease->earliest);
    put_instant(writer, "deadline", lease->deadline);
    put_span(writer, "duration", lease->duration);
    put_instant(writer, "since", lease->since);
    put_instant(writer, "end", lease->end);
    put_number(writer, "run", run);
    put_span(writer, "left", left);
    put_expectation(writer, lease, now);
}

static void put_term(struct json_writer *writer, const struct lease_term *term,
                     const struct term_values *values)
{
    if (term->type == TERM_FLAG)
        put_flag(writer, term->name, term_number(term, values) != 0);
    else if (term->type == TERM_INTEGER)
        put_number(writer, term->name, term_number(term, values));
    else
        put_text(writer, term->name, term_word(term, values));
}

static void put_terms(struct json_writer *writer, const struct lease_record *lease)
{
    put_flag(writer, "plain", lease->plain);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        put_term(writer, &lease_terms[i], &lease->term_values);
    put_flag(writer, "accepted", lease->accepted);
    put_flag(writer, "late", lease->late);
}

static void put_reason(struct json_writer *writer, const struct lease_record *lease, int64_t now)
{
    char text[STORE_SENTENCE_MAX];

    if (!*lease->reason_word && !*lease->reason) {
        put_null(writer, "reason");
        return;
    }
    put_key(writer, "reason");
    put(writer, "{", 1);
    put_text(writer, "word", lease->reason_word);
    store_reason_text(lease, now, text, sizeof text);
    put_text(writer, "text", text);
    put_instant(writer, "retry", lease->retry > now ? lease->retry : INSTANT_NONE);
    put(writer, "}", 1);
}

void json_write_lease(struct json_writer *writer, const struct lease_record *lease,
                      const struct vm_record *const *vms, size_t n_vms, int64_t now,
                      size_t position)
{
    separate(writer);
    put(writer, "{", 1);
    put_number(writer, "lease", lease->id);
    put_text(writer, "name", lease->name);
    put_plain(writer, "kind", store_kind_words[lease->kind]);
    put_plain(writer, "phase", phase_name(lease->phase));
    put_owner(writer, lease);
    put_size(writer, lease, vms, n_vms);
    put_times(writer, lease, now);
    put_terms(writer, lease);
    put_reason(writer, lease, now);
    if (position)
        put_number(writer, "position", (int64_t)position);
    put(writer, "}", 1);
}

json_t *json_writer_answer(struct json_writer *writer, json_t *head, const char *name)
{
    char *text = json_dumps(head, JSON_COMPACT);
    struct json_writer whole = {0};
    json_t *answer;

    if (!text)
        abort();                         /* for want of memory alone */
    put(&whole, text, strlen(text) - 1); /* without the closing bracket */
    put_key(&whole, name);
    put(&whole, "[", 1);
    if (writer->length)
        put(&whole, writer->bytes, writer->length);
    put(&whole, "]}", 2);
    answer = json_stringn_nocheck(whole.bytes, whole.length);
    if (!answer)
        abort();
    json_decref(head);
    free(text);
    free(whole.bytes);
    free(writer->bytes);
    *writer = (struct json_writer){0};
    return answer;
}
