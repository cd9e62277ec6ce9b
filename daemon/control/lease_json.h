/* lease_json.h: leases and their VMs as JSON text.
 *
 * Building, writing and freeing 10,000 leases as jansson objects takes 130 ms, which blocks the
 * daemon's only thread. Writing text only copies bytes.
 */
#pragma once

#include <jansson.h>

#include "core/fair_share.h"
#include "daemon/store/store.h"
#include "util/json_writer.h"

/* A lease, and facts beyond its record. */
struct shown_lease {
    const struct lease_record *lease;
    const struct vm_record *const *vms; /* NULL: unknown */
    size_t n_vms;
    size_t position;                /* in the queue; 0: not queued */
    const struct share_view *share; /* of its owner; NULL: no fair share, or not queued */
    int64_t began;                  /* of a finished lease: its first start; INSTANT_NONE */
    bool lasting;                   /* leave out the values that change with time: run, left */
};

/* Is the host one of the lease's "hosts"? */
bool json_lease_uses(const struct shown_lease *view, int64_t host);

/* Write a lease as an object, as in lists. About 2 us. */
void json_write_lease(struct json_writer *writer, const struct shown_lease *view, int64_t now);
/* As json_write_lease(), without the end of the object: further members follow. */
void json_begin_lease(struct json_writer *writer, const struct shown_lease *view, int64_t now);

/* "reason": why the lease waits, was refused or was disturbed, or null. */
void json_put_reason(struct json_writer *writer, const struct lease_record *lease, int64_t now);

/* Write a VM of the lease as in `lease show`. */
void json_write_vm(struct json_writer *writer, const struct lease_record *lease,
                   const struct vm_record *vm);

/* "stays": on which hosts the lease has run, and when, once one of its VMs has left a host; before,
 * an empty array. The VMs on a host count as one. */
void json_put_stays(struct json_writer *writer, const struct shown_lease *view);
