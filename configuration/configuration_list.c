/* Reads a configuration file: one configuration or, with [multi], many. */
#include <stdlib.h>

#include "configuration/configuration.h"
#include "configuration/multi.h"
#include "util/memory.h"
#include "util/words.h"

static int build_list(struct ini *ini, const struct configuration_overrides *overrides,
                      struct configuration_list *list, struct error *err)
{
    struct configuration *configuration;
    char *name;

    if (ini_has_section(ini, "multi"))
        return multi_expand(ini, overrides, list, err);
    name = words_file_stem(ini->file ? ini->file : "default");
    configuration = configuration_create(ini, name, overrides, err);
    free(name);
    if (!configuration)
        return -1;
    list->items = memory_new(1, sizeof *list->items);
    list->items[list->n_items++] = configuration;
    return 0;
}

int configuration_list_make(struct configuration_list *list, struct ini *ini,
                            const struct configuration_overrides *overrides, struct error *err)
{
    int result;

    *list = (struct configuration_list){0};
    result = build_list(ini, overrides, list, err);
    if (result < 0)
        configuration_list_finish(list);
    return result;
}

int configuration_read(const char *file, const struct configuration_overrides *overrides,
                       struct configuration_list *list, struct error *err)
{
    struct ini ini;
    int result;

    *list = (struct configuration_list){0};
    ini_init(&ini);
    result = file ? ini_read_file(&ini, file, err) : 0;
    if (result == 0)
        result = configuration_list_make(list, &ini, overrides, err);
    ini_finish(&ini);
    return result;
}

void configuration_list_finish(struct configuration_list *list)
{
    for (size_t i = 0; i < list->n_items; i++)
        configuration_destroy(list->items[i]);
    free(list->items);
    *list = (struct configuration_list){0};
}
