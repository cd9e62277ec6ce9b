/* settings.h: the settings of the engine: options of the sections [scheduling], [general] and
 * [deploy-imagetransfer], named as in Haizea. Times in seconds, rates in MB/s.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/behaviour.h"

enum backfilling {
    BACKFILLING_OFF,
    BACKFILLING_AGGRESSIVE,   /* one lease of the queue may hold a future reservation */
    BACKFILLING_CONSERVATIVE, /* any number of leases may */
    BACKFILLING_INTERMEDIATE, /* backfilling_reservations leases may */
};

enum suspension {
    SUSPENSION_NONE,
    SUSPENSION_SERIAL_ONLY, /* leases of one VM only */
    SUSPENSION_ALL,
};

/* Which suspensions (and which resumptions) must not overlap. */
enum suspension_exclusion {
    EXCLUSION_LOCAL,  /* those on the same host */
    EXCLUSION_GLOBAL, /* all of a lease (shared file system) */
};

enum migration { MIGRATION_NO, MIGRATION_YES, MIGRATION_YES_NOTRANSFER };

/* How a running lease is moved to better hosts: its VMs keep running while their memory is copied,
 * or the lease is suspended, transferred and resumed. */
enum migration_mode { MOVING_LIVE, MOVING_COLD };

enum preparation { PREPARATION_UNMANAGED, PREPARATION_IMAGE_TRANSFER };
enum transfer_mechanism { TRANSFER_UNICAST, TRANSFER_MULTICAST };
enum image_reuse { IMAGE_REUSE_NONE, IMAGE_REUSE_CACHES };

/* The leases that go first among those of equal priority (fair_share.h). */
enum fair_share_by {
    FAIR_SHARE_NO, /* the oldest leases */
    FAIR_SHARE_USERS,
    FAIR_SHARE_GROUPS, /* groups, and users within them */
};

enum { FAIR_SHARE_WEIGHTS_MAX = 64 };

/* The shares of a user or group that has more than one. */
struct fair_share_weight {
    bool is_group;
    int64_t id;
    int64_t shares; /* 1 or more */
};

struct fair_share_settings {
    enum fair_share_by by;
    int64_t half_life; /* seconds after which usage counts half, 1 or more */
    struct fair_share_weight weights[FAIR_SHARE_WEIGHTS_MAX];
    size_t n_weights;
};

struct engine_settings {
    struct behaviour behaviour;

    enum backfilling backfilling;
    int64_t backfilling_reservations; /* intermediate: how many */
    bool convert_reservations;        /* reservations without room wait as best-effort leases
                                       * (Shrivastava, Bhilare: AR-to-BE conversion) */
    bool whole_stretches; /* best-effort leases get a place for all of their time; false: they also
                           * start in shorter gaps and are suspended at the end of the gap */
    bool fixed_deadlines; /* deadline leases begin at their start or are refused, and only the
                             preemption policy moves them (Amini Salehi et al.: migratable) */
    enum suspension suspension;
    double suspend_rate, resume_rate; /* MB/s, > 0 unless suspension is none */
    enum suspension_exclusion exclusion;
    double scheduling_threshold_factor; /* >= 0 */
    int64_t force_scheduling_threshold; /* seconds, or SPAN_NONE */
    int64_t override_suspend_time;      /* seconds, or SPAN_NONE */
    int64_t override_resume_time;       /* seconds, or SPAN_NONE */
    double boot_rate;                   /* as resume_rate, for a VM's first start; 0: not counted */
    int64_t override_boot_time;         /* seconds, or SPAN_NONE */
    enum migration migration;
    int64_t migration_interval; /* seconds between searches for better hosts; 0: never */
    double migration_threshold; /* minimum gain of a move, in percent of the lease's time */
    enum migration_mode migration_mode;
    int64_t in_front_least;     /* seconds: leases without an end start in front of reservations at
                                 * least so far ahead, and move away in time (in_front.h); 0: no */
    int64_t shutdown_time;      /* seconds per lease */
    int64_t enactment_overhead; /* seconds per VM and operation */

    enum preparation preparation;
    enum transfer_mechanism transfer_mechanism;
    bool avoid_redundant_transfers;
    int64_t force_transfer_time; /* seconds, or SPAN_NONE */
    enum image_reuse image_reuse;
    int64_t image_cache_size;   /* MB per host */
    int64_t transfer_bandwidth; /* Mbit/s of the image repository */

    struct fair_share_settings fair_share;

    uint64_t seed; /* for policies' random numbers */
};

/* Haizea's defaults where they exist; suspension `all` at 32 MB/s, aggressive backfilling; default
 * behaviour. */
void engine_settings_init(struct engine_settings *settings);
