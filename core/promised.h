/* promised.h: the place of an adopted lease that was accepted for a time. */
#pragma once

#include "core/adoption.h"

/* A reservation at its start, a deadline lease before its deadline (suspended ones are resumed): on
 * the hosts of the adoption where possible, else elsewhere; as a last resort with every lease
 * suspended that can be. False: there is no place; lease->reason says why. The driver knows what it
 * hands over, so the engine's outputs have nothing about the lease itself. Costs: a few searches
 * for a place. */
bool promised_place(struct engine *engine, struct lease *lease, const struct adoption *adoption);
