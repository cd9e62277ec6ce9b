/* Classifies the last observed state of a VM. */
#include "daemon/state/world.h"

bool observed_uses_host(const struct vm_observation *observed)
{
    return observed && observed->present && vm_state_traits[observed->state].uses;
}

bool observed_holds_host(const struct vm_observation *observed)
{
    return observed && observed->present && observed->history.host >= 0 &&
           vm_state_traits[observed->state].holds;
}

bool observed_failed(const struct vm_observation *observed)
{
    return observed->state == VM_FAILED || observed->state == VM_BOOT_FAILED;
}

bool observed_running(const struct vm_observation *observed)
{
    return vm_state_traits[observed->state].runs;
}

bool observed_migrates(const struct vm_observation *observed)
{
    return observed->state == VM_LIVE_MIGRATING || observed->state == VM_MIGRATING ||
           observed->state == VM_BOOTING_MOVED;
}

bool observed_booting(const struct vm_observation *observed)
{
    return observed->state == VM_BOOTING || observed->state == VM_BOOTING_MOVED;
}

bool observed_in_transition(const struct vm_observation *observed)
{
    return vm_state_traits[observed->state].in_transition;
}
