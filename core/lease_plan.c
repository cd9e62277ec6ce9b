/* The stretches of a lease, in order, with their reservations. */
#include "core/lease_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/host_filter.h"
#include "util/memory.h"

void reservation_list_append(struct reservation_list *list, struct reservation *r)
{
    MEMORY_GROW(list->items, list->allocated, list->n + 1);
    list->items[list->n++] = r;
}

void reservation_list_finish(struct reservation_list *list)
{
    free(list->items);
    memset(list, 0, sizeof *list);
}

void reservation_list_destroy(struct reservation_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        reservation_destroy(list->items[i]);
    reservation_list_finish(list);
}

/* Size of a VM relative to the largest of its lease, over all resources (Haizea's mapper). */
static double normalized_size(const struct amounts *vm, const struct amounts *most)
{
    double size = 0;

    for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
        if (most->of[type] > 0)
            size += (double)vm->of[type] / (double)most->of[type];
    return size;
}

static struct amounts largest_amounts(const struct lease_request *request)
{
    struct amounts most = {{0}};

    for (size_t set = 0; set < request->n_node_sets; set++)
        for (int type = 0; type < RESOURCE_TYPES_MAX; type++)
            if (request->node_sets[set].amounts.of[type] > most.of[type])
                most.of[type] = request->node_sets[set].amounts.of[type];
    return most;
}

static bool allows_one_host(const struct host_filter *filter, size_t n_hosts)
{
    size_t n = 0;

    for (size_t host = 0; filter && filter->allowed && host < n_hosts && n < 2; host++)
        n += bitmap_has(filter->allowed, host);
    return n == 1;
}

struct set_key {
    double size;
    uint32_t set;
    bool one_host;
};

static int compare_keys(const void *one, const void *two)
{
    const struct set_key *a = one, *b = two;

    if (a->one_host != b->one_host)
        return a->one_host ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->set < b->set ? -1 : 1;
}

static void order_node_sets(struct lease *lease, size_t n_hosts)
{
    const struct lease_request *request = &lease->request;
    struct lease_plan *plan = lease->plan;
    struct amounts most = largest_amounts(request);
    struct set_key *keys = memory_new(request->n_node_sets, sizeof *keys);
    uint32_t first_vm = 0;

    for (size_t set = 0; set < request->n_node_sets; set++) {
        const struct node_set *nodes = &request->node_sets[set];

        keys[set] = (struct set_key){normalized_size(&nodes->amounts, &most), (uint32_t)set,
                                     allows_one_host(nodes->hosts, n_hosts)};
        plan->set_first_vm[set] = first_vm;
        first_vm += nodes->count;
    }
    qsort(keys, request->n_node_sets, sizeof *keys, compare_keys);
    for (size_t set = 0; set < request->n_node_sets; set++)
        plan->set_order[set] = keys[set].set;
    free(keys);
}

void lease_plan_create(struct lease *lease, size_t n_hosts)
{
    const struct lease_request *request = &lease->request;
    const size_t n_sets = request->n_node_sets;
    struct lease_plan *plan = memory_new(1, sizeof *plan + 2 * n_sets * sizeof(uint32_t));

    lease->plan = plan;
    plan->set_order = (uint32_t *)(plan + 1);
    plan->set_first_vm = plan->set_order + n_sets;
    if (n_sets > 1)
        order_node_sets(lease, n_hosts);
    plan->not_before = plan->leave_by = INSTANT_NONE;
    for (size_t set = 0; set < request->n_node_sets; set++) {
        plan->has_demand |= request->node_sets[set].demand != NULL;
        plan->has_filter |= request->node_sets[set].hosts || request->node_sets[set].demand;
        plan->total_memory +=
            request->node_sets[set].amounts.of[RESOURCE_MEMORY] * request->node_sets[set].count;
    }
}

