/* Converts a VM's HAIZEA or GALERNA attribute to a lease_spec. */
#include "adapters/opennebula/lease_spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/printable.h"
#include "util/suggest.h"
#include "util/time_parse.h"
#include "util/time_text.h"

enum lease_spec_key {
    KEY_START,
    KEY_DURATION,
    KEY_GROUP,
    KEY_GROUP_SIZE,
    KEY_GROUP_TIMEOUT,
    KEY_DEADLINE,
    KEY_EARLIEST,
    KEY_LATEST,
    KEY_TERM, /* lease_terms[0], followed by the others */
    KEYS = KEY_TERM + LEASE_TERM_COUNT
};

static const char *key_name(enum lease_spec_key key)
{
    static const char *const names[KEY_TERM] = {"START",      "DURATION",      "GROUP",
                                                "GROUP_SIZE", "GROUP_TIMEOUT", "DEADLINE",
                                                "EARLIEST",   "LATEST"};

    return key < KEY_TERM ? names[key] : lease_terms[key - KEY_TERM].attribute;
}

/* The attribute of one VM. */
struct spec_reader {
    const struct vm *vm;
    const char *vector;       /* "HAIZEA" or "GALERNA" */
    const char *values[KEYS]; /* NULL: not given */
    int64_t created;          /* by this machine's clock */
    struct lease_spec *spec;
    char *reason;
};

/* Writes the reason "HAIZEA: ...". */
__attribute__((format(printf, 2, 3))) static int wrong(const struct spec_reader *reader,
                                                       const char *format, ...)
{
    int length = snprintf(reader->reason, LEASE_SPEC_TEXT_MAX, "%s: ", reader->vector);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->reason + length, LEASE_SPEC_TEXT_MAX - (size_t)length, format, arguments);
    va_end(arguments);
    return -1;
}

static int wrong_value(const struct spec_reader *reader, enum lease_spec_key key,
                       const char *expected)
{
    char shown[48];

    return wrong(reader, "%s is '%s': %s", key_name(key),
                 printable(shown, sizeof shown, reader->values[key]), expected);
}

/* --- Finding the attribute --- */

static int unknown_key(const struct spec_reader *reader, const char *key)
{
    struct suggestion suggestion;
    char shown[40];

    printable(shown, sizeof shown, key);
    suggestion_init(&suggestion, shown);
    for (int i = 0; i < KEYS; i++)
        suggestion_offer(&suggestion, key_name((enum lease_spec_key)i));
    return wrong(reader, "unknown attribute '%s'%s", shown, suggestion_text(&suggestion));
}

static int note_value(struct spec_reader *reader, const char *key, const char *value)
{
    for (int i = 0; i < KEYS; i++) {
        if (strcasecmp(key, key_name((enum lease_spec_key)i)))
            continue;
        if (reader->values[i])
            return wrong(reader, "%s is given twice", key_name((enum lease_spec_key)i));
        reader->values[i] = value;
        return 0;
    }
    return unknown_key(reader, key);
}

/* 1: the attributes have the vector, 0: they do not, -1: the vector is wrong. */
static int find_vector(struct spec_reader *reader, const char *vector,
                       const struct attributes *attributes)
{
    size_t length = strlen(vector);
    int found = 0;

    reader->vector = vector;
    for (size_t i = 0; i < attributes->n; i++) {
        const char *name = attributes->items[i].name;

        if (strncasecmp(name, vector, length) || (name[length] && name[length] != '/'))
            continue;
        found = 1;
        if (name[length] == '\0' && attributes->items[i].value[0])
            return wrong(reader, "expected %s=[START=..., DURATION=...], not a single value",
                         vector);
        if (name[length] && note_value(reader, name + length + 1, attributes->items[i].value) < 0)
            return -1;
    }
    return found;
}

static int find(struct spec_reader *reader)
{
    static const char *const vectors[] = {"GALERNA", "HAIZEA"};

    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        int found = find_vector(reader, vectors[i], &reader->vm->user_template);

        if (found == 0)
            found = find_vector(reader, vectors[i], &reader->vm->template);
        if (found && (i ? reader->vm->haizea_twice : reader->vm->galerna_twice))
            return wrong(reader, "given twice, expected one %s=[...] with all attributes",
                         vectors[i]);
        if (found)
            return found;
    }
    return 0;
}

/* --- Values --- */

static bool is_word(const char *value, const char *word)
{
    return !strcasecmp(value, word);
}

