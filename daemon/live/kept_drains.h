/* kept_drains.h: keeps drains and bookings in OpenNebula, in the templates of their hosts.
 *
 * The store decides as long as it is the newest: each host shows the number of the last change
 * written there, and a galernad whose own number is smaller (its store was lost, or another
 * front-end has acted) adopts the drains that all hosts show. Polls read the hosts in any case; a
 * host is written when it shows outdated drains.
 *
 * Without the key of promises (simulated hosts) all functions do nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/state/drains.h"

struct daemon;
struct host_pool;

#define KEPT_DRAINS_ATTRIBUTE "GALERNA_DRAINS"

enum { KEPT_DRAINS_AT_ONCE = 32 };

struct kept_drains {
    int32_t hosts[KEPT_DRAINS_AT_ONCE]; /* to be written */
    size_t n_hosts;
    size_t open;     /* calls not answered yet */
    int64_t settled; /* monotonic milliseconds: older observations of the hosts do not show the last
                      * writes */
    bool has_failed;
    /* In these hosts seen, all show the drains of this number, so many of them. */
    uint64_t checked_hosts;
    int64_t checked_number;
    size_t checked_drains;
};

/* The text for a host: the number, its drains, and their bookings. To be freed. */
char *kept_drains_text(const struct drains *drains, int32_t host);
/* Adds the drains that a host shows (NULL: none). Unreadable parts are skipped. */
void kept_drains_read(struct drains *drains, int32_t host, const char *text);
/* Does the host show that text, apart from the numbers? */
bool kept_drains_is_shown(const char *shown, const char *text);
/* The number that a host shows; 0: none. */
int64_t kept_drains_number(const char *shown);

/* After a full poll: adopt drains that are newer than the store's. */
void kept_drains_see(struct daemon *daemon, int64_t now);
/* Find hosts that show outdated drains; returns how many are to be written now. */
size_t kept_drains_prepare(struct daemon *daemon);
/* Write the prepared hosts, or discard them. */
void kept_drains_send(struct daemon *daemon);
void kept_drains_withdraw(struct daemon *daemon);
