/* difference.h: changes in a reloaded configuration, and the options that galernad reloads while it
 * runs. */
#pragma once

#include <stdbool.h>

#include "configuration/configuration.h"

enum { CONFIGURATION_FINGERPRINT_MAX = 24 };

/* Does galernad apply a new value of the option while it runs (otherwise at its next start)? */
bool option_reloads(const char *section, const char *name);

/* Visits each option whose text differs between the configurations, once. O(entries^2). */
void configuration_compare(const struct configuration *before, const struct configuration *after,
                           void (*visit)(void *context, const char *section, const char *name),
                           void *context);

/* 16 characters to compare the configurations of a zone's front-ends: equal if all options are
 * equal, except [daemon], [http], and files and addresses of the machine. O(entries^2). */
void configuration_fingerprint(const struct configuration *configuration,
                               char text[CONFIGURATION_FINGERPRINT_MAX]);

/* The options of the fingerprint with a digest of each value, "section/key=1a2b3c4d;", for
 * configuration_name_differences(). Options that would exceed `size` are left out. O(entries^2). */
enum { CONFIGURATION_DIGESTS_MAX = 16 * 1024 };
void configuration_digests(const struct configuration *configuration, char *text, size_t size);

/* The options that differ between two such texts: "opennebula/retry-limit, scheduling/backfilling";
 * "": none. Those that do not fit are counted: "opennebula/retry-limit, and 7 more". size: 48 at
 * least. O(options^2). */
void configuration_name_differences(const char *own, const char *other, char *text, size_t size);

/* Copies the values of all options that reload, except [rights] and [notify], which are read
 * elsewhere, and the options for loading policy modules. */
void configuration_take_over(struct configuration *configuration, const struct configuration *from);
