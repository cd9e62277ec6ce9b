/* States of each operation, and their meanings. */
#include "sandbox/machine_table.h"

const struct oned_operation_steps oned_operations[OPERATIONS] = {
    [OPERATION_DEPLOY] = {{{LCM_INIT, ONED_DISPATCH},
                           {LCM_PROLOG, ONED_TRANSFER},
                           {LCM_BOOT, ONED_BOOT}},
                          3,
                          VM_ACTIVE},
    [OPERATION_DEPLOY_STOPPED] = {{{LCM_INIT, ONED_DISPATCH},
                                   {LCM_PROLOG_RESUME, ONED_TRANSFER},
                                   {LCM_BOOT_STOPPED, ONED_RESTORE}},
                                  3,
                                  VM_ACTIVE},
    [OPERATION_DEPLOY_UNDEPLOYED] = {{{LCM_INIT, ONED_DISPATCH},
                                      {LCM_PROLOG_UNDEPLOY, ONED_TRANSFER},
                                      {LCM_BOOT_UNDEPLOY, ONED_BOOT}},
                                     3,
                                     VM_ACTIVE},
    [OPERATION_RESUME_SUSPENDED] = {{{LCM_BOOT_SUSPENDED, ONED_RESTORE}}, 1, VM_ACTIVE},
    [OPERATION_RESUME_POWEROFF] = {{{LCM_BOOT_POWEROFF, ONED_BOOT}}, 1, VM_ACTIVE},
    [OPERATION_RESUME_UNKNOWN] = {{{LCM_BOOT_UNKNOWN, ONED_BOOT}}, 1, VM_ACTIVE},
    [OPERATION_SUSPEND] = {{{LCM_SAVE_SUSPEND, ONED_SAVE}}, 1, VM_SUSPENDED},
    [OPERATION_STOP] = {{{LCM_SAVE_STOP, ONED_SAVE}, {LCM_EPILOG_STOP, ONED_EPILOG}},
                        2,
                        VM_STOPPED},
    [OPERATION_STOP_SUSPENDED] = {{{LCM_EPILOG_STOP, ONED_EPILOG}}, 1, VM_STOPPED},
    [OPERATION_POWEROFF] = {{{LCM_SHUTDOWN_POWEROFF, ONED_SHUTDOWN}}, 1, VM_POWEROFF},
    [OPERATION_UNDEPLOY] = {{{LCM_SHUTDOWN_UNDEPLOY, ONED_SHUTDOWN},
                             {LCM_EPILOG_UNDEPLOY, ONED_EPILOG}},
                            2,
                            VM_UNDEPLOYED},
    [OPERATION_UNDEPLOY_POWEROFF] = {{{LCM_EPILOG_UNDEPLOY, ONED_EPILOG}}, 1, VM_UNDEPLOYED},
    [OPERATION_TERMINATE] = {{{LCM_SHUTDOWN, ONED_SHUTDOWN}, {LCM_EPILOG, ONED_EPILOG}},
                             2,
                             VM_DONE},
    [OPERATION_TERMINATE_IDLE] = {{{LCM_EPILOG, ONED_EPILOG}}, 1, VM_DONE},
    [OPERATION_MIGRATE_LIVE] = {{{LCM_MIGRATE, ONED_MIGRATE}}, 1, VM_ACTIVE},
    [OPERATION_MIGRATE_SAVE] = {{{LCM_SAVE_MIGRATE, ONED_SAVE},
                                 {LCM_PROLOG_MIGRATE, ONED_TRANSFER},
                                 {LCM_BOOT_MIGRATE, ONED_RESTORE}},
                                3,
                                VM_ACTIVE},
    [OPERATION_MIGRATE_POWEROFF] = {{{LCM_SAVE_MIGRATE, ONED_SHUTDOWN},
                                     {LCM_PROLOG_MIGRATE, ONED_TRANSFER},
                                     {LCM_BOOT, ONED_BOOT}},
                                    3,
                                    VM_ACTIVE},
    [OPERATION_MOVE_SUSPENDED] = {{{LCM_PROLOG_MIGRATE_SUSPEND, ONED_TRANSFER}}, 1, VM_SUSPENDED},
    [OPERATION_MOVE_POWEROFF] = {{{LCM_PROLOG_MIGRATE_POWEROFF, ONED_TRANSFER}}, 1, VM_POWEROFF},
    [OPERATION_MIGRATE_UNKNOWN] =
        {{{LCM_PROLOG_MIGRATE_UNKNOWN, ONED_TRANSFER}, {LCM_BOOT, ONED_BOOT}}, 2, VM_ACTIVE},
    [OPERATION_DELETE] = {{{LCM_CLEANUP_DELETE, ONED_CLEANUP}}, 1, VM_DONE},
    [OPERATION_RECREATE] = {{{LCM_CLEANUP_RESUBMIT, ONED_CLEANUP}}, 1, VM_PENDING},
};

