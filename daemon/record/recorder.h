/* recorder.h: records leases as an LWF trace that `galerna replay` accepts.
 *
 * Second 0 of the trace is the start of the record. Each lease is a line of the file, written when
 * it is first reported and rewritten in place when more is known (its actual run time). The file is
 * a complete trace after every call, even if the process is killed. An existing record of the same
 * site is continued; a record of another site is renamed to FILE.1, FILE.2, ...
 *
 * The trace contains refused leases (another policy may accept them), leases that ran, with their
 * actual duration once they are over, and leases that wait or run. A lease withdrawn before it ran
 * becomes a comment. A lease that was running when the record began is recorded with its remaining
 * time, from second 0 on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/site.h"
#include "daemon/store/store.h"
#include "util/error.h"

struct recorder; /* opaque */

/* Begin or continue a record. `start` (seconds since 1970) is second 0 of a new one. The file is
 * private (mode 0600). Errors: those of the file system; EINVAL if the file exists and is not a
 * record (it is left unchanged). */
struct recorder *recorder_open(const char *path, const struct site *site, int64_t start,
                               struct error *err);

/* Report a lease once it has been accepted for scheduling (a group: once it is complete), and once
 * it has reached a final phase. Further calls are harmless. A VM's request is its cpu and memory.
 * -1 with err: the lease could not be written (disk full, ...); the record lacks it but is
 * otherwise complete. Cost: one write(2). */
int recorder_lease(struct recorder *recorder, const struct lease_record *lease,
                   const struct vm_record *const *vms, size_t n_vms, struct error *err);

/* Sync the file and close it. -1 with err: not durable. NULL is allowed. */
int recorder_close(struct recorder *recorder, struct error *err);
