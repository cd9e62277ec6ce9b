/* lessons.h: policy modules that learn are told what happens to leases.
 *
 * In a replay they see what the engine decides. Here the engine is made anew again and again and
 * knows nothing of the past, so they are told what the history in the store says: accepted or
 * refused, running, preempted, over. When the daemon starts, and when modules are loaded anew, they
 * are told what the store remembers, oldest first, with the times of then.
 */
#ifndef GALERNA_DAEMON_LESSONS_H
#define GALERNA_DAEMON_LESSONS_H

#include <stdbool.h>

#include "daemon/store/store.h"

struct lessons; /* opaque */
struct policy_event;

/* Who passes it on to the modules. */
struct lesson_listener {
    void *context;
    bool (*wants)(void *context); /* does any module want to know? */
    void (*tell)(void *context, const struct policy_event *event);
};

/* Listens to the store from now on, which must outlive it. */
struct lessons *lessons_create(struct store *store, const struct lesson_listener *listener);
void lessons_destroy(struct lessons *lessons); /* NULL is allowed */

/* Tell new modules what happened: unfinished leases, and the newest 20,000 lines of the history,
 * those of leases that are over too. A second at most; nothing when no module wants to know. Until
 * this was called they are told nothing: call it when they can ask for the site's hosts. */
void lessons_recall(struct lessons *lessons);

#endif
