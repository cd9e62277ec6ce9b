/* windows.h: when each VM of a lease is suspended or resumed.
 *
 * Costs: O(VMs log VMs), and with waits O(hosts^2) of the lease.
 */
#ifndef GALERNA_CORE_WINDOWS_H
#define GALERNA_CORE_WINDOWS_H

#include <stdint.h>

#include "core/plan.h"

struct engine;

/* Fill list with SUSPEND reservations that end by `at`, or RESUME ones that begin at `at`; VMs are
 * where placement says. Ascending times; the caller owns them. Returns the other end: when the
 * first suspension begins or the last resumption is over. */
int64_t suspend_windows(struct engine *engine, struct lease *lease,
                        const struct placement *placement, int64_t at,
                        struct reservation_list *list);
int64_t resume_windows(struct engine *engine, struct lease *lease,
                       const struct placement *placement, int64_t at,
                       struct reservation_list *list);

#endif
