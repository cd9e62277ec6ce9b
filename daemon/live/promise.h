/* promise.h: what a lease was promised, as a signed text in the template of each of its VMs.
 *
 *     v1:NUMBER:KIND;GROUP;numbers;term=value;...;:SIGNATURE
 *
 * OpenNebula replicates the template, so the promise outlives the store. The signature is the
 * HMAC-SHA256 of everything before it, in base64, with a key that VM owners do not have. It covers
 * the zone and the VM: a copy in another VM is found. NUMBER counts the changes of the VM's
 * promise: an older promise of the same VM is recognized by the number of the last one. When
 * nothing is promised any more, KIND is "over": another galernad sees that by the number as well.
 *
 * This file knows no OpenNebula, clock or file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/promise_key.h"
#include "daemon/store/store.h"

#define PROMISE_ATTRIBUTE "GALERNA_PROMISE"

enum {
    PROMISE_TEXT_MAX = 1024, /* bytes, the end included; typical are 200 */
};

struct promise {
    int32_t zone, vm;
    int64_t lease;
    int64_t number; /* of the VM's promises, from 1; in Raft term t, from t * 2^20 (promises.c) */
    bool over;      /* nothing is promised any more, and the rest is 0 */
    bool suspended; /* the VM was suspended or stopped to make room */
    /* The VM's history is closed up to that record; how long the VM ran in it, in seconds. */
    int32_t sequence;
    int64_t ran_for;
    /* kind, plain, late, relative, submit, start, earliest, deadline, duration, group, group_size
     * and the terms; nothing else */
    struct lease_record terms;
};

enum promise_verdict {
    PROMISE_VALID,
    PROMISE_NONE,       /* no text */
    PROMISE_NOT_SIGNED, /* not with this key: changed, forged, or of another installation */
    PROMISE_COPIED,     /* signed for another VM or zone */
    PROMISE_UNREADABLE, /* signed, but by a version of Galerna that this one does not know */
};

/* Write the promise. O(length). */
void promise_write(const struct promise *promise, const struct promise_key *key,
                   char text[PROMISE_TEXT_MAX]);

/* Check and read the text (NULL or "": none) shown by a VM of a zone. *promise is complete if the
 * result is PROMISE_VALID; else unspecified. O(length). */
enum promise_verdict promise_read(const char *text, const struct promise_key *key, int32_t zone,
                                  int32_t vm, struct promise *promise);

/* A number that differs between promises with different content, whatever their `number`; 0 if
 * nothing is promised any more. About 300 ns. */
int64_t promise_digest(const struct promise *promise);

/* Tells the VM's promises of any number and content apart; not 0. */
int64_t promise_stamp(int64_t number, int64_t digest);

/* "is not signed with this site's key", ...: to follow the attribute's name. NONE: "was removed".
 */
const char *promise_verdict_text(enum promise_verdict verdict);
