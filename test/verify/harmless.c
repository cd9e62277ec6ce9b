/* Each lie that cannot hide an overbooked or unfair schedule, with the reason why. */
#include "test/verify/harmless.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lies that cannot hide an overbooked or unfair schedule, by patterns of fnmatch(3) for path and
 * lie. What a user asked for is compared with nothing: `verify` says of each record that it does
 * not know the trace. */
#define ASKED                                                                                      \
    "as asked for: only the trace could contradict, and verify says that it is not checked"
#define PLANNING  "what is held beyond what the VMs need (checked) only keeps others away"
#define MODE      "the mode follows from the others; all or none are on"
#define HOSTS     "the order of hosts says nothing"
#define LAXER     "a laxer rule: only the configuration could contradict"
#define ORDER     "the order within one second says nothing"
#define NO_EFFECT "the record contains no operation that the setting is about"
#define ROUNDED                                                                                    \
    "each operation of the record takes the same whole seconds, which are compared exactly"
#define CHOICE                                                                                     \
    "guides the choice among schedules that keep all promises: verify says that it is not checked"
#define CACHED                                                                                     \
    "the host may have the image from before (diskimage-reuse): who uses it is checked when it "   \
    "is sent"
#define HAIZEAS "Haizea moves more images than VMs, on some hosts: each VM's own is checked"

/* The lease, or the reservation, that the path leads to or through. */
static json_t *lease_of(json_t *record, const char *path)
{
    size_t lease;

    return sscanf(path, "leases/%zu", &lease) == 1
               ? json_array_get(json_object_get(record, "leases"), lease)
               : NULL;
}

const char *lie_kind_of(json_t *record, const char *path)
{
    const char *kind;
    size_t lease, r;

    if (sscanf(path, "leases/%zu/rrs/%zu", &lease, &r) != 2)
        return "";
    kind = json_string_value(
        json_object_get(json_array_get(json_object_get(lease_of(record, path), "rrs"), r), "type"));
    return kind ? kind : "";
}

static bool of_no_run(json_t *record, const char *path)
{
    return strcmp(lie_kind_of(record, path), "VM") != 0 &&
           strcmp(lie_kind_of(record, path), "SHUTDOWN") != 0;
}

/* Of what was planned for later when the run was stopped. */
static bool of_plan(json_t *record, const char *path)
{
    const char *state;
    size_t lease, r;

    if (sscanf(path, "leases/%zu/rrs/%zu", &lease, &r) != 2)
        return false;
    state = json_string_value(json_object_get(
        json_array_get(json_object_get(lease_of(record, path), "rrs"), r), "state"));
    return state && strcmp(state, "Scheduled") == 0;
}

/* Of a lease that has not run, and was planned to. */
static bool of_plans(json_t *record, const char *path)
{
    json_t *rrs = json_object_get(lease_of(record, path), "rrs"), *r;
    size_t i;

    json_array_foreach(rrs, i, r) if (strcmp(json_string_value(json_object_get(r, "state")),
                                             "Scheduled") != 0) return false;
    return true;
}

static bool of_idle_lease(json_t *record, const char *path)
{
    return json_array_size(json_object_get(lease_of(record, path), "rrs")) == 0;
}

/* And the next one. */
static bool of_idle_leases(json_t *record, const char *path)
{
    char next[64];

    snprintf(next, sizeof next, "leases/%ld", strtol(path + strlen("leases/"), NULL, 10) + 1);
    return of_idle_lease(record, path) && of_idle_lease(record, next);
}

/* Two preemptions at the same time, for the same lease. */
static bool are_at_one_time(json_t *record, size_t one, size_t other)
{
    const json_t *all = json_object_get(record, "preemptions");
    const json_t *whom = json_object_get(json_object_get(record, "galerna"), "preempted_for");

    return json_equal(json_array_get(json_array_get(all, one), 0),
                      json_array_get(json_array_get(all, other), 0)) &&
           json_equal(json_array_get(whom, one), json_array_get(whom, other));
}

static bool at_one_time(json_t *record, const char *path)
{
    size_t n = strtoul(path + strlen("preemptions/"), NULL, 10);

    return are_at_one_time(record, n, n + 1);
}

/* And all that follow. */
static bool at_last_time(json_t *record, const char *path)
{
    size_t n = strtoul(path + strlen("preemptions/"), NULL, 10);

    return are_at_one_time(record, n, json_array_size(json_object_get(record, "preemptions")) - 1);
}

