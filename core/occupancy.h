/* occupancy.h: the units of each host held over time, and the hosts of the VMs of each role over
 * time.
 *
 * The slot table keeps an occupancy of its bookings; a forecast works on a copy. Costs: see
 * demand.h; o = bookings with units on a host, m = bookings of VMs of the roles that the rules
 * name, h = hosts. Units: O(o + held units + counters of the host) for an interval, O(log o) times
 * that for the time until which they are free. Rules: O(h + m), for a split set of VMs that must be
 * together O(h + m^2). Book, release: O(log o + log m) compares and a move of the later entries.
 * Memory: proportional to the bookings, plus a few words per host from the first booking of units
 * on.
 */
#pragma once

#include "core/site.h"
#include "core/units.h"

struct lease;
struct occupancy; /* opaque */

/* The site must outlive the occupancy. */
struct occupancy *occupancy_create(const struct site *site);
/* An independent copy for `site`, which must equal the original's site; includes all stays. */
struct occupancy *occupancy_copy(const struct occupancy *from, const struct site *site);
void occupancy_destroy(struct occupancy *occupancy); /* NULL is allowed */

/* One VM's time on a host. The lease is only returned in results; NULL is allowed. */
struct stay {
    int64_t from, until;
    struct held_units *held; /* a reference is taken while it is booked */
    const struct lease *lease;
};

void occupancy_book(struct occupancy *occupancy, const struct stay *stay);
/* Releases the stay that was booked with equal values. */
void occupancy_release(struct occupancy *occupancy, const struct stay *stay);

/* Stays booked with units on the host, by start; valid until the next change. */
const struct stay *occupancy_stays(const struct occupancy *occupancy, uint32_t host, size_t *n);

/* Would a VM with this demand fit on the host during [from, until)? */
struct unit_question {
    const struct vm_demand *demand;
    uint32_t vm, host;
    int64_t from, until;
    int64_t least; /* earliest acceptable end; `until` if all of it is needed */
};

/* The latest end, at most question->until, up to which the same units meet the demand; `from` if
 * they do not meet it up to `least`. held, unless NULL: the units of the VM, a reference for the
 * caller. Ignores roles. */
int64_t occupancy_units_until(const struct occupancy *occupancy,
                              const struct unit_question *question, struct held_units **held);

/* Is it known without a search that the result is `from`? O(log o). */
bool occupancy_refused(const struct occupancy *occupancy, const struct unit_question *question);
/* The hosts for which this is known whatever the end of the time, as refusals_hosts() in
 * core/refusals.h; NULL: none. */
const uint64_t *occupancy_refusing(const struct occupancy *occupancy,
                                   const struct vm_demand *demand, int64_t from);
/* Is it known for all of these hosts? allowed: a bitmap; NULL: all hosts. O(h / 64). */
bool occupancy_refused_by_all(const struct occupancy *occupancy, const struct vm_demand *demand,
                              int64_t from, const uint64_t *allowed);

/* May the VM hold exactly these units during its stay? */
bool occupancy_units_free(const struct occupancy *occupancy, const struct stay *stay);

/* Units of a running VM, as it reports them (units_reported()). A VM without units so far, beside
 * VMs that are about to leave, holds the units that they leave. */
struct held_units *occupancy_reported(const struct occupancy *occupancy,
                                      const struct unit_question *question,
                                      const struct vm_units *reported);

/* Fills limits[host] with the time until which the mandatory rules of the demand hold there from
 * `from` on: `from` itself if they do not hold, `until` at most. */
void occupancy_rules_until(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t from, int64_t until, int64_t *limits);

/* Adds the weights of the preferences among its rules to ranks[host]. */
void occupancy_preferences(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t at, int64_t *ranks);

/* Is any VM that must share a host with this one placed on any host during [from, until)? */
bool occupancy_has_companions(const struct occupancy *occupancy, const struct vm_demand *demand,
                              int64_t from, int64_t until);

/* The lease of the earliest booked VM that conflicts with a rule of the demand on the host at that
 * time; NULL: none. *together: set if that VM is on another host and the rule is to be together. */
const struct lease *occupancy_in_the_way(const struct occupancy *occupancy,
                                         const struct vm_demand *demand, uint32_t host, int64_t at,
                                         bool *together);

/* The earliest end of a stay on the host after `at`; INSTANT_NEVER if none. */
int64_t occupancy_next_end(const struct occupancy *occupancy, uint32_t host, int64_t at);
