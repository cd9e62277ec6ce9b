/* Keeps the awake leases: an unordered array, and sorted lists for iteration. */
#include "daemon/store/awake.h"

#include <stdlib.h>

#include "daemon/store/private.h"
#include "util/memory.h"

static void wake(struct store *store, struct lease_entry *entry)
{
    struct awake *awake = &store->awake;

    entry->stirred = ++awake->stirs;
    if (entry->awake_at)
        return;
    MEMORY_GROW(awake->entries, awake->allocated, awake->n + 1);
    awake->entries[awake->n++] = entry;
    entry->awake_at = awake->n;
    awake->is_listed = false;
}

void store_note_entry(struct store *store, struct lease_entry *entry)
{
    wake(store, entry);
    entry->noted = entry->stirred;
}

void store_drop_awake(struct store *store, struct lease_entry *entry)
{
    struct awake *awake = &store->awake;
    struct lease_entry *last;

    if (!entry->awake_at)
        return;
    last = awake->entries[--awake->n];
    awake->entries[entry->awake_at - 1] = last;
    last->awake_at = entry->awake_at;
    entry->awake_at = 0;
    awake->is_listed = false;
}

void store_awake_finish(struct awake *awake)
{
    free(awake->entries);
    free(awake->leases);
    free(awake->vms);
}

void store_wake(struct store *store, int64_t lease)
{
    struct lease_entry *entry = store_index_find(&store->leases, lease);

    if (entry)
        wake(store, entry);
}

void store_wake_all(struct store *store)
{
    for (size_t i = 0; i < store->leases.n; i++)
        wake(store, store->leases.records[i]);
    store->awake.next = INSTANT_NEVER;
}

void store_wake_due(struct store *store, int64_t now)
{
    int64_t next = INSTANT_NEVER;

    if (store->awake.next > now)
        return;
    for (size_t i = 0; i < store->leases.n; i++) {
        struct lease_entry *entry = store->leases.records[i];

        if (entry->awake_at)
            continue;
        if (entry->until <= now)
            wake(store, entry);
        else if (entry->until < next)
            next = entry->until;
    }
    store->awake.next = next;
}

int64_t store_next_wake(const struct store *store)
{
    return store->awake.next;
}

uint64_t store_stirs(const struct store *store)
{
    return store->awake.stirs;
}

uint64_t store_stirred(const struct lease_record *lease)
{
    return ((const struct lease_entry *)lease)->stirred;
}

uint64_t store_noted(const struct lease_record *lease)
{
    return ((const struct lease_entry *)lease)->noted;
}

void store_let_sleep(struct store *store, const struct lease_record *lease, int64_t until)
{
    struct lease_entry *entry = store_index_find(&store->leases, lease->id);

    store_drop_awake(store, entry);
    entry->until = until;
    if (until < store->awake.next)
        store->awake.next = until;
}

bool store_has_victim(const struct store *store, int64_t lease)
{
    for (size_t i = 0; i < store->awake.n; i++) {
        const struct lease_record *victim = &store->awake.entries[i]->lease;

        if (victim->phase == PHASE_RUNNING && victim->preempted_for == lease &&
            victim->preempted_at > 0)
            return true;
    }
    return false;
}

/* --- ordered ---------------------------------------------------------------------------------- */

static int by_lease(const void *a, const void *b)
{
    const struct lease_record *one = *(const struct lease_record *const *)a,
                              *other = *(const struct lease_record *const *)b;

    return one->id < other->id ? -1 : one->id > other->id;
}

static int by_vm(const void *a, const void *b)
{
    const struct vm_record *one = *(const struct vm_record *const *)a,
                           *other = *(const struct vm_record *const *)b;

    return one->id < other->id ? -1 : one->id > other->id;
}

static void list_leases(struct store *store)
{
    struct awake *awake = &store->awake;
    size_t n = 0;

    MEMORY_GROW(awake->leases, awake->leases_allocated, awake->n + 1);
    if (awake->n < store->leases.n / 16) {
        for (size_t i = 0; i < awake->n; i++)
            awake->leases[i] = &awake->entries[i]->lease;
        qsort(awake->leases, awake->n, sizeof *awake->leases, by_lease);
        return;
    }
    for (size_t i = 0; i < store->leases.n; i++) {
        const struct lease_entry *entry = store->leases.records[i];

        if (entry->awake_at)
            awake->leases[n++] = &entry->lease;
    }
}

static void list_vms(struct store *store)
{
    struct awake *awake = &store->awake;
    bool ordered = true;

    awake->n_vms = 0;
    for (size_t i = 0; i < awake->n; i++) {
        const struct lease_entry *entry = (const struct lease_entry *)awake->leases[i];

        MEMORY_GROW(awake->vms, awake->vms_allocated, awake->n_vms + entry->n_vms + 1);
        for (size_t j = 0; j < entry->n_vms; j++) {
            ordered = ordered &&
                      (awake->n_vms == 0 || awake->vms[awake->n_vms - 1]->id < entry->vms[j]->id);
            awake->vms[awake->n_vms++] = entry->vms[j];
        }
    }
    if (!ordered)
        qsort(awake->vms, awake->n_vms, sizeof *awake->vms, by_vm);
}

static void list(struct store *store)
{
    if (store->awake.is_listed)
        return;
    list_leases(store);
    list_vms(store);
    store->awake.is_listed = true;
}

const struct lease_record *const *store_awake_leases(struct store *store, size_t *n)
{
    list(store);
    *n = store->awake.n;
    return store->awake.leases;
}

const struct vm_record *const *store_awake_vms(struct store *store, size_t *n)
{
    list(store);
    *n = store->awake.n_vms;
    return store->awake.vms;
}
