/* python_order.h: the order in which Haizea's records list the VMs of an image transfer.
 *
 * Haizea keeps them in a dictionary of Python 2, a hash table with open addressing in which a small
 * integer is its own hash value: 7 and 8 are listed as 8, 7.
 */
#pragma once

#include <stdint.h>

#include "core/reservation.h"

/* Reorders VMs given in ascending order. O(n). */
void order_as_python_lists(struct placed_vm *vms, uint32_t n);
