/* lessons.h: tells policy modules that learn what happens to leases.
 *
 * In a replay modules see the engine's decisions. In galernad the engine is rebuilt often and does
 * not remember, so modules are told the events in the store's history: accepted or refused,
 * running, preempted, over. When the daemon starts, and when modules are reloaded, they are told
 * the stored events, oldest first, with their original times.
 */
#pragma once

#include <stdbool.h>

#include "daemon/store/store.h"

struct lessons; /* opaque */
struct policy_event;

/* Passes events on to the modules. */
struct lesson_listener {
    void *context;
    bool (*wants)(void *context); /* does any module want events? */
    void (*tell)(void *context, const struct policy_event *event);
};

/* Listens to the store from now on. The store must outlive it. */
struct lessons *lessons_create(struct store *store, const struct lesson_listener *listener);
void lessons_destroy(struct lessons *lessons); /* NULL is allowed */

/* Tell new modules the past: unfinished leases, and the newest 20,000 lines of the history, those
 * of finished leases included. Takes a second at most; does nothing when no module wants events.
 * Before this call modules are told nothing: call it when they can ask for the site's hosts. */
void lessons_recall(struct lessons *lessons);
