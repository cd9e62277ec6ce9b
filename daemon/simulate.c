/* galernad --simulate: the configured hosts, as a cloud in memory. */
#include "daemon/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "adapters/simulated/simulated.h"
#include "configuration/site_text.h"
#include "daemon/base/log.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

static const char default_site[] = "4,cpu=100,memory=1024";

static void complain(void *context, const char *text)
{
    (void)context;
    log_warning("%s", text);
}

struct cloud *simulated_cloud(const struct configuration *configuration,
                              const char *state_directory, bool with_leases, struct error *err)
{
    const char *text = configuration->resources ? configuration->resources : default_site;
    struct simulated_settings settings = {.must_exist = with_leases,
                                          .hardware = configuration->hardware,
                                          .templates = configuration->templates,
                                          .networks = configuration->networks,
                                          .boot_time = configuration->live.boot_time,
                                          .engine = &configuration->settings,
                                          .complain = complain};
    struct cloud *cloud;
    struct site site;
    char *file = NULL;
    bool resumed;

    if (strcmp(text, "in-tracefile") == 0)
        text = default_site;
    if (site_text_parse(text, &site, err) < 0) {
        error_prefix(err, "simulation.resources");
        return NULL;
    }
    file = memory_format("%s/simulated.db", state_directory);
    settings.site = &site;
    settings.file = file;
    cloud = simulated_create(&settings, &resumed, err);
    if (cloud)
        log_info("simulated hosts: %s%s", text, resumed ? ", with the VMs of the last run" : "");
    site_finish(&site);
    free(file);
    return cloud;
}
