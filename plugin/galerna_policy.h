/* galerna_policy.h: the interface of Galerna's policy modules.
 *
 * A module is a shared object, NAME.so, that exports one constant structure, galerna_policy_NAME
 * (with _ for - in the name), and nothing else. It imports nothing from the program that loads it:
 * create() receives a table of functions for all queries, struct galerna_host. The same file
 * therefore runs in a replay, in the daemon, in `galerna policy check` and under the mock host of a
 * unit test. This header is self-contained, in C17 and C++17.
 *
 * Rules for a module
 * - No variables outside `self`: a module may have several instances, with different options, in
 *   several threads. One instance is called by one thread at a time.
 * - Same calls, same results: no clock, no random numbers except host->random(), no files, no
 *   threads.
 * - Results are integers in a fixed range. A result out of range is clamped and counted; after a
 *   number of faults (10 unless configured) a built-in default replaces the module.
 * - Arguments that are pointers are valid until the call returns, `host` and option texts until
 *   destroy().
 *
 * Units: times and durations in seconds (the origin of time is the driver's; in the daemon the Unix
 * epoch), intervals half-open [from, until); CPU in 1/100 of a processor, memory and disk in MB,
 * network in Mbit/s. A host is identified by its place, 0 ... host->host_count() - 1.
 *
 * Versions: the loader accepts a module with its own major number and at most its own minor number,
 * and reads at most `size` bytes of a structure. Fields are only appended.
 * - 1.0 (2026-11-20) admission, preemption, host selection
 * - 1.1 (2026-11-21) struct galerna_policy: event (optional), for modules that learn
 * - 1.2 (2026-11-21) struct galerna_host_selection: estimate (optional); struct galerna_host:
 *   lease_stretches, lease_stretch, host_attribute
 * - 1.3 (2026-11-22) struct galerna_host: lease_term
 * - 1.4 (2026-11-22) struct galerna_host: local_time, lease_state, lease_user_name,
 *   lease_group_name, user_leases, host_fit
 * - 1.5 (2026-11-23) struct galerna_host: lease_priority_thousandths
 * - 1.6 (2026-11-23) events: parked, released; GALERNA_COLUMNS_SUFFICE
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GALERNA_POLICY_MAGIC UINT32_C(0x4750304c)
#define GALERNA_ABI_MAJOR    1
#define GALERNA_ABI_MINOR    6

/* Special times and durations. */
#define GALERNA_NONE      INT64_MIN /* not set */
#define GALERNA_NEVER     INT64_MAX /* later than any time */
#define GALERNA_UNLIMITED INT64_MAX /* the duration of a lease without an end */

/* Scores are 0 ... GALERNA_SCORE_MAX; larger scores are chosen first. The range represents a double
 * between 1/4 and 1 without loss (times 2^54). */
#define GALERNA_SCORE_MAX (INT64_C(1) << 54)
#define GALERNA_VETO      INT64_C(-1) /* never this one */

/* ---- leases ------------------------------------------------------------------------------- */

struct galerna_lease; /* opaque: use host->lease_...() */
union galerna_value;  /* see "options" below */

enum galerna_lease_kind {
    GALERNA_LEASE_BEST_EFFORT, /* as soon as there is room; waits in the queue */
    GALERNA_LEASE_IMMEDIATE,   /* now or never */
    GALERNA_LEASE_RESERVATION, /* at an exact time or not at all (AR) */
    GALERNA_LEASE_DEADLINE     /* not before its start, finished by its deadline */
};

/* The ways in which a lease may make room for another. */
enum galerna_terms {
    GALERNA_TERMS_CANCELABLE,
    GALERNA_TERMS_SUSPENDABLE,
    GALERNA_TERMS_MIGRATABLE,
    GALERNA_TERMS_RESTARTABLE,
    GALERNA_TERMS_NON_PREEMPTABLE
};

enum galerna_origin { GALERNA_ORIGIN_LOCAL, GALERNA_ORIGIN_EXTERNAL };

/* The phase of a lease, simplified. */
enum galerna_lease_state {
    GALERNA_STATE_WAITING,   /* its VMs have not started, or will start again from the beginning */
    GALERNA_STATE_RUNNING,   /* its VMs run, or are being resumed or migrated */
    GALERNA_STATE_SUSPENDED, /* its VMs are suspended or being suspended, to be resumed */
    GALERNA_STATE_OVER       /* done, cancelled, refused or failed */
};

