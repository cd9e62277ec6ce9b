/* sandbox.*: what no OpenNebula has: failures on command, time, what happens to the machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/hardware.h"
#include "sandbox/host.h"
#include "sandbox/machine.h"
#include "sandbox/method.h"

static xmlrpc_value *fault(struct oned_call *call)
{
    struct error err = {0};
    char *template;
    int id;

    if (!oned_argument_text(call, 1, &template))
        return NULL;
    id = oned_faults_add(&call->oned->faults, template, &err);
    free(template);
    if (id < 0)
        return oned_answer_failure(call, 0x1000, "%.300s", err.text);
    return oned_answer_int(call, id);
}

static xmlrpc_value *fault_clear(struct oned_call *call)
{
    int64_t id = -1;

    if (!oned_argument_int_or(call, 1, &id))
        return NULL;
    return oned_answer_int(call, oned_faults_clear(&call->oned->faults, id));
}

static xmlrpc_value *faults(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_faults_document(&call->oned->faults, &text);
    return oned_answer_document(call, &text);
}

static int find_phase(const char *name)
{
    for (int phase = 0; phase < ONED_PHASES; phase++)
        if (!strcmp(name, oned_phase_name(phase)))
            return phase;
    return -1;
}

/* (scope, id, phase, ms): scope is all, host or vm; ms -1 inherits, -2 never ends. */
static xmlrpc_value *set_time(struct oned_call *call)
{
    struct oned *oned = call->oned;
    char *scope = NULL, *name = NULL;
    xmlrpc_value *answer = NULL;
    int64_t id, time;
    int phase;

    if (!oned_argument_int(call, 2, &id) || !oned_argument_int(call, 4, &time) ||
        !oned_argument_text(call, 1, &scope) || !oned_argument_text(call, 3, &name))
        goto out;
    phase = find_phase(name);
    if (phase < 0 || time < ONED_NEVER) {
        answer = oned_answer_failure(call, 0x1000, "No phase '%.40s' or no time %lld ms", name,
                                     (long long)time);
        goto out;
    }
    if (!strcmp(scope, "all") && time != ONED_INHERIT)
        oned->options.times[phase] = time;
    else if (!strcmp(scope, "host") && oned_host(oned, id))
        oned_host(oned, id)->times[phase] = time;
    else if (!strcmp(scope, "vm") && oned_vm(oned, id))
        oned_vm(oned, id)->times[phase] = time;
    else
        answer = oned_answer_failure(call, 0x0400, "No %.20s %lld", scope, (long long)id);
    if (!answer)
        answer = oned_answer_int(call, id);
out:
    free(scope);
    free(name);
    return answer;
}

/* (rate, jump): rate below 0 leaves it as it is; jump in seconds. Answers the time, in seconds. */
static xmlrpc_value *set_clock(struct oned_call *call)
{
    double rate = -1;
    int64_t jump = 0;
    char text[24];

    if ((call->count > 1 && !oned_argument_double(call, 1, &rate)) ||
        !oned_argument_int_or(call, 2, &jump))
        return NULL;
    if (rate >= 0 || jump != 0)
        oned_clock_set(call->oned, rate >= 0 ? rate : call->oned->rate, jump);
    snprintf(text, sizeof text, "%lld", (long long)oned_seconds(call->oned));
    return oned_answer_text(call, text, strlen(text));
}

/* (id, what): "break": it cannot be reached any more, "repair": it can; or a template with what it
 * reports from now on: CPU (hundredths), MEMORY (KB), PCI, CORE, HUGEPAGE, MEMORY_NODE. */
