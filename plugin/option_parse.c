/* Parses values of a module's options. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "plugin/module_options.h"
#include "util/decimal.h"
#include "util/time_parse.h"

static bool is_limited(const struct galerna_option *option)
{
    return option->minimum != 0 || option->maximum != 0;
}

/* The place of a word in a list "a|b|c", or -1; case-insensitive. */
static int find_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int place = 0;

    for (const char *at = choices; at; place++) {
        const char *end = strchr(at, '|');
        size_t n = end ? (size_t)(end - at) : strlen(at);

        if (n == length && strncasecmp(at, word, n) == 0)
            return place;
        at = end ? end + 1 : NULL;
    }
    return -1;
}

static void list_choices(const char *choices, char *text, size_t size)
{
    size_t used = 0;

    for (const char *at = choices; at && used < size;) {
        const char *end = strchr(at, '|');
        const char *join = at == choices ? "" : end ? ", " : " or ";
        int n = snprintf(text + used, size - used, "%s%.*s", join,
                         (int)(end ? end - at : (long)strlen(at)), at);

        used += n > 0 ? (size_t)n : 0;
        at = end ? end + 1 : NULL;
    }
}

void option_expected(const struct galerna_option *option, char *text, size_t size)
{
    char range[80] = "";

    if (is_limited(option))
        snprintf(range, sizeof range, ", %.15g to %.15g", option->minimum, option->maximum);
    switch (option->type) {
    case GALERNA_BOOLEAN:
        snprintf(text, size, "yes or no");
        break;
    case GALERNA_INTEGER:
        snprintf(text, size, "a whole number%s", range);
        break;
    case GALERNA_NUMBER:
        snprintf(text, size, "a number%s", range);
        break;
    case GALERNA_CHOICE:
        list_choices(option->choices, text, size);
        break;
    case GALERNA_DURATION:
        snprintf(text, size, "a duration such as 90, 15m, 2h, 7d or 1:30:00%s%s", range,
                 *range ? " s" : "");
        break;
    default:
        snprintf(text, size, "a text");
        break;
    }
}

static int parse_boolean(const char *text, bool *value)
{
    int place = find_choice("no|yes|false|true|off|on|0|1", text);

    *value = place & 1;
    return place < 0 ? -1 : 0;
}

/* Seconds, or a span with units or colons. */
static int parse_duration(const char *text, int64_t *value)
{
    if (isdigit((unsigned char)*text) && decimal_parse(text, 0, value) == 0)
        return 0;
    return time_parse_span(text, value) ? -1 : 0;
}

static bool in_range(const struct galerna_option *option, double value)
{
    return !is_limited(option) || (value >= option->minimum && value <= option->maximum);
}

int option_parse(const struct galerna_option *option, const char *text, union galerna_value *value,
                 struct error *err)
{
    char expected[256];
    int status = 0;

    switch (option->type) {
    case GALERNA_BOOLEAN:
        status = parse_boolean(text, &value->boolean);
        break;
    case GALERNA_INTEGER:
        status = decimal_parse(text, 0, &value->integer);
        break;
    case GALERNA_DURATION:
        status = parse_duration(text, &value->integer);
        break;
    case GALERNA_NUMBER:
        status = decimal_parse_real(text, &value->number);
        break;
    case GALERNA_CHOICE: {
        int place = find_choice(option->choices, text);

        status = place < 0 ? -1 : 0;
        value->choice = place < 0 ? 0 : (uint32_t)place;
        break;
    }
    default:
        value->text = text;
        break;
    }
    if (status == 0 && option->type == GALERNA_NUMBER)
        status = in_range(option, value->number) ? 0 : -1;
    if (status == 0 && (option->type == GALERNA_INTEGER || option->type == GALERNA_DURATION))
        status = in_range(option, (double)value->integer) ? 0 : -1;
    if (status == 0)
        return 0;
    option_expected(option, expected, sizeof expected);
    return error_set(err, EINVAL, "option %s is '%.80s', expected %s", option->name, text,
                     expected);
}

const char *option_default(const struct galerna_option *option, bool haizea_compatible)
{
    if (haizea_compatible && option->default_haizea_1_0)
        return option->default_haizea_1_0;
    return option->default_value;
}

int option_check(const struct galerna_option *option, struct error *err)
{
    union galerna_value ignored;

    if (option->type > GALERNA_DURATION)
        return error_set(err, EINVAL, "option %s has type %u, which is unknown here", option->name,
                         option->type);
    if (!option->description)
        return error_set(err, EINVAL, "option %s has no description", option->name);
    if (option->type == GALERNA_CHOICE && !option->choices)
        return error_set(err, EINVAL, "option %s has no choices", option->name);
    if (option->minimum > option->maximum)
        return error_set(err, EINVAL, "option %s has a minimum above its maximum", option->name);
    if ((option->default_value && option_parse(option, option->default_value, &ignored, err) < 0) ||
        (option->default_haizea_1_0 &&
         option_parse(option, option->default_haizea_1_0, &ignored, err) < 0))
        return error_prefix(err, "the module's own default");
    return 0;
}
