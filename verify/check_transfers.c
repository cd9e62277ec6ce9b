/* Checks transfers of images and migrations: contents, durations, and deadlines. */
#include <math.h>
#include <string.h>

#include "verify/checker.h"

enum { HAIZEA_RATE = 100 /* Mbit/s of its migrations */, LONGEST = 1000000000 };

static int64_t seconds_for(double megabytes, int64_t rate)
{
    return (int64_t)fmin(ceil(megabytes / ((double)rate / 8.0)), LONGEST);
}

static void check_length(struct checker *checker, const struct schedule_lease *lease,
                         const struct schedule_reservation *r, int64_t due)
{
    checker_examined(checker, CHECK_TRANSFERS);
    if (r->until - r->from != due)
        checker_violation(checker,
                          &(struct finding){CHECK_TRANSFERS, lease->id, SCHEDULE_UNSET, r->from},
                          "%s of %lld s, it takes %lld", schedule_kind_names[r->kind],
                          (long long)(r->until - r->from), (long long)due);
}

static int64_t held_of(const struct schedule *schedule, const struct schedule_reservation *r,
                       int64_t host, const char *type)
{
    int64_t held = 0;

    for (size_t i = 0; i < r->n_holdings; i++)
        if (r->holdings[i].host == host && strcmp(schedule->types[r->holdings[i].type], type) == 0)
            held += r->holdings[i].amount;
    return held;
}

/* The rate at which the repository sends. */
static int64_t rate_sent(const struct schedule *schedule, const struct schedule_reservation *r)
{
    int64_t rate = held_of(schedule, r, SCHEDULE_REPOSITORY, "Net-out");

    return rate > 0 ? rate : schedule->settings.bandwidth;
}

/* The rate at which the host can send or receive; 0: unlimited, since it has no network capacity.
 */
static int64_t network_of(const struct schedule *schedule, int64_t id, const char *way)
{
    const struct schedule_host *host = schedule_host(schedule, id);

    for (size_t type = 0; host && type < schedule->n_types; type++)
        if (strcmp(schedule->types[type], way) == 0)
            return host->capacity[type];
    return 0;
}

/* The bandwidth, or the network of the slowest host that receives; always the bandwidth in Haizea's
 * schedules. */
static int64_t rate_due(const struct schedule *schedule, const struct schedule_reservation *r)
{
    int64_t rate = schedule->settings.bandwidth;

    for (size_t i = 0; i < r->n_places && !schedule->settings.haizea_1_0; i++) {
        int64_t network = network_of(schedule, r->places[i].host, "Net-in");

        if (network > 0 && network < rate)
            rate = network;
    }
    return rate;
}

/* A multicast keeps the rate of a slower host that a lease has left. */
static bool is_rate_of_slower_host(const struct schedule *schedule,
                                   const struct schedule_reservation *r, int64_t rate)
{
    bool found = false;

    for (size_t i = 0; i < schedule->n_hosts; i++)
        found = found || network_of(schedule, schedule->hosts[i].id, "Net-in") == rate;
    return found && schedule->settings.multicast && rate > 0 && rate < rate_due(schedule, r);
}

static int64_t transfer_due(const struct schedule *schedule, const struct schedule_lease *lease,
                            const struct schedule_reservation *r)
{
    const struct schedule_settings *settings = &schedule->settings;
    int64_t one = settings->override_transfer != SCHEDULE_UNSET
                      ? settings->override_transfer
                      : seconds_for((double)lease->image_size, rate_sent(schedule, r));

    return settings->multicast ? one : one * (int64_t)r->n_places;
}

/* The seconds a transfer takes. Leases may specify different sizes for an image, and a lease keeps
 * a shared transfer, with the duration for the other lease's size, after the other lease no longer
 * needs it. */
