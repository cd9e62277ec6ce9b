/* records.h: maintains the trace of `record = FILE`, and drops old leases. */
#ifndef GALERNA_DAEMON_RECORD_RECORDS_H
#define GALERNA_DAEMON_RECORD_RECORDS_H

struct daemon;

/* Record new and changed leases, and remove finished leases whose VMs are gone from memory. */
void records_update(struct daemon *daemon);

#endif
