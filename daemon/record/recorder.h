/* recorder.h: what the daemon saw, as an LWF trace that `galerna replay` accepts.
 *
 * The trace's second 0 is when the record began. Each lease is a line of the file, written when it
 * is first told and rewritten in place when more is known of it (how long it really ran). The file
 * is a whole trace after every call, whatever happens to the process then; a record that exists is
 * gone on with when it is of the same site, else it is put aside as FILE.1, FILE.2, ...
 *
 * What stands in the trace: leases that were refused (another policy may accept them), those that
 * ran, with their real duration once they are over, those that still wait or run. A lease that was
 * withdrawn before it ran leaves a comment. Of a lease that ran when the record began there is what
 * was left of it, from second 0 on.
 */
#ifndef GALERNA_DAEMON_RECORDER_H
#define GALERNA_DAEMON_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "core/site.h"
#include "daemon/store/store.h"
#include "util/error.h"

struct recorder; /* opaque */

/* Begin or go on with a record. `start` (seconds since 1970) is second 0 of a new one. The file is
 * private (mode 0600). Errors: those of the file system; EINVAL when the file is there and is no
 * record (it is left as it is). */
struct recorder *recorder_open(const char *path, const struct site *site, int64_t start,
                               struct error *err);

/* Tell a lease, or more about it: when it has been taken up (a group: when it is complete), and
 * when it has reached a final phase. More often does no harm. What a VM asks for is its cpu and
 * memory. -1 with err: it could not be written (disk full, ...); the record lacks it and is whole.
 * Cost: one write(2). */
int recorder_lease(struct recorder *recorder, const struct lease_record *lease,
                   const struct vm_record *const *vms, size_t n_vms, struct error *err);

/* Leases told, those of the record that was gone on with included, and second 0. */
size_t recorder_leases(const struct recorder *recorder);
int64_t recorder_start(const struct recorder *recorder);

/* Make it durable and close. -1 with err: not durable. NULL is allowed. */
int recorder_close(struct recorder *recorder, struct error *err);

#endif
