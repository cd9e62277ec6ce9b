/* kept_drains.h: keeps drains and bookings in OpenNebula, in the templates of their hosts.
 *
 * The store decides, as long as it is the newest: each host shows the number of the last change
 * that was written there, and a galernad whose own number is smaller (its store is lost, or another
 * front-end has acted) takes over what all hosts show. Hosts are read with each poll in any case;
 * one is written when what it shows differs.
 *
 * Without the key of promises (simulated hosts) all functions do nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/live/drains.h"

struct daemon;
struct host_pool;

#define KEPT_DRAINS_ATTRIBUTE "GALERNA_DRAINS"

enum { KEPT_DRAINS_AT_ONCE = 32 };

struct kept_drains {
    int32_t hosts[KEPT_DRAINS_AT_ONCE]; /* to be written */
    size_t n_hosts;
    size_t open;     /* calls */
    int64_t settled; /* monotonic milliseconds: older pictures of the hosts do not show them */
    bool has_failed;
};

/* What the host is to show: the number, its drains, and the bookings of these. To be freed. */
char *kept_drains_text(const struct drains *drains, int32_t host);
/* Adds what a host shows (NULL: nothing). What cannot be read is left out. */
void kept_drains_read(struct drains *drains, int32_t host, const char *text);
/* Does the host show that, whatever the numbers are? */
bool kept_drains_is_shown(const char *shown, const char *text);
/* The number that a host shows; 0: none. */
int64_t kept_drains_number(const char *shown);

/* After a full poll: take over what is newer than the store. */
void kept_drains_see(struct daemon *daemon, int64_t now);
/* Find the hosts that do not show what they should; returns how many are to be written now. */
size_t kept_drains_prepare(struct daemon *daemon);
/* Write them, or not. */
void kept_drains_send(struct daemon *daemon);
void kept_drains_withdraw(struct daemon *daemon);
