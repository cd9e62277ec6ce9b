/* quarantine.h: hosts on which several VMs recently failed to start (enactor_note_failure()) or are
 * stuck (enactor_note_stuck()), which points to the host. A quarantined host takes no new VMs.
 *
 * At most half of the hosts are quarantined at once: if most hosts fail, the cause lies elsewhere,
 * and one user's VMs must not block the hosts for all users. Quarantines are kept over a restart,
 * counted failures are not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum {
    QUARANTINE_VMS = 2,       /* different VMs that fail to start, or are stuck while booting */
    QUARANTINE_SECONDS = 300, /* the longest time between failures; duration of a quarantine */
};

struct host_failure {
    int32_t host;
    int32_t vms[QUARANTINE_VMS]; /* different VMs that failed there in succession */
    unsigned n;
    int64_t at;    /* the last failure */
    int64_t until; /* end of the quarantine; 0: not quarantined */
};

struct quarantine {
    struct host_failure *items;
    size_t n, allocated;
    size_t hosts; /* hosts of the cloud; 0: unknown, without limit */
};

/* A VM failed to start on a host. True: the host is quarantined now. O(hosts with failures). */
bool quarantine_note(struct quarantine *quarantine, int32_t host, int32_t vm, int64_t now);
/* VMs are stuck on a host: quarantined until at least half of QUARANTINE_SECONDS after the last
 * such call. True: the host was not quarantined before. */
bool quarantine_stuck(struct quarantine *quarantine, int32_t host, int64_t now);
/* A VM started on the host, or an operator released the host. True: the host was quarantined. */
bool quarantine_clear(struct quarantine *quarantine, int32_t host);
/* Forget old failures. True: the quarantine of a host ended. */
bool quarantine_expire(struct quarantine *quarantine, int64_t now);
bool quarantine_has(const struct quarantine *quarantine, int32_t host, int64_t now);
/* End of the host's quarantine; INSTANT_NONE: the host is not quarantined. */
int64_t quarantine_until(const struct quarantine *quarantine, int32_t host, int64_t now);
void quarantine_finish(struct quarantine *quarantine);

/* Write the quarantines to the store if they have changed, and read them at the start. O(hosts with
 * failures). */
void quarantine_keep(const struct quarantine *quarantine, struct store *store);
void quarantine_load(struct quarantine *quarantine, const struct store *store);

/* The clock was set by `by` seconds. */
void quarantine_move(struct quarantine *quarantine, int64_t by);