/* Whether a VM has room on a host. Larger numbers require larger changes. */
enum galerna_fit {
    GALERNA_FIT_OK,
    GALERNA_FIT_BUSY,      /* too little is free at that time */
    GALERNA_FIT_TOO_SMALL, /* the host is too small even when empty */
    GALERNA_FIT_EXCLUDED,  /* the VM may not run there, or the host takes no new VMs */
    GALERNA_FIT_UNKNOWN    /* no such host, or the driver has no slot table */
};

/* The places of the resource types of every site; further types follow. */
enum { GALERNA_CPU, GALERNA_MEMORY, GALERNA_DISK, GALERNA_NET_IN, GALERNA_NET_OUT };

/* ---- answers ------------------------------------------------------------------------------ */

enum galerna_verdict {
    GALERNA_OK,               /* yes; the scores or choices are used */
    GALERNA_REFUSED_FOR_NOW,  /* no, but a later request may be accepted */
    GALERNA_REFUSED_FOR_GOOD, /* no, and later requests will also be refused */
    GALERNA_SKIP,             /* no opinion: the other modules of the chain decide */
    GALERNA_ERROR             /* the module failed; counted as a fault */
};

enum { GALERNA_REASON_MAX = 48, GALERNA_TEXT_MAX = 256 };

/* The reason if the verdict is not GALERNA_OK. To be filled by host->answer() only. */
struct galerna_result {
    uint32_t size;                   /* of this structure, as the host knows it */
    int32_t verdict;                 /* enum galerna_verdict */
    char reason[GALERNA_REASON_MAX]; /* a stable id for programs, such as "too-many-vms" */
    char text[GALERNA_TEXT_MAX];     /* a sentence with numbers for users */
};

/* ---- queries ------------------------------------------------------------------------------ */

enum galerna_log_level {
    GALERNA_LOG_ERROR,
    GALERNA_LOG_WARNING,
    GALERNA_LOG_INFO,
    GALERNA_LOG_DEBUG
};

/* A calendar date and time of day. This structure will not grow. */
struct galerna_local_time {
    int32_t year, month, day; /* month 1 ... 12, day 1 ... 31 */
    int32_t weekday;          /* 0 = Sunday ... 6 = Saturday */
    int32_t hour, minute, second;
    int32_t utc_offset; /* seconds east of UTC; in a replay 0 */
    char zone[16];      /* for example "CET"; in a replay "" */
};

enum galerna_compatibility {
    GALERNA_COMPATIBILITY_DEFAULT,   /* Galerna's default rules */
    GALERNA_COMPATIBILITY_HAIZEA_1_0 /* the schedules of Haizea 1.0, with its quirks */
};

#if defined(__GNUC__)
#define GALERNA_PRINTF(text, arguments) __attribute__((__format__(__printf__, text, arguments)))
#else
#define GALERNA_PRINTF(text, arguments)
#endif

/* Given to create(), one per instance, valid until destroy(). Functions may be called only from the
 * thread that calls the module. All are O(1) unless stated otherwise. */
struct galerna_host {
    uint32_t size; /* of this structure; at least that of the module's own minor version */
    uint16_t abi_major;
    uint16_t abi_minor;
    uint32_t compatibility; /* enum galerna_compatibility */
    uint32_t reserved;
    void *context; /* private to the host */

    /* Logs a message for the operator, prefixed with the module's name: one line, no newline. */
    void (*log)(const struct galerna_host *host, enum galerna_log_level level, const char *format,
                ...) GALERNA_PRINTF(3, 4);

    /* Fills *result and returns verdict, so that a function can end with
     * `return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "too-long", "...", ...)`.
     * reason: lower case letters, digits and -; both texts are truncated if too long. */
    enum galerna_verdict (*answer)(struct galerna_result *result, enum galerna_verdict verdict,
                                   const char *reason, const char *format, ...)
        GALERNA_PRINTF(4, 5);

    /* The time of the decision under way. */
    int64_t (*now)(const struct galerna_host *host);

    /* 64 random bits. Each instance has its own sequence, which depends only on the seed, the
     * module and its place in the chain. */
    uint64_t (*random)(const struct galerna_host *host);

