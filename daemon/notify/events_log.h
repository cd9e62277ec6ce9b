/* events_log.h: events of the history that are also logged: orders of operators, actions of users,
 * promises. Other events follow from commands to OpenNebula, which are logged when they are sent.
 */
#pragma once

struct store;

/* From now on, until the store is closed. */
void events_log_begin(struct store *store);
