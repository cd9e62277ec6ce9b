/* guard.h: makes sure that only one daemon at a time acts on an OpenNebula.
 *
 * On one machine, daemons lock a file named after the endpoint, in a directory that only trusted
 * users may write to; the lock ends with the process. Between machines (and endpoints, and users),
 * the cloud keeps a mark; claim.h interprets it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "util/error.h"

struct guard; /* opaque */

struct guard_settings {
    struct cloud *cloud;
    const char *endpoint;
    const char *instance;      /* this daemon's name for itself */
    const char *directory;     /* of the lock; NULL: no lock. An unusable directory is logged */
    const char *key;           /* of the promises that this daemon signs, to compare with other
                                * daemons */
    const char *configuration; /* fingerprint of the configuration, to compare */
    bool marked;               /* keep a mark in OpenNebula as well */
};

/* Acquire the lock. NULL with EBUSY: err names the process that holds it. */
struct guard *guard_create(const struct guard_settings *settings, struct error *err);
/* Releases the lock; the mark stays. NULL is allowed. */
void guard_destroy(struct guard *guard);

/* Our oned leads its zone in that Raft term, or is the zone's only front-end (term 0). */
void guard_lead(struct guard *guard, const struct cloud_leadership *leadership);
/* Our oned does not lead its zone: another galernad may act at the leader, and its mark is read
 * from time to time. The claim starts over when our oned leads. */
void guard_rest(struct guard *guard);
/* Read or write the mark if that is due; does not block. */
void guard_step(struct guard *guard);
/* When the next step is due: monotonic milliseconds. */
int64_t guard_next_time(const struct guard *guard);
/* The mark has been requested, and it is known either whether another galernad acts, or that
 * waiting does not help: another oned leads, the mark is of a later version, or the mark cannot be
 * read or written. */
bool guard_is_settled(const struct guard *guard);
/* May this daemon act? guard may be NULL: yes. */
bool guard_holds(const struct guard *guard);
/* Was the mark written after `since`, when commands began to wait, or a moment before? If not,
 * guard_confirm() writes it; one write is enough, however slow OpenNebula is. */
bool guard_is_confirmed(const struct guard *guard, int64_t since);
void guard_confirm(struct guard *guard);
/* Does an observation requested at `asked` certainly show the effect of the commands up to `since`
 * (claim_covers())? guard may be NULL: yes. */
bool guard_covers(const struct guard *guard, int64_t since, int64_t asked);
/* May commands that have waited since `since` be sent now? Not if the mark must be written first:
 * the commands could then wait too long in the queue. led: the time of the last query that oned
 * answered with this leadership. guard may be NULL: yes, if that was a moment ago. */
bool guard_may_send(const struct guard *guard, const struct cloud_leadership *leadership,
                    int64_t led, int64_t since);
/* Until when commands may leave: CLOCK_BOOTTIME milliseconds, 0: no limit. guard may be NULL. */
int64_t guard_send_by(const struct guard *guard);
/* The mark as last read or written; instance "": unknown. */
const struct cloud_mark *guard_acting(const struct guard *guard);
/* Is that mark of a galernad with another place (struct cloud_mark)? */
bool guard_acts_elsewhere(const struct guard *guard);
/* How the galernad that acts on another front-end differs from this one, as a sentence: the rules
 * of the mark, the key of promises, the configuration. False: no known difference. */
bool guard_differs(const struct guard *guard, char *text, size_t size);
/* The configuration was reloaded. */
void guard_configured(struct guard *guard, const char *fingerprint);
/* EBUSY if another daemon acts (err names it), else 0. */
int guard_check(const struct guard *guard, struct error *err);

/* Release the mark, so that another galernad can start at once. Blocks for 2 seconds at most. */
void guard_release(struct guard *guard);
