/* slot_table.c: what the operations of the slot table cost.
 *
 * Prints one row per operation: CPU time (the least of several rounds) beside the figure that a
 * 150-line experiment reached on the same kind of table ("256 hosts x 200 reservations", "32 hosts
 * x 20", "10,000 reservations, one pool"). How many resource types, hosts of a reservation, and how
 * far away the answers were, is not known of the experiment: several readings are shown, and how
 * far the answers lay here. Reservations hold 1 to 4 of the 8 processors of a host for 10 minutes
 * to 4 hours.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/lease.h"
#include "core/slot_table.h"

enum {
    ROUNDS = 7,
    QUERIES = 500,
    CHANGES = 100,     /* booked before the first is released: few beside what fills the table */
    CHANGE_HOSTS = 16, /* hosts of each */
    HOSTS_MAX = 64,    /* of a reservation */
    HOST_CPU = 800,
    HOST_MEMORY = 16384,
    MEMORY_PER_CPU = 16,
};

/* A table to measure. */
struct shape {
    const char *name;
    uint32_t hosts;
    int reservations; /* in all */
    uint32_t spread;  /* hosts of each */
    int64_t scale;    /* of capacities and amounts: a pool is one large host */
    double load;      /* booked share of the processors */
    bool memory;      /* is booked and asked for, too */
    const char *add_floor, *floors[2];
};

/* A table filled at random, and what filled it. */
struct filled {
    const struct shape *shape;
    struct site site;
    struct slot_table *table;
    int64_t horizon; /* everything booked ends about here */
    uint64_t random;
};

/* What is asked for: least and most. */
struct question {
    const char *name;
    uint32_t vms;
    bool now;           /* from now on, else from any time of the first half */
    int64_t cpu[2];     /* processors of one VM */
    int64_t minutes[2]; /* duration */
    int floor;          /* 0: the experiment's figure for 1 VM, 1: for 17, -1: it has none */
};

/* Answers: how many were the time asked from, and how far the others were, in seconds. */
struct answers {
    int at_once;
    double wait;
};

/* A reservation over some hosts with the storage it points to. */
struct booking {
    struct lease lease;
    struct reservation reservation;
    struct placement placement;
    uint32_t hosts[HOSTS_MAX];
    int64_t amounts[HOSTS_MAX * RESOURCE_TYPES_FIXED];
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

/* cpu, and the memory that goes with it, on n neighboring hosts for `length` seconds, somewhere.
 */
static void booking_set(struct booking *booking, struct filled *filled, uint32_t n, int64_t cpu,
                        int64_t length)
{
    const uint32_t first = (uint32_t)random_next(&filled->random) % filled->shape->hosts;
    const int64_t from = random_between(&filled->random, 0, filled->horizon);

    booking->placement.references = 1;
    booking->placement.n_types = RESOURCE_TYPES_FIXED;
    booking->placement.n_hosts = n;
    booking->placement.hosts = booking->hosts;
    booking->placement.amounts = booking->amounts;
    for (uint32_t i = 0; i < n; i++) {
        int64_t *amounts = &booking->amounts[i * RESOURCE_TYPES_FIXED];

        booking->hosts[i] = (first + i) % filled->shape->hosts;
        amounts[RESOURCE_CPU] = cpu;
        amounts[RESOURCE_MEMORY] = filled->shape->memory ? cpu * MEMORY_PER_CPU : 0;
    }
    booking->reservation.kind = RESERVATION_VM;
    booking->reservation.lease = &booking->lease;
    booking->reservation.from = from;
    booking->reservation.until = from + length;
    booking->reservation.placement = &booking->placement;
}

static struct booking *fill(struct filled *filled, const struct shape *shape)
{
    const struct amounts capacity = {{HOST_CPU * shape->scale, HOST_MEMORY * shape->scale}};
    struct booking *bookings = calloc((size_t)shape->reservations, sizeof(*bookings));
    struct error err;

    /* The mean reservation holds 2.5 of 8 processors for 7,500 seconds. */
    filled->shape = shape;
    filled->horizon = (int64_t)(shape->reservations * shape->spread * 7500.0 * 2.5 /
                                (8 * shape->load * shape->hosts));
    filled->random = 1;
    site_init(&filled->site);
    if (!bookings || site_add_hosts(&filled->site, shape->hosts, &capacity, &err) < 0)
        fail("out of memory");
    filled->table = slot_table_create(&filled->site);
    slot_table_advance(filled->table, 0);
    for (int i = 0; i < shape->reservations; i++) {
        int tries = 0;

        bookings[i].lease.request.id = i + 1;
        do {
            const int64_t cpu = 100 * shape->scale * random_between(&filled->random, 1, 4);
            const int64_t length = random_between(&filled->random, 10, 240) * 60;

            if (++tries > 100000)
                fail("the table cannot be filled");
            booking_set(&bookings[i], filled, shape->spread, cpu, length);
        } while (slot_table_add(filled->table, &bookings[i].reservation, &err) < 0);
    }
    return bookings;
}

/* Seconds per host to book and to release reservations of an hour over CHANGE_HOSTS neighboring
 * hosts, where a hundredth of a processor is free. */
static void time_changes(struct filled *filled, double *add, double *release)
{
    const uint32_t hosts =
        filled->shape->hosts < CHANGE_HOSTS ? filled->shape->hosts : CHANGE_HOSTS;
    struct booking *bookings = calloc(CHANGES, sizeof(*bookings));
    struct error err;

    if (!bookings)
        fail("out of memory");
    *add = *release = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin, middle, end;

        for (int i = 0; i < CHANGES; i++) {
            bookings[i].lease.request.id = INT64_C(1000000000) + i;
            do
                booking_set(&bookings[i], filled, hosts, 1, 3600);
            while (slot_table_add(filled->table, &bookings[i].reservation, &err) < 0);
        }
        for (int i = 0; i < CHANGES; i++)
            slot_table_release(filled->table, &bookings[i].reservation);
        begin = cpu_seconds();
        for (int i = 0; i < CHANGES; i++)
            if (slot_table_add(filled->table, &bookings[i].reservation, &err) < 0)
                fail("a reservation that fits is refused");
        middle = cpu_seconds();
        for (int i = 0; i < CHANGES; i++)
            slot_table_release(filled->table, &bookings[i].reservation);
        end = cpu_seconds();
        *add = least(*add, (middle - begin) / (CHANGES * hosts));
        *release = least(*release, (end - middle) / (CHANGES * hosts));
    }
    free(bookings);
}

