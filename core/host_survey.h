/* host_survey.h: the hosts with room for a VM of one size, kept up to date.
 *
 * The leases of a queue need room at the same instant again and again. A survey caches the result
 * for each host; the survey of the current instant is updated for the hosts that have changed
 * since.
 * Costs: survey_now: O(hosts changed since the last call); survey_at: O(hosts) unless the last call
 * was the same; survey_count_until: O(1) as long as hosts are free until few different times, else
 * O(hosts); survey_classes: as survey_now, O(hosts) when the classes are built.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host_classes.h"
#include "core/slot_table.h"

enum { SURVEY_STEPS = 16 };

/* Number of hosts free until a time. */
struct survey_step {
    int64_t until;
    uint32_t hosts;
};

struct survey {
    const struct slot_table *table;
    struct amounts vm;
    int64_t from;
    uint64_t version;        /* of the table, at the last update */
    uint64_t changes;        /* of the table, seen so far */
    struct host_look *looks; /* one per host */
    uint32_t n_fitting;      /* hosts that fit a VM at `from` */
    struct survey_step steps[SURVEY_STEPS];
    uint32_t n_steps;
    bool has_steps;               /* steps has all the times; else hosts are counted one by one */
    struct host_classes *classes; /* of the hosts that fit a VM; NULL: never requested */
    bool has_classes;             /* classes is up to date */
    bool classes_by_free;         /* the hosts of a class have equal free amounts */
    uint64_t next_classes; /* after too many classes: the version of the table at which to retry */
};

struct surveys; /* opaque; one per engine */

struct surveys *surveys_create(size_t n_hosts);
void surveys_destroy(struct surveys *surveys); /* NULL is allowed */

/* Room for this VM at the table's `now`, or at a later time. Valid until the next call. */
const struct survey *survey_now(struct surveys *surveys, const struct slot_table *table,
                                const struct amounts *vm);
const struct survey *survey_at(struct surveys *surveys, const struct slot_table *table,
                               const struct amounts *vm, int64_t from);

/* The hosts with room for this VM at the table's `now`, by state; with by_free also by free
 * amounts. NULL: there are too many different states, or kinds of hosts. Valid until the next call.
 */
const struct host_classes *survey_classes(struct surveys *surveys, const struct slot_table *table,
                                          const struct amounts *vm, bool by_free);

/* Hosts on which one VM fits from the survey's instant to `until`. */
uint32_t survey_count_until(const struct survey *survey, int64_t until);

/* The most VMs of this size that one empty host holds. O(1) when called again with the same
 * size. */
uint32_t survey_most_on_a_host(struct surveys *surveys, const struct slot_table *table,
                               const struct amounts *vm);

/* VMs of this size that fit at this instant, several per host. O(1) when called again. */
uint32_t survey_vms_now(struct surveys *surveys, const struct slot_table *table,
                        const struct amounts *vm);
