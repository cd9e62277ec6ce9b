/* difference.h: what has changed in a configuration that is read again, and what galernad takes
 * over while it runs. */
#pragma once

#include <stdbool.h>

#include "configuration/configuration.h"

enum { CONFIGURATION_FINGERPRINT_MAX = 24 };

/* Does galernad take over a new value of this option while it runs (else: when it starts)? */
bool option_reloads(const char *section, const char *name);

/* Visit each option, once, whose text differs between the two configurations. O(entries^2). */
void configuration_compare(const struct configuration *before, const struct configuration *after,
                           void (*visit)(void *context, const char *section, const char *name),
                           void *context);

/* 16 characters by which the front-ends of a zone compare their configurations: equal when all
 * options are, except [daemon], [http] and files and addresses of the machine. O(entries^2). */
void configuration_fingerprint(const struct configuration *configuration,
                               char text[CONFIGURATION_FINGERPRINT_MAX]);

/* Copy the values of all options that reload, except [rights] and [notify], which others read, and
 * those that policy modules are loaded with. */
void configuration_take_over(struct configuration *configuration, const struct configuration *from);
