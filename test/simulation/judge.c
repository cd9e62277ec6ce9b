/* What must hold in a simulation, as users and operators see it in OpenNebula. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/machine.h"
#include "simulation.h"

enum {
    SECOND = 1000,
    SLACK = 2 * POLL_INTERVAL * SECOND, /* milliseconds in which what is due happens */
    CALLS_SLACK = 20 * SECOND,
    ARRIVED = 5 * SECOND, /* after that, the next leader's galernad acts */
};

/* Milliseconds in [from, until] in which no galernad acted, or could not reach OpenNebula. */
static int64_t away_in(int64_t from, int64_t until)
{
    const struct simulation *now = simulation();
    int64_t sum = 0;

    for (size_t i = 0; i < now->n_away; i++) {
        int64_t begin = now->away[i].from, end = now->away[i].until + POLL_INTERVAL * SECOND;

        begin = begin > from ? begin : from;
        end = end < until ? end : until;
        sum += end > begin ? end - begin : 0;
    }
    return sum;
}

/* --- all the time ----------------------------------------------------------------------------- */

static void judge_capacity(void)
{
    const struct simulation *now = simulation();
    int64_t cpu[SITE_HOSTS] = {0};

    for (int id = 0; id < now->oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(now->oned, id);

        if (vm && vm->state == VM_ACTIVE && vm->charged >= 0)
            cpu[vm->charged] += vm->cpu;
    }
    for (int i = 0; i < SITE_HOSTS; i++)
        if (cpu[i] > SITE_CPU)
            simulation_violation("host %d has %lld of %d CPU in use", i, (long long)cpu[i],
                                 SITE_CPU);
}

static void note_state(const struct oned_vm *vm)
{
    static struct {
        int state, lcm;
        char message[160];
    } last[SITE_VMS];
    const char *message = oned_attributes_get(&vm->user_template, "SCHED_MESSAGE");
    const struct oned_history *record = oned_history_last(vm);

    if (last[vm->id].state == vm->state && last[vm->id].lcm == vm->lcm &&
        strncmp(last[vm->id].message, message ? message : "", sizeof last->message - 1) == 0)
        return;
    last[vm->id].state = vm->state;
    last[vm->id].lcm = vm->lcm;
    snprintf(last[vm->id].message, sizeof last->message, "%s", message ? message : "");
    simulation_note("VM %d: %s on %d %s", vm->id, oned_state_name(vm), record ? record->host : -1,
                    last[vm->id].message);
}

static void see_running(struct member *member, bool runs)
{
    int64_t now = simulation_now();

    if (runs && member->first_run < 0)
        member->first_run = now;
    if (member->running_since >= 0)
        member->ran += now - member->running_since;
    member->running_since = runs ? now : -1;
}

static void see(struct request *request, struct member *member)
{
    const struct oned_vm *vm = oned_vm(simulation()->oned, member->vm);
    const char *message;

    if (!vm)
        return;
    note_state(vm);
    message = oned_attributes_get(&vm->user_template, "SCHED_MESSAGE");
    message = message ? message : "";
    see_running(member, vm->state == VM_ACTIVE && vm->lcm == LCM_RUNNING);
    if (vm->state == VM_DONE && member->ended < 0)
        member->ended = simulation_now();
    member->was_held = vm->state == VM_HOLD;
    if (vm->state == VM_ACTIVE && (vm->lcm == LCM_UNKNOWN || vm->lcm == LCM_BOOT_FAILURE))
        member->disturbed = true;
    request->accepted =
        request->accepted || strstr(message, "(contract)") || strstr(message, "Accepted: ");
    request->late = request->late || strstr(message, "Late: ");
    request->waits = request->waits || strstr(message, "no host has room for VM ");
}

void judge_site(void)
{
    struct simulation *now = simulation();

    judge_capacity();
    for (size_t i = 0; i < now->n_requests; i++)
        for (size_t j = 0; j < now->requests[i].n_members; j++)
            see(&now->requests[i], &now->requests[i].members[j]);
}

static struct member *best_effort_member(long vm)
{
    struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++)
        if (now->requests[i].kind == REQUEST_BEST && now->requests[i].members[0].vm == vm)
            return &now->requests[i].members[0];
    return NULL;
}

/* Has galernad seen one of the reservations only after this time? */
static bool was_reserved_since(int64_t begun)
{
    const struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++) {
        const struct member *member = &now->requests[i].members[0];

        if (now->requests[i].kind == REQUEST_RESERVED && member->vm >= 0 &&
            (member->told < 0 || member->told >= begun))
            return true;
    }
    return false;
}

static void note_told(void)
{
    struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++)
        for (size_t j = 0; j < now->requests[i].n_members; j++)
            if (now->requests[i].members[j].vm >= 0 && now->requests[i].members[j].told < 0)
                now->requests[i].members[j].told = simulation_now();
}

