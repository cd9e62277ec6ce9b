/* Early ends of leases, and the release of their resources. */
#include "core/ending.h"

#include "core/engine_state.h"
#include "core/memory_files.h"
#include "core/outputs.h"
#include "core/preparation.h"
#include "core/stretches.h"

void lease_finish(struct engine *engine, struct lease *lease, enum lease_state final)
{
    lease_set_state(engine, lease, final);
    images_release(engine, lease);
    memory_files_drop(engine, lease);
    lease_plan_publish(lease);
    engine->figures.unfinished[lease->request.kind]--;
    engine->binding.n_named -= lease->plan->needs_named_hosts;
    engine_output(engine, (struct engine_output){.kind = OUTPUT_FINISHED, .lease = lease});
}

void lease_cut_short(struct engine *engine, struct lease *lease)
{
    struct vm_plan *running;

    while (lease_plan_current(lease)->vm->state == RESERVATION_SCHEDULED)
        stretch_withdraw(engine, lease);
    running = lease_plan_current(lease);
    end_migrations(engine, lease);
    stretch_release(engine, running);
    reservation_list_withdraw(engine, &running->after);
    reservation_end(engine, running->vm);
    running->vm->until = engine->now;
    lease->accumulated += engine->now - running->vm->from;
    lease_plan_publish(lease);
    engine_output(engine, (struct engine_output){.kind = OUTPUT_OPERATION_ENDED,
                                                 .lease = lease,
                                                 .reservation = running->vm});
}

static void withdraw_scheduled(struct engine *engine, struct reservation_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i]->state == RESERVATION_DONE)
            list->items[kept++] = list->items[i];
        else
            reservation_withdraw(engine, list->items[i]);
    }
    list->n = kept;
}

/* Withdraws the operations of the last stretch that have not been carried out. Completed migrations
 * and resumptions are kept with the previous stretch. */
static void withdraw_rest(struct engine *engine, struct lease *lease)
{
    struct lease_plan *plan = lease->plan;
    struct vm_plan *last = lease_plan_current(lease);

    withdraw_scheduled(engine, &last->before);
    withdraw_scheduled(engine, &last->after);
    if (last->vm->state == RESERVATION_DONE)
        return;
    for (size_t i = 0; plan->n_vms > 1 && i < last->before.n; i++)
        reservation_list_append(&last[-1].after, last->before.items[i]);
    last->before.n = 0;
    stretch_withdraw(engine, lease);
}

static void withdraw_plan(struct engine *engine, struct lease *lease)
{
    size_t before = lease->plan->n_vms + 1;

    while (lease->plan->n_vms && lease->plan->n_vms < before) {
        before = lease->plan->n_vms;
        withdraw_rest(engine, lease);
    }
}

void lease_end_now(struct engine *engine, struct lease *lease)
{
    bool failed = lease->reason.id == REASON_FAILED;

    if (lease->plan->in_queue)
        queue_remove(engine, lease);
    lease_list_remove(&engine->queues.early, lease);
    future_remove(engine, lease);
    if (lease_plan_running(lease) && !failed)
        lease_cut_short(engine, lease);
    withdraw_plan(engine, lease);
    lease_plan_publish(lease);
    lease_finish(engine, lease, failed ? LEASE_FAILED : LEASE_CANCELLED);
}
