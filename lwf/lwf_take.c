/* Reads values of attributes and reports wrong ones. */
#include "lwf/lwf_take.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lwf/values.h"

bool lwf_given(const struct lwf_reader *reader, enum lwf_attribute attribute)
{
    return reader->given >> attribute & 1;
}

int lwf_shown(const struct lwf_value *value)
{
    return value->end - value->text > 64 ? 64 : (int)(value->end - value->text);
}

/* Compares the value with the word, ignoring case. */
static bool lwf_is_word(const struct lwf_value *value, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(value->end - value->text) == length &&
           strncasecmp(value->text, word, length) == 0;
}

bool lwf_take_time(struct lwf_reader *reader, enum lwf_attribute attribute, bool unlimited_allowed,
                   int64_t *seconds)
{
    const struct lwf_value *value = &reader->values[attribute];

    if (value_parse_delta(value->text, value->end, seconds))
        return true;
    if (reader->options.quirks.unreadable_times) {
        *seconds = value_parse_delta_haizea(value->text, value->end);
        lwf_warn_at(reader, lwf_parser_place(reader, value->text),
                    "\"%.*s\" is not a time and is taken as %" PRId64 " s, as Haizea 1.0 does",
                    lwf_shown(value), value->text, *seconds);
        return true;
    }
    if (unlimited_allowed && lwf_is_word(value, "unlimited")) {
        *seconds = SPAN_UNLIMITED;
        return true;
    }
    *seconds = 0;
    lwf_complain(reader, value->text, "\"%.*s\" is not a time: expected [DAYS:]HH:MM[:SS]%s",
                 lwf_shown(value), value->text, unlimited_allowed ? " or unlimited" : "");
    return false;
}

int64_t lwf_take_integer(struct lwf_reader *reader, enum lwf_attribute attribute, int64_t min,
                         int64_t max)
{
    const struct lwf_value *value = &reader->values[attribute];
    int64_t number;

    if (value_parse_integer(value->text, value->end, max, &number) && number >= min)
        return number;
    lwf_complain(reader, value->text,
                 "%s is \"%.*s\": expected an integer from %" PRId64 " to %" PRId64,
                 lwf_attribute_name(attribute), lwf_shown(value), value->text, min, max);
    return min;
}

/* As in Haizea, a flag must be true or false. */
void lwf_take_term(struct lwf_reader *reader, const struct lease_term *term,
                   struct term_values *values)
{
    enum lwf_attribute attribute = ATTRIBUTE_TERM + (enum lwf_attribute)(term - lease_terms);
    const struct lwf_value *value = &reader->values[attribute];
    char text[TERM_TEXT_MAX + 1], expected[TERM_EXPECTED_MAX] = "true or false";

    if (!lwf_given(reader, attribute))
        return;
    snprintf(text, sizeof text, "%.*s", (int)(value->end - value->text), value->text);
    if (term->type == TERM_FLAG && (lwf_is_word(value, "true") || lwf_is_word(value, "false")))
        term_set_number(term, values, lwf_is_word(value, "true"));
    else if (term->type == TERM_FLAG || term_read(term, text, values, expected) < 0)
        lwf_complain(reader, value->text, "%s is \"%.*s\": expected %s", term->name,
                     lwf_shown(value), value->text, expected);
}
