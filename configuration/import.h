/* import.h: converts OpenNebula's scheduling settings to galernad's configuration.
 *
 * The table in import.c has, for each setting, the resulting option or the reason why no option is
 * needed or the setting is not supported. */
#pragma once

#include <stdbool.h>

#include "configuration/opennebula_file.h"
#include "configuration/option.h"

enum import_result {
    IMPORT_OPTION,      /* converted to an option */
    IMPORT_NOT_NEEDED,  /* text has the reason */
    IMPORT_UNSUPPORTED, /* text has the reason */
    IMPORT_INVALID,     /* text has the expected value */
    IMPORT_OTHER,       /* unrelated to scheduling */
};

enum { IMPORT_TEXT_MAX = 320 };

struct imported {
    enum import_result result;
    const struct configuration_option *option; /* IMPORT_OPTION */
    char value[256];                           /* of the option */
    char text[IMPORT_TEXT_MAX];                /* a sentence; "" for some options */
};

/* Converts one setting; of_oned: from oned.conf. O(1). */
void import_setting(const struct opennebula_setting *setting, bool of_oned,
                    struct imported *imported);

/* Is it oned.conf? Recognized by settings that schedulers lack. */
bool import_is_of_oned(const struct opennebula_file *file);
