/* Reads the configuration of galernad. */
#include "configuration/live.h"

#include <errno.h>
#include <unistd.h>

#include "configuration/configuration.h"

/* The default configuration file; it need not exist. */
static const char *live_default_file(void)
{
    return "/etc/galerna/galerna.conf";
}

/* Haizea refuses a file without these three. */
static bool is_complete_haizea_file(const struct ini *ini)
{
    return !ini_has_section(ini, "galerna") && ini_has_section(ini, "general") &&
           ini_has_section(ini, "scheduling") && ini_has_section(ini, "accounting");
}

static void add_default(struct ini *ini, const char *section, const char *key, const char *value)
{
    if (!ini_find(ini, section, key))
        ini_add(ini, &(struct ini_entry){
                         .section = section, .key = key, .value = value, .origin = "default"});
}

static void add_defaults(struct ini *ini)
{
    if (is_complete_haizea_file(ini))
        return;
    ini_add_section(ini, "galerna", 0);
    add_default(ini, "general", "mode", "opennebula");
    add_default(ini, "scheduling", "policy-preemption", "ar-preempts-everything");
}

struct configuration *live_configuration_read(const char *file,
                                              const struct configuration_overrides *overrides,
                                              struct error *err)
{
    struct configuration *configuration = NULL;
    struct ini ini;

    if (!file && access(live_default_file(), F_OK) == 0)
        file = live_default_file();
    ini_init(&ini);
    if (file && ini_read_file(&ini, file, err) < 0)
        goto done;
    if (ini_has_section(&ini, "multi")) {
        error_set(err, EINVAL, "%s: a file with a section [multi] describes replays, not a daemon",
                  file);
        goto done;
    }
    add_defaults(&ini);
    configuration = configuration_create(&ini, "galernad", overrides, err);
done:
    ini_finish(&ini);
    return configuration;
}
