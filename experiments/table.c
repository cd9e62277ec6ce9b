/* The experiments, by name. */
#include <errno.h>
#include <string.h>

#include "experiments/experiment.h"
#include "util/suggest.h"

const struct experiment *const experiment_table[] = {
    &experiment_suspend,   &experiment_priority, &experiment_pacp,
    &experiment_intergrid, &experiment_gridway,  &experiment_backfilling,
};

const size_t experiment_count = sizeof experiment_table / sizeof *experiment_table;

const struct experiment *experiment_find(const char *name, struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, name);
    for (size_t i = 0; i < experiment_count; i++) {
        if (strcmp(experiment_table[i]->name, name) == 0)
            return experiment_table[i];
        suggestion_offer(&suggestion, experiment_table[i]->name);
    }
    return error_null(err, ENOENT, "unknown experiment '%.60s'%s", name,
                      suggestion_text(&suggestion));
}
