/* The view of a lease beyond its record: its VMs, and when it began. */
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "util/memory.h"

/* Finds in the history when a lease first ran: the record has only the current run. */
static void note_begin(void *context, const struct store_event *event)
{
    int64_t *began = context;

    if (*began == INSTANT_NONE &&
        (!strcmp(event->event, "running") || !strcmp(event->event, "found-running") ||
         !strcmp(event->event, "started-by-others")))
        *began = event->at;
}

/* INSTANT_NONE also if the history is unreadable: other requests report this. */
static int64_t begin_of(const struct question *question, const struct lease_record *lease)
{
    int64_t began = INSTANT_NONE;

    if (lease->phase >= PHASE_ENDED && lease->phase != PHASE_REFUSED)
        store_each_event(question->answers->store, lease->id, 0, note_begin, &began, NULL);
    return began;
}

struct shown_lease answers_view(const struct question *question, const struct lease_record *lease,
                                size_t position)
{
    struct shown_lease view = {
        .lease = lease, .position = position, .began = begin_of(question, lease)};

    view.vms = store_vms_of(question->answers->store, lease->id, &view.n_vms);
    return view;
}

static void keep_past_vm(void *context, const struct vm_record *vm)
{
    struct past_members *vms = context;

    MEMORY_GROW(vms->items, vms->allocated, vms->n + 1);
    vms->items[vms->n] = *vm;
    vms->items[vms->n].message = memory_text(vm->message);
    vms->items[vms->n].stays = memory_text(vm->stays);
    vms->items[vms->n++].asked = "";
}

int past_members_read(struct past_members *vms, const struct question *question, int64_t lease,
                      struct error *err)
{
    *vms = (struct past_members){0};
    if (store_each_past_vm(question->answers->store, lease, keep_past_vm, vms, err) < 0)
        return -1;
    vms->pointers = memory_new(vms->n, sizeof *vms->pointers);
    for (size_t i = 0; i < vms->n; i++)
        vms->pointers[i] = &vms->items[i];
    return 0;
}

void past_members_finish(struct past_members *vms)
{
    for (size_t i = 0; i < vms->n; i++)
        memory_free(vms->items[i].message), memory_free(vms->items[i].stays);
    free(vms->pointers);
    free(vms->items);
}
