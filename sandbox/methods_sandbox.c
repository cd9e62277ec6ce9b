/* sandbox.*: what no OpenNebula has: failures on command, time, what happens to the machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/hardware.h"
#include "sandbox/host.h"
#include "sandbox/machine.h"
#include "sandbox/method.h"
#include "util/memory.h"

static xmlrpc_value *fault(struct oned_call *call)
{
    struct error err = {0};
    int id = oned_faults_add(&call->oned->faults, call->argument[1].text, &err);

    if (id < 0)
        return oned_answer_failure(call, 0x1000, "%.300s", err.text);
    return oned_answer_int(call, id);
}

static xmlrpc_value *fault_clear(struct oned_call *call)
{
    return oned_answer_int(call,
                           oned_faults_clear(&call->oned->faults, oned_argument_or(call, 1, -1)));
}

static xmlrpc_value *faults(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_faults_document(&call->oned->faults, &text);
    return oned_answer_document(call, &text);
}

/* (scope, id, phase, ms): scope is all, host or vm; ms -1 inherits, -2 never ends. */
static xmlrpc_value *set_time(struct oned_call *call)
{
    struct oned *oned = call->oned;
    const char *scope = call->argument[1].text, *name = call->argument[3].text;
    int64_t id = call->argument[2].number, time = call->argument[4].number;
    int phase = oned_phase_find(name);

    if (phase < 0 || time < ONED_NEVER)
        return oned_answer_failure(call, 0x1000, "No phase '%.40s' or no time %lld ms", name,
                                   (long long)time);
    if (!strcmp(scope, "all") && time != ONED_INHERIT)
        oned->options.times[phase] = time;
    else if (!strcmp(scope, "host") && oned_host(oned, id))
        oned_host(oned, id)->times[phase] = time;
    else if (!strcmp(scope, "vm") && oned_vm(oned, id))
        oned_vm(oned, id)->times[phase] = time;
    else
        return oned_answer_failure(call, 0x0400, "No %.20s %lld", scope, (long long)id);
    return oned_answer_int(call, id);
}

/* (rate, jump): rate below 0 leaves it as it is; jump in seconds. Answers the time, in seconds. */
static xmlrpc_value *set_clock(struct oned_call *call)
{
    double rate = call->count > 1 ? call->argument[1].real : -1;
    int64_t jump = call->argument[2].number;
    char text[24];

    if (rate >= 0 || jump != 0)
        oned_clock_set(call->oned, rate >= 0 ? rate : call->oned->rate, jump);
    snprintf(text, sizeof text, "%lld", (long long)oned_seconds(call->oned));
    return oned_answer_text(call, text);
}

/* (id, what): "break": it cannot be reached any more, "repair": it can; or a template with what it
 * reports from now on: CPU (hundredths), MEMORY (KB), PCI, CORE, HUGEPAGE, MEMORY_NODE. */
static xmlrpc_value *set_host(struct oned_call *call)
{
    struct oned_attributes said = {0};
    struct oned_host *host = call->object;
    const char *what = call->argument[2].text;
    xmlrpc_value *answer = NULL;
    struct error err = {0};

    if (!strcmp(what, "break")) {
        oned_host_break(call->oned, host);
    } else if (!strcmp(what, "repair")) {
        oned_host_monitor(call->oned, host);
    } else if (oned_attributes_parse(&said, what, &err)) {
        answer = oned_answer_failure(call, 0x1000, "%.300s", err.text);
    } else {
        host->total_cpu = oned_attributes_number(&said, "CPU", host->total_cpu);
        host->total_memory = oned_attributes_number(&said, "MEMORY", host->total_memory);
        oned_hardware_report(host, &said);
        if (host->state != HOST_ERROR)
            oned_host_monitor(call->oned, host);
        oned_touch(call->oned, KIND_HOST, host->id);
    }
    oned_attributes_finish(&said);
    return answer ? answer : oned_answer_int(call, host->id);
}

