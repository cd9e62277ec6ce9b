/* Configuration files and the command line's --set and --site, from arbitrary bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/configuration.h"
#include "configuration/ini.h"
#include "configuration/site_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_site(const char *text)
{
    struct site site;

    /* Sites of a million hosts are legal and slow: only the text matters here. */
    if (strlen(text) < 5 || strspn(text, "0123456789") < 4)
        if (site_text_parse(text, &site, NULL) == 0)
            site_finish(&site);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const modes[] = {NULL, "haizea-1.0"};
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const char *set = text;
        struct configuration_overrides overrides = {.compatibility = modes[i]};
        struct configuration_list list;
        struct error err;

        struct ini ini;

        ini_init(&ini);
        if (ini_read_text(&ini, "fuzz.conf", (const char *)data, size, &err) == 0 &&
            configuration_list_make(&list, &ini, &overrides, &err) == 0) {
            if (list.n_items && list.items[0]->resources)
                read_site(list.items[0]->resources);
            configuration_list_finish(&list);
        }
        ini_finish(&ini);
        if (size < 200) {
            overrides.set = &set;
            overrides.n_set = 1;
            if (configuration_read(NULL, &overrides, &list, &err) == 0)
                configuration_list_finish(&list);
            read_site(text);
        }
    }
    free(text);
    return 0;
}
