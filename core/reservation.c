#include "core/reservation.h"

const char *reservation_kind_name(enum reservation_kind kind)
{
    static const char *const names[RESERVATION_KINDS] = {
        "VM", "SUSPEND", "RESUME", "SHUTDOWN", "MEM_MIGRATION", "DISK_MIGRATION", "FILE_TRANSFER",
    };

    return names[kind];
}

const char *reservation_state_name(enum reservation_state state)
{
    static const char *const names[] = {"Scheduled", "Active", "Done"};

    return names[state];
}