static int read_time(const struct spec_reader *reader, enum lease_spec_key key, int64_t *time,
                     bool *relative)
{
    const char *expected;

    if (!reader->values[key])
        return 0;
    *relative = reader->values[key][0] == '+';
    expected = time_parse_instant(reader->values[key], reader->created, time);
    return expected ? wrong_value(reader, key, expected) : 0;
}

static int read_start(const struct spec_reader *reader)
{
    const char *value = reader->values[KEY_START];
    struct lease_spec *spec = reader->spec;

    if (!value || is_word(value, "best_effort") || is_word(value, "best-effort"))
        return 0;
    if (is_word(value, "now")) {
        spec->kind = LEASE_IMMEDIATE;
        return 0;
    }
    if (*value != '+' && (*value < '0' || *value > '9'))
        return wrong_value(reader, KEY_START,
                           "expected now, best_effort, or a time such as +1h30m, 15:04 or "
                           "2026-11-21 15:04");
    spec->kind = LEASE_RESERVATION;
    return read_time(reader, KEY_START, &spec->start, &spec->relative_start);
}

static int read_duration(const struct spec_reader *reader)
{
    const char *value = reader->values[KEY_DURATION], *expected;

    if (!value)
        return 0;
    expected = time_parse_duration(value, &reader->spec->duration);
    return expected ? wrong_value(reader, KEY_DURATION, expected) : 0;
}

static int read_term(const struct spec_reader *reader, enum term_id id)
{
    const enum lease_spec_key key = KEY_TERM + (enum lease_spec_key)id;
    char expected[TERM_EXPECTED_MAX], text[TERM_EXPECTED_MAX + sizeof "expected "];

    if (!reader->values[key])
        return 0;
    reader->spec->given |= 1U << id;
    if (term_read(&lease_terms[id], reader->values[key], &reader->spec->term_values, expected) == 0)
        return 0;
    snprintf(text, sizeof text, "expected %s", expected);
    return wrong_value(reader, key, text);
}

static int read_terms(const struct spec_reader *reader)
{
    static const unsigned both = 1U << TERM_ID_preemptible | 1U << TERM_ID_terms;
    struct lease_spec *spec = reader->spec;

    for (int id = 0; id < LEASE_TERM_COUNT; id++)
        if (read_term(reader, (enum term_id)id) < 0)
            return -1;
    if (!terms_settle(&spec->term_values, spec->given))
        return wrong_value(reader, KEY_TERM + (enum lease_spec_key)TERM_ID_terms,
                           "it contradicts PREEMPTIBLE");
    if (spec->given & both)
        spec->given |= both;
    return 0;
}

static int read_integer(const struct spec_reader *reader, enum lease_spec_key key, int64_t least,
                        int64_t most, int64_t *value)
{
    const char *text = reader->values[key];
    char expected[80], *end;

    if (!text)
        return 0;
    *value = strtoll(text, &end, 10); /* saturates */
    if (*text && !*end && text[strspn(text, " \t\n")] == *text && *value >= least && *value <= most)
        return 0;
    snprintf(expected, sizeof expected, "expected a whole number from %" PRId64 " to %" PRId64,
             least, most);
    return wrong_value(reader, key, expected);
}

static int read_group(const struct spec_reader *reader)
{
    const char *value = reader->values[KEY_GROUP];
    int64_t size = 0;
    const char *expected;

    if (!value && (reader->values[KEY_GROUP_SIZE] || reader->values[KEY_GROUP_TIMEOUT]))
        return wrong(reader, "%s requires GROUP, the name of the group",
                     reader->values[KEY_GROUP_SIZE] ? "GROUP_SIZE" : "GROUP_TIMEOUT");
    if (!value)
        return 0;
    for (const char *at = value; *at; at++)
        if (*at < ' ' || *at > '~' || at - value >= LEASE_SPEC_GROUP_MAX - 1)
            return wrong_value(reader, KEY_GROUP,
                               "expected a name of 1 to 63 printable ASCII characters");
    if (*value == '\0')
        return wrong_value(reader, KEY_GROUP, "expected a name");
    snprintf(reader->spec->group, sizeof reader->spec->group, "%s", value);
    if (read_integer(reader, KEY_GROUP_SIZE, 1, LEASE_SPEC_GROUP_SIZE_MOST, &size) < 0)
        return -1;
    reader->spec->group_size = (uint32_t)size;
    if (!reader->values[KEY_GROUP_TIMEOUT])
        return 0;
    expected = time_parse_span(reader->values[KEY_GROUP_TIMEOUT], &reader->spec->group_timeout);
    return expected ? wrong_value(reader, KEY_GROUP_TIMEOUT, expected) : 0;
}

