/* A placement that was found: discarded, or completed with its shutdown. */
#include "core/proposal.h"

#include <stdlib.h>
#include <string.h>

#include "core/estimates.h"

void proposal_finish(struct proposal *proposal)
{
    reservation_list_destroy(&proposal->preparation);
    reservation_list_destroy(&proposal->plan.before);
    reservation_list_destroy(&proposal->plan.after);
    if (proposal->plan.vm)
        reservation_destroy(proposal->plan.vm);
    free(proposal->victims.items);
    free(proposal->riders);
    memset(proposal, 0, sizeof *proposal);
}

/* The shutdown takes the last seconds of the VM reservation. */
void carve_shutdown(struct engine *engine, struct lease *lease, struct vm_plan *plan)
{
    struct reservation *vm = plan->vm;
    int64_t span = shutdown_span(engine, lease);

    if (vm->until == INSTANT_NEVER)
        return;
    vm->until -= span;
    reservation_list_append(&plan->after,
                            reservation_create(lease, RESERVATION_SHUTDOWN, vm->until,
                                               vm->until + span, placement_share(vm->placement)));
}
