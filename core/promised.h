/* promised.h: places adopted leases that were accepted for a time. */
#pragma once

#include "core/adoption.h"

/* Places a reservation at its start or a deadline lease, started or resumed, before its deadline:
 * on the hosts of the adoption if possible, else elsewhere; as a last resort by suspending all
 * leases that can be suspended. False: there is no place; lease->reason states why. The driver
 * knows the adopted lease, so there are no outputs about the lease itself. Costs: a few searches
 * for a place. */
bool promised_place(struct engine *engine, struct lease *lease, const struct adoption *adoption);
