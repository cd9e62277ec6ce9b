/* Finds, adds, changes and forgets leases and VMs in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/change.h"
#include "daemon/store/private.h"
#include "util/memory.h"

void store_put_text(const char **place, const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = length ? memory_new(length + 1, 1) : NULL;

    if (copy)
        memcpy(copy, text, length);
    if (*place && **place)
        memory_free(*place);
    *place = copy ? copy : "";
}

void store_vm_free(struct vm_record *vm)
{
    store_put_text(&vm->message, "", 0);
    store_put_text(&vm->asked, "", 0);
    store_put_text(&vm->stays, "", 0);
    free(vm->avoided);
    free(vm);
}

void store_lease_finish(struct lease_record *lease)
{
    store_put_text(&lease->user, "", 0);
    store_put_text(&lease->user_group, "", 0);
    store_put_text(&lease->name, "", 0);
    store_put_text(&lease->group, "", 0);
    store_put_text(&lease->reason_word, "", 0);
    store_put_text(&lease->reason, "", 0);
    store_put_text(&lease->change_refused, "", 0);
}

void store_lease_entry_free(struct lease_entry *record)
{
    store_lease_finish(&record->lease);
    for (size_t i = 0; i < record->n_vms; i++)
        store_vm_free(record->vms[i]);
    free(record->vms);
    free(record);
}

/* The next commit writes the record. */
static void mark_lease(struct store *store, struct lease_record *lease)
{
    store->changes++;
    if (lease->marked)
        return;
    lease->marked = true;
    MEMORY_GROW(store->marked_leases, store->marked_leases_allocated, store->n_marked_leases + 1);
    store->marked_leases[store->n_marked_leases++] = (struct lease_entry *)lease;
}

static void mark_vm(struct store *store, struct vm_record *vm)
{
    store->changes++;
    if (vm->marked)
        return;
    vm->marked = true;
    MEMORY_GROW(store->marked_vms, store->marked_vms_allocated, store->n_marked_vms + 1);
    store->marked_vms[store->n_marked_vms++] = vm;
}

const struct lease_record *store_lease(const struct store *store, int64_t id)
{
    return store_index_find(&store->leases, id);
}

const struct vm_record *store_vm(const struct store *store, int32_t id)
{
    return store_index_find(&store->vms, id);
}

struct lease_record *store_note_lease(struct store *store, const struct lease_record *lease)
{
    struct lease_entry *entry = store_index_find(&store->leases, lease->id);

    store_note_entry(store, entry);
    return &entry->lease;
}

struct lease_record *store_change_lease(struct store *store, const struct lease_record *lease)
{
    struct lease_record *record = store_note_lease(store, lease);

    mark_lease(store, record);
    return record;
}

struct vm_record *store_note_vm(struct store *store, const struct vm_record *vm)
{
    struct lease_entry *entry = store_index_find(&store->leases, vm->lease);

    if (entry)
        store_note_entry(store, entry);
    return store_index_find(&store->vms, vm->id);
}

struct vm_record *store_change_vm(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record = store_note_vm(store, vm);

    mark_vm(store, record);
    return record;
}

bool store_stands_past_deadline(const struct lease_record *lease, int64_t now)
{
    return lease->phase == PHASE_PARKED && lease->accepted && instant_is_set(lease->deadline) &&
           lease->deadline <= now;
}

int64_t store_latest_start(const struct lease_record *lease)
{
    return lease->deadline == INSTANT_NONE || lease->duration == SPAN_UNLIMITED
               ? lease->deadline
               : lease->deadline - (lease->duration - lease->accumulated);
}

int64_t store_promised_start(const struct lease_record *lease)
{
    if (lease->accumulated > 0) /* its resumption after a preemption is an estimate */
        return INSTANT_NONE;
    return lease->kind == LEASE_RESERVATION || (lease->kind == LEASE_IMMEDIATE && lease->accepted)
               ? instant_later(lease->start, lease->submit)
               : INSTANT_NONE;
}

struct lease_record *store_add_lease(struct store *store, int64_t id)
{
    struct lease_entry *record;