/* The same operation on the same host, of VMs of the same size: only the order of VMs differs. */
static bool of_even_windows(json_t *record, const char *path)
{
    json_t *rrs = json_object_get(lease_of(record, path), "rrs");
    size_t lease, r;

    return sscanf(path, "leases/%zu/rrs/%zu", &lease, &r) == 2 &&
           json_equal(json_object_get(json_array_get(rrs, r), "res"),
                      json_object_get(json_array_get(rrs, r + 1), "res"));
}

/* Of a lease that was planned again, and prepared again. */
static bool of_repeated_transfer(json_t *record, const char *path)
{
    json_t *rrs = json_object_get(lease_of(record, path), "rrs"), *r;
    size_t i, n = 0;

    json_array_foreach(rrs, i, r)
    {
        n += strcmp(json_string_value(json_object_get(r, "type")), "FILE_TRANSFER") == 0;
    }
    return n > 1 && strcmp(lie_kind_of(record, path), "FILE_TRANSFER") == 0;
}

/* A lease was cancelled then. */
static bool of_cancellation(json_t *record, const char *path)
{
    const json_t *log = json_object_get(record, "state_log");
    const json_t *move = json_array_get(log, strtoul(path + strlen("state_log/"), NULL, 10));
    const char *to = json_string_value(json_array_get(move, 3));

    return to && strcmp(to, "Cancelled") == 0;
}

/* Of a run that ended before its planned end: by itself, with its lease, or lost; or of a plan that
 * was replaced by another. */
static bool of_cut_run(json_t *record, const char *path)
{
    const json_t *galerna = json_object_get(record, "galerna"), *lost;
    const json_t *plans = json_object_get(galerna, "planned");
    size_t n = strtoul(path + strlen("galerna/planned/"), NULL, 10), i;
    const json_t *plan = json_array_get(plans, n), *id = json_array_get(plan, 1);
    json_t *lease;

    for (i = n + 1; i < json_array_size(plans); i++)
        if (json_equal(json_array_get(json_array_get(plans, i), 1), id) &&
            json_equal(json_array_get(json_array_get(plans, i), 2), json_array_get(plan, 2)))
            return true;
    json_array_foreach(json_object_get(galerna, "withdrawn"), i,
                       lost) if (json_equal(json_array_get(lost, 0), id)) return true;
    json_array_foreach(json_object_get(galerna, "leases"), i, lease)
    {
        if (json_equal(json_object_get(lease, "id"), id))
            return strcmp(json_string_value(json_object_get(lease, "state")), "Done") != 0 ||
                   strcmp(json_string_value(json_object_get(lease, "reason")), "ended-early") == 0;
    }
    return false;
}

/* Told twice, or of a lease that was booked again, without a preemption, before it ran; leases with
 * a deadline are moved without being booked. */
static bool of_replaced_booking(json_t *record, const char *path)
{
    json_t *galerna = json_object_get(record, "galerna"), *item;
    const json_t *all = json_object_get(galerna, "booked");
    size_t n = strtoul(path + strlen("galerna/booked/"), NULL, 10), i, k;
    const json_t *id = json_array_get(json_array_get(all, n), 1);

    json_array_foreach(json_object_get(galerna, "leases"), i,
                       item) if (json_equal(json_object_get(item, "id"), id) &&
                                 strcmp(json_string_value(json_object_get(item, "kind")),
                                        "Deadline") == 0) return true;
    for (k = 0; k < json_array_size(all); k++)
        if (k != n && json_equal(json_array_get(all, k), json_array_get(all, n)))
            return true;
    for (k = n + 1; k < json_array_size(all); k++) {
        const json_t *later = json_array_get(all, k);
        bool preempted = false;

        if (!json_equal(json_array_get(later, 1), id))
            continue;
        json_array_foreach(json_object_get(record, "preemptions"), i, item)
        {
            preempted |= json_equal(json_array_get(item, 0), json_array_get(later, 0)) &&
                         json_equal(json_array_get(item, 1), id);
        }
        if (!preempted)
            return true;
    }
    json_array_foreach(
        json_object_get(galerna, "planned"), i,
        item) if (json_equal(json_array_get(item, 1), id) &&
                  json_equal(json_array_get(item, 2),
                             json_array_get(json_array_get(all, n), 2))) return false;
    return true;
}

