/* naive_slot_table.h: a slot table that cannot be wrong: a list of what is booked, and every
 * question answered by looking at all of it. The oracle for core/slot_table.h, which see for what
 * the questions mean. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/reservation.h"
#include "core/site.h"

enum { NAIVE_MAX = 256 };

struct naive_slot_table {
    const struct site *site;
    int64_t now;
    const struct reservation *booked[NAIVE_MAX];
    int n;
};

void naive_init(struct naive_slot_table *table, const struct site *site);
void naive_book(struct naive_slot_table *table, const struct reservation *r);
void naive_release(struct naive_slot_table *table, const struct reservation *r);

int64_t naive_free(const struct naive_slot_table *table, uint32_t host, int type, int64_t at);
int32_t naive_leases(const struct naive_slot_table *table, uint32_t host, int64_t at);
int64_t naive_unchanged_until(const struct naive_slot_table *table, uint32_t host, int64_t at);
int64_t naive_fits_until(const struct naive_slot_table *table, uint32_t host,
                         const struct amounts *need, int64_t from);
uint32_t naive_fit_count(const struct naive_slot_table *table, uint32_t host,
                         const struct amounts *vm, int64_t from, int64_t until, uint32_t limit);
uint32_t naive_count(const struct naive_slot_table *table, const struct amounts *vm, int64_t from,
                     int64_t until, uint32_t limit);
int64_t naive_earliest(const struct naive_slot_table *table, const struct amounts *vm,
                       uint32_t count, int64_t from, int64_t duration);

/* Does the whole reservation fit, besides what is booked? */
bool naive_fits(const struct naive_slot_table *table, const struct reservation *r);
