/* host_settings.h: a policy host's own copy of its settings. */
#pragma once

#include "plugin/chain.h"
#include "plugin/module_search.h"
#include "plugin/policy_host.h"

/* Copies the settings with all texts; site, cache and contexts remain the caller's. */
void host_settings_copy(struct policy_host_settings *copy,
                        const struct policy_host_settings *settings);
void host_settings_finish(struct policy_host_settings *copy);

/* Is every module with options in use, or at least known? Options of a known module that is not in
 * use are ignored. Errors: EINVAL with file:line and "did you mean". */
int host_settings_check_options(const struct policy_host_settings *settings,
                                const struct chain_plan *plans, size_t n_plans,
                                const struct search_path *path, struct error *err);
