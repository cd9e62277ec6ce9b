/* OpenNebula's state numbers of VMs and hosts, with their names and states. */
#include "adapters/opennebula/pool_states.h"

#include <stddef.h>

struct vm_row {
    const char *name; /* NULL: unused number */
    enum vm_state state;
};

enum { ACTIVE = 3 };

/* include/VirtualMachine.h: STATE. For ACTIVE, LCM_STATE decides. */
static const struct vm_row vm_rows[] = {
    [0] = {"INIT", VM_INIT},           [1] = {"PENDING", VM_PENDING},
    [2] = {"HOLD", VM_HOLD},           [4] = {"STOPPED", VM_STOPPED},
    [5] = {"SUSPENDED", VM_SUSPENDED}, [6] = {"DONE", VM_DONE},
    [8] = {"POWEROFF", VM_POWEROFF},   [9] = {"UNDEPLOYED", VM_UNDEPLOYED},
    [10] = {"CLONING", VM_CLONING},    [11] = {"CLONING_FAILURE", VM_OTHER},
};

/* LCM_STATE of ACTIVE VMs. */
static const struct vm_row lcm_rows[] = {
    [0] = {"LCM_INIT", VM_PREPARING},
    [1] = {"PROLOG", VM_PREPARING},
    [2] = {"BOOT", VM_BOOTING},
    [3] = {"RUNNING", VM_RUNNING},
    [4] = {"MIGRATE", VM_LIVE_MIGRATING},
    [5] = {"SAVE_STOP", VM_CHANGING},
    [6] = {"SAVE_SUSPEND", VM_CHANGING},
    [7] = {"SAVE_MIGRATE", VM_MIGRATING},
    [8] = {"PROLOG_MIGRATE", VM_MIGRATING},
    [9] = {"PROLOG_RESUME", VM_CHANGING},
    [10] = {"EPILOG_STOP", VM_LEAVING},
    [11] = {"EPILOG", VM_LEAVING},
    [12] = {"SHUTDOWN", VM_CHANGING},
    [15] = {"CLEANUP_RESUBMIT", VM_LEAVING},
    [16] = {"UNKNOWN", VM_UNKNOWN},
    [17] = {"HOTPLUG", VM_OCCUPIED},
    [18] = {"SHUTDOWN_POWEROFF", VM_CHANGING},
    [19] = {"BOOT_UNKNOWN", VM_CHANGING},
    [20] = {"BOOT_POWEROFF", VM_BOOTING},
    [21] = {"BOOT_SUSPENDED", VM_BOOTING},
    [22] = {"BOOT_STOPPED", VM_BOOTING},
    [23] = {"CLEANUP_DELETE", VM_LEAVING},
    [24] = {"HOTPLUG_SNAPSHOT", VM_OCCUPIED},
    [25] = {"HOTPLUG_NIC", VM_OCCUPIED},
    [26] = {"HOTPLUG_SAVEAS", VM_OCCUPIED},
    [27] = {"HOTPLUG_SAVEAS_POWEROFF", VM_CHANGING},
    [28] = {"HOTPLUG_SAVEAS_SUSPENDED", VM_CHANGING},
    [29] = {"SHUTDOWN_UNDEPLOY", VM_CHANGING},
    [30] = {"EPILOG_UNDEPLOY", VM_LEAVING},
    [31] = {"PROLOG_UNDEPLOY", VM_CHANGING},
    [32] = {"BOOT_UNDEPLOY", VM_BOOTING},
    [33] = {"HOTPLUG_PROLOG_POWEROFF", VM_CHANGING},
    [34] = {"HOTPLUG_EPILOG_POWEROFF", VM_CHANGING},
    [35] = {"BOOT_MIGRATE", VM_BOOTING_MOVED},
    [36] = {"BOOT_FAILURE", VM_BOOT_FAILED},
    [37] = {"BOOT_MIGRATE_FAILURE", VM_BOOT_FAILED},
    [38] = {"PROLOG_MIGRATE_FAILURE", VM_FAILED},
    [39] = {"PROLOG_FAILURE", VM_FAILED},
    [40] = {"EPILOG_FAILURE", VM_FAILED},
    [41] = {"EPILOG_STOP_FAILURE", VM_FAILED},
    [42] = {"EPILOG_UNDEPLOY_FAILURE", VM_FAILED},
    [43] = {"PROLOG_MIGRATE_POWEROFF", VM_CHANGING},
    [44] = {"PROLOG_MIGRATE_POWEROFF_FAILURE", VM_FAILED},
    [45] = {"PROLOG_MIGRATE_SUSPEND", VM_CHANGING},
    [46] = {"PROLOG_MIGRATE_SUSPEND_FAILURE", VM_FAILED},
    [47] = {"BOOT_UNDEPLOY_FAILURE", VM_BOOT_FAILED},
    [48] = {"BOOT_STOPPED_FAILURE", VM_BOOT_FAILED},
    [49] = {"PROLOG_RESUME_FAILURE", VM_FAILED},
    [50] = {"PROLOG_UNDEPLOY_FAILURE", VM_FAILED},
    [51] = {"DISK_SNAPSHOT_POWEROFF", VM_CHANGING},
    [52] = {"DISK_SNAPSHOT_REVERT_POWEROFF", VM_CHANGING},
    [53] = {"DISK_SNAPSHOT_DELETE_POWEROFF", VM_CHANGING},
    [54] = {"DISK_SNAPSHOT_SUSPENDED", VM_CHANGING},
    [56] = {"DISK_SNAPSHOT_DELETE_SUSPENDED", VM_CHANGING},
    [57] = {"DISK_SNAPSHOT", VM_OCCUPIED},
    [59] = {"DISK_SNAPSHOT_DELETE", VM_OCCUPIED},
    [60] = {"PROLOG_MIGRATE_UNKNOWN", VM_MIGRATING},
    [61] = {"PROLOG_MIGRATE_UNKNOWN_FAILURE", VM_FAILED},
    [62] = {"DISK_RESIZE", VM_OCCUPIED},
    [63] = {"DISK_RESIZE_POWEROFF", VM_CHANGING},
    [64] = {"DISK_RESIZE_UNDEPLOYED", VM_CHANGING},
    [65] = {"HOTPLUG_NIC_POWEROFF", VM_CHANGING},
    [66] = {"HOTPLUG_RESIZE", VM_OCCUPIED},
    [67] = {"HOTPLUG_SAVEAS_UNDEPLOYED", VM_CHANGING},
    [68] = {"HOTPLUG_SAVEAS_STOPPED", VM_CHANGING},
    [69] = {"BACKUP", VM_OCCUPIED},
    [70] = {"BACKUP_POWEROFF", VM_CHANGING},
    [71] = {"RESTORE", VM_CHANGING},
};

