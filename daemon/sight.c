#include "daemon/world.h"

bool sight_uses_host(const struct sight *sight)
{
    if (!sight || !sight->present || sight->state != VM_ACTIVE)
        return false;
    switch (sight->lcm_state) {
    case 10: /* EPILOG_STOP */
    case 11: /* EPILOG */
    case 15: /* CLEANUP_RESUBMIT */
    case 23: /* CLEANUP_DELETE */
    case 30: /* EPILOG_UNDEPLOY */
        return false;
    default:
        return !sight_failed(sight);
    }
}

bool sight_holds_host(const struct sight *sight)
{
    if (!sight || !sight->present || sight->history.host < 0)
        return false;
    return sight->state == VM_ACTIVE || sight->state == VM_SUSPENDED || sight->state == VM_POWEROFF;
}

bool sight_failed(const struct sight *sight)
{
    if (sight->state != VM_ACTIVE)
        return false;
    switch (sight->lcm_state) {
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

bool sight_running(const struct sight *sight)
{
    if (sight->state != VM_ACTIVE)
        return false;
    switch (sight->lcm_state) {
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

bool sight_migrates(const struct sight *sight)
{
    if (sight->state != VM_ACTIVE)
        return false;
    switch (sight->lcm_state) {
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

bool sight_booting(const struct sight *sight)
{
    if (sight->state != VM_ACTIVE)
        return false;
    switch (sight->lcm_state) {
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

bool sight_in_transition(const struct sight *sight)
{
    return sight->state == VM_INIT ||
           (sight->state == VM_ACTIVE && !sight_failed(sight) && !sight_running(sight));
}
