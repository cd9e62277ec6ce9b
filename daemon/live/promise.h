/* promise.h: the promise to a lease, as a signed text in the template of each of its VMs.
 *
 *     v1:NUMBER:KIND;GROUP;numbers;term=value;...;:SIGNATURE
 *
 * OpenNebula replicates the template, so the promise outlives the store. The signature is the
 * HMAC-SHA256 of the text before it, in base64, with a key that VM owners do not have. The
 * signature covers the zone and the VM, so a copy in another VM is detected. NUMBER counts the
 * changes of the VM's promise: the last number distinguishes the current promise from an older one.
 * A promise that has ended has the KIND "over" and a new number, so other galernads recognize the
 * end as well.
 *
 * This file does not depend on OpenNebula, a clock or files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/promise_key.h"
#include "daemon/store/store.h"

#define PROMISE_ATTRIBUTE "GALERNA_PROMISE"

enum {
    PROMISE_TEXT_MAX = 1024, /* bytes, with the terminator; typically 200 */
};

struct promise {
    int32_t zone, vm;
    int64_t lease;
    int64_t number; /* of the VM's promises, from 1; in Raft term t, from t * 2^20 (promises.c) */
    bool over;      /* the promise has ended, and the rest is 0 */
    bool suspended; /* the VM was suspended or stopped to make room */
    /* The last closed history record of the VM, and how long the VM ran up to its end, in
     * seconds. */
    int32_t sequence;
    int64_t ran_for;
    /* kind, plain, late, relative, submit, start, earliest, deadline, duration, group, group_size
     * and the terms; nothing else */
    struct lease_record terms;
    char group[STORE_GROUP_MAX]; /* as read */
};

enum promise_verdict {
    PROMISE_VALID,
    PROMISE_NONE,       /* no text */
    PROMISE_NOT_SIGNED, /* the signature does not match this key: changed, forged, or of another
                         * installation */
    PROMISE_COPIED,     /* signed for another VM or zone */
    PROMISE_UNREADABLE, /* signed, but in the format of an unknown version of Galerna */
};

/* Write the promise. O(length). */
void promise_write(const struct promise *promise, const struct promise_key *key,
                   char text[PROMISE_TEXT_MAX]);

/* Check and read the text (NULL or "": none) shown by a VM of a zone. *promise is complete if the
 * result is PROMISE_VALID, otherwise unspecified. O(length). */
enum promise_verdict promise_read(const char *text, const struct promise_key *key, int32_t zone,
                                  int32_t vm, struct promise *promise);

/* A number that differs between promises with different content, whatever their `number`; 0 for a
 * promise that has ended. About 300 ns. */
int64_t promise_digest(const struct promise *promise);

/* A number that differs between the VM's promises of different number or content; not 0. */
int64_t promise_stamp(int64_t number, int64_t digest);

/* "is not signed with this site's key", ...: to follow the attribute's name. NONE: "was
 * removed". */
const char *promise_verdict_text(enum promise_verdict verdict);
