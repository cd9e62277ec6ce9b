/* services.h: what the control socket's answers ask of the daemon. */
#ifndef GALERNA_DAEMON_SERVICES_H
#define GALERNA_DAEMON_SERVICES_H

#include "daemon/control/answers.h"

struct daemon;

/* The table for answers_create(). */
struct answers_daemon services_for(struct daemon *daemon);

/* Part of it: makes the VMs of an order. */
int services_request(void *context, const struct order *order, const struct control_peer *peer,
                     struct error *err);

#endif