static int64_t shared_transfer_due(const struct schedule *schedule,
                                   const struct schedule_lease *lease,
                                   const struct schedule_reservation *r)
{
    int64_t own = transfer_due(schedule, lease, r);

    for (size_t i = 0; i < schedule->n_leases && r->until - r->from != own; i++) {
        const struct schedule_lease *other = &schedule->leases[i];

        if (other->image && lease->image && strcmp(other->image, lease->image) == 0 &&
            transfer_due(schedule, other, r) == r->until - r->from)
            return r->until - r->from;
    }
    return own;
}

/* The number of the operation's places with the VM and host, and with the lease (of a transfer) or
 * the previous host (of a migration). */
static size_t times_named(const struct schedule_reservation *r, const struct schedule_place *at)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_places; i++)
        n += r->places[i].vm == at->vm && r->places[i].host == at->host &&
             (r->kind == SCHEDULE_TRANSFER ? r->places[i].lease == at->lease
                                           : r->places[i].from == at->from);
    return n;
}

/* Checks that a transfer's image is the image of all its VMs. */
static void check_image(struct checker *checker, const struct schedule_lease *lease,
                        const struct schedule_reservation *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_lease *user = schedule_lease(checker->schedule, r->places[i].lease);

        checker_examined(checker, CHECK_TRANSFERS);
        if (user && (!user->image || strcmp(user->image, r->file) != 0))
            checker_violation(
                checker, &(struct finding){CHECK_TRANSFERS, lease->id, r->places[i].host, r->from},
                "FILE_TRANSFER of %.60s to a VM of lease %lld, which has %.60s", r->file,
                (long long)user->id, user->image ? user->image : "no image");
    }
}

/* Does the lease start at that time, as requested or again after it made room? */
static bool starts_at(const struct schedule *schedule, const struct schedule_lease *lease,
                      int64_t time)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i].kind == SCHEDULE_VM && lease->reservations[i].from == time)
            return true;
    return time == lease->start_requested || schedule_lost_run(schedule, lease->id, time);
}

/* If the start of the VMs is fixed, the transfer must end by then. */
static void check_image_deadline(struct checker *checker, const struct schedule_lease *lease,
                                 const struct schedule_reservation *r)
{
    bool exact = lease->kind == SCHEDULE_RESERVED || lease->kind == SCHEDULE_DEADLINE;
    struct finding finding = {CHECK_TRANSFERS, lease->id, SCHEDULE_UNSET, r->from};

    if (exact != (r->deadline != SCHEDULE_UNSET))
        checker_violation(checker, &finding, "FILE_TRANSFER %s a deadline",
                          exact ? "without" : "with");
    else if (exact && r->deadline < r->until)
        checker_violation(checker, &finding, "FILE_TRANSFER ends after its deadline, %lld",
                          (long long)r->deadline);
    else if (lease->kind == SCHEDULE_RESERVED && !starts_at(checker->schedule, lease, r->deadline))
        checker_violation(checker, &finding,
                          "FILE_TRANSFER for %lld, the lease was not to start then",
                          (long long)r->deadline);
}

/* The host of the VM must hold the bandwidth, except, in Haizea's schedules, for leases that ride
 * along: others, and the lease itself when it is placed again. */
static void check_receiver(struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_reservation *r, const struct schedule_place *to)
{
    static const char missing[] = "FILE_TRANSFER without the host's bandwidth";
    const struct schedule *schedule = checker->schedule;
    struct finding finding = {CHECK_TRANSFERS, lease->id, to->host, r->from};
    bool counts = schedule->settings.haizea_1_0 || network_of(schedule, to->host, "Net-in") > 0;

    if (held_of(schedule, r, to->host, "Net-in") == (counts ? rate_sent(schedule, r) : 0))
        return;
    if (to->lease != lease->id || checker_prepared_again(checker, lease))
        checker_odd(checker, ODDITY_RIDES_ALONG, &finding, missing);
    else
        checker_violation(checker, &finding, missing);
}