/* A preemption for a lease that may be brought forward. */
static bool for_who_waits(json_t *record, const char *path)
{
    const json_t *galerna = json_object_get(record, "galerna");
    const json_t *by = json_array_get(json_object_get(galerna, "preempted_for"),
                                      strtoul(path + strlen("preemptions/"), NULL, 10));
    const json_t *behaviour = json_object_get(galerna, "behaviour");
    json_t *lease;
    size_t i;

    json_array_foreach(json_object_get(galerna, "leases"), i, lease)
    {
        if (json_equal(json_object_get(lease, "id"), by))
            return strcmp(json_string_value(json_object_get(lease, "kind")), "AR") != 0 &&
                   !json_is_true(json_object_get(behaviour, "migration_at_100_mbits"));
    }
    return false;
}

static bool anything(json_t *record, const char *path)
{
    (void)record;
    (void)path;
    return true;
}

static bool has_kind(json_t *record, const char *kinds)
{
    json_t *leases = json_object_get(record, "leases"), *lease, *r;
    size_t i, j;

    json_array_foreach(leases, i, lease) json_array_foreach(json_object_get(lease, "rrs"), j, r)
    {
        if (strstr(kinds, json_string_value(json_object_get(r, "type"))))
            return true;
    }
    return false;
}

/* Settings of operations that the record does not contain. */
static bool no_suspension(json_t *record, const char *path)
{
    (void)path;
    return !has_kind(record, "|SUSPEND|RESUME|");
}

static bool no_migration(json_t *record, const char *path)
{
    (void)path;
    return !has_kind(record, "|MEM_MIGRATION|DISK_MIGRATION|");
}

static bool no_image(json_t *record, const char *path)
{
    (void)path;
    return !has_kind(record, "|FILE_TRANSFER|");
}

static bool no_shutdown(json_t *record, const char *path)
{
    (void)path;
    return !has_kind(record, "|SHUTDOWN|");
}

static const json_t *setting(json_t *record, const char *name)
{
    return json_object_get(json_object_get(json_object_get(record, "galerna"), "settings"), name);
}

static bool of_cached_image(json_t *record, const char *path)
{
    return strcmp(lie_kind_of(record, path), "FILE_TRANSFER") == 0 &&
           strcmp(json_string_value(setting(record, "diskimage-reuse")), "none") != 0;
}

static bool of_haizeas_images(json_t *record, const char *path)
{
    const json_t *behaviour = json_object_get(json_object_get(record, "galerna"), "behaviour");

    return strcmp(lie_kind_of(record, path), "DISK_MIGRATION") == 0 &&
           json_is_true(json_object_get(behaviour, "migration_at_100_mbits"));
}

/* Disk and memory of the same VMs, which take the same time. */
static bool of_even_migrations(json_t *record, const char *path)
{
    json_t *rrs = json_object_get(lease_of(record, path), "rrs"), *a, *b;
    size_t lease, r;

    if (sscanf(path, "leases/%zu/rrs/%zu", &lease, &r) != 2)
        return false;
    a = json_array_get(rrs, r);
    b = json_array_get(rrs, r + 1);
    return strcmp(lie_kind_of(record, path), "DISK_MIGRATION") == 0 &&
           json_equal(json_object_get(a, "map"), json_object_get(b, "map")) &&
           json_integer_value(json_object_get(a, "end")) -
                   json_integer_value(json_object_get(a, "start")) ==
               json_integer_value(json_object_get(b, "end")) -
                   json_integer_value(json_object_get(b, "start"));
}

static bool of_haizeas_moves(json_t *record, const char *path)
{
    const json_t *behaviour = json_object_get(json_object_get(record, "galerna"), "behaviour");

    return strcmp(lie_kind_of(record, path), "MEM_MIGRATION") == 0 &&
           json_is_true(json_object_get(behaviour, "migration_at_100_mbits"));
}

static bool of_multicast(json_t *record, const char *path)
{
    return strcmp(lie_kind_of(record, path), "FILE_TRANSFER") == 0 &&
           strcmp(json_string_value(setting(record, "transfer-mechanism")), "multicast") == 0;
}

static bool no_use_of_bandwidth(json_t *record, const char *path)
{
    const json_t *behaviour = json_object_get(json_object_get(record, "galerna"), "behaviour");

    (void)path;
    return (no_image(record, path) || !json_is_null(setting(record, "force-imagetransfer-time"))) &&
           (no_migration(record, path) ||
            json_is_true(json_object_get(behaviour, "migration_at_100_mbits")));
}

