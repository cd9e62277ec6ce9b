/* lessons.h: reports events of leases to policy modules that learn from them.
 *
 * In a replay, modules receive the engine's decisions. In galernad the engine is rebuilt often and
 * keeps no history, so modules receive the events in the store's history instead: accepted or
 * refused, running, preempted, over. When the daemon starts and when modules are reloaded, the
 * stored events are replayed to them, oldest first, with their original times.
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

/* Listens to the store from this call on. The store must outlive the result. */
struct lessons *lessons_create(struct store *store, const struct lesson_listener *listener);
void lessons_destroy(struct lessons *lessons); /* NULL is allowed */

/* Replay the past to new modules: events of unfinished leases, and the newest 20,000 lines of the
 * history, including finished leases. Takes a second at most; does nothing if no module wants
 * events. Modules receive no events before this call: call it when they can query the site's
 * hosts. */
void lessons_recall(struct lessons *lessons);
