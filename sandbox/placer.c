/* The scheduler driver of OpenNebula 7: a program that answers with a plan. */
#include "sandbox/placer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/host.h"
#include "sandbox/process.h"
#include "sandbox/site_document.h"
#include "sandbox/vm.h"
#include "util/memory.h"

enum { MILLISECOND = 1000 };

struct oned_placer {
    char *program;
    struct oned_process *process;
    int64_t window; /* when it was opened, 0: it is closed */
    int64_t last_call;
    bool *sent; /* by id: pending VMs that the program has been told of */
    size_t count, allocated;
};

struct oned_placer *oned_placer_create(const char *program)
{
    struct oned_placer *placer = memory_new(1, sizeof *placer);

    placer->program = memory_text(program);
    return placer;
}

void oned_placer_destroy(struct oned_placer *placer)
{
    if (!placer)
        return;
    oned_process_destroy(placer->process);
    free(placer->program);
    free(placer->sent);
    free(placer);
}

static bool wants_placing(const struct oned_vm *vm)
{
    return vm->state == VM_PENDING ||
           (vm->resched &&
            (vm->state == VM_POWEROFF || vm->lcm == LCM_RUNNING || vm->lcm == LCM_UNKNOWN));
}

struct waiting_counts {
    int64_t fresh, sent;
};

static struct waiting_counts count_waiting(struct oned *oned)
{
    struct oned_placer *placer = oned->placer;
    struct waiting_counts waiting = {0};
    int count = oned->pools[KIND_VM].count;

    if ((size_t)count > placer->count) {
        MEMORY_GROW(placer->sent, placer->allocated, (size_t)count);
        memset(placer->sent + placer->count, 0, (size_t)count - placer->count);
        placer->count = (size_t)count;
    }
    for (int id = 0; id < count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);

        if (!vm || !wants_placing(vm))
            placer->sent[id] = false;
        else if (placer->sent[id])
            waiting.sent++;
        else
            waiting.fresh++;
    }
    return waiting;
}

static void write_hosts(const struct oned *oned, struct oned_text *text)
{
    oned_text_put(text, "<HOST_POOL>");
    for (int id = 0; id < oned->pools[KIND_HOST].count; id++) {
        const struct oned_host *host = oned_host(oned, id);
        const struct oned_thing *cluster = host ? oned_cluster(oned, host->cluster) : NULL;

        if (!host || host->state != HOST_MONITORED)
            continue;
        oned_host_document(oned, host, true, text);
        text->size -= strlen("</HOST>");
        oned_text_put(text, "<CLUSTER_TEMPLATE>");
        if (cluster)
            oned_attributes_write(&cluster->template, text);
        oned_text_put(text, "</CLUSTER_TEMPLATE></HOST>");
    }
    oned_text_put(text, "</HOST_POOL>");
}

static void write_requirements(const struct oned *oned, struct oned_text *text)
{
    struct oned_text offer = {0};

    oned_text_put(&offer, "<HOSTS>");
    for (int id = 0; id < oned->pools[KIND_HOST].count; id++)
        if (oned_host(oned, id) && oned_host(oned, id)->state == HOST_MONITORED)
            oned_text_number(&offer, "ID", id);
    oned_text_put(&offer, "</HOSTS><DATASTORES>");
    for (int id = 0; id < oned->pools[KIND_DATASTORE].count; id++)
        if (oned_datastore(oned, id) && oned_datastore(oned, id)->type == 1)
            oned_text_number(&offer, "ID", id);
    oned_text_put(&offer, "</DATASTORES>");
    oned_text_put(text, "<REQUIREMENTS>");
    for (int id = 0; id < oned->pools[KIND_VM].count; id++)
        if (oned_vm(oned, id) && wants_placing(oned_vm(oned, id))) {
            oned_text_put(text, "<VM>");
            oned_text_number(text, "ID", id);
            oned_text_put(text, offer.bytes);
            oned_text_put(text, "</VM>");
        }
    oned_text_put(text, "</REQUIREMENTS>");
    oned_text_finish(&offer);
}

