/* The policy modules of a sweep. An option of a module that only other cells load is not used in a
 * cell; one of a module that no cell loads is an error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/configuration.h"
#include "plugin/configured.h"
#include "plugin/module_search.h"
#include "sweep/grid.h"
#include "util/memory.h"
#include "util/suggest.h"

static bool is_loaded(const struct sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->n_modules; i++)
        if (!strcmp(sweep->modules[i], name))
            return true;
    return false;
}

static void note(void *context, const char *name)
{
    struct sweep *sweep = context;

    if (is_loaded(sweep, name))
        return;
    MEMORY_GROW(sweep->modules, sweep->modules_allocated, sweep->n_modules + 1);
    sweep->modules[sweep->n_modules++] = memory_text(name);
}

void grid_note_modules(struct sweep *sweep, const struct configuration *configuration)
{
    policy_configured_each(configuration, note, sweep);
}

void grid_drop_options(const struct sweep *sweep, struct configuration *configuration)
{
    size_t kept = 0;

    for (size_t i = 0; i < configuration->n_policy_settings; i++) {
        char name[MODULE_NAME_MAX];

        search_name(configuration->policy_settings[i].policy, name, sizeof name);
        if (policy_configured_loads(configuration, name) || !is_loaded(sweep, name))
            configuration->policy_settings[kept++] = configuration->policy_settings[i];
    }
    configuration->n_policy_settings = kept;
}

static int unknown(const struct sweep *sweep, const struct ini_entry *setting, const char *name,
                   struct error *err)
{
    struct suggestion suggestion;
    char where[256];

    suggestion_init(&suggestion, name);
    for (size_t i = 0; i < sweep->n_modules; i++)
        suggestion_offer(&suggestion, sweep->modules[i]);
    return error_set(
        err, EINVAL, "%s: option %s of policy '%.64s', which no cell of the sweep uses%s",
        ini_where(setting, where, sizeof where), setting->key, name, suggestion_text(&suggestion));
}

int grid_check_options(const struct sweep *sweep, struct error *err)
{
    for (size_t i = 1; i <= sweep->n_cells; i++) {
        const struct grid_cell *cell = grid_cell(sweep, i);

        for (size_t j = 0; j < cell->n_settings; j++) {
            const char *written = configuration_policy_of_section(cell->settings[j].section);
            char name[MODULE_NAME_MAX];

            if (!written)
                continue;
            search_name(written, name, sizeof name);
            if (!is_loaded(sweep, name))
                return unknown(sweep, &cell->settings[j], name, err);
        }
    }
    return 0;
}
