/* quarantine.h: hosts on which different VMs failed to start lately, or are stuck: the host's
 * fault, not theirs. A quarantined host takes no VMs.
 *
 * At most half of the hosts are quarantined at once: where most hosts fail the cause lies
 * elsewhere, and the VMs of one user must not close all hosts to the others. Kept in memory only: a
 * restart ends all quarantines.
 */
#ifndef GALERNA_DAEMON_QUARANTINE_H
#define GALERNA_DAEMON_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QUARANTINE_VMS = 2,       /* so many different VMs */
    QUARANTINE_SECONDS = 300, /* within this time; the quarantine lasts as long */
};

struct host_trouble {
    int32_t host, vm; /* the last VM that failed there */
    int64_t at;
    int64_t until; /* quarantined until then; 0: not yet */
};

struct quarantine {
    struct host_trouble *items;
    size_t n, allocated;
    size_t hosts; /* that there are; 0: not known, any number may be quarantined */
};

/* A VM failed to start on a host. True: the host is quarantined from now on. O(hosts with
 * failures). */
bool quarantine_note(struct quarantine *quarantine, int32_t host, int32_t vm, int64_t now);
/* VMs are stuck on a host: it is quarantined from now on, for as long as this is repeated and
 * QUARANTINE_SECONDS more. True: it was not until now. */
bool quarantine_stuck(struct quarantine *quarantine, int32_t host, int64_t now);
/* A VM was started on it, or an operator released it. True: it was quarantined until now. */
bool quarantine_clear(struct quarantine *quarantine, int32_t host);
/* Forget what is over. True: the quarantine of a host ended. */
bool quarantine_expire(struct quarantine *quarantine, int64_t now);
bool quarantine_has(const struct quarantine *quarantine, int32_t host, int64_t now);
/* Until when; INSTANT_NONE: it is not quarantined. */
int64_t quarantine_until(const struct quarantine *quarantine, int32_t host, int64_t now);
void quarantine_finish(struct quarantine *quarantine);

/* The clock was set by so many seconds. */
void quarantine_move(struct quarantine *quarantine, int64_t by);

#endif
