/* Logs what operators order, what users do to their VMs, and promises. */
#include "daemon/notify/events_log.h"

#include <string.h>

#include "daemon/base/log.h"
#include "daemon/store/store.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

static const char *const of_leases[] = {
    "changed", "held", "parked", "resized", "released", "started-by-others", NULL};
static const char *const of_hosts[] = {
    "host-drained",      "host-undrained", "host-booked", "booking-ended",
    "booking-shortened", "host-released",  NULL};

static bool is_in(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

static bool is_promise(const struct lease_record *lease, const char *event)
{
    return strcmp(event, "accepted") == 0 && lease &&
           (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE);
}

static void happened(void *context, const struct store_event *event)
{
    const char *between = strncmp(event->text, "by ", 3) == 0 ? " " : ": ";

    if (event->lease == STORE_NO_LEASE) {
        if (is_in(of_hosts, event->event))
            log_info("%s: %s", event->event, event->text);
    } else if (is_in(of_leases, event->event) ||
               is_promise(store_lease(context, event->lease), event->event)) {
        log_info_of(event->lease, -1, "lease %lld %s%s%s", (long long)event->lease, event->event,
                    *event->text ? between : "", event->text);
    }
}

void events_log_begin(struct store *store)
{
    store_listen(store, happened, store);
}