void lease_plan_destroy(struct lease *lease)
{
    struct lease_plan *plan = lease->plan;

    for (size_t i = 0; i < plan->n_vms; i++) {
        reservation_list_finish(&plan->vms[i].before);
        reservation_list_finish(&plan->vms[i].after);
        placement_destroy(plan->vms[i].memory);
        placement_destroy(plan->vms[i].images);
    }
    reservation_list_finish(&plan->preparation);
    reservation_list_finish(&plan->left_behind);
    free(plan->vms);
    free(plan->planned_blocked);
    disk_files_finish(&plan->memory_files);
    disk_files_finish(&plan->image_files);
    free(plan);
    lease->plan = NULL;
}

struct vm_plan *lease_plan_current(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;

    return plan->n_vms ? &plan->vms[plan->n_vms - 1] : NULL;
}

struct vm_plan *lease_plan_of(const struct reservation *r)
{
    return r->stretch ? &r->lease->plan->vms[r->stretch - 1] : NULL;
}

struct vm_plan *lease_plan_running(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;

    for (size_t i = plan->n_vms; i-- > 0;)
        if (plan->vms[i].vm->state == RESERVATION_ACTIVE)
            return &plan->vms[i];
    return NULL;
}

static const struct placement *sent_to(const struct placement *sent, const struct reservation *vm)
{
    const struct placement *last = sent ? sent : vm->placement;

    return last->n_vms ? last : NULL;
}

const struct placement *lease_plan_memory(const struct lease *lease)
{
    const struct vm_plan *stretch = lease_plan_current(lease);

    return sent_to(stretch->memory, stretch->vm);
}

const struct placement *lease_plan_images(const struct lease *lease)
{
    const struct vm_plan *stretch = lease_plan_current(lease);

    return sent_to(stretch->images, stretch->vm);
}

int64_t vm_plan_start(const struct vm_plan *plan)
{
    return plan->before.n ? plan->before.items[0]->from : plan->vm->from;
}

int64_t vm_plan_end(const struct vm_plan *plan)
{
    return plan->after.n ? plan->after.items[plan->after.n - 1]->until : plan->vm->until;
}

bool leaves_later(const struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;

    return plan->leave_by != INSTANT_NONE && lease->state == LEASE_ACTIVE && plan->n_vms > 1 &&
           plan->vms[plan->n_vms - 1].vm->state == RESERVATION_SCHEDULED;
}

struct vm_plan *lease_plan_add(struct lease *lease)
{
    struct lease_plan *plan = lease->plan;

    if (!plan->vms) { /* the only stretch of most leases */
        plan->vms = memory_new(1, sizeof *plan->vms);
        plan->vms_allocated = 1;
    }
    MEMORY_GROW(plan->vms, plan->vms_allocated, plan->n_vms + 1);
    memset(&plan->vms[plan->n_vms], 0, sizeof *plan->vms);
    free(plan->planned_blocked);
    plan->planned_blocked = NULL;
    return &plan->vms[plan->n_vms++];
}

static void publish(struct lease *lease, struct reservation *r, size_t stretch)
{
    r->stretch = stretch;
    MEMORY_GROW(lease->reservations, lease->reservations_allocated, lease->n_reservations + 1);
    lease->reservations[lease->n_reservations++] = r;
}

static void publish_list(struct lease *lease, const struct reservation_list *list, size_t stretch)
{
    for (size_t i = 0; i < list->n; i++)
        publish(lease, list->items[i], stretch);
}

void lease_plan_publish(struct lease *lease)
{
    const struct lease_plan *plan = lease->plan;

    for (size_t i = 0; i < plan->left_behind.n; i++)
        plan->left_behind.items[i]->stretch = 0;
    lease->n_reservations = 0;
    publish_list(lease, &plan->preparation, 0);
    for (size_t i = 0; i < plan->n_vms; i++) {
        publish_list(lease, &plan->vms[i].before, i + 1);
        publish(lease, plan->vms[i].vm, i + 1);
        publish_list(lease, &plan->vms[i].after, i + 1);
    }
}

bool lease_is_suspended(const struct lease *lease)
{
    return lease->state == LEASE_SUSPENDED_PENDING || lease->state == LEASE_SUSPENDED_QUEUED ||
           lease->state == LEASE_SUSPENDED_SCHEDULED;
}
