/* multi.h: one file for many runs, as Haizea's haizea-generate-configs read it.
 *
 * [multi] names traces (tracedir, tracefiles) and injections (injectiondir, injectionfiles). A
 * section [PROFILE:SECTION] holds options of one profile, [common:SECTION] those of all. There is
 * one configuration for each profile, trace, and injection or none, named
 * PROFILE_TRACE[+INJECTION].
 */
#pragma once

#include "configuration/configuration.h"

/* Append to list all configurations that ini describes, profile by profile.
 * Errors: EINVAL with file:line. */
int multi_expand(const struct ini *ini, const struct configuration_overrides *overrides,
                 struct configuration_list *list, struct error *err);
