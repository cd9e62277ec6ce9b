#include "adapters/opennebula/pool.h"

/* include/VirtualMachine.h and include/Host.h of OpenNebula, the same in 6.10 and 7.4. */
static const char *const vm_names[] = {
    [VM_INIT] = "INIT",
    [VM_PENDING] = "PENDING",
    [VM_HOLD] = "HOLD",
    [VM_ACTIVE] = "ACTIVE",
    [VM_STOPPED] = "STOPPED",
    [VM_SUSPENDED] = "SUSPENDED",
    [VM_DONE] = "DONE",
    [VM_POWEROFF] = "POWEROFF",
    [VM_UNDEPLOYED] = "UNDEPLOYED",
    [VM_CLONING] = "CLONING",
    [VM_CLONING_FAILURE] = "CLONING_FAILURE",
};

static const char *const lcm_names[] = {
    [0] = "LCM_INIT",
    [1] = "PROLOG",
    [2] = "BOOT",
    [LCM_RUNNING] = "RUNNING",
    [4] = "MIGRATE",
    [5] = "SAVE_STOP",
    [6] = "SAVE_SUSPEND",
    [7] = "SAVE_MIGRATE",
    [8] = "PROLOG_MIGRATE",
    [9] = "PROLOG_RESUME",
    [10] = "EPILOG_STOP",
    [11] = "EPILOG",
    [12] = "SHUTDOWN",
    [15] = "CLEANUP_RESUBMIT",
    [LCM_UNKNOWN] = "UNKNOWN",
    [17] = "HOTPLUG",
    [18] = "SHUTDOWN_POWEROFF",
    [19] = "BOOT_UNKNOWN",
    [20] = "BOOT_POWEROFF",
    [21] = "BOOT_SUSPENDED",
    [22] = "BOOT_STOPPED",
    [23] = "CLEANUP_DELETE",
    [24] = "HOTPLUG_SNAPSHOT",
    [25] = "HOTPLUG_NIC",
    [26] = "HOTPLUG_SAVEAS",
    [27] = "HOTPLUG_SAVEAS_POWEROFF",
    [28] = "HOTPLUG_SAVEAS_SUSPENDED",
    [29] = "SHUTDOWN_UNDEPLOY",
    [30] = "EPILOG_UNDEPLOY",
    [31] = "PROLOG_UNDEPLOY",
    [32] = "BOOT_UNDEPLOY",
    [33] = "HOTPLUG_PROLOG_POWEROFF",
    [34] = "HOTPLUG_EPILOG_POWEROFF",
    [35] = "BOOT_MIGRATE",
    [36] = "BOOT_FAILURE",
    [37] = "BOOT_MIGRATE_FAILURE",
    [38] = "PROLOG_MIGRATE_FAILURE",
    [39] = "PROLOG_FAILURE",
    [40] = "EPILOG_FAILURE",
    [41] = "EPILOG_STOP_FAILURE",
    [42] = "EPILOG_UNDEPLOY_FAILURE",
    [43] = "PROLOG_MIGRATE_POWEROFF",
    [44] = "PROLOG_MIGRATE_POWEROFF_FAILURE",
    [45] = "PROLOG_MIGRATE_SUSPEND",
    [46] = "PROLOG_MIGRATE_SUSPEND_FAILURE",
    [47] = "BOOT_UNDEPLOY_FAILURE",
    [48] = "BOOT_STOPPED_FAILURE",
    [49] = "PROLOG_RESUME_FAILURE",
    [50] = "PROLOG_UNDEPLOY_FAILURE",
    [51] = "DISK_SNAPSHOT_POWEROFF",
    [52] = "DISK_SNAPSHOT_REVERT_POWEROFF",
    [53] = "DISK_SNAPSHOT_DELETE_POWEROFF",
    [54] = "DISK_SNAPSHOT_SUSPENDED",
    [56] = "DISK_SNAPSHOT_DELETE_SUSPENDED",
    [57] = "DISK_SNAPSHOT",
    [59] = "DISK_SNAPSHOT_DELETE",
    [60] = "PROLOG_MIGRATE_UNKNOWN",
    [61] = "PROLOG_MIGRATE_UNKNOWN_FAILURE",
    [62] = "DISK_RESIZE",
    [63] = "DISK_RESIZE_POWEROFF",
    [64] = "DISK_RESIZE_UNDEPLOYED",
    [65] = "HOTPLUG_NIC_POWEROFF",
    [66] = "HOTPLUG_RESIZE",
    [67] = "HOTPLUG_SAVEAS_UNDEPLOYED",
    [68] = "HOTPLUG_SAVEAS_STOPPED",
    [69] = "BACKUP",
    [70] = "BACKUP_POWEROFF",
    [71] = "RESTORE",
};

static const char *const host_names[] = {
    [HOST_INIT] = "INIT",    [HOST_MONITORING] = "MONITORING", [HOST_MONITORED] = "MONITORED",
    [HOST_ERROR] = "ERROR",  [HOST_DISABLED] = "DISABLED",     [5] = "MONITORING_ERROR",
    [6] = "MONITORING_INIT", [7] = "MONITORING_DISABLED",      [HOST_OFFLINE] = "OFFLINE",
};

#define NAME_IN(names, state)                                                                      \
    ((state) >= 0 && (size_t)(state) < sizeof(names) / sizeof *(names) && (names)[state]           \
         ? (names)[state]                                                                          \
         : "an unknown state")

const char *vm_state_name(int state, int lcm_state)
{
    return state == VM_ACTIVE ? NAME_IN(lcm_names, lcm_state) : NAME_IN(vm_names, state);
}

const char *host_state_name(int state)
{
    return NAME_IN(host_names, state);
}
