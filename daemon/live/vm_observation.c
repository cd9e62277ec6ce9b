#include "daemon/live/world.h"

bool observed_uses_host(const struct vm_observation *observed)
{
    if (!observed || !observed->present || observed->state != VM_ACTIVE)
        return false;
    switch (observed->lcm_state) {
    case 10: /* EPILOG_STOP */
    case 11: /* EPILOG */
    case 15: /* CLEANUP_RESUBMIT */
    case 23: /* CLEANUP_DELETE */
    case 30: /* EPILOG_UNDEPLOY */
        return false;
    default:
        return !observed_failed(observed);
    }
}

bool observed_holds_host(const struct vm_observation *observed)
{
    if (!observed || !observed->present || observed->history.host < 0)
        return false;
    return observed->state == VM_ACTIVE || observed->state == VM_SUSPENDED ||
           observed->state == VM_POWEROFF;
}

bool observed_failed(const struct vm_observation *observed)
{
    if (observed->state != VM_ACTIVE)
        return false;
    switch (observed->lcm_state) {
    case 36: /* BOOT_FAILURE */
    case 37: /* BOOT_MIGRATE_FAILURE */
    case 38: /* PROLOG_MIGRATE_FAILURE */
    case 39: /* PROLOG_FAILURE */
    case 40: /* EPILOG_FAILURE */
    case 41: /* EPILOG_STOP_FAILURE */
    case 42: /* EPILOG_UNDEPLOY_FAILURE */
    case 44: /* PROLOG_MIGRATE_POWEROFF_FAILURE */
    case 46: /* PROLOG_MIGRATE_SUSPEND_FAILURE */
    case 47: /* BOOT_UNDEPLOY_FAILURE */
    case 48: /* BOOT_STOPPED_FAILURE */
    case 49: /* PROLOG_RESUME_FAILURE */
    case 50: /* PROLOG_UNDEPLOY_FAILURE */
    case 61: /* PROLOG_MIGRATE_UNKNOWN_FAILURE */
        return true;
    default:
        return false;
    }
}

bool observed_running(const struct vm_observation *observed)
{
    if (observed->state != VM_ACTIVE)
        return false;
    switch (observed->lcm_state) {
    case LCM_RUNNING:
    case LCM_UNKNOWN:
    case LCM_MIGRATE:
    case 17: /* HOTPLUG */
    case 24: /* HOTPLUG_SNAPSHOT */
    case 25: /* HOTPLUG_NIC */
    case 26: /* HOTPLUG_SAVEAS */
    case 57: /* DISK_SNAPSHOT */
    case 59: /* DISK_SNAPSHOT_DELETE */
    case 62: /* DISK_RESIZE */
    case 66: /* HOTPLUG_RESIZE */
    case 69: /* BACKUP */
        return true;
    default:
        return false;
    }
}

bool observed_migrates(const struct vm_observation *observed)
{
    if (observed->state != VM_ACTIVE)
        return false;
    switch (observed->lcm_state) {
    case LCM_MIGRATE:
    case 7:  /* SAVE_MIGRATE */
    case 8:  /* PROLOG_MIGRATE */
    case 35: /* BOOT_MIGRATE */
    case 60: /* PROLOG_MIGRATE_UNKNOWN */
        return true;
    default:
        return false;
    }
}

bool observed_booting(const struct vm_observation *observed)
{
    if (observed->state != VM_ACTIVE)
        return false;
    switch (observed->lcm_state) {
    case 2:  /* BOOT */
    case 20: /* BOOT_POWEROFF */
    case 21: /* BOOT_SUSPENDED */
    case 22: /* BOOT_STOPPED */
    case 32: /* BOOT_UNDEPLOY */
    case 35: /* BOOT_MIGRATE */
        return true;
    default:
        return false;
    }
}

bool observed_in_transition(const struct vm_observation *observed)
{
    return observed->state == VM_INIT ||
           (observed->state == VM_ACTIVE && !observed_failed(observed) &&
            !observed_running(observed));
}