    /* The properties of a lease. */
    int64_t (*lease_id)(const struct galerna_lease *lease);
    enum galerna_lease_kind (*lease_kind)(const struct galerna_lease *lease);
    enum galerna_terms (*lease_terms)(const struct galerna_lease *lease);
    enum galerna_origin (*lease_origin)(const struct galerna_lease *lease);
    /* Higher priorities go first; 0 by default. Rounded down; see lease_priority_thousandths. */
    int32_t (*lease_priority)(const struct galerna_lease *lease);
    int64_t (*lease_user)(const struct galerna_lease *lease);     /* -1: unknown */
    int64_t (*lease_submit)(const struct galerna_lease *lease);   /* time of submission */
    int64_t (*lease_start)(const struct galerna_lease *lease);    /* requested, or GALERNA_NONE */
    int64_t (*lease_deadline)(const struct galerna_lease *lease); /* or GALERNA_NONE */
    int64_t (*lease_duration)(const struct galerna_lease *lease); /* s, or GALERNA_UNLIMITED */
    int64_t (*lease_accumulated)(const struct galerna_lease *lease); /* seconds run before this
                                                                      * start */
    uint32_t (*lease_vms)(const struct galerna_lease *lease);        /* how many, 1 or more */
    /* The amount of a resource type requested for VM `vm` (0 = the first); 0 if there is no such VM
     * or type. O(groups of equal VMs). */
    int64_t (*lease_amount)(const struct galerna_lease *lease, uint32_t vm, uint32_t type);
    /* Image name, NULL: none; and its size in MB. */
    const char *(*lease_image)(const struct galerna_lease *lease);
    int64_t (*lease_image_size)(const struct galerna_lease *lease);

    /* The site. 0, -1 or NULL if there is no such place, type or name. */
    uint32_t (*host_count)(const struct galerna_host *host);
    int32_t (*host_id)(const struct galerna_host *host, uint32_t place); /* the host's id for users
                                                                          */
    int64_t (*host_capacity)(const struct galerna_host *host, uint32_t place, uint32_t type);
    uint32_t (*type_count)(const struct galerna_host *host);
    const char *(*type_name)(const struct galerna_host *host, uint32_t type);
    int32_t (*type_find)(const struct galerna_host *host, const char *name);

    /* The slot table: amounts[0 ... type_count - 1] free on a host at a time, now or later.
     * False, with amounts unchanged: no such place, or no slot table is available (for example in
     * create()). O(log of the host's change points). */
    bool (*host_free)(const struct galerna_host *host, uint32_t place, int64_t at,
                      int64_t *amounts);

    /* Since 1.2. The number of the lease's stretches whose work was kept: the last one is under
     * way, or ended where the memory was saved. O(operations of the lease). */
    uint32_t (*lease_stretches)(const struct galerna_lease *lease);
    /* Seconds that stretch 0, 1, ... has lasted so far; *place (may be NULL): the host of VM `vm`.
     * -1, with *place unchanged: no such stretch or VM. O(operations of the lease). */
    int64_t (*lease_stretch)(const struct galerna_host *host, const struct galerna_lease *lease,
                             uint32_t stretch, uint32_t vm, uint32_t *place);
    /* An attribute of a host, for example NAME; NULL: the driver has no attribute of that name (in
     * a replay always). Valid until the call of the module returns. */
    const char *(*host_attribute)(const struct galerna_host *host, uint32_t place,
                                  const char *name);

    /* Since 1.3. A term of the lease by its name: "preemptible", "terms", "origin", "priority", and
     * terms added by later versions (galerna-template(5) lists them, in capitals). Returns the type
     * of *value: GALERNA_BOOLEAN, GALERNA_INTEGER or GALERNA_TEXT (also for terms with a fixed set
     * of words); -1, with *value unchanged: this host has no term of that name. Numbers with
     * decimals are rounded down. A text is valid as long as the lease. O(number of terms). */
    int32_t (*lease_term)(const struct galerna_lease *lease, const char *name,
                          union galerna_value *value);

