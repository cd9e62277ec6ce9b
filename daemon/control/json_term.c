/* Terms of leases to and from JSON. */
#include "daemon/control/json_term.h"

#include <errno.h>

static int wrong_term(const struct lease_term *term, const json_t *value, struct error *err)
{
    char expected[TERM_EXPECTED_MAX];

    term_expected(term, expected);
    if (json_is_string(value))
        return error_set(err, EINVAL, "%s: '%.40s': expected %s", term->name,
                         json_string_value(value), expected);
    return error_set(err, EINVAL, "%s: expected %s", term->name,
                     term->type == TERM_FLAG ? "true or false" : expected);
}

int json_to_term(const json_t *value, const struct lease_term *term, struct term_values *values,
                 struct error *err)
{
    char expected[TERM_EXPECTED_MAX];
    int64_t number = json_is_true(value) ? 1 : json_integer_value(value);

    if (term->type == TERM_WORD || term->type == TERM_TEXT) {
        if (!json_is_string(value) ||
            term_read(term, json_string_value(value), values, expected) < 0)
            return wrong_term(term, value, err);
        return 0;
    }
    if (term->type == TERM_FLAG
            ? !json_is_boolean(value)
            : !json_is_integer(value) || number < term->least || number > term->most)
        return wrong_term(term, value, err);
    term_set_number(term, values, number);
    return 0;
}

json_t *json_from_term(const struct lease_term *term, const struct term_values *values)
{
    if (term->type == TERM_FLAG)
        return json_boolean(term_number(term, values));
    return term->type == TERM_INTEGER ? json_integer(term_number(term, values))
                                      : json_string(term_word(term, values));
}
