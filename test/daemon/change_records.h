/* change_records.h: a test puts records into the state that it starts from. */
#pragma once

#include "daemon/store/change.h"

static inline struct lease_record *lease_to_change(struct store *store, int64_t id)
{
    return store_change_lease(store, store_lease(store, id));
}

static inline struct vm_record *vm_to_change(struct store *store, int32_t id)
{
    return store_change_vm(store, store_vm(store, id));
}

/* A lease in that phase, of ten minutes. */
static inline struct lease_record *lease_add(struct store *store, int64_t id,
                                             enum lease_phase phase, enum lease_kind kind)
{
    struct lease_record *lease = store_add_lease(store, id);

    lease->phase = phase;
    lease->kind = kind;
    lease->duration = 600;
    return lease;
}