    /* Since 1.4. Converts a time, for example now(), to local time: live in the time zone of
     * galernad; in a replay, time 0 is the `starttime` of its configuration, without daylight
     * saving time. False, with *local unchanged: a replay without `starttime`. */
    bool (*local_time)(const struct galerna_host *host, int64_t at,
                       struct galerna_local_time *local);
    enum galerna_lease_state (*lease_state)(const struct galerna_lease *lease);
    /* The names of the lease's user and of the user's group; NULL: unknown (in a replay always).
     * Valid as long as the lease. */
    const char *(*lease_user_name)(const struct galerna_lease *lease);
    const char *(*lease_group_name)(const struct galerna_lease *lease);
    /* Fills leases[0 ... room - 1] with the user's leases that are not over, by ascending id;
     * returns their number, which may exceed room. The lease to be decided may be among them. Valid
     * until the call of the module returns. 0 in create(). O(leases of the site that are not over).
     */
    size_t (*user_leases)(const struct galerna_host *host, int64_t user,
                          const struct galerna_lease **leases, size_t room);
    /* Does a VM of the lease have room on a host at a time, now or later, under the present plan,
     * and if not, why? For VMs of several sizes, the result is that of the VM closest to fitting.
     * *type (may be NULL): the insufficient resource; unchanged for other results. O(sizes of VMs x
     * log of the host's change points). */
    enum galerna_fit (*host_fit)(const struct galerna_host *host, const struct galerna_lease *lease,
                                 uint32_t place, int64_t at, uint32_t *type);

    /* Since 1.5. The lease's priority in thousandths: 500 for 0.5. */
    int32_t (*lease_priority_thousandths)(const struct galerna_lease *lease);
};

/* ---- options ------------------------------------------------------------------------------ */

enum galerna_option_type {
    GALERNA_BOOLEAN, /* yes, no, true, false, on, off, 1, 0 */
    GALERNA_INTEGER,
    GALERNA_NUMBER, /* a finite decimal number */
    GALERNA_TEXT,
    GALERNA_CHOICE,  /* one of the words in `choices` */
    GALERNA_DURATION /* seconds: 90, 90s, 15m, 2h, 7d, or [D:]HH:MM:SS */
};

/* A row of a module's table of options, the only description of an option. The host parses and
 * checks the configured values, and prints the table for users. */
struct galerna_option {
    const char *name; /* lower case letters, digits and - */
    uint32_t type;    /* enum galerna_option_type */
    uint32_t reserved;
    const char *default_value;      /* in the syntax of the configuration; NULL: the option is
                                     * required */
    const char *default_haizea_1_0; /* in that mode; NULL: as default_value */
    double minimum, maximum;        /* integer, number, duration; both 0: no limits */
    const char *choices;            /* choice: "first|second|third" */
    const char *description;        /* a sentence, with the unit */
};

/* The value of an option; its type determines the member. */
union galerna_value {
    bool boolean;
    int64_t integer; /* also durations, in seconds */
    double number;
    const char *text;
    uint32_t choice; /* 0 = the first of `choices` */
};

/* ---- admission ---------------------------------------------------------------------------- */

struct galerna_admission_request {
    uint32_t size;
    uint32_t reserved;
    const struct galerna_lease *lease; /* not scheduled yet */
    int64_t now;
};

struct galerna_admission {
    uint32_t size;
    uint32_t reserved;
    /* May this lease be scheduled at all? Called once, at the request. GALERNA_OK or SKIP: this
     * module does not object; REFUSED_...: no, with a reason. Both refusals are final for this
     * request; FOR_NOW informs its owner that a later request may be accepted. All modules of the
     * chain must agree; the first refusal is recorded. */
    enum galerna_verdict (*admit)(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result);
};

/* ---- preemption --------------------------------------------------------------------------- */

/* A lease that could make room. For terms, origin and priority use host->lease_...(victim->lease).
 */
struct galerna_victim {
    const struct galerna_lease *lease;
    int64_t overhead;   /* seconds lost by preempting it on its terms, summed over its VMs */
    bool started;       /* runs at the time of preemption (false: only planned) */
    int64_t runs_since; /* start of its present VMs */
};

struct galerna_victim_batch {
    uint32_t size;
    uint32_t victim_size; /* distance between two victims, for galerna_victim() */
    const struct galerna_lease *preemptor;
    int64_t at; /* its intended start */
    size_t n_victims;
    const struct galerna_victim *victims; /* ascending lease id */

    /* Would preempting these victims (places in the batch) make enough room for the preemptor, on
     * hosts and for its whole interval? Sets that differ little from the last one tested cost
     * little. NULL in score(). */
    bool (*enough)(const struct galerna_victim_batch *batch, const size_t *chosen, size_t n_chosen);
    const void *context; /* private to the host */
};

static inline const struct galerna_victim *galerna_victim(const struct galerna_victim_batch *batch,
                                                          size_t place)
{
    return (const struct galerna_victim *)(const void *)((const char *)batch->victims +
                                                         place * batch->victim_size);
}

