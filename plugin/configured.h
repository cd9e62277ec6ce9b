/* configured.h: the policy modules that a configuration names. */
#ifndef GALERNA_PLUGIN_CONFIGURED_H
#define GALERNA_PLUGIN_CONFIGURED_H

#include "configuration/configuration.h"
#include "plugin/policy_host.h"

/* What of struct policy_host_settings the driver decides, not the configuration. */
struct policy_driver {
    const struct site *site; /* NULL: taken from the first batch of hosts */
    void (*log)(void *context, enum policy_log_level level, const char *text);
    void *log_context;
    bool replace_slow; /* the daemon: a module that takes too long is replaced */
};

/* policy_host_create() with the chains, folders, options and seed of a configuration. */
struct policy_host *policy_host_configured(const struct configuration *configuration,
                                           const struct policy_driver *driver, struct error *err);

#endif
