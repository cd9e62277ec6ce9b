/* rights.h: what users and groups may request, as set by the administrator.
 *
 * [rights] in the configuration applies to all users, [rights group:NAME] for a group and [rights
 * user:NAME] for one user; options missing in the more specific section are taken from the more
 * general one. Names are OpenNebula's, of the VM's owner and of the VM's group.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "adapters/opennebula/lease_spec.h"
#include "configuration/ini.h"
#include "util/error.h"

struct rights; /* opaque */

/* Read all sections of that kind. NULL on errors: EINVAL with file:line (an unknown option or kind
 * of section, a value out of its limits). O(entries). */
struct rights *rights_create(const struct ini *ini, struct error *err);
void rights_destroy(struct rights *rights); /* NULL is allowed */

/* A change of a lease that exists: the request is the lease as it would be. */
struct rights_change {
    int64_t made; /* how often it has been changed before */
    int64_t
        extended; /* seconds, or SPAN_UNLIMITED, in all with this change; 0 or less: it is not */
    bool extends; /* this change makes it longer */
    int64_t left; /* seconds until its end as it is; SPAN_UNLIMITED: not known, or far */
};

/* What a lease holds of the cloud, at one time. */
struct rights_holding {
    int64_t from, until; /* until INSTANT_NEVER: for ever */
    int64_t share;       /* in billionths of the cloud */
};

/* The requesting user and the request. */
struct rights_request {
    const char *user, *group; /* names; NULL: unknown, the general section counts */
    struct lease_spec *spec;  /* terms that it does not set follow the rights */
    uint32_t n_vms;           /* of the lease, or of what is known of its group so far */
    /* The user's other reservations and deadline leases that are not over, and the time for which
     * the whole cloud could hold them, and this lease as well; not read if this lease is neither.
     */
    size_t reservations;
    int64_t cloud_time; /* 0: a change that takes no more than before */
    /* What this lease would hold, and then the user's others; none: no more than before. */
    const struct rights_holding *holdings;
    size_t n_holdings;
    bool others_wait; /* VMs of others wait for room */
    int64_t now;
    const struct rights_change *change; /* NULL: a new lease */
};

/* Are the owner and group allowed to make this request? 0, or -1 with `reason`: the request and the
 * limit. A VM with the attribute that leaves PREEMPTIBLE and TERMS out is preemptible if its owner
 * may not request anything else. Of VMs without the attribute only max-vms is checked. O(options +
 * log of sections). */
int rights_grant(const struct rights *rights, const struct rights_request *request,
                 char reason[LEASE_SPEC_TEXT_MAX]);

/* Hosts that a user books, and what the user would have booked then. */
struct rights_booking {
    const char *user, *group; /* as above */
    size_t hosts;             /* at the same time */
    size_t times;             /* that are not over */
    int64_t from, until, now;
};

/* May the user book these hosts? 0, or -1 with `reason`. */
int rights_grant_booking(const struct rights *rights, const struct rights_booking *booking,
                         char reason[LEASE_SPEC_TEXT_MAX]);

/* The options for people, and for the manual's page. */
void rights_print_options(FILE *stream);
