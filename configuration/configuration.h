/* configuration.h: the operator's settings from files and the command line, checked and completed.
 *
 * Haizea's configuration files are read unchanged (configuration/ini.h has the grammar,
 * configuration/option_table.c all options). Sections beyond the table are [policy NAME] with the
 * options of the policy module of that name, [rights] and [rights WHO], which the daemon reads from
 * `ini`, and [oracle], whose `cancel: lease@second ...` makes a replay cancel leases.
 *
 * A file with a section [galerna] is Galerna's own and needs no options; other files need the
 * options that Haizea requires. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configuration/ini.h"
#include "configuration/live.h"
#include "core/settings.h"
#include "util/error.h"

enum configuration_mode { MODE_SIMULATED, MODE_OPENNEBULA };
enum compatibility { COMPATIBILITY_DEFAULT, COMPATIBILITY_HAIZEA_1_0 };

/* When a replay ends (Haizea: simulation.stop-when). */
enum stop_when { STOP_ALL_LEASES_DONE, STOP_BESTEFFORT_SUBMITTED, STOP_BESTEFFORT_DONE };

/* One option of a policy module, as written. */
struct policy_setting {
    const char *policy; /* the module's name */
    const char *name, *value;
    const char *origin; /* the file, or "--set" */
    int line;           /* 0: not from a file */
};

struct cancellation {
    int64_t lease, at; /* seconds from the start */
};

struct configuration {
    char *name;          /* for display: file or profile, without folder and ending */
    char *file;          /* NULL: none */
    bool is_haizea_file; /* read from a file without a section [galerna] */
    int mode;            /* enum configuration_mode */
    int compatibility;   /* enum compatibility */
    struct engine_settings settings;

    /* [simulation] */
    int64_t start_time; /* seconds since 1970; INSTANT_NONE: not set */
    char *resources;    /* a site (configuration/site_text.h) or "in-tracefile"; or NULL */
    char *hardware, *templates, *networks; /* galernad --simulate; or NULL */
    int stop_when;                         /* enum stop_when */

    /* [tracefile] */
    char *tracefile, *imagefile, *injectionfile; /* NULL: none */
    double slowdown_overhead;                    /* percent */
    int add_overhead;              /* enum trace_overhead_leases (lwf/trace_combine.h) */
    int64_t bootshutdown_overhead; /* seconds */
    int64_t override_memory;       /* MB, or -1 */

    /* [accounting] */
    char *probes;               /* names, separated by blanks; NULL: not set */
    uint32_t counters_left_out; /* kept by none of the probes: bit per enum accounting_counter */
    char *attributes;           /* name=value,...; NULL: none */

    /* Policies: names or paths with weights, "greedy*2,pack". */
    char *policy_admission, *policy_preemption, *policy_host_selection, *mapper;
    char *fair_shares; /* "user:5=2,group:100=10"; NULL: one share each */
    char *module_path; /* folders searched for modules, separated by ':'; NULL: built in */
    int64_t seed;

    /* [opennebula] and [daemon]; Haizea's options are converted into `live` */
    struct live_configuration live;
    char *opennebula_host;
    int64_t opennebula_port;
    bool opennebula_stop;
    int64_t wakeup_interval, non_schedulable_interval;

    struct policy_setting *policy_settings;
    size_t n_policy_settings;
    struct cancellation *cancellations; /* ascending in time */
    size_t n_cancellations;

    struct ini ini; /* the source of all values; owns the texts of policy_settings */
};

/* Command line additions to a file. Every member may be NULL or 0. */
struct configuration_overrides {
    const char *const *set; /* "section.option=value"; file names are relative to the
                               working directory */
    size_t n_set;
    const char *compatibility;
    const char *site;  /* for simulation.resources */
    const char *trace; /* for tracefile.tracefile */
};

struct configuration_list {
    struct configuration **items;
    size_t n_items;
};

/* Reads a file (NULL: only defaults and overrides). A section [multi] gives several configurations,
 * any other file exactly one. Errors: EINVAL, ENOENT, ... with file:line, the expected input and,
 * for a mistyped name, the nearest one. The list is then empty. */
int configuration_read(const char *file, const struct configuration_overrides *overrides,
                       struct configuration_list *list, struct error *err);

/* Makes the configurations of the options that were read. */
int configuration_list_make(struct configuration_list *list, struct ini *ini,
                            const struct configuration_overrides *overrides, struct error *err);
void configuration_list_finish(struct configuration_list *list);

/* Creates a configuration from the merged files and command line, and takes over ini. NULL on
 * errors as above. */
struct configuration *configuration_create(struct ini *ini, const char *name,
                                           const struct configuration_overrides *overrides,
                                           struct error *err);
void configuration_destroy(struct configuration *configuration); /* NULL is allowed */

/* The name of the module in the name of a section "policy NAME" or "policy.NAME", or NULL. */
const char *configuration_policy_of_section(const char *section);
