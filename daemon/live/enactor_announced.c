/* Commands that wait for promises: determined once per cycle for all VMs of a lease. */
#include "daemon/daemon.h"
#include "daemon/live/enactor_inside.h"
#include "daemon/live/promises.h"

void enactor_ask_again(struct enactor *enactor)
{
    map_finish(&enactor->announced);
    map_init(&enactor->announced, sizeof(bool));
}

bool enactor_waits_for_promise(struct enactor *enactor, const struct vm_record *vm)
{
    size_t known = enactor->announced.n;
    bool *waits = map_value(&enactor->announced, map_add(&enactor->announced, vm->lease));

    if (enactor->announced.n > known)
        *waits = promises_precede_group(enactor->daemon, vm->lease);
    return *waits;
}