/* A module has score or choose, or both (choose is then preferred). */
struct galerna_preemption {
    uint32_t size;
    uint32_t reserved;

    /* A quick check: can this lease ever preempt? If not, no victims are gathered. NULL: it can. */
    bool (*may_preempt)(void *self, const struct galerna_lease *preemptor);

    /* scores[i]: preference for preempting victim i, or GALERNA_VETO. The highest score is
     * preempted first, and the larger lease id among equals, until there is room. In a chain, a
     * veto of any module counts; the score is the weighted mean. */
    enum galerna_verdict (*score)(void *self, const struct galerna_victim_batch *batch,
                                  int64_t *scores, struct galerna_result *result);

    /* Chooses a set of victims: fills chosen[] (room for n_victims) with distinct places and sets
     * *n_chosen; 0: no set suffices. The set must pass batch->enough(). At most one module of a
     * chain may have this function; victims vetoed by the others are not in its batch. If victims
     * of the set would miss promised deadlines, it is called again without them. */
    enum galerna_verdict (*choose)(void *self, const struct galerna_victim_batch *batch,
                                   size_t *chosen, size_t *n_chosen, struct galerna_result *result);
};

/* ---- host selection ----------------------------------------------------------------------- */

/* Columns that a module reads; columns that no module in the chain reads may be NULL. */
enum {
    GALERNA_COLUMN_LEASES = 1u << 0, /* leases_present */
    GALERNA_COLUMN_CHANGE = 1u << 1, /* unchanged_until */
    GALERNA_COLUMN_FREE = 1u << 2,   /* free */
    /* Since 1.6. Not a column: the score depends on the columns the module reads, the capacities,
     * the lease, at and duration alone. One host may then represent all hosts that are alike in
     * these, which makes scoring on a large site much cheaper; the order of hosts in the batch is
     * unspecified. */
    GALERNA_COLUMNS_SUFFICE = 1u << 3
};

/* Hosts on which at least one VM of the lease fits at `at`, in ascending place, by columns. */
struct galerna_host_batch {
    uint32_t size;
    uint32_t n_types; /* resource types of the site: entries per host in `free` */
    const struct galerna_lease *lease;
    int64_t at;       /* start of the interval */
    int64_t duration; /* seconds left to run, with Haizea's rules as requested; or
                       * GALERNA_UNLIMITED */
    size_t n_hosts;
    const uint32_t *hosts;          /* places in the site */
    const int32_t *leases_present;  /* distinct leases on the host at `at` */
    const int64_t *unchanged_until; /* next change of its free amounts or leases, or NEVER */
    const int64_t *free;            /* n_hosts x n_types amounts free at `at` */
    const void *capacity;           /* use galerna_capacity() */
    size_t capacity_stride;
};

/* The capacity of the batch's host i, by resource type. */
static inline const int64_t *galerna_capacity(const struct galerna_host_batch *batch, size_t i)
{
    return (const int64_t *)(const void *)((const char *)batch->capacity +
                                           (size_t)batch->hosts[i] * batch->capacity_stride);
}

/* The input for an estimate of a lease's total time, from its first start to its end, if its VMs
 * run on these hosts from `at` on. Used for its present hosts and for candidates for a move. */
struct galerna_estimate {
    uint32_t size;
    uint32_t n_vms;
    const struct galerna_lease *lease;
    int64_t at;
    const uint32_t *hosts; /* places, one per VM */
    const uint32_t *from;  /* present hosts of the VMs; equal to hosts: the lease stays */
    int64_t overhead;      /* seconds that the VMs do not run, as planned for the move */
};

struct galerna_host_selection {
    uint32_t size;
    uint32_t columns; /* GALERNA_COLUMN_... that score reads */

    /* scores[i] for host i of the batch, or GALERNA_VETO. Among equal scores, the smaller place
     * goes first. In a chain, a veto of any module counts; the score is the weighted mean. This is
     * the hot path, called up to a million times in a replay: use plain loops over the columns. */
    enum galerna_verdict (*score)(void *self, const struct galerna_host_batch *batch,
                                  int64_t *scores, struct galerna_result *result);

