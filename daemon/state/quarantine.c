/* Counts failures on hosts, and keeps new VMs away from hosts where several failed. */
#include "daemon/state/quarantine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/memory.h"

enum { QUARANTINE_TEXT = 40 /* bytes of one in the store */ };

static const char quarantine_fact[] = "quarantine"; /* "HOST UNTIL;..." */

static struct host_failure *find(const struct quarantine *quarantine, int32_t host)
{
    for (size_t i = 0; i < quarantine->n; i++)
        if (quarantine->items[i].host == host)
            return &quarantine->items[i];
    return NULL;
}

static struct host_failure *add(struct quarantine *quarantine, int32_t host, int64_t now)
{
    MEMORY_GROW(quarantine->items, quarantine->allocated, quarantine->n + 1);
    quarantine->items[quarantine->n] = (struct host_failure){.host = host, .at = now};
    return &quarantine->items[quarantine->n++];
}

/* May one more host be quarantined? At most half of the hosts may. */
static bool may_quarantine_one_more(const struct quarantine *quarantine, int64_t now)
{
    size_t n = 1;

    for (size_t i = 0; i < quarantine->n; i++)
        n += quarantine->items[i].until > now;
    return quarantine->hosts == 0 || n * 2 <= quarantine->hosts;
}

/* True: enough different VMs have failed. Counting restarts with this VM. */
static bool count(struct host_failure *failure, int32_t vm, int64_t now)
{
    unsigned i = 0;

    if (now - failure->at > QUARANTINE_SECONDS)
        failure->n = 0;
    failure->at = now;
    while (i < failure->n && failure->vms[i] != vm)
        i++;
    if (i == failure->n)
        failure->vms[failure->n++] = vm;
    if (failure->n < QUARANTINE_VMS)
        return false;
    failure->vms[0] = vm;
    failure->n = 1;
    return true;
}

bool quarantine_note(struct quarantine *quarantine, int32_t host, int32_t vm, int64_t now)
{
    struct host_failure *failure = find(quarantine, host);

    if (host < 0)
        return false;
    if (!failure)
        failure = add(quarantine, host, now);
    if (!count(failure, vm, now) || failure->until > now ||
        !may_quarantine_one_more(quarantine, now))
        return false;
    failure->until = now + QUARANTINE_SECONDS;
    return true;
}

bool quarantine_stuck(struct quarantine *quarantine, int32_t host, int64_t now)
{
    struct host_failure *failure = find(quarantine, host);
    bool is_quarantined = failure && failure->until > now;

    if (host < 0 || (!is_quarantined && !may_quarantine_one_more(quarantine, now)))
        return false;
    if (!failure)
        failure = add(quarantine, host, now);
    failure->at = now;
    /* The reasons of leases that wait for the host contain its end, which should change rarely. */
    if (failure->until - now <= QUARANTINE_SECONDS / 2)
        failure->until = now + QUARANTINE_SECONDS;
    return !is_quarantined;
}

bool quarantine_clear(struct quarantine *quarantine, int32_t host)
{
    struct host_failure *failure = find(quarantine, host);
    bool was_quarantined = failure && failure->until > 0;

    if (failure)
        *failure = quarantine->items[--quarantine->n];
    return was_quarantined;
}

bool quarantine_expire(struct quarantine *quarantine, int64_t now)
{
    bool expired = false;

    for (size_t i = quarantine->n; i-- > 0;) {
        struct host_failure *failure = &quarantine->items[i];

        if (now - failure->at <= QUARANTINE_SECONDS || failure->until > now)
            continue;
        expired = expired || failure->until > 0;
        *failure = quarantine->items[--quarantine->n];
    }
    return expired;
}

int64_t quarantine_until(const struct quarantine *quarantine, int32_t host, int64_t now)
{
    const struct host_failure *failure = find(quarantine, host);

    return failure && failure->until > now ? failure->until : INSTANT_NONE;
}

bool quarantine_has(const struct quarantine *quarantine, int32_t host, int64_t now)
{
    return quarantine_until(quarantine, host, now) != INSTANT_NONE;
}

void quarantine_finish(struct quarantine *quarantine)
{
    free(quarantine->items);
    *quarantine = (struct quarantine){0};
}

void quarantine_keep(const struct quarantine *quarantine, struct store *store)
{
    size_t size = quarantine->n * QUARANTINE_TEXT + 1, length = 0;
    const char *kept = store_fact(store, quarantine_fact);
    char *text = memory_new(size, 1);

    for (size_t i = 0; i < quarantine->n; i++)
        if (quarantine->items[i].until > 0)
            length = append_text(text, size, length, "%" PRId32 " %" PRId64 ";",
                                 quarantine->items[i].host, quarantine->items[i].until);
    if (strcmp(text, kept ? kept : "") != 0)
        store_set_fact(store, quarantine_fact, length ? text : NULL);
    free(text);
}

void quarantine_load(struct quarantine *quarantine, const struct store *store)
{
    const char *text = store_fact(store, quarantine_fact);
    int32_t host;
    int64_t until;

    for (int n; text && sscanf(text, "%" SCNd32 " %" SCNd64 ";%n", &host, &until, &n) == 2;
         text += n)
        if (!find(quarantine, host))
            add(quarantine, host, until - QUARANTINE_SECONDS)->until = until;
}

void quarantine_move(struct quarantine *quarantine, int64_t by)
{
    for (size_t i = 0; i < quarantine->n; i++) {
        quarantine->items[i].at += by;
        if (quarantine->items[i].until > 0)
            quarantine->items[i].until += by;
    }
}
