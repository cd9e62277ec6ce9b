/* live.h: the operator's settings for galernad: sections [opennebula] and [daemon].
 *
 * The options are in the same table as all others (configuration/option_table.c), which has their
 * limits and defaults; here is what the values mean to the daemon. Times are seconds. Texts belong
 * to the configuration; NULL means "not set".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct configuration;
struct configuration_overrides;

enum live_suspend_with {
    SUSPEND_WITH_STOP,    /* frees the host as oned counts it; comes back on any host */
    SUSPEND_WITH_SUSPEND, /* stays on its host; oned keeps counting its capacity as used */
};

enum live_cold_moves { COLD_MOVES_SAVE, COLD_MOVES_POWEROFF };

enum live_end_action { END_TERMINATE, END_POWEROFF, END_UNDEPLOY };

/* Treatment of a VM whose lease is refused. The reason is always in its SCHED_MESSAGE. */
enum live_refusal { REFUSAL_HOLD, REFUSAL_TERMINATE, REFUSAL_MESSAGE };

/* VMs without the attribute HAIZEA or GALERNA. */
enum live_plain_vms {
    PLAIN_BEST_EFFORT, /* unlimited, never disturbed: as the stock scheduler treats them */
    PLAIN_PREEMPTIBLE, /* unlimited, may be suspended to make room */
    PLAIN_IGNORE,      /* left to other schedulers; their capacity counts once they have a host */
};

/* The numbers of DEFAULT_SCHED (sched.conf), which may be written instead of the words. */
enum live_host_policy {
    LIVE_HOSTS_PACKING,    /* 0: most running VMs first */
    LIVE_HOSTS_STRIPING,   /* 1: fewest running VMs first */
    LIVE_HOSTS_LOAD_AWARE, /* 2: most FREE_CPU first */
    LIVE_HOSTS_CUSTOM,     /* 3: by `rank` */
    LIVE_HOSTS_FIXED,      /* 4: by PRIORITY of the host, else of its cluster */
    LIVE_HOSTS_MODULES,    /* scheduling.policy-host-selection alone */
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
    /* --- [opennebula]: how to reach oned --- */
    char *endpoint;         /* URL; made of Haizea's host and port when only those are set; NULL: as
                               OpenNebula's own tools find it (ONE_XMLRPC, ...) */
    char *auth_file;        /* file with "user:password"; NULL: ONE_AUTH, ~/.one/one_auth */
    bool allow_plaintext;   /* http to another machine than this one */
    char *ca_file;          /* certificates to trust; NULL: the system's */
    char *promise_key;      /* file; NULL: promise.key in the state directory */
    int64_t timeout;        /* for one call, 1 or more */
    int64_t answer_limit;   /* MB of one answer at most */
    int64_t memory_limit;   /* MB of all answers and what is kept of them at most */
    int64_t parallel_calls; /* connections at once, 1 or more */
    bool leader_check;      /* act on the Raft leader only */
    bool exclusive;         /* refuse to start while another daemon acts on the same OpenNebula */
    bool submit_on_hold;    /* VM_SUBMIT_ON_HOLD is on: a VM on hold that was never released nor
                               held by anybody is waiting, as a pending one is */
    bool dry_run;           /* Haizea's: decide, send nothing */

    /* --- when and how much --- */
    int64_t poll_interval;    /* look at OpenNebula at least this often, 1 or more */
    int64_t actions_per_host; /* commands under way at once: per host, in all; 1 or more */
    int64_t actions_in_all;
    int64_t stuck_after;    /* operations under way for longer do not count there, 1 or more */
    int64_t retry_limit;    /* failed attempts in a row before giving up on a VM, 1 or more */
    int64_t retry_backoff;  /* pause after the first failed attempt; doubled after each further */
    int64_t boot_time;      /* reservations are commanded so much before their start, until it was
                               seen how long booting takes; 0: not before it */
    double estimate_margin; /* deviations added to learned durations, 0 or more */
    int64_t forecast;       /* leases of the queue whose start is estimated; 0: none */

    int64_t rebalance_interval; /* plans to rebalance are made so often; 0: on request */
    double rebalance_threshold; /* percent of a host's use */

