/* transfer_slots.h: when the repository can send an image to hosts, and how fast.
 *
 * It sends one image at a time, at the site's bandwidth, or that of the slowest receiving host if
 * this is less. Hosts must have room in their networks; those without network capacity are not
 * looked at. Rates in Mbit/s, times in seconds. t = unfinished transfers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lease.h"
#include "core/leases.h"
#include "core/reservations.h"
#include "core/slot_table.h"

struct engine;

/* The switch transfers_never_cancelled. */
bool transfers_are_never_cancelled(const struct engine *engine);

/* The highest rate at which the host can receive images; O(1). */
int64_t image_rate_to(const struct engine *engine, uint32_t host);
/* The highest rate at which all hosts of the VMs can. O(n). */
int64_t image_rate_to_all(const struct engine *engine, const struct placed_vm *vms, uint32_t n);
/* The repository and the hosts of the VMs with what they hold to send at this rate; the caller's.
 * O(n). */
struct placement *image_placement(struct engine *engine, const struct placed_vm *vms, uint32_t n,
                                  int64_t rate);
/* The same placement with further VMs, whose hosts hold no bandwidth for them. */
struct placement *image_placement_with(const struct placement *old, const struct placed_vm *guests,
                                       uint32_t n);
/* Fills `others` with the VMs of a transfer that are not of the lease; returns their number. */
uint32_t image_vms_of_others(const struct placement *placement, int64_t lease,
                             struct placed_vm *others);
/* The rate at which a transfer with this placement sends. */
int64_t image_rate_of(const struct placement *transfer);
/* The network that a host holds while it receives at this rate; O(1). */
int64_t image_network_of(const struct engine *engine, uint32_t host, int64_t rate);
/* Seconds to send the lease's image to `copies` hosts; O(1). */
int64_t image_span(const struct engine *engine, const struct lease *lease, int64_t copies,
                   int64_t rate);

/* A transfer to be placed: its hosts, of which the first is the repository, and its length. */
struct image_sending {
    const struct placement *to;
    int64_t span;
    size_t gap; /* gaps before this one are known to be too short: image_first_gap() */
};

/* The number of the first gap of that length between transfers. O(t). */
size_t image_first_gap(const struct engine *engine, const struct reservation_list *transfers,
                       int64_t span);

/* The start of the first gap of that length between transfers (by start) from now on in which the
 * hosts have room in their networks; INSTANT_NEVER. O(t) questions to the slot table. */
int64_t image_first_slot(const struct engine *engine, const struct reservation_list *transfers,
                         const struct image_sending *sending);
/* The start in the last such gap before the deadline (earliest deadline first); before now: none.
 */
int64_t image_last_slot(const struct engine *engine, const struct reservation_list *transfers,
                        const struct image_sending *sending, int64_t deadline);
/* Adds the transfer to those by start; one of no time (an empty image) comes before another with
 * the same start, so that the gap behind it does not begin during the other. O(t). */
void image_transfers_insert(struct reservation_list *transfers, struct reservation *transfer);
/* Does the host have that much network during [from, until)? */
bool image_network_is_free(const struct engine *engine, uint32_t host, int64_t network,
                           struct interval during);
/* For a trial: releases the room of the transfers that only these leases need; returns the others.
 * O(leases t VMs). */
struct reservation_list image_transfers_without(struct engine *engine,
                                                const struct reservation_list *transfers,
                                                const struct lease_list *leases);
