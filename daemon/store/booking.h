/* booking.h: hosts reserved for a period, and the users and groups that may use them: a course, a
 * project.
 *
 * The hosts and times of a booking are the drains with its name (daemon/state/drains.h): a booked
 * host is drained for all leases except those inside, which name the booking (BOOKING) and whose
 * owners it admits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/lease_terms.h"
#include "util/error.h"

enum {
    BOOKINGS_MOST = 64,        /* a host occurs in the plan once more for each of its bookings */
    BOOKING_NAMES_MOST = 4096, /* bytes of a list of names */
};

struct booking {
    char name[TERM_TEXT_MAX];
    bool magnetic;        /* leases of admitted owners need not name the booking */
    char *users, *groups; /* names in OpenNebula, separated by commas; "": none */
    char *owner;          /* the user who may change and end the booking, as operators may; "":
                           * none */
};

/* Letters, digits, '.', '_' and '-'; not empty. */
bool booking_name_is_valid(const char *name);
/* A list of names, or one name, without control characters and empty names. "" is valid. */
bool booking_names_are_valid(const char *names);
/* Does the booking admit the VMs of that owner or group? */
bool booking_admits(const struct booking *booking, const char *user, const char *group);

/* Owns copies of the texts. */
void booking_copy(struct booking *copy, const struct booking *booking);
void booking_finish(struct booking *booking);
