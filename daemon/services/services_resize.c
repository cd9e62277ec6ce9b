/* Resizes the VMs of a lease once the planner has found room: OpenNebula resizes all of them, or
 * none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/services/services_question.h"
#include "daemon/state/vm_state.h"
#include "util/memory.h"
#include "util/unqualified.h"

#define LOG_SUBSYSTEM LOG_OF_CONTROL

struct resizing;

/* A VM that is being resized. */
struct resized {
    struct resizing *resizing;
    int32_t vm;
    int64_t cpu, memory; /* the new size */
    int64_t cpu_before, memory_before;
    enum cloud_outcome outcome;
};

struct resizing {
    struct services_question *question;
    struct planner_change accepted; /* with its places */
    struct resized *vms;
    size_t n, answered;
    struct error err; /* the first error */
};

static struct resized size_of(const struct vm_record *vm, const struct lease_change *change)
{
    return (struct resized){.vm = vm->id,
                            .cpu = change->cpu ? change->cpu : vm->cpu,
                            .memory = change->memory ? change->memory : vm->memory,
                            .cpu_before = vm->cpu,
                            .memory_before = vm->memory};
}

static bool differs(const struct resized *size)
{
    return size->cpu != size->cpu_before || size->memory != size->memory_before;
}

bool services_resizes(const struct daemon *daemon, const struct lease_record *lease,
                      const struct lease_change *change)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        struct resized size = size_of(vms[i], change);

        if (!vms[i]->gone && differs(&size))
            return true;
    }
    return false;
}

void services_resize_text(const struct daemon *daemon, const struct lease_record *lease,
                          const struct lease_change *change, char *text, size_t size)
{
    size_t n, length = 0;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    text[0] = '\0';
    if (n == 0)
        return;
    if (change->cpu && change->cpu != vms[0]->cpu)
        length = (size_t)snprintf(text, size, "cpu %g instead of %g", (double)change->cpu / 100,
                                  (double)vms[0]->cpu / 100);
    if (change->memory && change->memory != vms[0]->memory)
        snprintf(text + length, size - length, "%smemory %lld MB instead of %lld MB",
                 length ? ", " : "", (long long)change->memory, (long long)vms[0]->memory);
}

/* --- all or none ------------------------------------------------------------------------------ */

static void taken_back(void *context, const struct cloud_reply *reply)
{
    (void)context;
    if (reply->outcome != CLOUD_DONE)
        log_warning("a VM may have kept the size of a change that failed: %s", reply->message);
}

static void take_back(struct cloud *cloud, const struct resizing *resizing)
{
    for (size_t i = 0; i < resizing->n; i++) {
        const struct resized *vm = &resizing->vms[i];

        if (vm->outcome == CLOUD_DONE || vm->outcome == CLOUD_UNKNOWN)
            cloud_resize(cloud, &(struct cloud_resizing){.vm = vm->vm,
                                                         .cpu = vm->cpu_before,
                                                         .memory = vm->memory_before,
                                                         .done = taken_back});
    }
}

static void finish(struct resizing *resizing)
{
    struct daemon *daemon = resizing->question->daemon;

    if (resizing->err.code)
        take_back(daemon->cloud, resizing);
    for (size_t i = 0; i < resizing->n && !resizing->err.code; i++) {
        const struct vm_record *vm = store_vm(daemon->store, resizing->vms[i].vm);

        if (vm)
            vm_seen_size(daemon->store, vm, resizing->vms[i].cpu, resizing->vms[i].memory);
    }
    resizing->question->change = &resizing->accepted;
    services_handle_again(resizing->question, resizing->err.code ? &resizing->err : NULL);
    daemon_notice(daemon);
    free(unqualified(resizing->accepted.places));
    free(resizing->vms);
    free(resizing);
}

static void resized(void *context, const struct cloud_reply *reply)
{
    struct resized *vm = context;
    struct resizing *resizing = vm->resizing;
    struct store *store = resizing->question->daemon->store;

    vm->outcome = reply->outcome;
    if (store_vm(store, vm->vm))
        vm_note_answered(store, store_vm(store, vm->vm), clock_monotonic());
    if (reply->outcome != CLOUD_DONE && !resizing->err.code)
        error_set(&resizing->err,
                  reply->outcome != CLOUD_REFUSED    ? EIO
                  : reply->refusal == CLOUD_NO_STATE ? EALREADY
                                                     : EACCES,
                  "VM %d cannot be resized: %s", vm->vm, reply->message);
    if (++resizing->answered == resizing->n)
        finish(resizing);
}

int services_resize(struct daemon *daemon, const struct lease_record *lease,
                    const struct lease_change *change, const struct lease_trial *judged,
                    struct error *err)
{
    const struct planner_change *accepted = daemon->question->change;
    struct resizing *resizing;
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (vms[i]->in_flight)
            return error_set(err, EAGAIN, "VM %d is busy; try again in a moment", vms[i]->id);
    resizing = memory_new(1, sizeof *resizing);
    resizing->question = services_put_off(daemon->question);
    resizing->question->search.stage = CHANGE_RESIZED;
    resizing->question->search.judged = *judged;
    resizing->accepted = *accepted;
    resizing->accepted.places =
        memory_copy(accepted->places, accepted->n_places * sizeof *accepted->places);
    resizing->vms = memory_new(n, sizeof *resizing->vms);
    for (size_t i = 0; i < n; i++) {
        struct resized size = size_of(vms[i], change);

        size.resizing = resizing;
        if (!vms[i]->gone && differs(&size))
            resizing->vms[resizing->n++] = size;
    }
    for (size_t i = 0; i < resizing->n; i++) {
        vm_note_sent(daemon->store, store_vm(daemon->store, resizing->vms[i].vm));
        cloud_resize(daemon->cloud, &(struct cloud_resizing){.vm = resizing->vms[i].vm,
                                                             .cpu = resizing->vms[i].cpu,
                                                             .memory = resizing->vms[i].memory,
                                                             .done = resized,
                                                             .context = &resizing->vms[i]});
    }
    return error_set(err, EINPROGRESS, "OpenNebula is asked");
}
