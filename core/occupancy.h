/* occupancy.h: who holds which units of each host when, and where the VMs of each role are when.
 *
 * The slot table keeps one for what it has booked; a forecast works on a copy. Costs: see demand.h;
 * o = bookings with units on a host, m = bookings of VMs of the roles that the rules name, h =
 * hosts. Units: O(o + what they hold + counters of the host) for an interval, O(log o) times that
 * to find out until when. Rules: O(h + m), for a split set of VMs that must be together O(h + m^2).
 * Book, release: O(log o + log m) compares and a move of what is behind. Memory: what is booked,
 * and a few words per host from the first booking of units on.
 */
#pragma once

#include "core/site.h"
#include "core/units.h"

struct lease;
struct occupancy; /* opaque */

/* The site must outlive the occupancy. */
struct occupancy *occupancy_create(const struct site *site);
/* An independent copy, with what is held by leases for `site`, which is equal to the original's. */
struct occupancy *occupancy_copy(const struct occupancy *from, const struct site *site);
void occupancy_destroy(struct occupancy *occupancy); /* NULL is allowed */

/* One VM's time on a host. The lease is only named in answers; NULL is allowed. */
struct stay {
    int64_t from, until;
    struct held_units *held; /* a reference is taken while it is booked */
    const struct lease *lease;
};

void occupancy_book(struct occupancy *occupancy, const struct stay *stay);
/* Releases what was booked with equal values. */
void occupancy_release(struct occupancy *occupancy, const struct stay *stay);

/* Stays booked with units on the host, by start; valid until the next change. */
const struct stay *occupancy_stays(const struct occupancy *occupancy, uint32_t host, size_t *n);

/* Would a VM with this demand fit on the host during [from, until)? */
struct unit_question {
    const struct vm_demand *demand;
    uint32_t vm, host;
    int64_t from, until;
    int64_t least; /* shortest acceptable end; until: all of it is needed */
};

/* The latest end, at most question->until, up to which the same units meet the demand; `from` if
 * not up to `least`. held, unless NULL: what the VM would hold, a reference for the caller. Roles
 * do not matter. */
int64_t occupancy_units_until(const struct occupancy *occupancy,
                              const struct unit_question *question, struct held_units **held);

/* Is it known without looking that the question's answer is `from`, and with any shorter `until`?
 * O(log o). */
bool occupancy_refused(const struct occupancy *occupancy, const struct unit_question *question);

/* May the VM hold exactly these units meanwhile? */
bool occupancy_units_free(const struct occupancy *occupancy, const struct stay *stay);

/* Units of a running VM, as it reports them (units_reported()). One that has been given
 * nothing yet, beside VMs that are about to leave, holds what they leave. */
struct held_units *occupancy_reported(const struct occupancy *occupancy,
                                      const struct unit_question *question,
                                      const struct vm_units *reported);

/* Fills limits[host] with the time until which the rules of the demand that must be kept are kept
 * there from `from` on: `from` itself if they are not, `until` at most. */
void occupancy_rules_until(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t from, int64_t until, int64_t *limits);

/* Adds the weights of the preferences among its rules to ranks[host]. */
void occupancy_preferences(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t at, int64_t *ranks);

/* Is any VM that must be on the same host as this one placed there, or elsewhere, meanwhile? */
bool occupancy_has_companions(const struct occupancy *occupancy, const struct vm_demand *demand,
                              int64_t from, int64_t until);

/* The lease of a VM that breaks a rule of the demand on the host at that time, the earliest booked;
 * NULL: none. *together: it is one to be together with, elsewhere. */
const struct lease *occupancy_in_the_way(const struct occupancy *occupancy,
                                         const struct vm_demand *demand, uint32_t host, int64_t at,
                                         bool *together);

/* The earliest time > at at which a stay on the host ends; INSTANT_NEVER. */
int64_t occupancy_next_end(const struct occupancy *occupancy, uint32_t host, int64_t at);
