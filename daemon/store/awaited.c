/* Says what a lease waits for. */
#include "daemon/store/awaited.h"

#include <stdio.h>

#include "daemon/store/store.h"
#include "util/instant.h"

void awaited_text(const struct awaited *awaited, char *text, size_t size)
{
    char time[64], operation[256], where[32] = "";

    lease_time_text(awaited->what == AWAITED_ATTEMPT ? awaited->at : awaited->stuck, time,
                    sizeof time);
    if (awaited->stuck != INSTANT_NONE)
        snprintf(operation, sizeof operation,
                 "VM %d (%s at least since %s; if it is lost: onevm recover --retry %d)",
                 awaited->vm, awaited->state, time, awaited->vm);
    else
        snprintf(operation, sizeof operation, "VM %d (%s)", awaited->vm, awaited->state);
    if (awaited->host >= 0)
        snprintf(where, sizeof where, " on host %d", awaited->host);
    if (awaited->what == AWAITED_LEAVES)
        snprintf(text, size, "%s to leave host %d", operation, awaited->host);
    else if (awaited->what == AWAITED_RUNS)
        snprintf(text, size, "%s to run%s", operation, where);
    else
        snprintf(text, size, "the next attempt to start VM %d, at %s", awaited->vm, time);
}
