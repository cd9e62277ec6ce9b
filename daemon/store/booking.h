/* booking.h: who may use hosts that are set aside for a time: a course, a project.
 *
 * The hosts and times of a booking are drains of its name (daemon/live/drains.h): a booked host is
 * drained for all leases but those inside, which name the booking (BOOKING) and whose owners it
 * admits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/lease_terms.h"
#include "util/error.h"

enum {
    BOOKINGS_MOST = 64,        /* each host is once more in a plan for each of its bookings */
    BOOKING_NAMES_MOST = 4096, /* bytes of a list of names */
};

struct booking {
    char name[TERM_TEXT_MAX];
    bool magnetic;        /* leases of those it admits need not name it */
    char *users, *groups; /* OpenNebula's names, separated by commas; "": none */
    char *owner;          /* the user who may change and end it as operators may; "": none */
};

/* Letters, digits, '.', '_' and '-'; not empty. */
bool booking_name_is_valid(const char *name);
/* A list of names, or one name: no control characters, no empty name. "" is valid. */
bool booking_names_are_valid(const char *names);
/* Does it admit the VMs of that owner or group? */
bool booking_admits(const struct booking *booking, const char *user, const char *group);

/* Owns copies of the texts. */
void booking_copy(struct booking *copy, const struct booking *booking);
void booking_finish(struct booking *booking);