struct host_row {
    const char *name;
    enum host_state state;
};

/* include/Host.h */
static const struct host_row host_rows[] = {
    [0] = {"INIT", HOST_INIT},
    [1] = {"MONITORING", HOST_ON},
    [2] = {"MONITORED", HOST_ON},
    [3] = {"ERROR", HOST_ERROR},
    [4] = {"DISABLED", HOST_DISABLED},
    [5] = {"MONITORING_ERROR", HOST_ERROR},
    [6] = {"MONITORING_INIT", HOST_INIT},
    [7] = {"MONITORING_DISABLED", HOST_DISABLED},
    [8] = {"OFFLINE", HOST_OFFLINE},
};

static const char unknown[] = "an unknown state";

#define ROW_OF(rows, number)                                                                       \
    ((number) >= 0 && (size_t)(number) < sizeof(rows) / sizeof *(rows) && (rows)[number].name      \
         ? &(rows)[number]                                                                         \
         : NULL)

enum vm_state pool_vm_state(int32_t state, int32_t lcm_state, const char **name)
{
    const struct vm_row *row =
        state == ACTIVE ? ROW_OF(lcm_rows, lcm_state) : ROW_OF(vm_rows, state);

    *name = row ? row->name : unknown;
    if (row)
        return row->state;
    return state == ACTIVE ? VM_CHANGING : VM_OTHER;
}

enum host_state pool_host_state(int32_t state, const char **name)
{
    const struct host_row *row = ROW_OF(host_rows, state);

    *name = row ? row->name : unknown;
    return row ? row->state : HOST_INIT;
}
