/* run_options.h: the options that decide what a replay does, with their values as texts.
 *
 * A replay with these options, the same requests and the same hosts gives the same schedule. They
 * are those of the simulated site and the scheduler; where requests, hosts and policy modules come
 * from, and options of galernad, are not among them.
 */
#pragma once

#include "configuration/configuration.h"

typedef void run_option_visit(void *context, const char *section, const char *name,
                              const char *value);

/* Visit each of the options that has a value, also a default, in the order of the table; then
 * oracle.cancel and the options of policy modules. Policies are given by name, without folders. The
 * texts are valid during the call. */
void run_options_each(const struct configuration *configuration, run_option_visit *visit,
                      void *context);

/* A configuration with exactly such options: the entries of ini, which is moved into it, as of
 * configuration_create(). Errors: EINVAL also for options that are not among them, and for policies
 * given by path. */
struct configuration *run_options_configuration(struct ini *ini, const char *name,
                                                struct error *err);
