/* import.h: what becomes of OpenNebula's scheduling settings in galernad's configuration.
 *
 * The table of settings is in import.c: which option a setting becomes, or why none is needed, or
 * why it is not supported.
 */
#pragma once

#include <stdbool.h>

#include "configuration/opennebula_file.h"
#include "configuration/option.h"

enum import_result {
    IMPORT_OPTION,      /* it becomes an option */
    IMPORT_NOT_NEEDED,  /* text says why */
    IMPORT_UNSUPPORTED, /* text says why */
    IMPORT_INVALID,     /* text says what is expected */
    IMPORT_OTHER,       /* it is not about scheduling */
};

enum { IMPORT_TEXT_MAX = 320 };

struct imported {
    enum import_result result;
    const struct configuration_option *option; /* IMPORT_OPTION */
    char value[256];                           /* of the option */
    char text[IMPORT_TEXT_MAX];                /* a sentence; "" with some options */
};

/* Converts one setting; of_oned: from oned.conf. O(1). */
void import_setting(const struct opennebula_setting *setting, bool of_oned,
                    struct imported *imported);

/* Is it oned.conf? It has settings that schedulers do not have. */
bool import_is_of_oned(const struct opennebula_file *file);
