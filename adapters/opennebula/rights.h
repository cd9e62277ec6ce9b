/* rights.h: the administrator's limits of users' and groups' requests.
 *
 * [rights] in the configuration applies to all users, [rights group:NAME] for a group and [rights
 * user:NAME] for one user; more general sections have the options missing in more specific ones.
 * Names are OpenNebula's names of the VM's owner and of the VM's group.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "adapters/opennebula/lease_spec.h"
#include "configuration/ini.h"
#include "util/error.h"

struct rights; /* opaque */

/* Reads all these sections. NULL on errors: EINVAL with file:line (an unknown option or kind of
 * section, a value out of limits). O(entries). */
struct rights *rights_create(const struct ini *ini, struct error *err);
void rights_destroy(struct rights *rights); /* NULL is allowed */

/* A change of an existing lease; the request is the changed lease. */
struct rights_change {
    int64_t made; /* number of earlier changes */
    int64_t
        extended; /* seconds, or SPAN_UNLIMITED, in all with this change; 0 or less: it is not */
    bool extends; /* this change extends the lease */
    int64_t left; /* seconds until its current end; SPAN_UNLIMITED: unknown, or far */
};

/* The share of the cloud held by a lease for a time. */
struct rights_holding {
    int64_t from, until; /* until INSTANT_NEVER: without end */
    int64_t share;       /* in billionths of the cloud */
};

/* The requesting user and the request. */
struct rights_request {
    const char *user, *group; /* names; NULL: unknown, the general section applies */
    struct lease_spec *spec;  /* the rights determine terms that are not set */
    uint32_t n_vms;           /* of the lease, or of the known part of its group */
    /* The number of the user's other unfinished reservations and deadline leases, and the time of
     * the whole cloud needed for them and this lease; ignored for leases of other kinds. */
    size_t reservations;
    int64_t cloud_time; /* 0: a change without additional needs */
    /* The holding of this lease, followed by the user's other ones; none: no additional needs. */
    const struct rights_holding *holdings;
    size_t n_holdings;
    bool others_wait; /* VMs of other users wait for room */
    int64_t now;
    const struct rights_change *change; /* NULL: a new lease */
};

/* May the owner and group make this request? 0, or -1 with details of the request and the limit in
 * `reason`. A VM whose attribute lacks PREEMPTIBLE and TERMS is preemptable if its owner may not
 * request other terms. For VMs without the attribute, only max-vms is checked. O(options + log of
 * sections). */
int rights_grant(const struct rights *rights, const struct rights_request *request,
                 char reason[LEASE_SPEC_TEXT_MAX]);

/* Hosts booked by a user, including this booking. */
struct rights_booking {
    const char *user, *group; /* as above */
    size_t hosts;             /* at the same time */
    size_t times;             /* unfinished times */
    int64_t from, until, now;
};

/* May the user book these hosts? 0, or -1 with details in `reason`. */
int rights_grant_booking(const struct rights *rights, const struct rights_booking *booking,
                         char reason[LEASE_SPEC_TEXT_MAX]);

/* Prints the options as help and for the manual page. */
void rights_print_options(FILE *stream);
