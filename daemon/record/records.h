/* records.h: maintains the trace of `record = FILE`, and drops old leases. */
#pragma once

struct daemon;

/* Record new and changed leases, and remove finished leases whose VMs are gone from memory. */
void records_update(struct daemon *daemon);
