/* Remembers which VMs of other users each user could see. */
#include "web/views.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/instant.h"
#include "util/memory.h"

enum { VIEWS = 256 /* number of views remembered, for the users with the latest requests */ };

struct view {
    int32_t user;
    uint64_t turn; /* the user's last request; 0: the place is free */
    struct revisions revisions;
};

struct views {
    pthread_mutex_t lock;
    uint64_t turns;
    struct view items[VIEWS];
};

struct views *views_create(void)
{
    struct views *views = memory_new(1, sizeof *views);

    pthread_mutex_init(&views->lock, NULL);
    return views;
}

void views_destroy(struct views *views)
{
    if (!views)
        return;
    for (size_t i = 0; i < VIEWS; i++)
        if (views->items[i].turn)
            revisions_finish(&views->items[i].revisions);
    pthread_mutex_destroy(&views->lock);
    free(views);
}

static struct view *find(struct views *views, int32_t user)
{
    for (size_t i = 0; i < VIEWS; i++)
        if (views->items[i].turn && views->items[i].user == user)
            return &views->items[i];
    return NULL;
}

/* If all places are taken, replaces the view whose user's last request is the oldest. */
static struct view *find_or_add(struct views *views, int32_t user)
{
    struct view *view = find(views, user);

    if (!view) {
        view = views->items;
        for (size_t i = 1; i < VIEWS; i++)
            if (views->items[i].turn < view->turn)
                view = &views->items[i];
        if (view->turn)
            revisions_finish(&view->revisions);
        revisions_init(&view->revisions);
        view->user = user;
    }
    view->turn = ++views->turns;
    return view;
}

static bool knows(const struct view *view, const char *since, uint64_t *number)
{
    const char *own = since ? strchr(since, '-') : NULL;

    return own && revisions_read(&view->revisions, own + 1, number);
}

bool views_know(struct views *views, int32_t user, const char *since)
{
    const struct view *view;
    uint64_t number;
    bool known;

    pthread_mutex_lock(&views->lock);
    view = find(views, user);
    known = view && knows(view, since, &number);
    pthread_mutex_unlock(&views->lock);
    return known;
}

/* Notes all VMs that the user sees and does not own; owners see their leases even after the VMs are
 * gone. */
static void note(struct view *view, const struct vm_pool *vms)
{
    struct revisions *revisions = &view->revisions;

    for (size_t i = 0; i < vms->n; i++)
        if (vms->items[i].uid != view->user)
            revisions_note(revisions, vms->items[i].id, "", 0, INSTANT_NEVER);
    for (uint32_t i = (uint32_t)revisions->items.n; i-- > 0;) {
        int64_t id = map_key(&revisions->items, i);
        const struct vm *vm = vm_pool_find(vms, (int32_t)id);

        if (!vm)
            revisions_drop(revisions, id);
        else if (vm->uid == view->user) /* owned by the user since: must not become hidden when
                                           it ends */
            map_remove(&revisions->items, i);
    }
    revisions_tidy(revisions);
}

void views_look(struct views *views, int32_t user, const struct vm_pool *vms, const char *since,
                struct view_changes *changes)
{
    uint64_t number = UINT64_MAX;
    const struct map *items;
    struct view *view;

    *changes = (struct view_changes){json_array(), json_array(), ""};
    pthread_mutex_lock(&views->lock);
    view = find_or_add(views, user);
    if (since && !knows(view, since, &number))
        number = UINT64_MAX;
    note(view, vms);
    items = &view->revisions.items;
    for (uint32_t i = 0; i < items->n; i++) {
        const struct revised *item = map_value(items, i);

        if (item->revision > number)
            json_array_append_new(item->gone ? changes->hidden : changes->shown,
                                  json_integer(map_key(items, i)));
    }
    revisions_write(&view->revisions, changes->revision);
    pthread_mutex_unlock(&views->lock);
}
