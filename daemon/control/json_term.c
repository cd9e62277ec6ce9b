/* Converts terms of leases to and from JSON. */
#include "daemon/control/json_term.h"

#include <errno.h>
#include <math.h>

#include "util/decimal.h"

/* The error that the last decimal of a number may have in binary. */
#define ROUNDING 1e-6

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
    double number;

    if (term->type == TERM_WORD || term->type == TERM_TEXT) {
        if (!json_is_string(value) ||
            term_read(term, json_string_value(value), values, expected) < 0)
            return wrong_term(term, value, err);
        return 0;
    }
    if (term->type == TERM_FLAG) {
        if (!json_is_boolean(value))
            return wrong_term(term, value, err);
        term_set_number(term, values, json_is_true(value));
        return 0;
    }
    number = json_number_value(value) * (double)decimal_one(term->decimals);
    if (!json_is_number(value) || number < (double)term->least || number > (double)term->most ||
        fabs(number - round(number)) > ROUNDING)
        return wrong_term(term, value, err);
    term_set_number(term, values, llround(number));
    return 0;
}

json_t *json_from_term(const struct lease_term *term, const struct term_values *values)
{
    const int64_t one = decimal_one(term->decimals);
    int64_t number;

    if (term->type == TERM_WORD || term->type == TERM_TEXT)
        return json_string(term_word(term, values));
    number = term_number(term, values);
    if (term->type == TERM_FLAG)
        return json_boolean(number);
    return number % one ? json_real((double)number / (double)one) : json_integer(number / one);
}
