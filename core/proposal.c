/* Discards a proposal, or completes it with its shutdown. */
#include "core/proposal.h"

#include <stdlib.h>
#include <string.h>

#include "core/estimates.h"

static void destroy_stretch(struct vm_plan *stretch)
{
    reservation_list_destroy(&stretch->before);
    reservation_list_destroy(&stretch->after);
    if (stretch->vm)
        reservation_destroy(stretch->vm);
}

void proposal_finish(struct proposal *proposal)
{
    reservation_list_destroy(&proposal->preparation);
    destroy_stretch(&proposal->plan);
    destroy_stretch(&proposal->next);
    free(proposal->victims.items);
    free(proposal->riders);
    memset(proposal, 0, sizeof *proposal);
}

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