/* Waiting VMs, hosts, datastores, and which go together. Expressions of VMs are not evaluated: all
 * hosts and system datastores are offered to each. */
static void write_document(const struct oned *oned, struct oned_text *text)
{
    oned_text_put(text, "<SCHEDULER_DRIVER_ACTION><VM_POOL>");
    for (int id = 0; id < oned->pools[KIND_VM].count; id++)
        if (oned_vm(oned, id) && wants_placing(oned_vm(oned, id)))
            oned_vm_document(oned, oned_vm(oned, id), true, text);
    oned_text_put(text, "</VM_POOL>");
    write_hosts(oned, text);
    oned_text_put(text, "<DATASTORE_POOL>");
    for (int id = 0; id < oned->pools[KIND_DATASTORE].count; id++)
        if (oned_datastore(oned, id))
            oned_object_document(oned, KIND_DATASTORE, oned_datastore(oned, id), false, text);
    oned_text_put(text, "</DATASTORE_POOL><VNET_POOL></VNET_POOL><VM_GROUP_POOL/>"
                        "<CLUSTER_POOL></CLUSTER_POOL>");
    write_requirements(oned, text);
    oned_text_put(text, "</SCHEDULER_DRIVER_ACTION>");
}

static void start(struct oned *oned, int64_t now)
{
    struct oned_placer *placer = oned->placer;
    struct oned_text document = {0}, encoded = {0};
    struct error err;

    write_document(oned, &document);
    oned_base64(&document, &encoded);
    oned_text_put(&encoded, "\n");
    placer->process = oned_process_start(placer->program, NULL, &encoded, &err);
    if (!placer->process)
        fprintf(stderr, "sandbox: place: %s\n", err.text);
    for (size_t id = 0; id < placer->count; id++) {
        const struct oned_vm *vm = oned_vm(oned, (int64_t)id);

        placer->sent[id] = vm && wants_placing(vm);
    }
    placer->window = 0;
    placer->last_call = now;
    oned_text_finish(&document);
    oned_text_finish(&encoded);
}

static void finish(struct oned *oned)
{
    struct oned_placer *placer = oned->placer;
    struct oned_text output = {0}, errors = {0};
    struct error err;
    int code;

    if (!oned_process_ended(placer->process, &code, &output, &errors))
        return;
    if (errors.size > 0)
        fprintf(stderr, "sandbox: place: %.500s\n", errors.bytes);
    if (code)
        fprintf(stderr, "sandbox: Scheduler place operation error: exit code %d\n", code);
    else if (oned_plan_execute(oned, output.bytes, &err))
        fprintf(stderr, "sandbox: %s\n", err.text);
    oned_text_finish(&output);
    oned_text_finish(&errors);
    oned_process_destroy(placer->process);
    placer->process = NULL;
}

int64_t oned_placer_advance(struct oned *oned, bool *busy)
{
    struct oned_placer *placer = oned->placer;
    const struct oned_options *options = &oned->options;
    int64_t now = oned_now(oned), due = INT64_MAX;
    struct waiting_counts waiting;

    *busy = false;
    if (!placer)
        return due;
    if (placer->process)
        finish(oned);
    waiting = count_waiting(oned);
    if (waiting.fresh > 0 && placer->window == 0)
        placer->window = now;
    if (waiting.fresh == 0)
        placer->window = 0;
    if (placer->window > 0)
        due = placer->window + options->window_time * MILLISECOND;
    if (waiting.fresh >= options->window_length)
        due = now;
    if (waiting.sent > 0 && placer->last_call + options->retry_time * MILLISECOND < due)
        due = placer->last_call + options->retry_time * MILLISECOND;
    if (due <= now && !placer->process) {
        start(oned, now);
        due = INT64_MAX;
    }
    *busy = placer->process != NULL;
    return *busy ? INT64_MAX : due;
}
