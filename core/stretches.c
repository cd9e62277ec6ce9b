/* Books and withdraws the stretches of a lease. */
#include "core/stretches.h"

#include <stdlib.h>

#include "core/engine_state.h"
#include "core/preparation.h"
#include "util/memory.h"

static void append_all(struct reservation_list *list, const struct reservation_list *more)
{
    for (size_t i = 0; i < more->n; i++)
        reservation_list_append(list, more->items[i]);
}

/* Haizea's order: before, VM, after. */
static struct reservation_list all_of(const struct vm_plan *stretch)
{
    struct reservation_list all = {0};

    append_all(&all, &stretch->before);
    reservation_list_append(&all, stretch->vm);
    append_all(&all, &stretch->after);
    return all;
}

void stretch_release(struct engine *engine, const struct vm_plan *stretch)
{
    struct reservation_list all = all_of(stretch);

    slot_table_release_all(engine->table, all.items, all.n);
    reservation_list_finish(&all);
}

static void take_stretch(struct engine *engine, struct lease *lease, struct vm_plan *stretch)
{
    struct vm_plan *plan = lease_plan_add(lease);
    struct reservation_list all;

    *plan = *stretch;
    *stretch = (struct vm_plan){0};
    all = all_of(plan);
    reservation_list_book(engine, &all);
    reservation_list_finish(&all);
    if (vm_plan_start(plan) <= engine->now)
        vms_arrive(engine, plan->vm);
}

/* The preparation is first. */
void proposal_take_over(struct engine *engine, struct lease *lease, struct proposal *proposal)
{
    reservation_list_book(engine, &proposal->preparation);
    append_all(&lease->plan->preparation, &proposal->preparation);
    proposal->preparation.n = 0;
    take_stretch(engine, lease, &proposal->plan);
    if (proposal->next.vm)
        take_stretch(engine, lease, &proposal->next);
    lease_plan_publish(lease);
}

void stretch_withdraw(struct engine *engine, struct lease *lease)
{
    struct vm_plan *current = lease_plan_current(lease);

    stretch_release(engine, current);
    reservation_list_withdraw(engine, &current->before);
    reservation_list_withdraw(engine, &current->after);
    reservation_withdraw(engine, current->vm);
    reservation_list_finish(&current->before);
    reservation_list_finish(&current->after);
    lease->plan->n_vms--;
    lease_plan_publish(lease);
}

static bool running_migrations_stay(const struct engine *engine)
{
    return engine->settings.behaviour.running_migrations_stay;
}

/* Haizea does not stop running migrations: they end as booked, regardless of the new plan. */
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

static void end_migrations_of(struct engine *engine, struct lease *lease,
                              struct reservation_list *before)
{
    for (size_t i = 0; running_migrations_stay(engine) && i < before->n; i++) {
        struct reservation *r = before->items[i];

        if (r->state == RESERVATION_DONE)
            continue;
        reservation_list_append(&lease->plan->left_behind, r);
        before->items[i] =
            reservation_create(lease, r->kind, r->from, r->until, placement_share(r->placement));
        before->items[i]->state = RESERVATION_DONE;
    }
    reservation_list_settle(engine, before);
}

/* Also those of earlier stretches: the lease may have been suspended and migrated again meanwhile.
 */
void end_migrations(struct engine *engine, struct lease *lease)
{
    for (size_t i = 0; i < lease->plan->n_vms; i++)
        end_migrations_of(engine, lease, &lease->plan->vms[i].before);
}

/* The hosts to which the operations of a kind have sent the files from `from` (consumed). */
static struct placement *after_moves(struct engine *engine, struct lease *lease,
                                     const struct reservation_list *operations,
                                     enum reservation_kind kind, struct placement *from)
{
    uint32_t *hosts = memory_new(lease->n_vms, sizeof *hosts);
    struct placement *to;

    for (uint32_t i = 0; i < from->n_vms; i++)
        hosts[from->vms[i].vm] = from->vms[i].host;
    for (size_t i = 0; i < operations->n; i++) {
        const struct reservation *r = operations->items[i];

        for (uint32_t k = 0; r->kind == kind && k < r->placement->n_vms; k++)
            hosts[r->placement->vms[k].vm] = r->placement->vms[k].host;
    }
    to = placement_of_vms(engine, lease, hosts, NULL);
    placement_destroy(from);
    free(hosts);
    return to;
}

static void note_moves(struct engine *engine, struct lease *lease, struct vm_plan *stretch)
{
    struct placement *at = stretch->vm->placement;

    stretch->memory = after_moves(engine, lease, &stretch->after, RESERVATION_MEMORY_MIGRATION,
                                  stretch->memory ? stretch->memory : placement_share(at));
    stretch->images = after_moves(engine, lease, &stretch->after, RESERVATION_DISK_MIGRATION,
                                  stretch->images ? stretch->images : placement_share(at));
}

/* Completed migrations stay with the previous stretch, since they have moved its files. */
static void keep_migrations(struct engine *engine, struct lease *lease)
{
    struct vm_plan *last = lease_plan_current(lease);
    size_t kept = 0;

    for (size_t i = 0; i < last->before.n; i++) {
        if (last->before.items[i]->state == RESERVATION_DONE)
            reservation_list_append(&last[-1].after, last->before.items[i]);
        else
            last->before.items[kept++] = last->before.items[i];
    }
    if (kept < last->before.n)
        note_moves(engine, lease, &last[-1]);
    last->before.n = kept;
}

void unschedule_lease(struct engine *engine, struct lease *lease)
{
    cancel_preparation(engine, lease);
    if (running_migrations_stay(engine))
        leave_running_migrations(lease);
    else if (lease_is_suspended(lease) && lease->plan->n_vms > 1)
        keep_migrations(engine, lease);
    stretch_withdraw(engine, lease);
    future_remove(engine, lease);
}