/* A transfer names a VM once, except, in Haizea's schedules, when its lease rides on it again. */
static void check_named_once(struct checker *checker, const struct schedule_lease *lease,
                             const struct schedule_reservation *r, const struct schedule_place *to)
{
    const struct schedule_lease *user = schedule_lease(checker->schedule, to->lease);
    struct finding finding = {CHECK_TRANSFERS, lease->id, to->host, r->from};
    long long vm = to->vm, id = to->lease;
    size_t n = 0;

    for (size_t k = 0; k < r->n_places; k++)
        n += r->places[k].lease == to->lease && r->places[k].vm == to->vm;
    if (n <= 1)
        return;
    if (user && checker_prepared_again(checker, user))
        checker_odd(checker, ODDITY_PREPARED_TWICE, &finding,
                    "FILE_TRANSFER names VM %lld of lease %lld twice", vm, id);
    else
        checker_violation(checker, &finding, "FILE_TRANSFER names VM %lld of lease %lld twice", vm,
                          id);
}

/* Checks that a transfer includes each VM once, and holds the bandwidth of the repository and of
 * each receiving host. */
static void check_sent(struct checker *checker, const struct schedule_lease *lease,
                       const struct schedule_reservation *r)
{
    const struct schedule *schedule = checker->schedule;
    int64_t rate = held_of(schedule, r, SCHEDULE_REPOSITORY, "Net-out");
    struct finding finding = {CHECK_TRANSFERS, lease->id, SCHEDULE_UNSET, r->from};

    checker_examined(checker, CHECK_TRANSFERS);
    if (rate != rate_due(schedule, r) && !is_rate_of_slower_host(schedule, r, rate))
        checker_violation(checker, &finding,
                          "FILE_TRANSFER with %lld of the repository's bandwidth, it needs %lld",
                          (long long)rate, (long long)rate_due(schedule, r));
    for (size_t i = 0; i < r->n_places; i++) {
        check_receiver(checker, lease, r, &r->places[i]);
        check_named_once(checker, lease, r, &r->places[i]);
    }
}

static void check_transfer(struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_reservation *r)
{
    if (!checker->schedule->settings.prepares)
        checker_violation(checker,
                          &(struct finding){CHECK_TRANSFERS, lease->id, SCHEDULE_UNSET, r->from},
                          "FILE_TRANSFER, but images are not transferred (lease-preparation)");
    check_image(checker, lease, r);
    check_image_deadline(checker, lease, r);
    check_sent(checker, lease, r);
    check_length(checker, lease, r, shared_transfer_due(checker->schedule, lease, r));
}

/* Does the operation need bandwidth? If so, the record must have the bandwidth. */
static bool needs_bandwidth(struct checker *checker, const struct schedule_lease *lease,
                            const struct schedule_reservation *r)
{
    if (r->kind != SCHEDULE_TRANSFER && r->kind != SCHEDULE_MEMORY_MIGRATION &&
        r->kind != SCHEDULE_DISK_MIGRATION)
        return false;
    if (checker->schedule->settings.bandwidth > 0)
        return true;
    checker_violation(checker,
                      &(struct finding){CHECK_TRANSFERS, lease->id, SCHEDULE_UNSET, r->from},
                      "%s, but imagetransfer-bandwidth is missing", schedule_kind_names[r->kind]);
    return false;
}

/* Haizea's rate; else the bandwidth, or the network of the slower end. */
static int64_t migration_rate(const struct schedule *schedule, const struct schedule_place *place)
{
    const int64_t networks[] = {network_of(schedule, place->from, "Net-out"),
                                network_of(schedule, place->host, "Net-in")};
    int64_t rate = schedule->settings.bandwidth;

    if (schedule->settings.haizea_1_0)
        return HAIZEA_RATE;
    for (size_t i = 0; i < 2; i++)
        if (networks[i] > 0 && networks[i] < rate)
            rate = networks[i];
    return rate;
}

