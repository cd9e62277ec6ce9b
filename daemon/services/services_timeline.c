/* The running and planned operations on a host. */
#include <errno.h>

#include "daemon/live/daemon.h"
#include "daemon/services/services_question.h"

struct usage_timeline {
    struct daemon *daemon;
    int32_t host;
    void (*visit)(void *visitor, const struct operation_view *operation);
    void *visitor;
};

static const char *operation_word(enum reservation_kind kind)
{
    switch (kind) {
    case RESERVATION_VM:
        return "run";
    case RESERVATION_SUSPEND:
        return "suspend";
    case RESERVATION_RESUME:
        return "resume";
    case RESERVATION_SHUTDOWN:
        return "shutdown";
    case RESERVATION_TRANSFER:
        return "transfer";
    default:
        return "migrate";
    }
}

/* Does an operation on the host concern this VM? True for the only VM of a lease; if there are
 * several, each VM's host is known only after they are commanded. */
static bool is_about(const struct usage_timeline *timeline, const struct operation_view *view,
                     const struct vm_record *vm, size_t n)
{
    return !vm->gone && (n == 1 || (!view->planned && vm->host == timeline->host));
}

static bool is_unknown(const struct usage_timeline *timeline, const struct vm_record *vm)
{
    const struct vm_observation *observed = world_vm(timeline->daemon->world, vm->id);

    return observed && observed->state == VM_UNKNOWN;
}

/* Shows one operation per VM if the VMs make up all of it; else the operation as a whole. */
static void show_vms(const struct usage_timeline *timeline, const struct operation_view *whole)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(timeline->daemon->store, whole->lease, &n);
    int64_t cpu = 0, memory = 0;

    for (size_t i = 0; i < n; i++)
        if (is_about(timeline, whole, vms[i], n)) {
            cpu += vms[i]->cpu;
            memory += vms[i]->memory;
        }
    if (cpu != whole->cpu || memory != whole->memory || cpu + memory == 0) {
        timeline->visit(timeline->visitor, whole);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (is_about(timeline, whole, vms[i], n)) {
            struct operation_view view = *whole;

            view.vm = vms[i]->id;
            if (!view.planned && is_unknown(timeline, vms[i]))
                view.what = "unknown";
            view.cpu = vms[i]->cpu;
            view.memory = vms[i]->memory;
            timeline->visit(timeline->visitor, &view);
        }
}

/* The parked lease of a VM for which the plan only keeps room; NULL: none. */
static const struct lease_record *parked_lease(const struct usage_timeline *timeline,
                                               const struct planned_operation *operation)
{
    const struct store *store = timeline->daemon->store;
    const struct vm_record *vm = operation->vm < 0 ? NULL : store_vm(store, operation->vm);
    const struct lease_record *lease = vm ? store_lease(store, vm->lease) : NULL;

    return lease && lease->phase == PHASE_PARKED ? lease : NULL;
}

static void show_operation(const struct usage_timeline *timeline,
                           const struct planned_operation *operation)
{
    const struct lease_record *parked = parked_lease(timeline, operation);
    const struct operation_view view = {
        .lease = parked ? parked->id : operation->lease,
        .vm = operation->vm,
        .what = operation->held ? "hold"
                : parked        ? "parked"
                                : operation_word(operation->kind),
        .from = operation->from,
        .until = operation->until,
        .planned = operation->planned,
        .cpu = operation->cpu,
        .memory = operation->memory,
    };

    if (operation->held || parked)
        timeline->visit(timeline->visitor, &view);
    else if (operation->from < operation->until)
        show_vms(timeline, &view);
}

static void told(void *context, const struct planned_operation *operations, size_t n,
                 const struct error *err)
{
    struct services_question *question = context;

    question->operations = operations;
    question->n_operations = n;
    services_handle_again(question, err);
}

static int ask_planner_for_operations(struct daemon *daemon, int32_t host, struct error *err)
{
    struct services_question *question = services_put_off(daemon->question);

    return services_later(question, planner_operations(daemon->planner, host, told, question, err),
                          err);
}

int services_each_operation(void *context, int32_t host,
                            void (*visit)(void *visitor, const struct operation_view *operation),
                            void *visitor, struct error *err)
{
    struct daemon *daemon = context;
    const struct services_question *question = daemon->question;
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    const struct usage_timeline timeline = {daemon, host, visit, visitor};

    /* While the plan is being rebuilt, the answer waits for the new plan. */
    if (!hosts || (!planner_is_ready(daemon->planner) && !planner_is_planning(daemon->planner)))
        return error_set(err, EAGAIN, "no plan has been made yet: OpenNebula has not been read");
    if (!host_pool_find(&hosts->pool, host))
        return error_set(err, ENOENT, "host %d does not exist", host);
    if (!question->is_answered && planner_sees_same_hosts(daemon->planner))
        return ask_planner_for_operations(daemon, host, err);
    if (question->err.code) {
        *err = question->err;
        return -1;
    }
    for (size_t i = 0; i < question->n_operations; i++)
        show_operation(&timeline, &question->operations[i]);
    services_visit_drains(daemon, host, visit, visitor);
    return 0;
}
