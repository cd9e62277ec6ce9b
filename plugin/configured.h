/* configured.h: the policy modules of a configuration. */
#pragma once

#include "configuration/configuration.h"
#include "plugin/policy_host.h"

/* The members of struct policy_host_settings that come from the driver instead of the
 * configuration. */
struct policy_driver {
    const struct site *site; /* NULL: taken from the first batch of hosts */
    void (*log)(void *context, enum policy_log_level level, const char *text);
    void *log_context;
    const struct policy_watch *watch;  /* NULL: none */
    const volatile sig_atomic_t *stop; /* as in struct policy_host_settings */
};

/* Settings from a configuration, and the data they point into; without log and site. The
 * configuration must outlive them. */
struct policy_configured {
    struct policy_host_settings settings;
    struct policy_option *options;
    const char **folders;
    char *path;
};

void policy_configured_init(struct policy_configured *configured,
                            const struct configuration *configuration);
void policy_configured_finish(struct policy_configured *configured);

/* Calls visit with the name of each module that a configuration loads. */
void policy_configured_each(const struct configuration *configuration,
                            void (*visit)(void *context, const char *name), void *context);
/* Does it load the module with this name, or path? */
bool policy_configured_loads(const struct configuration *configuration, const char *written);

/* policy_host_create() with the chains, folders, options and seed of a configuration. */
struct policy_host *policy_host_configured(const struct configuration *configuration,
                                           const struct policy_driver *driver, struct error *err);