static int64_t memory_time(const struct checker *checker, const struct schedule_lease *lease,
                           const struct schedule_place *place)
{
    const struct schedule *schedule = checker->schedule;

    if (schedule->memory < 0 || place->vm < 1 || (uint64_t)place->vm > lease->n_vms)
        return 0;
    return seconds_for(
        (double)lease->vms[(size_t)(place->vm - 1) * schedule->n_types + (size_t)schedule->memory],
        migration_rate(schedule, place));
}

/* The seconds of a VM's live migration, which sends the image on the host's disk with the memory.
 */
static int64_t live_time(const struct checker *checker, const struct schedule_lease *lease,
                         const struct schedule_place *place)
{
    const struct schedule_settings *settings = &checker->schedule->settings;

    return memory_time(checker, lease, place) +
           (lease->image && settings->prepares
                ? seconds_for((double)lease->image_size, migration_rate(checker->schedule, place))
                : 0);
}

/* The seconds of a live migration: each host sends and receives one VM at a time. */
static int64_t live_due(const struct checker *checker, const struct schedule_lease *lease,
                        const struct schedule_reservation *r)
{
    int64_t most = 1;

    for (size_t i = 0; i < 2 * r->n_places; i++) {
        int64_t host = i % 2 ? r->places[i / 2].host : r->places[i / 2].from, busy = 0;

        for (size_t k = 0; k < r->n_places; k++)
            if (r->places[k].from == host || r->places[k].host == host)
                busy += live_time(checker, lease, &r->places[k]);
        most = busy > most ? busy : most;
    }
    return most;
}

static int64_t migration_due(const struct checker *checker, const struct schedule_lease *lease,
                             const struct schedule_reservation *r)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    int64_t most = 0;

    if (!settings->moves_files)
        return 0;
    for (size_t i = 0; i < r->n_places; i++) {
        int64_t time = r->kind == SCHEDULE_DISK_MIGRATION
                           ? seconds_for((double)lease->image_size * (double)r->n_places,
                                         migration_rate(checker->schedule, &r->places[i]))
                           : memory_time(checker, lease, &r->places[i]);

        most = time > most ? time : most;
    }
    return most;
}

static bool is_live(const struct schedule_lease *lease, const struct schedule_reservation *r)
{
    return r > lease->reservations && r[-1].kind == SCHEDULE_VM && r[-1].until == r->until;
}

/* Does the operation send images? */
static bool sends_images(const struct schedule_lease *lease, const struct schedule_reservation *r)
{
    return r->kind == SCHEDULE_DISK_MIGRATION ||
           (r->kind == SCHEDULE_MEMORY_MIGRATION && is_live(lease, r));
}

static void check_migration(struct checker *checker, const struct schedule_lease *lease,
                            const struct schedule_reservation *r)
{
    check_length(checker, lease, r,
                 is_live(lease, r) ? live_due(checker, lease, r)
                                   : migration_due(checker, lease, r));
}

static const struct schedule_place *place_of(const struct schedule_reservation *r, int64_t vm)
{
    for (size_t i = 0; i < r->n_places; i++)
        if (r->places[i].vm == vm)
            return &r->places[i];
    return NULL;
}

/* The number of transfers to the VM until `by` in the list of `owner`, the VM's lease or another
 * lease that shares its transfer. */
static size_t times_sent(const struct schedule_lease *owner, const struct schedule_place *at,
                         int64_t by)
{
    size_t n = 0;

    for (size_t i = 0; i < owner->n_reservations; i++)
        if (owner->reservations[i].kind == SCHEDULE_TRANSFER && owner->reservations[i].until <= by)
            n += times_named(&owner->reservations[i], at);
    return n;
}

static bool was_sent(const struct checker *checker, const struct schedule_lease *lease,
                     const struct schedule_reservation *vm, const struct schedule_place *to)
{
    const struct schedule *schedule = checker->schedule;
    struct schedule_place at = *to;
    size_t n;

    at.lease = lease->id;
    n = times_sent(lease, &at, vm->from);
    for (size_t i = 0; n == 0 && i < schedule->n_leases; i++)
        n = times_sent(&schedule->leases[i], &at, vm->from);
    return n > 0;
}

