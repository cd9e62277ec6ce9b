/* rights_inside.h: the limits of a user; shared by the files of rights.h. */
#pragma once

#include "adapters/opennebula/rights.h"

#define NO_LIMIT INT64_MAX

enum right {
    RIGHT_RESERVATIONS,
    RIGHT_IMMEDIATE,
    RIGHT_DEADLINES,
    RIGHT_MAX_DURATION,
    RIGHT_MAX_AHEAD,
    RIGHT_MAX_VMS,
    RIGHT_MAX_RESERVATIONS,
    RIGHT_MAX_CLOUD_TIME,
    RIGHT_MAX_SHARE,
    RIGHT_SHARE_AFTER,
    RIGHT_MAX_BOOKED_HOSTS,
    RIGHT_MAX_CHANGES,
    RIGHT_MAX_EXTENSION,
    RIGHT_CHANGE_BEFORE,
    RIGHT_TERM, /* of lease_terms[0], followed by the others; some are unrestricted */
    RIGHTS = RIGHT_TERM + LEASE_TERM_COUNT
};

/* One user's rights. */
struct rights_limits {
    int64_t values[RIGHTS];
};

/* The sections that concern the user: all, then the group, then the user. Any name may be NULL. */
struct rights_limits rights_limits_of(const struct rights *rights, const char *user,
                                      const char *group);