enum oned_part oned_part_of(int lcm)
{
    switch (lcm) {
    case LCM_PROLOG:
    case LCM_PROLOG_RESUME:
    case LCM_PROLOG_UNDEPLOY:
    case LCM_PROLOG_MIGRATE:
    case LCM_PROLOG_MIGRATE_POWEROFF:
    case LCM_PROLOG_MIGRATE_SUSPEND:
    case LCM_PROLOG_MIGRATE_UNKNOWN:
        return PART_PROLOG;
    case LCM_BOOT:
    case LCM_BOOT_STOPPED:
    case LCM_BOOT_UNDEPLOY:
    case LCM_BOOT_SUSPENDED:
    case LCM_BOOT_POWEROFF:
    case LCM_BOOT_UNKNOWN:
    case LCM_BOOT_MIGRATE:
        return PART_RUNNING;
    case LCM_SAVE_STOP:
    case LCM_SAVE_SUSPEND:
    case LCM_SAVE_MIGRATE:
    case LCM_SHUTDOWN:
    case LCM_SHUTDOWN_POWEROFF:
    case LCM_SHUTDOWN_UNDEPLOY:
        return PART_END_RUNNING;
    case LCM_EPILOG:
    case LCM_EPILOG_STOP:
    case LCM_EPILOG_UNDEPLOY:
        return PART_EPILOG;
    default:
        return PART_NONE;
    }
}

struct oned_failure oned_failure_of(int lcm)
{
    static const int stuck[][2] = {
        {LCM_PROLOG, LCM_PROLOG_FAILURE},
        {LCM_PROLOG_RESUME, LCM_PROLOG_RESUME_FAILURE},
        {LCM_PROLOG_UNDEPLOY, LCM_PROLOG_UNDEPLOY_FAILURE},
        {LCM_PROLOG_MIGRATE, LCM_PROLOG_MIGRATE_FAILURE},
        {LCM_PROLOG_MIGRATE_POWEROFF, LCM_PROLOG_MIGRATE_POWEROFF_FAILURE},
        {LCM_PROLOG_MIGRATE_SUSPEND, LCM_PROLOG_MIGRATE_SUSPEND_FAILURE},
        {LCM_PROLOG_MIGRATE_UNKNOWN, LCM_PROLOG_MIGRATE_UNKNOWN_FAILURE},
        {LCM_BOOT, LCM_BOOT_FAILURE},
        {LCM_BOOT_STOPPED, LCM_BOOT_STOPPED_FAILURE},
        {LCM_BOOT_UNDEPLOY, LCM_BOOT_UNDEPLOY_FAILURE},
        {LCM_BOOT_MIGRATE, LCM_BOOT_MIGRATE_FAILURE},
        {LCM_EPILOG, LCM_EPILOG_FAILURE},
        {LCM_EPILOG_STOP, LCM_EPILOG_STOP_FAILURE},
        {LCM_EPILOG_UNDEPLOY, LCM_EPILOG_UNDEPLOY_FAILURE},
    };

    for (unsigned i = 0; i < sizeof stuck / sizeof *stuck; i++)
        if (stuck[i][0] == lcm)
            return (struct oned_failure){.lcm = stuck[i][1], .state = VM_ACTIVE, .waits = true};
    switch (lcm) {
    case LCM_BOOT_SUSPENDED:
        return (struct oned_failure){.state = VM_SUSPENDED};
    case LCM_BOOT_POWEROFF:
        return (struct oned_failure){.state = VM_POWEROFF};
    case LCM_BOOT_UNKNOWN:
        return (struct oned_failure){.lcm = LCM_UNKNOWN, .state = VM_ACTIVE};
    default:
        return (struct oned_failure){.lcm = LCM_RUNNING, .state = VM_ACTIVE};
    }
}