/* Seconds per question for the earliest time of as many VMs. */
static double time_earliest(struct filled *filled, const struct question *question,
                            struct answers *answers)
{
    const struct shape *shape = filled->shape;
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t random = 2;
        const double begin = cpu_seconds();

        memset(answers, 0, sizeof(*answers));
        for (int i = 0; i < QUERIES; i++) {
            const int64_t cpu =
                100 * shape->scale * random_between(&random, question->cpu[0], question->cpu[1]);
            const struct amounts vm = {{cpu, shape->memory ? cpu * MEMORY_PER_CPU : 0}};
            const int64_t from =
                question->now ? 0 : random_between(&random, 0, filled->horizon / 2);
            const int64_t length =
                60 * random_between(&random, question->minutes[0], question->minutes[1]);
            const int64_t at = slot_table_earliest(filled->table, &vm, question->vms, from, length);

            answers->at_once += at == from;
            answers->wait += (double)(at - from);
        }
        best = least(best, cpu_seconds() - begin);
    }
    if (answers->at_once < QUERIES)
        answers->wait /= QUERIES - answers->at_once;
    return best / QUERIES;
}

static void print_row(const char *operation, double seconds, const char *floor_text,
                      const struct answers *answers)
{
    char cost[32], delay[32] = "", share[32] = "";

    if (seconds < 1e-6)
        snprintf(cost, sizeof(cost), "%.0f ns", seconds * 1e9);
    else
        snprintf(cost, sizeof(cost), "%.1f us", seconds * 1e6);
    if (answers) {
        snprintf(share, sizeof(share), "%d %%", answers->at_once * 100 / QUERIES);
        if (answers->at_once < QUERIES)
            snprintf(delay, sizeof(delay), "%.1f h", answers->wait / 3600);
    }
    printf("  %-42s %10s %14s %9s %12s\n", operation, cost, floor_text, share, delay);
}

static void measure(const struct shape *shape)
{
    static const struct question questions[] = {
        {"earliest, 1 VM from now", 1, true, {1, 4}, {10, 240}, 0},
        {"earliest, 1 VM from any time", 1, false, {1, 4}, {10, 240}, 0},
        {"earliest, 1 whole host for an hour", 1, false, {8, 8}, {60, 60}, 0},
        {"earliest, 1 whole host for a day", 1, false, {8, 8}, {1440, 1440}, 0},
        {"earliest, 17 VMs from now", 17, true, {1, 4}, {10, 240}, 1},
        {"earliest, 17 small VMs from any time", 17, false, {1, 1}, {10, 60}, 1},
        {"earliest, 17 VMs from any time", 17, false, {1, 4}, {10, 240}, 1},
        {"earliest, 17 VMs of 4 to 6 processors", 17, false, {4, 6}, {60, 480}, 1},
    };
    struct filled filled;
    struct booking *bookings = fill(&filled, shape);
    double add, release;

    printf("%s\n", shape->name);
    time_changes(&filled, &add, &release);
    print_row("add, per host", add, shape->add_floor, NULL);
    print_row("release, per host", release, "-", NULL);
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        struct answers answers;
        double seconds;

        /* A pool is asked for one part of it. */
        if (shape->hosts == 1 && questions[i].vms > 1)
            continue;
        seconds = time_earliest(&filled, &questions[i], &answers);
        print_row(questions[i].name, seconds, shape->floors[questions[i].floor], &answers);
    }
    slot_table_destroy(filled.table);
    site_finish(&filled.site);
    free(bookings);
}

int main(void)
{
    static const struct shape shapes[] = {
        {"256 hosts with 200 reservations each, processors only",
         256,
         51200,
         1,
         1,
         0.75,
         false,
         "100 ns",
         {"42 us", "103 us"}},
        {"256 hosts with 200 reservations each, processors and memory",
         256,
         51200,
         1,
         1,
         0.75,
         true,
         "100 ns",
         {"42 us", "103 us"}},
        {"256 hosts, 200 reservations of 64 hosts each",
         256,
         200,
         64,
         1,
         0.5,
         true,
         "100 ns",
         {"42 us", "103 us"}},
        {"32 hosts with 20 reservations each",
         32,
         640,
         1,
         1,
         0.75,
         true,
         "100 ns",
         {"60 ns", "180 ns"}},
        {"32 hosts, 20 reservations of 8 hosts each",
         32,
         20,
         8,
         1,
         0.5,
         true,
         "100 ns",
         {"60 ns", "180 ns"}},
        {"one pool of 1,024 processors, 10,000 reservations",
         1,
         10000,
         1,
         128,
         0.75,
         false,
         "450 ns",
         {"7.5-16 us", "-"}},
    };

    printf("%-44s %10s %14s %9s %12s\n", "", "CPU", "experiment", "at once", "others after");
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        measure(&shapes[i]);
    return EXIT_SUCCESS;
}
