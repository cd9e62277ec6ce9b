/* configuration_text.h: configurations from a text in memory. */
#pragma once

#include <string.h>

#include "configuration/configuration.h"
#include "configuration/ini.h"

/* As configuration_read() from a file of that name. */
static inline int configuration_of_text(const char *file, const char *text,
                                        const struct configuration_overrides *overrides,
                                        struct configuration_list *list, struct error *err)
{
    struct ini ini;
    int result;

    *list = (struct configuration_list){0};
    ini_init(&ini);
    result = ini_read_text(&ini, file, text, strlen(text), err);
    if (result == 0)
        result = configuration_list_make(list, &ini, overrides, err);
    ini_finish(&ini);
    return result;
}