static xmlrpc_value *set_host(struct oned_call *call)
{
    struct oned_attributes said = {0};
    xmlrpc_value *answer = NULL;
    struct error err = {0};
    struct oned_host *host;
    char *what;
    int64_t id;

    if (!oned_argument_int(call, 1, &id) || !oned_argument_text(call, 2, &what))
        return NULL;
    host = oned_host(call->oned, id);
    if (!host) {
        answer = oned_answer_missing(call, "host", id);
    } else if (!strcmp(what, "break")) {
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
    free(what);
    return answer ? answer : oned_answer_int(call, id);
}

/* (id, state): a running VM becomes "unknown" or runs again; its guest powers itself "off". */
static xmlrpc_value *set_vm(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_vm *vm;
    char *state;
    int64_t id;

    if (!oned_argument_int(call, 1, &id) || !oned_argument_text(call, 2, &state))
        return NULL;
    vm = oned_vm(call->oned, id);
    answer = vm ? NULL : oned_answer_missing(call, "virtual machine", id);
    if (vm && (vm->state != VM_ACTIVE || (vm->lcm != LCM_RUNNING && vm->lcm != LCM_UNKNOWN))) {
        answer = oned_answer_failure(call, 0x0800, "VM %lld does not run", (long long)id);
    } else if (vm && !strcmp(state, "off")) {
        oned_history_last(vm)->retime = oned_seconds(call->oned);
        oned_machine_rest(call->oned, vm, VM_POWEROFF);
    } else if (vm) {
        oned_machine_rest(call->oned, vm, VM_ACTIVE);
        vm->lcm = strcmp(state, "unknown") ? LCM_RUNNING : LCM_UNKNOWN;
        oned_touch(call->oned, KIND_VM, vm->id);
    }
    free(state);
    return answer ? answer : oned_answer_int(call, id);
}

/* (id, template): what the VM's monitoring reports from now on, such as CPU and NETTX_BW. */
static xmlrpc_value *set_use(struct oned_call *call)
{
    struct oned_attributes use = {0};
    xmlrpc_value *answer;
    struct error err = {0};
    struct oned_vm *vm;
    char *text;
    int64_t id;

    if (!oned_argument_int(call, 1, &id) || !oned_argument_text(call, 2, &text))
        return NULL;
    vm = oned_vm(call->oned, id);
    if (!vm) {
        answer = oned_answer_missing(call, "virtual machine", id);
    } else if (oned_attributes_parse(&use, text, &err)) {
        answer = oned_answer_failure(call, 0x1000, "%.300s", err.text);
    } else {
        oned_attributes_finish(&vm->use);
        vm->use = use;
        use = (struct oned_attributes){0};
        answer = oned_answer_int(call, id);
    }
    oned_attributes_finish(&use);
    free(text);
    return answer;
}

/* (id, free): the MB that are free on a datastore. */
static xmlrpc_value *set_datastore(struct oned_call *call)
{
    struct oned_datastore *datastore;
    int64_t id, free_mb;

    if (!oned_argument_int(call, 1, &id) || !oned_argument_int(call, 2, &free_mb))
        return NULL;
    datastore = oned_datastore(call->oned, id);
    if (!datastore)
        return oned_answer_missing(call, "datastore", id);
    if (free_mb < 0 || free_mb > datastore->total_mb)
        return oned_answer_failure(call, 0x1000, "No %lld MB can be free of %lld",
                                   (long long)free_mb, (long long)datastore->total_mb);
    datastore->free_mb = free_mb;
    datastore->used_mb = datastore->total_mb - free_mb;
    oned_touch(call->oned, KIND_DATASTORE, datastore->id);
    return oned_answer_int(call, id);
}

/* (state, term, user): 0 alone, 1 candidate, 2 follower, 3 leader. With a user, callers that log in
 * with another name are beside another front-end of the zone, which follows. */
static xmlrpc_value *set_raft(struct oned_call *call)
{
    char *leader = NULL;
    int64_t state, term = 1;

    if (!oned_argument_int(call, 1, &state) || !oned_argument_int_or(call, 2, &term) ||
        !oned_argument_text_or(call, 3, &leader))
        return NULL;
    free(call->oned->raft_leader);
    call->oned->raft_leader = leader;
    call->oned->raft_term = state == 0 ? 0 : term;
    if (state < 0 || state > 3)
        return oned_answer_failure(call, 0x1000, "No raft state %lld", (long long)state);
    call->oned->raft_state = (int)state;
    return oned_answer_int(call, state);
}

const struct oned_method oned_sandbox_methods[] = {
    {"sandbox.fault", "A:ss", fault, ONED_6_10},
    {"sandbox.clear", "A:si", fault_clear, ONED_6_10},
    {"sandbox.faults", "A:s", faults, ONED_6_10},
    {"sandbox.time", "A:ssisi", set_time, ONED_6_10},
    {"sandbox.clock", "A:sdi", set_clock, ONED_6_10},
    {"sandbox.host", "A:sis", set_host, ONED_6_10},
    {"sandbox.vm", "A:sis", set_vm, ONED_6_10},
    {"sandbox.use", "A:sis", set_use, ONED_6_10},
    {"sandbox.datastore", "A:sii", set_datastore, ONED_6_10},
    {"sandbox.raft", "A:si", set_raft, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