    if (id < 0 || store_lease(store, id)) {
        errno = id < 0 ? EINVAL : EEXIST;
        return NULL;
    }
    record = memory_new(1, sizeof *record);
    record->fresh = true;
    record->lease = (struct lease_record){
        .id = id,
        .submit = INSTANT_NONE,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = SPAN_UNLIMITED,
        .end = INSTANT_NONE,
        .since = INSTANT_NONE,
        .expected = INSTANT_NONE,
        .retry = INSTANT_NONE,
        .unused_until = INSTANT_NONE,
        .preempted_for = -1,
        .uid = -1,
        .gid = -1,
        .user = "",
        .user_group = "",
        .name = "",
        .group = "",
        .group_until = INSTANT_NEVER,
        .reason_word = "",
        .reason = "",
        .change_refused = "",
    };
    store_index_add(&store->leases, id, record);
    store_note_entry(store, record);
    mark_lease(store, &record->lease);
    return &record->lease;
}

void store_attach_vm(struct store *store, struct lease_entry *record, struct vm_record *vm)
{
    size_t place = record->n_vms;

    if (!record->vms) { /* the only VM of most leases */
        record->vms = memory_new(1, sizeof(struct vm_record *));
        record->vms_allocated = 1;
    }
    MEMORY_GROW(record->vms, record->vms_allocated, record->n_vms + 1);
    for (; place > 0 && record->vms[place - 1]->id > vm->id; place--)
        record->vms[place] = record->vms[place - 1];
    record->vms[place] = vm;
    record->n_vms++;
    store_note_entry(store, record);
    store->awake.is_listed = false;
}

struct vm_record *store_add_vm(struct store *store, int32_t id, int64_t lease)
{
    struct lease_entry *record = store_index_find(&store->leases, lease);
    struct vm_record *vm;

    if (id < 0 || !record || store_vm(store, id)) {
        errno = id < 0 ? EINVAL : record ? EEXIST : ENOENT;
        return NULL;
    }
    vm = memory_new(1, sizeof *vm);
    *vm = (struct vm_record){
        .id = id,
        .lease = lease,
        .host = -1,
        .datastore = -1,
        .sequence = -1,
        .sent = INSTANT_NONE,
        .next_try = INSTANT_NONE,
        .failed_record = -1,
        .pause_until = INSTANT_NONE,
        .message = "",
        .asked = "",
        .stays = "",
    };
    store_attach_vm(store, record, vm);
    store_index_add(&store->vms, id, vm);
    mark_vm(store, vm);
    return vm;
}

int store_move_vm(struct store *store, const struct vm_record *moved, int64_t lease)
{
    struct lease_entry *from = store_index_find(&store->leases, moved->lease);
    struct lease_entry *to = store_index_find(&store->leases, lease);
    struct vm_record *vm;
    size_t kept = 0;

    if (!to) {
        errno = ENOENT;
        return -1;
    }
    vm = store_change_vm(store, moved);
    for (size_t i = 0; i < from->n_vms; i++)
        if (from->vms[i] != vm)
            from->vms[kept++] = from->vms[i];
    from->n_vms = kept;
    vm->lease = lease;
    store_attach_vm(store, to, vm);
    return 0;
}

const struct vm_record *const *store_vms_of(const struct store *store, int64_t lease, size_t *n)
{
    const struct lease_entry *record = store_index_find(&store->leases, lease);

    *n = record ? record->n_vms : 0;
    return record ? (const struct vm_record *const *)record->vms : NULL;
}

const struct lease_record *const *store_leases(const struct store *store, size_t *n)
{
    *n = store->leases.n;
    return (const struct lease_record *const *)store->leases.records;
}

const struct vm_record *const *store_vms(const struct store *store, size_t *n)
{
    *n = store->vms.n;
    return (const struct vm_record *const *)store->vms.records;
}

static bool is_marked(const struct lease_entry *record)
{
    if (record->lease.marked)
        return true;
    for (size_t i = 0; i < record->n_vms; i++)
        if (record->vms[i]->marked)
            return true;
    return false;
}

void store_forget_lease(struct store *store, int64_t id)
{
    struct lease_entry *record = store_index_find(&store->leases, id);

    if (!record)
        return;
    store->changes++;
    store_drop_awake(store, record);
    store_index_remove(&store->leases, id);
    for (size_t i = 0; i < record->n_vms; i++)
        store_index_remove(&store->vms, record->vms[i]->id);
    if (!is_marked(record)) {
        store_lease_entry_free(record);
        return;
    }
    MEMORY_GROW(store->leaving, store->leaving_allocated, store->n_leaving + 1);
    store->leaving[store->n_leaving++] = record;
}
