/* Parses the options of a module in a unit test: "name=value name=value". */
#include "mock_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place of a word in "a|b|c", or -1. */
static int place_of_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (int place = 0; words; place++) {
        size_t n = strcspn(words, "|");

        if (n == length && strncmp(words, word, n) == 0)
            return place;
        words = words[n] ? words + n + 1 : NULL;
    }
    return -1;
}

static bool read_value(const struct galerna_option *option, char *text, union galerna_value *value)
{
    static const struct {
        char unit;
        int seconds;
    } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}};
    int place;
    char *end = text;

    switch (option->type) {
    case GALERNA_BOOLEAN:
        place = place_of_word("no|yes|false|true|off|on|0|1", text);
        value->boolean = place & 1;
        return place >= 0;
    case GALERNA_CHOICE:
        place = place_of_word(option->choices, text);
        value->choice = (uint32_t)place;
        return place >= 0;
    case GALERNA_NUMBER:
        value->number = strtod(text, &end);
        return end != text && !*end;
    case GALERNA_TEXT:
        value->text = text;
        return true;
    default:
        value->integer = strtoll(text, &end, 10);
        for (size_t i = 0; option->type == GALERNA_DURATION && i < 3; i++)
            if (*end == units[i].unit) {
                value->integer *= units[i].seconds;
                end++;
                break;
            }
        return end != text && !*end;
    }
}

bool mock_options_read(const struct galerna_policy *policy, char *text, union galerna_value *values)
{
    for (char *pair = text + strspn(text, " "); *pair; pair += strspn(pair, " ")) {
        char *equals = strchr(pair, '=');
        char *end = pair + strcspn(pair, " ");
        uint32_t i = 0;

        if (!equals || equals > end)
            return false;
        *equals = '\0';
        if (*end)
            *end++ = '\0';
        while (i < policy->n_options && strcmp(policy->options[i].name, pair) != 0)
            i++;
        if (i == policy->n_options || !read_value(&policy->options[i], equals + 1, &values[i]))
            return false;
        pair = end;
    }
    return true;
}

char *mock_options_text(const struct galerna_policy *policy, bool haizea_1_0, const char *given)
{
    size_t size = 2 + strlen(given), used = 0;
    char *text;

    for (uint32_t i = 0; i < policy->n_options; i++) {
        const struct galerna_option *option = &policy->options[i];

        size += strlen(option->name) + 3;
        size += option->default_value ? strlen(option->default_value) : 0;
        size += option->default_haizea_1_0 ? strlen(option->default_haizea_1_0) : 0;
    }
    text = malloc(size);
    if (!text)
        return NULL;
    for (uint32_t i = 0; i < policy->n_options; i++) {
        const struct galerna_option *option = &policy->options[i];
        const char *value = haizea_1_0 && option->default_haizea_1_0 ? option->default_haizea_1_0
                                                                     : option->default_value;

        if (value)
            used += (size_t)snprintf(text + used, size - used, "%s=%s ", option->name, value);
    }
    snprintf(text + used, size - used, "%s", given);
    return text;
}
