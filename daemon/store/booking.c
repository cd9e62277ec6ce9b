/* Checks names of bookings, and whether a booking admits a user or group. */
#include "daemon/store/booking.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

bool booking_name_is_valid(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(name);

    return length > 0 && length < TERM_TEXT_MAX && strspn(name, allowed) == length;
}

bool booking_names_are_valid(const char *names)
{
    size_t length = strlen(names);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)names[i] < ' ' || names[i] == 0x7f ||
            (names[i] == ',' && (i == 0 || i + 1 == length || names[i + 1] == ',')))
            return false;
    return length <= BOOKING_NAMES_MOST;
}

static bool has_name(const char *names, const char *name)
{
    size_t length = strlen(name), here;

    for (; length && *names; names += here + (names[here] == ',')) {
        here = strcspn(names, ",");
        if (here == length && memcmp(names, name, length) == 0)
            return true;
    }
    return false;
}

bool booking_admits(const struct booking *booking, const char *user, const char *group)
{
    return has_name(booking->users, user) || has_name(booking->groups, group);
}

void booking_copy(struct booking *copy, const struct booking *booking)
{
    *copy = *booking;
    copy->users = memory_text(booking->users);
    copy->groups = memory_text(booking->groups);
    copy->owner = memory_text(booking->owner);
}

void booking_finish(struct booking *booking)
{
    free(booking->users);
    free(booking->groups);
    free(booking->owner);
}