    /* Since 1.2, optional: *milliseconds, 0 or more: the total time of the lease. A running lease
     * whose terms allow it moves if the move shortens this time by the configured threshold. The
     * first module of a chain that returns an estimate decides; NULL: no opinion. */
    enum galerna_verdict (*estimate)(void *self, const struct galerna_estimate *estimate,
                                     int64_t *milliseconds, struct galerna_result *result);
};

/* ---- events ------------------------------------------------------------------------------- */

enum galerna_event_kind {
    GALERNA_EVENT_REQUESTED, /* a lease was requested, and `accepted` or not */
    GALERNA_EVENT_STARTED,   /* its VMs run for the first time */
    GALERNA_EVENT_PREEMPTED, /* it makes room for lease `other` */
    GALERNA_EVENT_RESUMED,   /* its VMs run again */
    GALERNA_EVENT_FINISHED,  /* done, cancelled, refused or failed; lease_accumulated() is then its
                              * total run time */
    /* Since 1.6, live only: */
    GALERNA_EVENT_PARKED,  /* its user or an operator has stopped or held its VMs, so that it
                            * neither runs nor waits */
    GALERNA_EVENT_RELEASED /* it was parked and waits again */
};

struct galerna_event {
    uint32_t size;
    uint32_t kind; /* enum galerna_event_kind; modules must ignore unknown kinds */
    int64_t time;
    const struct galerna_lease *lease;
    int64_t other; /* preempted: the id of the lease it makes room for; else -1 */
    bool accepted; /* requested */
};

/* ---- the module --------------------------------------------------------------------------- */

enum galerna_policy_kind {
    GALERNA_KIND_ADMISSION = 1,
    GALERNA_KIND_PREEMPTION = 2,
    GALERNA_KIND_HOST_SELECTION = 3
};

struct galerna_policy {
    uint32_t magic; /* GALERNA_POLICY_MAGIC */
    uint16_t abi_major;
    uint16_t abi_minor;
    uint32_t size;       /* sizeof(struct galerna_policy) when the module was compiled */
    uint32_t kind;       /* enum galerna_policy_kind */
    const char *name;    /* lower case letters, digits and -; the file is NAME.so */
    const char *version; /* the module's own */
    const char *summary; /* one line */

    const struct galerna_option *options; /* NULL if there are none */
    uint32_t n_options;
    uint32_t option_size; /* sizeof(struct galerna_option); 0 if there are none */

    /* Creates an instance. values[i] belongs to options[i]. Sets *self (NULL is allowed) and
     * returns GALERNA_OK; or releases everything and returns GALERNA_ERROR through host->answer(),
     * with the error and its remedy. NULL: the module has no state. */
    enum galerna_verdict (*create)(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result);
    /* Frees the instance. self may be NULL. NULL: there is nothing to free. */
    void (*destroy)(void *self);

    /* The operations of `kind`; the other pointers are NULL. */
    const struct galerna_admission *admission;
    const struct galerna_preemption *preemption;
    const struct galerna_host_selection *host_selection;

    /* Since 1.1: called for each event, for modules that learn. Must be fast. NULL: the module
     * needs no events. */
    void (*event)(void *self, const struct galerna_event *event);
};

/* The last lines of a module (the symbol's name is the policy's with _ for -):
 *
 *     GALERNA_POLICY(no_mondays) = {
 *         GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
 *         .name = "no-mondays", .version = "1.0", .summary = "Refuses leases requested on Mondays",
 *         .create = create, .destroy = destroy, .admission = &operations,
 *     };
 *
 * In C++, give all members in order, without their names.
 */
#ifdef __cplusplus
#define GALERNA_EXTERN extern "C"
#else
#define GALERNA_EXTERN extern
#endif
#define GALERNA_POLICY(symbol)                                                                     \
    GALERNA_EXTERN __attribute__((visibility("default")))                                          \
    const struct galerna_policy galerna_policy_##symbol;                                           \
    const struct galerna_policy galerna_policy_##symbol
#define GALERNA_POLICY_HEAD(kind)                                                                  \
    GALERNA_POLICY_MAGIC, GALERNA_ABI_MAJOR, GALERNA_ABI_MINOR,                                    \
        (uint32_t)sizeof(struct galerna_policy), (uint32_t)(kind)
/* The members .options, .n_options and .option_size, for an array. */
#define GALERNA_OPTIONS(array)                                                                     \
    (array), (uint32_t)(sizeof(array) / sizeof((array)[0])), (uint32_t)sizeof(struct galerna_option)

#ifdef __cplusplus
}
#endif