/* Checks that each VM got its image before its first run or its restart. Not applicable to caches,
 * with which the host may already have the image. */
static void check_images_came(struct checker *checker, const struct schedule_lease *lease,
                              size_t run)
{
    const struct schedule_reservation *vm = &lease->reservations[run];

    for (size_t i = 0; i < vm->n_places; i++)
        if (!was_sent(checker, lease, vm, &vm->places[i]))
            checker_violation(
                checker,
                &(struct finding){CHECK_TRANSFERS, lease->id, vm->places[i].host, vm->from},
                "VM %lld starts, and its image was not sent there", (long long)vm->places[i].vm);
}

/* The host of a VM's image, previously `at`, after an operation. Haizea also sends images to hosts
 * that already have them. */
static int64_t follow_image(struct checker *checker, const struct schedule_lease *lease,
                            const struct schedule_reservation *r, int64_t vm, int64_t at)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct schedule_place *move = &r->places[i];

        if (move->vm != vm)
            continue;
        if (move->from != at || (move->host == at && !checker->schedule->settings.haizea_1_0))
            checker_violation(checker,
                              &(struct finding){CHECK_TRANSFERS, lease->id, move->host, r->from},
                              "the image of VM %lld is sent from host %lld, but is on %lld",
                              (long long)vm, (long long)move->from, (long long)at);
        at = move->host;
    }
    return at;
}

static bool sends_any(const struct schedule_lease *lease, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (sends_images(lease, &lease->reservations[i]))
            return true;
    return false;
}

/* Checks that, between two runs, images follow their VMs, possibly via other hosts. */
static void check_images_moved(struct checker *checker, const struct schedule_lease *lease,
                               size_t before, size_t after)
{
    const struct schedule_reservation *vm = &lease->reservations[after];

    for (size_t i = 0; i < vm->n_places; i++) {
        const struct schedule_place *to = &vm->places[i];
        const struct schedule_place *from = place_of(&lease->reservations[before], to->vm);
        int64_t at;

        if (!from)
            continue;
        at = from->host;
        for (size_t k = before; k < after; k++)
            if (sends_images(lease, &lease->reservations[k]))
                at = follow_image(checker, lease, &lease->reservations[k], to->vm, at);
        if (at != to->host)
            checker_violation(checker,
                              &(struct finding){CHECK_TRANSFERS, lease->id, to->host, vm->from},
                              "VM %lld goes on here, and its image is on host %lld",
                              (long long)to->vm, (long long)at);
    }
}

static void check_images(struct checker *checker, const struct schedule_lease *lease)
{
    const struct schedule_settings *settings = &checker->schedule->settings;
    size_t last = lease->n_reservations;
    bool begins;

    for (size_t i = 0; i < lease->n_reservations; i++) {
        if (lease->reservations[i].kind != SCHEDULE_VM ||
            lease->reservations[i].progress == PROGRESS_SCHEDULED)
            continue;
        begins = last == lease->n_reservations ||
                 checker_requeued(checker, lease, lease->reservations[last].until,
                                  lease->reservations[i].from);
        if (begins && !settings->caches)
            check_images_came(checker, lease, i);
        else if (!begins && (settings->moves_files || sends_any(lease, last, i)))
            check_images_moved(checker, lease, last, i);
        last = i;
    }
}

void check_transfers(struct checker *checker, const struct schedule_lease *lease)
{
    if (lease->image && checker->schedule->settings.prepares)
        check_images(checker, lease);
    for (size_t i = 0; i < lease->n_reservations && checker->schedule->settings.version > 0; i++) {
        const struct schedule_reservation *r = &lease->reservations[i];

        if (r->progress != PROGRESS_DONE || (lease->riding && lease->riding[i]) ||
            !needs_bandwidth(checker, lease, r))
            continue;
        if (r->kind == SCHEDULE_TRANSFER)
            check_transfer(checker, lease, r);
        else
            check_migration(checker, lease, r);
    }
}
