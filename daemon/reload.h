/* reload.h: SIGHUP: rereads the configuration file, and loads the policy modules that it names from
 * their files, with its options.
 *
 * Both take effect together, between two cycles, or not at all: a configuration with an error or a
 * module that cannot be loaded changes nothing. Options that other parts read at their creation
 * keep their values until galernad is restarted (configuration/difference.h); the log names them.
 */
#pragma once

struct configuration;
struct daemon;
struct reload; /* opaque */

/* `file`: as live_configuration_read() takes it. `configuration`: the running one, whose values
 * change. All must outlive the result. */
struct reload *reload_create(struct daemon *daemon, const char *file,
                             struct configuration *configuration);
void reload_destroy(struct reload *reload); /* NULL is allowed */

/* Begin a reload; it ends later, when the modules are loaded. If modules are already being loaded,
 * sets daemon->reload_due instead. The outcome is logged. */
void reload_begin(struct reload *reload);
