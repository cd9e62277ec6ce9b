/* services.h: the daemon's functions for the answers of the control socket. */
#pragma once

#include "daemon/control/answers.h"
#include "daemon/live/intake.h"

struct daemon;

/* A control_handler; context is the daemon. As answers_handle(), but some answers are delayed until
 * the planner has replied (services_question.c). */
json_t *services_handle(void *context, const struct control_peer *peer, const json_t *request);
/* For control_share(): answers_state(). */
uint64_t services_state(void *context);
/* Drops the requests that wait for answers, when galernad stops. */
void services_finish(struct daemon *daemon);

/* The table for answers_create(). */
struct answers_daemon services_for(struct daemon *daemon);

/* Do rights and hosts allow an order? NO: `reason`. LATER: once the planner has answered
 * services_try_order(), it has decided about the user's other requests. */
enum verdict services_judge_order(const struct daemon *daemon, const struct order *order,
                                  struct told_reason *reason);
/* Ask the planner whether an order with known sizes fits. -1, with EINPROGRESS or another error. */
int services_try_order(struct daemon *daemon, const struct order *order, struct error *err);
/* Create the VMs of an order. */
int services_request(void *context, const struct order *order, const struct control_peer *peer,
                     struct error *err);
/* Levels of the log (services_log.c). */
void services_log_levels(void *context, json_t *object);
int services_log_set(void *context, const char *level, const char *subsystem, struct error *err);
