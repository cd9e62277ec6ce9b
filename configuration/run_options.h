/* run_options.h: the options that determine a replay, with their values as texts.
 *
 * Replays with equal options, requests and hosts give the same schedule. Included are the options
 * of the simulated site and the scheduler, but not the locations of requests, hosts and policy
 * modules, or the options of galernad. */
#pragma once

#include "configuration/configuration.h"

typedef void run_option_visit(void *context, const char *section, const char *name,
                              const char *value);

/* Visits each of the options with a value (including defaults) in the order of the table, then
 * oracle.cancel and the options of policy modules. Policies have names without folders. The texts
 * are valid during the call. */
void run_options_each(const struct configuration *configuration, run_option_visit *visit,
                      void *context);

/* Creates a configuration from these options only, and takes over ini, like configuration_create().
 * Errors: also EINVAL for other options, and for policies given by path. */
struct configuration *run_options_configuration(struct ini *ini, const char *name,
                                                struct error *err);
