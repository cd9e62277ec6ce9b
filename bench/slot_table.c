/* slot_table.c: what the operations of the slot table cost.
 *
 * Prints one row per operation: CPU time (the least of several rounds) beside the figure that a
 * 150-line experiment reached on the same kind of table. Hosts hold 8 processors and are booked to
 * about three quarters with reservations of 10 minutes to 4 hours.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/lease.h"
#include "core/slot_table.h"

enum {
    ROUNDS = 7,
    QUERIES = 2000,
    CHANGES = 100, /* booked before the first is released: few beside what fills the table */
    SPREAD = 16,   /* hosts of each */
    HOST_CPU = 800,
    HOST_MEMORY = 16384,
};

/* A table filled at random, and what filled it. */
struct filled {
    struct site site;
    struct slot_table *table;
    int64_t horizon; /* everything booked ends about here */
    uint64_t random;
};

/* What is asked for: least and most. */
struct question {
    const char *name;
    uint32_t vms;
    int64_t cpu[2];     /* processors of one VM */
    int64_t minutes[2]; /* duration */
    int floor;          /* 0: the experiment's figure for 1 VM, 1: for 17, -1: it has none */
};

/* A reservation over some hosts with the storage it points to. */
struct booking {
    struct lease lease;
    struct reservation reservation;
    struct placement placement;
    uint32_t hosts[SPREAD];
    int64_t amounts[SPREAD * RESOURCE_TYPES_FIXED];
};

static void fail(const char *what)
{
    fprintf(stderr, "slot table benchmark: %s\n", what);
    exit(EXIT_FAILURE);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static int64_t random_between(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(random_next(state) % (uint64_t)(most - least + 1));
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* amount of a resource type on every host of the placement during [from, until). */
static void booking_set(struct booking *booking, int64_t id, int type, int64_t amount, int64_t from,
                        int64_t until)
{
    booking->lease.request.id = id;
    booking->placement.references = 1;
    booking->placement.n_types = RESOURCE_TYPES_FIXED;
    booking->placement.hosts = booking->hosts;
    booking->placement.amounts = booking->amounts;
    for (uint32_t i = 0; i < booking->placement.n_hosts; i++)
        booking->amounts[i * RESOURCE_TYPES_FIXED + type] = amount;
    booking->reservation.kind = RESERVATION_VM;
    booking->reservation.lease = &booking->lease;
    booking->reservation.from = from;
    booking->reservation.until = until;
    booking->reservation.placement = &booking->placement;
}

static void fill_host(struct filled *filled, uint32_t host, int reservations, struct booking *bookings)
{
    for (int i = 0; i < reservations; i++) {
        struct booking *booking = &bookings[(int64_t)host * reservations + i];
        struct error err;
        int tries = 0;

        booking->placement.n_hosts = 1;
        booking->hosts[0] = host;
        do {
            const int64_t from = random_between(&filled->random, 0, filled->horizon);
            const int64_t length = random_between(&filled->random, 10, 240) * 60;

            booking_set(booking, (int64_t)host * reservations + i + 1, RESOURCE_CPU,
                        100 * random_between(&filled->random, 1, 4), from, from + length);
            if (++tries > 100000)
                fail("the table cannot be filled");
        } while (slot_table_add(filled->table, &booking->reservation, &err) < 0);
    }
}

static struct booking *fill(struct filled *filled, uint32_t hosts, int reservations)
{
    const struct amounts capacity = {{HOST_CPU, HOST_MEMORY, 1000000, 1000000, 1000000}};
    struct booking *bookings = calloc((size_t)hosts * (size_t)reservations, sizeof(*bookings));
    struct error err;

    /* The mean reservation holds 250 of CPU for 7,500 seconds. */
    filled->horizon = (int64_t)(reservations * 250.0 * 7500 / (HOST_CPU * 0.75));
    filled->random = 1;
    site_init(&filled->site);
    if (!bookings || site_add_hosts(&filled->site, hosts, &capacity, &err) < 0)
        fail("out of memory");
    filled->table = slot_table_create(&filled->site);
    if (!filled->table)
        fail("out of memory");
    for (uint32_t host = 0; host < hosts; host++)
        fill_host(filled, host, reservations, bookings);
    return bookings;
}

/* Seconds per host to book and to release reservations over SPREAD neighbouring hosts. They ask for
 * network only, of which there is enough for all. */
static void time_changes(struct filled *filled, uint32_t hosts, double *add, double *release)
{
    struct booking *bookings = calloc(CHANGES, sizeof(*bookings));

    if (!bookings)
        fail("out of memory");
    *add = *release = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin, middle, end;

        for (int i = 0; i < CHANGES; i++) {
            const int64_t from = random_between(&filled->random, 0, filled->horizon);
            const uint32_t first = (uint32_t)random_next(&filled->random) % (hosts - SPREAD);

            bookings[i].placement.n_hosts = SPREAD;
            for (uint32_t k = 0; k < SPREAD; k++)
                bookings[i].hosts[k] = first + k;
            booking_set(&bookings[i], INT64_C(1000000000) + i, RESOURCE_NET_OUT, 1, from,
                        from + 3600);
        }
        begin = cpu_seconds();
        for (int i = 0; i < CHANGES; i++)
            if (slot_table_add(filled->table, &bookings[i].reservation, NULL) < 0)
                fail("a reservation that fits is refused");
        middle = cpu_seconds();
        for (int i = 0; i < CHANGES; i++)
            slot_table_release(filled->table, &bookings[i].reservation);
        end = cpu_seconds();
        *add = least(*add, (middle - begin) / (CHANGES * SPREAD));
        *release = least(*release, (end - middle) / (CHANGES * SPREAD));
    }
    free(bookings);
}

/* Seconds per question for the earliest time of as many VMs; *wait = mean seconds to the answer. */
static double time_earliest(struct filled *filled, const struct question *question, double *wait)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t random = 2;
        const double begin = cpu_seconds();

        *wait = 0;
        for (int i = 0; i < QUERIES; i++) {
            const int64_t cpu = 100 * random_between(&random, question->cpu[0], question->cpu[1]);
            const struct amounts vm = {{cpu, cpu * 16}};
            const int64_t from = random_between(&random, 0, filled->horizon / 2);
            const int64_t length =
                60 * random_between(&random, question->minutes[0], question->minutes[1]);

            *wait += (double)(slot_table_earliest(filled->table, &vm, question->vms, from, length) -
                              from);
        }
        best = least(best, cpu_seconds() - begin);
    }
    *wait /= QUERIES;
    return best / QUERIES;
}

