/* Compares and ranks the values of expressions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/expression.h"

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\n\v\f\r");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool value_integer(const char *text, int64_t *integer)
{
    const char *digits;

    text = skip_blanks(text);
    digits = text + (*text == '-' || *text == '+');
    if (!is_digit(*digits))
        return false;
    *integer = strtoll(text, NULL, 10); /* saturates */
    return true;
}

bool value_number(const char *text, double *number)
{
    const char *digits;

    text = skip_blanks(text);
    digits = text + (*text == '-' || *text == '+');
    /* strtod() also knows "inf", "nan" and hexadecimal digits. */
    if (!is_digit(*digits) && !(*digits == '.' && is_digit(digits[1])))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        *number = 0;
    else
        *number = strtod(text, NULL);
    return isfinite(*number);
}

const char *value_name(const char *name)
{
    static const char *const folders[] = {"/HOST/",      "TEMPLATE/",        "HOST_SHARE/",
                                          "DATASTORES/", "MONITORING/",      "CAPACITY/",
                                          "SYSTEM/",     "CLUSTER_TEMPLATE/"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);

        if (!strncmp(name, folders[i], length) && name[length])
            name += length;
    }
    return strcmp(name, "VMS/ID") ? name : ATTRIBUTE_VMS;
}

/* order: less than, equal to or greater than 0, like strcmp(). */
static bool order_passes(enum comparison_test test, int order)
{
    switch (test) {
    case TEST_UNEQUAL:
        return order != 0;
    case TEST_GREATER:
        return order > 0;
    case TEST_LESS:
        return order < 0;
    default:
        return order == 0;
    }
}

bool compare_integers(enum comparison_test test, int64_t value, int64_t literal)
{
    return order_passes(test, (value > literal) - (value < literal));
}

bool compare_numbers(enum comparison_test test, double value, double literal)
{
    return order_passes(test, (value > literal) - (value < literal));
}

bool compare_texts(const struct comparison *comparison, const char *value)
{
    bool equal;

    if (comparison->text[0] == '\0')
        return false;
    equal = comparison->pattern ? pattern_matches(comparison->pattern, value)
                                : !strcmp(comparison->text, value);
    return equal == (comparison->test != TEST_UNEQUAL);
}

bool comparison_vm(const struct comparison *comparison, int64_t *id)
{
    *id = comparison->integer;
    return comparison->kind == LITERAL_INTEGER ||
           (comparison->kind == LITERAL_TEXT && value_integer(comparison->text, id));
}

bool comparison_of_vms(const struct comparison *comparison, bool present)
{
    /* OpenNebula compares the id on the VM's host, and -1 on other hosts. */
    switch (comparison->test) {
    case TEST_UNEQUAL:
        return !present;
    case TEST_GREATER:
        return false;
    case TEST_LESS:
        return !present;
    default:
        return present;
    }
}
