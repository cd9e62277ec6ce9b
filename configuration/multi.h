/* multi.h: configuration files for many runs, as for Haizea's haizea-generate-configs.
 *
 * [multi] names traces (tracedir, tracefiles) and injections (injectiondir, injectionfiles). A
 * section [PROFILE:SECTION] has options of one profile, [common:SECTION] options of all profiles.
 * Each combination of a profile, a trace and, if any, an injection gives a configuration named
 * PROFILE_TRACE[+INJECTION].
 */
#pragma once

#include "configuration/configuration.h"

/* Appends all configurations described by ini to the list, profile by profile. Errors: EINVAL with
 * file:line. */
int multi_expand(const struct ini *ini, const struct configuration_overrides *overrides,
                 struct configuration_list *list, struct error *err);
