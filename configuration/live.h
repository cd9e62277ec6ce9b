/* live.h: the operator's settings for galernad: sections [opennebula] and [daemon].
 *
 * The table of all options (configuration/option_table.c) has limits and defaults; this file has
 * the meaning of the values for the daemon. Times are in seconds. Texts belong to the
 * configuration; NULL means "not set".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct configuration;
struct configuration_overrides;

enum live_suspend_with {
    SUSPEND_WITH_STOP,    /* frees the host in oned's accounts; may resume on any host */
    SUSPEND_WITH_SUSPEND, /* stays on its host; oned counts its capacity as used */
};

enum live_cold_moves { COLD_MOVES_SAVE, COLD_MOVES_POWEROFF };

enum live_end_action { END_TERMINATE, END_POWEROFF, END_UNDEPLOY };

/* Treatment of a VM whose lease is refused. The reason is always in its SCHED_MESSAGE. */
enum live_refusal { REFUSAL_HOLD, REFUSAL_TERMINATE, REFUSAL_MESSAGE };

/* VMs without the attribute HAIZEA or GALERNA. */
enum live_plain_vms {
    PLAIN_BEST_EFFORT, /* unlimited and not preempted, as by the stock scheduler */
    PLAIN_PREEMPTIBLE, /* unlimited, may be suspended to make room */
    PLAIN_IGNORE,      /* left to other schedulers; their capacity counts once they have a host */
};

/* The numbers of DEFAULT_SCHED (sched.conf), which may be written instead of the words. */
enum live_host_policy {
    LIVE_HOSTS_PACKING,    /* 0: most running VMs first */
    LIVE_HOSTS_STRIPING,   /* 1: fewest running VMs first */
    LIVE_HOSTS_LOAD_AWARE, /* 2: most FREE_CPU first */
    LIVE_HOSTS_CUSTOM,     /* 3: by `rank` */
    LIVE_HOSTS_FIXED,      /* 4: by PRIORITY of the host or, without one, of its cluster */
    LIVE_HOSTS_MODULES,    /* only scheduling.policy-host-selection */
};

/* The numbers of DEFAULT_DS_SCHED and DEFAULT_NIC_SCHED. */
enum live_placement {
    LIVE_PLACEMENT_PACKING,  /* 0: the fullest first */
    LIVE_PLACEMENT_STRIPING, /* 1: the emptiest first */
    LIVE_PLACEMENT_CUSTOM,   /* 2: by the rank expression */
    LIVE_PLACEMENT_FIXED,    /* 3: by PRIORITY */
    LIVE_PLACEMENTS,
};

enum live_log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

enum live_log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

enum { GROUP_TIMEOUT_NEVER = -1 };

struct live_configuration {
    /* --- [opennebula]: connections to oned --- */
    char *endpoint;  /* URL; built from Haizea's host and port if only those are set; NULL: found
                        like OpenNebula's own tools (ONE_XMLRPC, ...) */
    char *auth_file; /* file with "user:password"; NULL: ONE_AUTH, ~/.one/one_auth */
    bool allow_plaintext;   /* allow http to other machines */
    char *ca_file;          /* certificates to trust; NULL: the system's */
    char *promise_key;      /* file; NULL: promise.key in the state directory */
    int64_t timeout;        /* for one call, 1 or more */
    int64_t answer_limit;   /* most MB of one answer */
    int64_t memory_limit;   /* most MB of all answers and data kept from them */
    int64_t parallel_calls; /* connections at once, 1 or more */
    bool leader_check;      /* act on the Raft leader only */
    bool exclusive;         /* do not start while another daemon acts on the same OpenNebula */
    bool submit_on_hold; /* VM_SUBMIT_ON_HOLD is on: a VM that has been on hold since its submission
                            waits like a pending one */
    bool dry_run;        /* Haizea's: make decisions, but send no commands */

    /* --- times and limits --- */
    int64_t poll_interval;    /* longest time between polls of OpenNebula, 1 or more */
    int64_t actions_per_host; /* concurrent commands: per host, in total; 1 or more */
    int64_t actions_in_all;
    int64_t stuck_after;   /* operations that take longer are not counted there, 1 or more */
    int64_t retry_limit;   /* failed attempts in a row before giving up on a VM, 1 or more */
    int64_t retry_backoff; /* pause after the first failure; doubled after each further one */
    int64_t boot_time; /* lead of commands before the start of reservations until boot times have
                          been measured; 0: none */
    double estimate_margin; /* deviations added to learned durations, 0 or more */
    int64_t forecast;       /* number of queued leases with an estimated start; 0: none */

    int64_t rebalance_interval; /* time between rebalancing plans; 0: only on request */
    double rebalance_threshold; /* percent of the use of a host */