/* (id, state): a running VM becomes "unknown" or runs again; its guest powers itself "off". */
static xmlrpc_value *set_vm(struct oned_call *call)
{
    struct oned_vm *vm = call->object;
    const char *state = call->argument[2].text;

    if (vm->state != VM_ACTIVE || (vm->lcm != LCM_RUNNING && vm->lcm != LCM_UNKNOWN))
        return oned_answer_failure(call, 0x0800, "VM %d does not run", vm->id);
    if (!strcmp(state, "off")) {
        oned_history_last(vm)->retime = oned_seconds(call->oned);
        oned_machine_rest(call->oned, vm, VM_POWEROFF);
    } else {
        oned_machine_rest(call->oned, vm, VM_ACTIVE);
        vm->lcm = strcmp(state, "unknown") ? LCM_RUNNING : LCM_UNKNOWN;
        oned_touch(call->oned, KIND_VM, vm->id);
    }
    return oned_answer_int(call, vm->id);
}

/* (id, template): what the VM's monitoring reports from now on, such as CPU and NETTX_BW. */
static xmlrpc_value *set_use(struct oned_call *call)
{
    struct oned_attributes use = {0};
    struct oned_vm *vm = call->object;
    struct error err = {0};

    if (oned_attributes_parse(&use, call->argument[2].text, &err)) {
        oned_attributes_finish(&use);
        return oned_answer_failure(call, 0x1000, "%.300s", err.text);
    }
    oned_attributes_finish(&vm->use);
    vm->use = use;
    return oned_answer_int(call, vm->id);
}

/* (id, free): the MB that are free on a datastore. */
static xmlrpc_value *set_datastore(struct oned_call *call)
{
    struct oned_thing *datastore = call->object;
    int64_t free_mb = call->argument[2].number;

    if (free_mb < 0 || free_mb > datastore->total_mb)
        return oned_answer_failure(call, 0x1000, "No %lld MB can be free of %lld",
                                   (long long)free_mb, (long long)datastore->total_mb);
    datastore->free_mb = free_mb;
    datastore->used_mb = datastore->total_mb - free_mb;
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, datastore->id);
}

/* (state, term, user): 0 alone, 1 candidate, 2 follower, 3 leader. With a user, callers that log in
 * with another name are beside another front-end of the zone, which follows. */
static xmlrpc_value *set_raft(struct oned_call *call)
{
    int64_t state = call->argument[1].number;

    if (state < 0 || state > 3)
        return oned_answer_failure(call, 0x1000, "No raft state %lld", (long long)state);
    free(call->oned->raft_leader);
    call->oned->raft_leader = call->argument[3].text ? memory_text(call->argument[3].text) : NULL;
    call->oned->raft_term = state == 0 ? 0 : oned_argument_or(call, 2, 1);
    call->oned->raft_state = (int)state;
    return oned_answer_int(call, state);
}

const struct oned_method oned_sandbox_methods[] = {
    {"sandbox.fault", "A:ss", .run = fault},
    {"sandbox.clear", "A:si", .run = fault_clear, .optional = 1},
    {"sandbox.faults", "A:s", .run = faults},
    {"sandbox.time", "A:ssisi", .run = set_time},
    {"sandbox.clock", "A:sdi", .run = set_clock, .optional = 2},
    {"sandbox.host", "A:sis", .run = set_host, .object = 1, .kind = KIND_HOST,
     .right = RIGHT_UNTESTED},
    {"sandbox.vm", "A:sis", .run = set_vm, .object = 1, .kind = KIND_VM, .right = RIGHT_UNTESTED},
    {"sandbox.use", "A:sis", .run = set_use, .object = 1, .kind = KIND_VM, .right = RIGHT_UNTESTED},
    {"sandbox.datastore", "A:sii", .run = set_datastore, .object = 1, .kind = KIND_DATASTORE,
     .right = RIGHT_UNTESTED},
    {"sandbox.raft", "A:siis", .run = set_raft, .optional = 2},
    {.name = NULL},
};