static const struct {
    bool (*when)(json_t *record, const char *path);
    const char *path, *lie, *why;
} harmless[] = {
    {anything, "galerna/leases/*/explanation", "*",
     "a sentence for people; the reason's id is checked"},
    {anything, "galerna/leases/*/reason", "exchanged with*", "another reason for the same outcome"},
    {anything, "galerna/leases/*/reason", "= deadline-missed", "another reason for a cancellation"},
    {anything, "galerna/leases/*/origin", "*", ASKED},
    {anything, "galerna/leases/*/priority", "*", ASKED},
    {anything, "galerna/leases/*/user", "*", ASKED},
    {anything, "galerna/leases/*/keep", "*", ASKED},
    {anything, "galerna/leases/*/series", "*", ASKED},
    {anything, "galerna/leases/*/booking", "*", ASKED},
    {anything, "galerna/leases/*/terms", "*", ASKED},
    {anything, "galerna/leases/*/deadline", "*", ASKED},
    {anything, "galerna/leases/*/not_before", "*", ASKED},
    {anything, "galerna/leases/*/duration", "*", ASKED},
    {anything, "leases/*/preemptible", "negated", ASKED},
    {anything, "leases/*/preemptible", "exchanged with the next one's", ASKED},
    {anything, "leases/*/software", "= null", ASKED},
    {anything, "leases/*/software", "exchanged with the next one's", ASKED},
    {anything, "leases/*/nodes/*", "exchanged*",
     "VMs of one lease trade sizes on hosts that hold the same for them"},
    {anything, "leases/*/duration_original", "*", ASKED},
    {anything, "leases/*/duration_known", "*", ASKED},
    {of_idle_lease, "leases/*/nodes/*", "*", ASKED},
    {of_idle_leases, "leases/*/nodes", "exchanged with the next one's", ASKED},
    {anything, "leases/*/software/*", "*", ASKED},
    {anything, "galerna/leases/*", "exchanged with its neighbor", ASKED},
    {no_suspension, "galerna/settings/suspend-rate", "*", NO_EFFECT},
    {no_suspension, "galerna/settings/resume-rate", "*", NO_EFFECT},
    {no_suspension, "galerna/settings/override-*", "*", NO_EFFECT},
    {no_suspension, "galerna/settings/suspension", "*", NO_EFFECT},
    {anything, "galerna/settings/suspension", "= serial-only",
     "leases of one VM may be suspended with either; that larger ones are not is checked"},
    {no_suspension, "galerna/settings/suspendresume-exclusion", "*", NO_EFFECT},
    {anything, "galerna/settings/suspension", "= all", LAXER},
    {anything, "galerna/settings/suspendresume-exclusion", "= local", LAXER},
    {anything, "galerna/settings/suspendresume-exclusion", "= global",
     "a stricter rule, which the schedule keeps as well"},
    {anything, "galerna/settings/*-rate", "*", ROUNDED},
    {anything, "galerna/settings/imagetransfer-bandwidth", "*", ROUNDED},
    {no_shutdown, "galerna/settings/shutdown-time", "*", NO_EFFECT},
    {no_use_of_bandwidth, "galerna/settings/imagetransfer-bandwidth", "*",
     "the transfers of the record take another time than that of the bandwidth"},
    {no_image, "galerna/settings/force-imagetransfer-time", "*", NO_EFFECT},
    {no_image, "galerna/settings/transfer-mechanism", "*", NO_EFFECT},
    {no_image, "galerna/settings/lease-preparation", "*", NO_EFFECT},
    {no_image, "galerna/settings/diskimage-*", "*", NO_EFFECT},
    {no_image, "galerna/settings/avoid-redundant-transfers", "*", NO_EFFECT},
    {no_migration, "galerna/settings/migration*", "*", NO_EFFECT},
    {anything, "galerna/settings/backfilling*", "*", CHOICE},
    {anything, "galerna/settings/convert-reservations", "*", CHOICE},
    {anything, "galerna/settings/whole-stretches", "*", CHOICE},
    {anything, "galerna/settings/fair-share", "*", CHOICE},
    {anything, "galerna/settings/fair-share-half-life", "*", CHOICE},
    {anything, "galerna/settings/fixed-deadlines", "*", CHOICE},
    {anything, "galerna/settings/*scheduling-threshold*", "*", CHOICE},
    {anything, "galerna/settings/migration-interval", "*", CHOICE},
    {anything, "galerna/settings/migration-threshold", "*", CHOICE},
    {anything, "galerna/settings/migration-mode", "*", CHOICE},
    {anything, "galerna/settings/diskimage-*", "*", CHOICE},
    {anything, "galerna/settings/avoid-redundant-transfers", "*", CHOICE},
    {anything, "galerna/settings/seed", "*", CHOICE},
    {anything, "galerna/behaviour/*", "dropped", MODE},
    {anything, "galerna/behaviour/*", "given to the next", MODE},
    {anything, "galerna/hosts/*", "exchanged with its neighbor", HOSTS},
    {anything, "galerna/hosts/*", "moved to the end", HOSTS},
    {anything, "galerna/hosts/*/id", "exchanged with the next one's", HOSTS},
    {anything, "state_log/*", "exchanged with its neighbor", ORDER},
    {of_cancellation, "state_log/*/0", "*",
     "when a lease that did not run was cancelled is told by nothing else"},
    {of_cut_run, "galerna/planned/*/3", "*",
     "until when it would have run at most; that its lease had so much time left is checked"},
    {anything, "galerna/withdrawn/*/3/*", "*",
     "which hosts a lost run was on; that there are such hosts is checked"},
    {anything, "galerna/planned/*", "exchanged with its neighbor", ORDER},
    {anything, "galerna/planned/*", "doubled",
     "the same interval again, with a preemption at that time"},
    {anything, "galerna/planned/*/[02]", "*", "of a lease with several runs that began at once"},
    {at_one_time, "preemptions/*", "exchanged with its neighbor", ORDER},
    {at_last_time, "preemptions/*", "moved to the end", ORDER},
    {anything, "galerna/withdrawn/*", "exchanged with its neighbor", ORDER},
    {anything, "galerna/withdrawn/*", "moved to the end", ORDER},
    {anything, "galerna/planned/*", "moved to the end", ORDER},
    {anything, "galerna/booked/*", "exchanged with its neighbor", ORDER},
    {anything, "galerna/booked/*", "moved to the end", ORDER},
    {anything, "galerna/booked/*", "doubled", "the same interval again, at the same time"},
    {of_replaced_booking, "galerna/booked/*", "*",
     "planned again before it began: no promise, and the plan that was carried out is checked"},
    {of_even_windows, "leases/*/rrs/*/map", "exchanged with the next one's", ORDER},
    {for_who_waits, "preemptions/*/2", "*",
     "for when room was made for a lease that was brought forward since"},
    {anything, "preemptions/*/3", "*", "how a lease was stopped that had not begun"},
    {of_plan, "leases/*/rrs/*", "*", "planned for later when the run was stopped: no promise"},
    {of_plans, "leases/*/rrs", "emptied", "planned for later when the run was stopped: no promise"},
    {of_no_run, "leases/*/rrs/*", "exchanged with its neighbor", ORDER},
    {anything, "leases/*/rrs/*/map/*", "exchanged with its neighbor",
     "VMs of one lease that ask for the same trade places"},
    {of_no_run, "leases/*/rrs/*/res/*", "*", PLANNING},
    {of_no_run, "leases/*/rrs/*/res", "emptied", PLANNING},
    {anything, "leases/*/rrs/*/deadline", "dropped", "no deadline is what null says as well"},
    {of_repeated_transfer, "leases/*/rrs/*", "*",
     "sent once more than needed: that the VMs that ran had their images is checked"},
    {anything, "leases/*/rrs/*/deadline", "given to the next",
     "no deadline is what null says as well, and only transfers have one"},
    {of_cached_image, "leases/*/rrs/*", "*", CACHED},
    {of_haizeas_images, "leases/*/rrs/*", "*", HAIZEAS},
    {of_even_migrations, "leases/*/rrs/*/type", "exchanged with the next one's",
     "which of the two moves first, in the same time: both are over before it is resumed"},
    {of_haizeas_moves, "leases/*/rrs/*/map/*/0", "*",
     "Haizea moves memory from where the last run was: counted as an oddity"},
    {of_multicast, "leases/*/rrs/*/map/*/*", "doubled",
     "the same image to the same host in the same transfer takes no longer"},
    {anything, "counters/Disk usage/*", "*",
     "verify says that it does not check it where images move"},
};

bool lie_is_harmless(json_t *record, const char *path, const char *lie)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (fnmatch(harmless[i].path, path, 0) == 0 && fnmatch(harmless[i].lie, lie, 0) == 0 &&
            harmless[i].when(record, path))
            return true;
    return false;
}
