/* records.h: keeps the trace that `record = FILE` asks for, and drops what is over. */
#ifndef GALERNA_DAEMON_RECORDS_H
#define GALERNA_DAEMON_RECORDS_H

struct daemon;

/* Tell the recorder what is new, and let finished leases whose VMs are gone leave memory. */
void records_update(struct daemon *daemon);

#endif