    /* --- leases --- */
    int suspend_with; /* enum live_suspend_with */
    bool enforce; /* deploy with oned's own capacity check. live_configuration_check() excludes it
                     for SUSPEND_WITH_SUSPEND */
    bool live_rescheds;     /* VMs that must leave their hosts migrate live */
    int64_t start_in_front; /* seconds: least time before a reservation in which VMs without an end
                             * may start on its host, to migrate before it begins; 0: never */
    int cold_moves;         /* enum live_cold_moves: for VMs that do not migrate live */
    int end_action;         /* enum live_end_action */
    bool unlock;            /* unlock a VM locked by its owner if it must end or make room */
    int64_t end_warning;    /* time of the warning to the user before the end; 0: none */
    int64_t unused_after; /* a lease ends early after its VMs were unused for this time; 0: never */
    int64_t unused_cpu;   /* percent of its CPU below which a VM is unused */
    int refusal;          /* enum live_refusal */
    int plain_vms;        /* enum live_plain_vms */
    int64_t group_timeout; /* a group without GROUP_SIZE and GROUP_TIMEOUT is complete after this
                              time without new VMs; GROUP_TIMEOUT_NEVER: never */

    /* --- placement --- */
    int host_policy;      /* enum live_host_policy */
    char *rank;           /* the expression of LIVE_HOSTS_CUSTOM, then not NULL */
    int datastore_policy; /* enum live_placement */
    char *datastore_rank; /* the expression of LIVE_PLACEMENT_CUSTOM, then not NULL */
    int network_policy;   /* enum live_placement, for networks of automatic NICs */
    char *network_rank;
    bool different_networks; /* a VM's automatic NICs are all in different networks */
    double memory_scale;     /* MEMORY_SYSTEM_DS_SCALE: x memory, added to the datastore need */

    /* --- [daemon] --- */
    char *state_dir;      /* NULL: live_state_directory() chooses */
    char *control_socket; /* NULL: live_control_socket() chooses */
    char *control_group;  /* members may use the socket; NULL: root and the daemon's user only */
    char *record;         /* LWF trace of observed leases to write; NULL: none */
    int log_level;        /* enum live_log_level */
    int log_format;       /* enum live_log_format */
    int64_t policy_call_limit; /* longest call of a policy module, 1 or more */
    int64_t plan_limit;        /* longest time for a plan, 1 or more */
    int64_t planner_memory;    /* MB of the planner process, in addition to hosts and VMs */
    char *planner_user;        /* its user if galernad runs as root; not NULL */
    char *http_listen;         /* of [http], for loopback_read(); NULL: no HTTP */
    int64_t history_keep;      /* ended leases leave the store after this time */
};

/* Reads the daemon's configuration like configuration_read(), but with other defaults: the mode is
 * opennebula, and reservations preempt best-effort leases (policy-preemption:
 * ar-preempts-everything). A file needs no options, and must not have a section [multi]. A complete
 * Haizea file ([general], [scheduling] and [accounting], no [galerna]) keeps Haizea's defaults.
 * file NULL: live_default_file() if it exists, otherwise the defaults. NULL on errors, as
 * configuration_read(). Free with configuration_destroy(). */
struct configuration *live_configuration_read(const char *file,
                                              const struct configuration_overrides *overrides,
                                              struct error *err);

/* Checks combinations of values and derives others: endpoint from host and port, poll_interval from
 * Haizea's wakeup-interval, host_policy from its number. Called by configuration_create(). Errors:
 * EINVAL with file:line. */
int live_configuration_check(struct configuration *configuration, struct error *err);

/* The state directory, the first of: `wanted` (--state-dir) if not NULL, the option,
 * $STATE_DIRECTORY (set by systemd), /var/lib/galerna for root and for its owner,
 * $XDG_STATE_HOME/galerna, ~/.local/state/galerna. Does not create it. live may be NULL. Returns an
 * absolute path, to be freed; NULL with err if there is no home directory either. */
char *live_state_directory(const struct live_configuration *live, const char *wanted,
                           struct error *err);

/* The file of the key that signs promises: the option or, if not set, promise.key in the state
 * directory. To be freed. */
char *live_promise_key(const struct live_configuration *live, const char *state_directory);

/* The directory of the lock that allows one galernad per user and machine, for all state
 * directories. The first of: $RUNTIME_DIRECTORY (set by systemd), /run/galerna for root and for its
 * owner, $XDG_RUNTIME_DIR/galerna, ~/.local/state/galerna. Does not create it. To be freed; NULL
 * with err if there is no home directory either. */
char *live_lock_directory(struct error *err);

/* The daemon's socket, the first of: the option, $RUNTIME_DIRECTORY/control.sock if set by systemd
 * and --state-dir is not given, control.sock in the state directory. To be freed. */
char *live_control_socket(const struct live_configuration *live, const char *wanted_state,
                          const char *state_directory);

/* The socket for clients, the first of: $GALERNA_SOCKET, the option (unless live is NULL),
 * /run/galerna/control.sock if it exists, control.sock in live_state_directory(). To be freed; NULL
 * with err. */
char *live_client_socket(const struct live_configuration *live, struct error *err);
