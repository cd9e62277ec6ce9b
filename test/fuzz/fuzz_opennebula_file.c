/* Any bytes as a configuration file of OpenNebula. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "configuration/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct opennebula_file file;
    struct imported imported;
    struct error err = {0};

    if (opennebula_file_parse(&file, (const char *)data, size, &err) < 0 && !err.text[0])
        abort();
    for (size_t i = 0; i < file.n; i++) {
        if (!file.settings[i].name || !file.settings[i].value)
            abort();
        import_setting(&file.settings[i], import_is_of_oned(&file), &imported);
    }
    opennebula_file_finish(&file);
    return 0;
}
