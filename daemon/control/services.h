/* services.h: what the control socket's answers ask of the daemon. */
#ifndef GALERNA_DAEMON_SERVICES_H
#define GALERNA_DAEMON_SERVICES_H

#include "daemon/control/answers.h"

struct daemon;

/* A control_handler, context is the daemon: answers_handle(), where some answers wait for the
 * planner. */
json_t *services_handle(void *context, const struct control_peer *peer, const json_t *request);

/* The table for answers_create(). */
struct answers_daemon services_for(struct daemon *daemon);

/* Parts of it. Do the rules and the hosts allow an order? -1: `reason`, its sentence in `text`. */
int services_check_order(const struct daemon *daemon, const struct order *order,
                         struct reason *reason, char text[STORE_TEXT_MAX]);
/* Makes the VMs of an order. */
int services_request(void *context, const struct order *order, const struct control_peer *peer,
                     struct error *err);

#endif
