/* Books the stretches of a lease as its plan, and withdraws them. */
#include "core/stretches.h"

#include "core/engine_state.h"
#include "core/preparation.h"

static void book_list(struct engine *engine, const struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        reservation_book(engine, list->items[i]);
}

/* Haizea's order: preparation, before, VM, after. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    struct vm_plan *plan = lease_plan_add(lease);

    *plan = proposal->plan;
    proposal->plan = (struct vm_plan){0};
    book_list(engine, &proposal->preparation);
    for (size_t i = 0; i < proposal->preparation.n; i++)
        reservation_list_append(&lease->plan->preparation, proposal->preparation.items[i]);
    proposal->preparation.n = 0;
    book_list(engine, &plan->before);
    reservation_book(engine, plan->vm);
    book_list(engine, &plan->after);
    if (vm_plan_start(plan) <= engine->now)
        vms_arrive(engine, plan->vm);
    lease_plan_publish(lease);
}

void stretch_withdraw(struct engine *engine, struct lease *lease)
{
    struct vm_plan *current = lease_plan_current(lease);

    reservation_list_withdraw(engine, &current->before);
    reservation_list_withdraw(engine, &current->after);
    reservation_withdraw(engine, current->vm);
    reservation_list_finish(&current->before);
    reservation_list_finish(&current->after);
    lease->plan->n_vms--;
    lease_plan_publish(lease);
}

/* Haizea does not stop running migrations: they end at their time, whatever is planned by then. */
static void leave_running_migrations(struct lease *lease)
{
    struct reservation_list *before = &lease_plan_current(lease)->before;
    size_t kept = 0;

    for (size_t i = 0; i < before->n; i++) {
        struct reservation *r = before->items[i];
        bool migration =
            r->kind == RESERVATION_MEMORY_MIGRATION || r->kind == RESERVATION_DISK_MIGRATION;

        if (migration && r->state == RESERVATION_ACTIVE)
            reservation_list_append(&lease->plan->left_behind, r);
        else
            before->items[kept++] = r;
    }
    before->n = kept;
}

void unschedule_lease(struct engine *engine, struct lease *lease)
{
    cancel_preparation(engine, lease);
    if (engine->settings.behaviour.running_migrations_stay)
        leave_running_migrations(lease);
    stretch_withdraw(engine, lease);
    future_remove(engine, lease);
}