    /* --- leases --- */
    int suspend_with;       /* enum live_suspend_with */
    bool enforce;           /* deploy with oned's own capacity check. Never together with
                               SUSPEND_WITH_SUSPEND: live_configuration_check() sees to it */
    bool live_rescheds;     /* VMs that must leave their hosts migrate live */
    int64_t start_in_front; /* seconds: how far ahead of a reservation VMs without an end start on
                             * its host, to migrate before it begins; 0: never */
    int cold_moves;         /* enum live_cold_moves: what becomes of them otherwise */
    int end_action;         /* enum live_end_action */
    bool unlock;            /* a VM locked by its owner is unlocked when it must end or make room */
    int64_t end_warning;    /* tell the user so long before the end; 0: do not */
    int64_t unused_after;   /* a lease whose VMs are unused for so long ends early; 0: never */
    int64_t unused_cpu;     /* percent of its CPU below which a VM is unused */
    int refusal;            /* enum live_refusal */
    int plain_vms;          /* enum live_plain_vms */
    int64_t group_timeout; /* a group whose VMs say neither GROUP_SIZE nor GROUP_TIMEOUT is complete
                              when no VM has joined for so long; GROUP_TIMEOUT_NEVER: never */

    /* --- placement --- */
    int host_policy;      /* enum live_host_policy */
    char *rank;           /* the expression of LIVE_HOSTS_CUSTOM, never NULL then */
    int datastore_policy; /* enum live_placement */
    char *datastore_rank; /* the expression of LIVE_PLACEMENT_CUSTOM, never NULL then */
    int network_policy;   /* the same for networks of automatic NICs */
    char *network_rank;
    bool different_networks; /* a VM's automatic NICs are all in different networks */
    double memory_scale; /* MEMORY_SYSTEM_DS_SCALE: adds so much x memory to the datastore need */

    /* --- [daemon] --- */
    char *state_dir;      /* NULL: live_state_directory() finds one */
    char *control_socket; /* NULL: live_control_socket() finds one */
    char *control_group;  /* whose members may use the socket; NULL: root and the daemon's user */
    char *record;         /* LWF trace to write what was seen to; NULL: none */
    int log_level;        /* enum live_log_level */
    int log_format;       /* enum live_log_format */
    int64_t policy_call_limit; /* for one call of a policy module, 1 or more */
    int64_t plan_limit;        /* for one plan, 1 or more */
    int64_t planner_memory;    /* MB of the planner process, in addition to hosts and VMs */
    char *planner_user;        /* whose process it is when galernad is root's; never NULL */
    char *http_listen;         /* of [http]: loopback_read() takes it; NULL: no HTTP */
    int64_t history_keep;      /* ended leases leave the book after so long */
};

/* Read the daemon's configuration. As configuration_read(), with these differences: the mode is
 * opennebula unless the file says otherwise; a file needs no option; where the file does not say,
 * reservations make best-effort leases give way (policy-preemption: ar-preempts-everything); a
 * section [multi] is refused. A complete file of Haizea's ([general], [scheduling] and
 * [accounting], no [galerna]) keeps Haizea's defaults. file NULL: live_default_file() when it is
 * there, else the defaults. NULL on errors, as configuration_read(). Freed with
 * configuration_destroy(). */
struct configuration *live_configuration_read(const char *file,
                                              const struct configuration_overrides *overrides,
                                              struct error *err);

/* Checks combinations of values and derives others: endpoint from host and port, poll_interval from
 * Haizea's wakeup-interval, host_policy from its number. Called by configuration_create(). Errors:
 * EINVAL with file:line. */
int live_configuration_check(struct configuration *configuration, struct error *err);

/* The state directory: `wanted` (--state-dir) if not NULL, else the option, else $STATE_DIRECTORY
 * (set by systemd), else /var/lib/galerna for root and for the user it belongs to, else
 * $XDG_STATE_HOME/galerna, else ~/.local/state/galerna. Nothing is created. live may be NULL. An
 * absolute path, to be freed; NULL with err when there is no home directory either. */
char *live_state_directory(const struct live_configuration *live, const char *wanted,
                           struct error *err);

/* The file with the key that signs promises: the option, else promise.key in the state directory.
 * To be freed. */
char *live_promise_key(const struct live_configuration *live, const char *state_directory);

/* The directory of the lock that allows only one galernad per user and machine, whatever the state
 * directories: $RUNTIME_DIRECTORY (set by systemd), else /run/galerna for root and for the user it
 * belongs to, else $XDG_RUNTIME_DIR/galerna, else ~/.local/state/galerna. Nothing is created. To be
 * freed; NULL with err when there is no home either. */
char *live_lock_directory(struct error *err);

/* The daemon's socket: the option, else $RUNTIME_DIRECTORY/control.sock when systemd set it and no
 * --state-dir is wanted, else control.sock in the state directory. To be freed. */
char *live_control_socket(const struct live_configuration *live, const char *wanted_state,
                          const char *state_directory);

/* The socket a client connects to: $GALERNA_SOCKET, else control.sock in `wanted_state`
 * (--state-dir) if not NULL, else the option, else the first that exists of
 * /run/galerna/control.sock and control.sock in live_state_directory(). To be freed; NULL with
 * err. */
char *live_client_socket(const struct live_configuration *live, const char *wanted_state,
                         struct error *err);
