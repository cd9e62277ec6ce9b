/* Checks required options, and options that must be set together. */
#include "configuration/required.h"

#include <errno.h>
#include <string.h>

#include "configuration/option.h"

enum condition {
    ALWAYS, /* in simulated mode; other modes are not checked */
    WHEN_CLOCK_SIMULATED,
    WHEN_SECTION_IS_THERE,
};

struct required {
    const char *section, *name; /* name NULL: the section itself */
    enum condition condition;
};

static const struct required required_table[] = {
    {"general", NULL, ALWAYS},
    {"scheduling", NULL, ALWAYS},
    {"accounting", NULL, ALWAYS},
    {"simulation", NULL, ALWAYS},
    {"general", "mode", ALWAYS},
    {"scheduling", "suspension", ALWAYS},
    {"scheduling", "suspend-rate", ALWAYS},
    {"scheduling", "resume-rate", ALWAYS},
    {"simulation", "resources", ALWAYS},
    {"simulation", "imagetransfer-bandwidth", ALWAYS},
    {"simulation", "starttime", WHEN_CLOCK_SIMULATED},
    {"deploy-imagetransfer", "transfer-mechanism", WHEN_SECTION_IS_THERE},
    {"tracefile", "tracefile", WHEN_SECTION_IS_THERE},
};

static bool holds(const struct configuration *configuration, const struct required *required)
{
    const struct ini_entry *clock = ini_find(&configuration->ini, "simulation", "clock");

    switch (required->condition) {
    case ALWAYS:
        return true;
    case WHEN_CLOCK_SIMULATED:
        return clock && !strcmp(clock->value, "simulated");
    case WHEN_SECTION_IS_THERE:
        return ini_has_section(&configuration->ini, required->section);
    }
    return false;
}

static int check_required(const struct configuration *configuration, struct error *err)
{
    const struct ini *ini = &configuration->ini;
    char expects[256];

    for (size_t i = 0; i < sizeof required_table / sizeof *required_table; i++) {
        const struct required *required = &required_table[i];
        const struct configuration_option *option;

        if (!holds(configuration, required))
            continue;
        if (!required->name) {
            if (!ini_has_section(ini, required->section))
                return error_set(err, EINVAL, "%s: the section [%s] is missing",
                                 configuration->file, required->section);
            continue;
        }
        if (ini_find(ini, required->section, required->name))
            continue;
        option = option_find(required->section, required->name);
        return error_set(err, EINVAL, "%s: the option '%s' is missing in section [%s], expected %s",
                         configuration->file, required->name, required->section,
                         option_expects(option, expects, sizeof expects));
    }
    return 0;
}

static int check_rate(const struct configuration *configuration, const char *name, double rate,
                      struct error *err)
{
    const struct ini_entry *entry = ini_find(&configuration->ini, "scheduling", name);
    char where[256];

    if (rate > 0)
        return 0;
    return error_set(err, EINVAL, "%s: scheduling.%s is 0, but suspension needs a rate above 0",
                     entry ? ini_where(entry, where, sizeof where) : "default", name);
}

int configuration_check(const struct configuration *configuration, struct error *err)
{
    const struct engine_settings *settings = &configuration->settings;
    const struct ini *ini = &configuration->ini;
    const char *file = configuration->file ? configuration->file : "configuration";

    if (configuration->mode == MODE_SIMULATED && configuration->is_haizea_file &&
        check_required(configuration, err) < 0)
        return -1;
    if (settings->backfilling == BACKFILLING_INTERMEDIATE &&
        !ini_find(ini, "scheduling", "backfilling-reservations"))
        return error_set(err, EINVAL,
                         "%s: scheduling.backfilling is intermediate, so set "
                         "scheduling.backfilling-reservations to a number",
                         file);
    if (settings->suspension != SUSPENSION_NONE &&
        (check_rate(configuration, "suspend-rate", settings->suspend_rate, err) < 0 ||
         check_rate(configuration, "resume-rate", settings->resume_rate, err) < 0))
        return -1;
    return 0;
}