/* START excludes other times. */
static int check_start(const struct spec_reader *reader)
{
    static const enum lease_spec_key others[] = {KEY_DEADLINE, KEY_LATEST, KEY_EARLIEST};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (reader->spec->kind != LEASE_BEST_EFFORT && reader->values[others[i]])
            return wrong(reader,
                         "START is an exact time; with %s, START must be best_effort or absent",
                         key_name(others[i]));
    return 0;
}

static const char *first_start(const struct spec_reader *reader)
{
    return reader->values[KEY_EARLIEST] ? "EARLIEST" : "the VM's creation";
}

/* Converts a latest start to a deadline. */
static int settle_latest(const struct spec_reader *reader, int64_t from)
{
    char early[TIME_TEXT_MAX];
    struct lease_spec *spec = reader->spec;

    if (!reader->values[KEY_LATEST])
        return 0;
    if (reader->values[KEY_DEADLINE])
        return wrong(reader, "DEADLINE and LATEST cannot be combined");
    if (spec->deadline < from) {
        time_text_exact(from - spec->deadline, early, sizeof early);
        return wrong(reader, "LATEST is %s before %s", early, first_start(reader));
    }
    if (spec->duration != SPAN_UNLIMITED)
        spec->deadline = instant_add(spec->deadline, spec->duration);
    return 0;
}

/* Checks combinations of values, once all have been read. */
static int check(const struct spec_reader *reader)
{
    struct lease_spec *spec = reader->spec;
    int64_t from = spec->earliest == INSTANT_NONE ? reader->created : spec->earliest;
    char room[TIME_TEXT_MAX], duration[TIME_TEXT_MAX];

    if (check_start(reader) < 0 || settle_latest(reader, from) < 0)
        return -1;
    if (spec->deadline == INSTANT_NONE)
        return 0;
    spec->kind = LEASE_DEADLINE;
    if (spec->duration == SPAN_UNLIMITED)
        return wrong(reader, "%s requires a limited DURATION",
                     key_name(reader->values[KEY_LATEST] ? KEY_LATEST : KEY_DEADLINE));
    if (spec->deadline < from)
        return wrong(reader, "DEADLINE is before %s", first_start(reader));
    if (spec->deadline - from < spec->duration) {
        time_text_exact(spec->deadline - from, room, sizeof room);
        time_text_exact(spec->duration, duration, sizeof duration);
        return wrong(reader, "DEADLINE is only %s after %s, but DURATION is %s", room,
                     first_start(reader), duration);
    }
    return 0;
}

/* USER_PRIORITY orders VMs in the stock scheduler; oned.conf restricts it to administrators. There,
 * text that is not a number counts as 0, and fractions are allowed. */
static void read_site_priority(const struct vm *vm, struct lease_spec *spec)
{
    const struct lease_term *row = &lease_terms[TERM_ID_priority];
    const char *text = attributes_find(&vm->user_template, "USER_PRIORITY");
    double value = text ? strtod(text, NULL) : 0;

    if (isnan(value))
        value = 0;
    value *= PRIORITY_ONE;
    spec->priority = (int32_t)lround(fmax((double)row->least, fmin(value, (double)row->most)));
}

int lease_spec_read(const struct vm *vm, const struct lease_spec_defaults *defaults,
                    struct lease_spec *spec, char reason[LEASE_SPEC_TEXT_MAX])
{
    struct spec_reader reader = {
        .vm = vm, .created = vm->stime - defaults->ahead, .spec = spec, .reason = reason};
    int found;

    *spec = (struct lease_spec){
        .kind = LEASE_BEST_EFFORT,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = defaults->duration,
        .group_timeout = -1,
    };
    term_values_init(&spec->term_values);
    spec->preemptible = defaults->preemptible;
    terms_settle(&spec->term_values, 0);
    reason[0] = '\0';
    read_site_priority(vm, spec);
    found = find(&reader);
    if (found <= 0)
        return found;
    spec->present = true;
    if (read_start(&reader) < 0 || read_duration(&reader) < 0 || read_terms(&reader) < 0 ||
        read_group(&reader) < 0 ||
        read_time(&reader, KEY_DEADLINE, &spec->deadline, &spec->relative_deadline) < 0 ||
        read_time(&reader, KEY_LATEST, &spec->deadline, &spec->relative_deadline) < 0 ||
        read_time(&reader, KEY_EARLIEST, &spec->earliest, &spec->relative_earliest) < 0)
        return -1;
    return check(&reader);
}