static void print_row(const char *operation, double seconds, const char *floor_text, double wait)
{
    char cost[32], delay[32] = "";

    if (seconds < 1e-6)
        snprintf(cost, sizeof(cost), "%.0f ns", seconds * 1e9);
    else
        snprintf(cost, sizeof(cost), "%.1f us", seconds * 1e6);
    if (wait >= 0)
        snprintf(delay, sizeof(delay), "%.1f h", wait / 3600);
    printf("  %-40s %12s %14s %16s\n", operation, cost, floor_text, delay);
}

static void measure(uint32_t hosts, int reservations, const char *const floors[2])
{
    static const struct question questions[] = {
        {"earliest, 1 VM", 1, {1, 4}, {10, 240}, 0},
        {"earliest, 17 VMs", 17, {1, 4}, {10, 240}, 1},
        {"earliest, 1 whole host for a day", 1, {8, 8}, {1440, 1440}, -1},
        {"earliest, 17 VMs of 4 to 6 processors", 17, {4, 6}, {60, 480}, -1},
    };
    struct filled filled;
    struct booking *bookings = fill(&filled, hosts, reservations);
    double add, release;

    printf("%" PRIu32 " hosts x %d reservations\n", hosts, reservations);
    time_changes(&filled, hosts, &add, &release);
    print_row("add, per host", add, "100 ns", -1);
    print_row("release, per host", release, "-", -1);
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        const int floor = questions[i].floor;
        double wait;
        const double seconds = time_earliest(&filled, &questions[i], &wait);

        print_row(questions[i].name, seconds, floor < 0 ? "-" : floors[floor], wait);
    }
    slot_table_destroy(filled.table);
    site_finish(&filled.site);
    free(bookings);
}

int main(void)
{
    printf("%-42s %12s %14s %16s\n", "", "CPU", "experiment", "mean wait");
    measure(256, 200, (const char *const[]){"42 us", "103 us"});
    measure(32, 20, (const char *const[]){"60 ns", "180 ns"});
    return EXIT_SUCCESS;
}