/* A lease is not started and then suspended at once for a reservation that was known. */
static void judge_worth(const struct judged_call *call, long vm)
{
    struct simulation *now = simulation();
    struct member *member = best_effort_member(vm);
    int64_t least = now->oned->options.times[ONED_SAVE];

    if (!member)
        return;
    if (strstr(call->method, ".deploy")) {
        member->begun = simulation_now();
        member->ran_before = member->ran;
    } else if (memmem(call->body, call->length, ">stop<", 6) &&
               member->ran - member->ran_before < least && !was_reserved_since(member->begun)) {
        simulation_violation("VM %ld is suspended after %lld ms", vm,
                             (long long)(member->ran - member->ran_before));
    }
}

void judge_call(const struct judged_call *call)
{
    static const char number[] = "<i4>", no[] = "<boolean>0</boolean>";
    const char *vm = memmem(call->body, call->length, number, sizeof number - 1);
    bool refused = memmem(call->answer, call->size, no, sizeof no - 1);

    if (simulation()->deposed_since >= 0 &&
        simulation_now() > simulation()->deposed_since + ARRIVED &&
        disturbance_is_write(call->method) && !strstr(call->method, ".document."))
        simulation_violation("%s is sent by a deposed galernad", call->method);
    if (strstr(call->method, ".vmpool.infoextended"))
        note_told();
    if (simulation()->is_tight && vm && !refused)
        judge_worth(call, strtol(vm + sizeof number - 1, NULL, 10));
    if (disturbance_is_write(call->method))
        simulation_note("%s %ld%s", call->method,
                        vm ? strtol(vm + sizeof number - 1, NULL, 10) : -1,
                        refused ? " is refused" : "");
}

/* --- at the end ------------------------------------------------------------------------------- */

/* As OpenNebula's records have it: booting and shutting down included. */
static int64_t run_time(const struct oned_vm *vm)
{
    int64_t sum = 0;

    for (size_t i = 0; i < vm->history_count; i++)
        if (vm->history[i].rstime > 0)
            sum += (vm->history[i].retime > 0 ? vm->history[i].retime
                                              : oned_seconds(simulation()->oned)) -
                   vm->history[i].rstime;
    return sum;
}

static bool is_disturbed(const struct request *request)
{
    for (size_t i = 0; i < request->n_members; i++)
        if (request->members[i].disturbed)
            return true;
    return false;
}

/* The time of a group begins when all its VMs run. */
static int64_t waited_for_others(const struct request *request, const struct member *member)
{
    int64_t last = member->first_run;

    for (size_t i = 0; i < request->n_members; i++)
        if (request->members[i].first_run > last)
            last = request->members[i].first_run;
    return last - member->first_run;
}

/* While calls fail, the mark is written late, and galernad waits for that. */
static int64_t slack(void)
{
    return SLACK + (simulation()->calls_fail ? CALLS_SLACK : 0);
}

/* A reservation ends at its time, however late it began. */
static int64_t run_time_due(const struct request *request, const struct member *member)
{
    int64_t late = (member->first_run - request->promised) / SECOND;

    return request->duration - (request->promised >= 0 && late > 0 ? late : 0);
}

static void judge_run_time(const struct request *request, const struct member *member,
                           const struct oned_vm *vm)
{
    int64_t recorded = run_time(vm), more = slack() + away_in(member->first_run, member->ended);

    if (request->kind == REQUEST_PLAIN || vm->state != VM_DONE || member->first_run < 0)
        return;
    more += waited_for_others(request, member);
    if (member->ran > request->duration * SECOND + more)
        simulation_violation("VM %d ran %lld ms, not %lld s", vm->id, (long long)member->ran,
                             (long long)request->duration);
    if (recorded < run_time_due(request, member) - 2 && !is_disturbed(request))
        simulation_violation("VM %d ran only %lld s of %lld", vm->id, (long long)recorded,
                             (long long)request->duration);
}

/* Did a galernad with another store begin? A reason that no VM shows yet is lost with the store. */
static bool was_replaced(void)
{
    for (size_t i = 0; i < simulation()->crash; i++)
        if (simulation()->crashes[i].next != STORE_SAME)
            return true;
    return false;
}

static void judge_member(const struct request *request, const struct member *member)
{
    const struct oned_vm *vm = oned_vm(simulation()->oned, member->vm);
    const char *message = oned_attributes_get(&vm->user_template, "SCHED_MESSAGE");

    if (vm->state == VM_HOLD) {
        if (!was_replaced() &&
            (!message || (!strstr(message, "Refused: ") && !strstr(message, "Missed: ") &&
                          !strstr(message, "Failed: "))))
            simulation_violation("VM %d is on hold without a reason: %s", vm->id,
                                 message ? message : "");
    } else if (vm->state != VM_DONE) {
        simulation_violation("VM %d is %s at the end: %s", vm->id, oned_state_name(vm),
                             message ? message : "");
    } else if (member->first_run < 0 && !member->disturbed) {
        simulation_violation("VM %d has ended, and never ran", vm->id);
    }
    judge_run_time(request, member, vm);
}

/* Until it was too late to start the reservation? */
static bool was_away_too_long(const struct request *request)
{
    int64_t end = request->promised + request->duration * SECOND;

    return away_in(request->promised, end) >= request->duration * SECOND - SLACK;
}

/* Did any galernad have the time to say something while the VM ran? */
static bool could_be_told(const struct member *member)
{
    int64_t until = member->ended < 0 ? simulation_now() : member->ended;

    return away_in(member->first_run, until) < until - member->first_run;
}

static void judge_start(const struct request *request)
{
    const struct member *first = &request->members[0];
    int64_t due = request->promised + slack();

    if (request->kind != REQUEST_RESERVED || !request->accepted || is_disturbed(request) ||
        request->late)
        return;
    due += away_in(request->promised - SLACK, due);
    if (first->first_run < 0 && was_away_too_long(request))
        return;
    if (first->first_run < 0)
        simulation_violation("the reservation of VM %d was promised, and not kept", first->vm);
    else if (first->first_run > due && could_be_told(first))
        simulation_violation(
            "VM %d started %lld ms after its time, and its message does not say so", first->vm,
            (long long)(first->first_run - request->promised));
    else if (first->first_run < request->promised - SECOND)
        simulation_violation("VM %d started %lld ms before its time", first->vm,
                             (long long)(request->promised - first->first_run));
}

/* A galernad that lost its store while a group started: the hosts may be promised to others first.
 * Its VMs say so. */
static bool is_parted_by_promise(const struct request *request, int64_t first, int64_t last)
{
    const struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++)
        if (now->requests[i].kind == REQUEST_RESERVED && now->requests[i].accepted &&
            now->requests[i].promised > first && now->requests[i].promised < last)
            return away_in(first, last) > 0 && request->waits;
    return false;
}

static void judge_group(const struct request *request)
{
    int64_t first = INT64_MAX, last = -1;

    if (request->kind != REQUEST_GROUP || is_disturbed(request))
        return;
    for (size_t i = 0; i < request->n_members; i++) {
        int64_t began = request->members[i].first_run;

        if (began < 0)
            began = INT64_MAX / 2;
        first = began < first ? began : first;
        last = began > last ? began : last;
    }
    if (last > first + slack() + away_in(first, last) &&
        !is_parted_by_promise(request, first, last))
        simulation_violation("the VMs of the group of VM %d did not start together",
                             request->members[0].vm);
}

/* A refusal says why. */
static void judge_deadline(const struct request *request)
{
    const struct member *member = &request->members[0];
    int64_t due = member->at + request->deadline * SECOND;

    if (request->kind != REQUEST_DEADLINE || !request->accepted || request->late ||
        is_disturbed(request) || member->was_held)
        return;
    due += slack() + away_in(member->at, due + slack());
    if (member->ended < 0 ? simulation_now() > due : member->ended > due)
        simulation_violation("VM %d did not end by its deadline, and its message does not say so",
                             member->vm);
}

/* Leases of the same size keep their order, unless a shorter one fits before a reservation, or the
 * command to start the first one is lost. */
static void judge_order(const struct request *request)
{
    const struct simulation *now = simulation();
    const struct member *first = &request->members[0];

    for (size_t i = 0; i < now->n_requests && request->kind == REQUEST_QUEUED; i++) {
        const struct request *other = &now->requests[i];
        const struct member *second = &other->members[0];

        if (other->kind != REQUEST_QUEUED || second->at < first->at + SLACK ||
            other->duration < request->duration || first->first_run < 0 || second->first_run < 0 ||
            is_disturbed(request))
            continue;
        if (second->first_run <
            first->first_run - slack() - away_in(second->first_run, first->first_run))
            simulation_violation("VM %d started before VM %d, which was in front of it", second->vm,
                                 first->vm);
    }
}

/* Nothing happens twice to what is neither preempted nor disturbed. */
static void judge_commands(const struct request *request)
{
    const struct simulation *now = simulation();
    bool goes_on = request->kind == REQUEST_QUEUED || request->kind == REQUEST_RESERVED ||
                   request->kind == REQUEST_NOW || request->kind == REQUEST_GROUP;

    for (size_t i = 0; i < request->n_members && goes_on && !is_disturbed(request); i++) {
        const struct oned_vm *vm = oned_vm(now->oned, request->members[i].vm);

        if (vm->history_count > 1)
            simulation_violation("VM %d was started %zu times", vm->id, vm->history_count);
    }
}

void judge_end(void)
{
    struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++) {
        const struct request *request = &now->requests[i];

        for (size_t j = 0; j < request->n_members; j++)
            if (request->members[j].vm >= 0)
                judge_member(request, &request->members[j]);
        judge_start(request);
        judge_group(request);
        judge_deadline(request);
        judge_order(request);
        judge_commands(request);
    }
}
