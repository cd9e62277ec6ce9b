/* What users request in a simulation, and what they do with their VMs. */
#include <stdlib.h>

#include "sandbox/vm.h"
#include "sandbox/vm_action.h"
#include "simulation.h"
#include "util/memory.h"
#include "virtual_clock.h"

enum { SECOND = 1000 };

static int64_t seconds(struct random *random, int64_t low, int64_t high)
{
    return random_between(random, low * SECOND, high * SECOND);
}

static void plan_times(struct random *random, struct request *request, int64_t at)
{
    switch (request->kind) {
    case REQUEST_PLAIN:
        request->end = at + seconds(random, 20, 120);
        break;
    case REQUEST_RESERVED:
        request->ahead = random_between(random, 12, 59);
        break;
    case REQUEST_DEADLINE:
        request->deadline = request->duration + random_between(random, 40, 120);
        break;
    case REQUEST_BEST:
        if (random_once_in(random, 4)) {
            request->suspend = at + seconds(random, 10, 40);
            request->resume = request->suspend + seconds(random, 4, 20);
        }
        break;
    default:
        break;
    }
    if (request->kind != REQUEST_PLAIN && random_once_in(random, 12))
        request->end = at + seconds(random, 5, 60);
}

static void plan_request(struct random *random, struct request *request)
{
    int64_t at = seconds(random, 1, BUSY_UNTIL / SECOND * 6 / 10);

    *request = (struct request){.promised = -1, .suspend = -1, .resume = -1, .end = -1};
    request->kind = (enum request_kind)random_between(random, 0, REQUEST_KINDS - 1);
    request->cpu = random_between(random, 1, 8) * 100;
    request->duration = random_between(random, 5, 40);
    request->n_members = 1;
    if (request->kind == REQUEST_QUEUED)
        request->cpu = SITE_CPU;
    if (request->kind == REQUEST_GROUP)
        request->n_members = (size_t)random_between(random, 2, MEMBERS_MAX);
    plan_times(random, request, at);
    for (size_t i = 0; i < request->n_members; i++) {
        request->members[i] = (struct member){
            .vm = -1, .told = -1, .at = at, .first_run = -1, .ended = -1, .running_since = -1};
        at += seconds(random, 0, 4);
    }
}

/* Preemptable leases compete for the gaps between reservations. */
static void plan_tight(struct random *random, struct request *request)
{
    bool reserved = random_once_in(random, 4);

    *request = (struct request){.promised = -1, .suspend = -1, .resume = -1, .end = -1};
    request->kind = reserved ? REQUEST_RESERVED : REQUEST_BEST;
    request->cpu = random_between(random, reserved ? 3 : 1, reserved ? 8 : 4) * 100;
    request->duration = random_between(random, reserved ? 5 : 20, reserved ? 20 : 59);
    request->ahead = random_between(random, 3, 59);
    request->n_members = 1;
    request->members[0] = (struct member){.vm = -1,
                                          .told = -1,
                                          .at = seconds(random, 1, reserved ? 150 : 50),
                                          .first_run = -1,
                                          .ended = -1,
                                          .running_since = -1};
}

void requests_plan(struct simulation *simulation)
{
    struct random *random = &simulation->requests_random;

    simulation->n_requests = (size_t)random_between(
        random, simulation->is_tight ? 8 : 4, simulation->is_tight ? REQUESTS_MAX : MIXED_MAX);
    for (size_t i = 0; i < simulation->n_requests; i++)
        (simulation->is_tight ? plan_tight : plan_request)(random, &simulation->requests[i]);
}

/* To be freed. NULL: none. */
static char *terms_of(const struct request *request, size_t number)
{
    char *duration = memory_format("DURATION = \"00:00:%02lld\"", (long long)request->duration);
    char *terms = NULL;

    switch (request->kind) {
    case REQUEST_BEST:
        terms = memory_format("%s, PREEMPTIBLE = \"yes\"", duration);
        break;
    case REQUEST_QUEUED:
        terms = memory_format("%s, PREEMPTIBLE = \"no\"", duration);
        break;
    case REQUEST_RESERVED:
        terms = memory_format("%s, START = \"+00:00:%02lld\", PREEMPTIBLE = \"no\"", duration,
                              (long long)request->ahead);
        break;
    case REQUEST_NOW:
        terms = memory_format("%s, START = \"now\"", duration);
        break;
    case REQUEST_GROUP:
        terms = memory_format("%s, GROUP = \"g%zu\", GROUP_SIZE = \"%zu\"", duration, number,
                              request->n_members);
        break;
    case REQUEST_DEADLINE:
        terms =
            memory_format("%s, START = \"best_effort\", DEADLINE = \"+00:%02lld:%02lld\"", duration,
                          (long long)request->deadline / 60, (long long)request->deadline % 60);
        break;
    default:
        break;
    }
    free(duration);
    return terms;
}

static void make(struct request *request, size_t number, struct member *member)
{
    static const char *const names[REQUEST_KINDS] = {
        [REQUEST_PLAIN] = "plain",      [REQUEST_BEST] = "best",   [REQUEST_QUEUED] = "queued",
        [REQUEST_NOW] = "now",          [REQUEST_GROUP] = "group", [REQUEST_RESERVED] = "reserved",
        [REQUEST_DEADLINE] = "deadline"};
    struct oned *oned = simulation()->oned;
    char *terms = terms_of(request, number);
    char *text = memory_format("NAME = \"%s-%zu\"\nCPU = %lld.%02lld\nMEMORY = 512\n%s%s%s",
                               names[request->kind], number, (long long)request->cpu / 100,
                               (long long)request->cpu % 100, terms ? "GALERNA = [ " : "",
                               terms ? terms : "", terms ? " ]\n" : "");
    struct error err;
    const struct oned_vm *vm = oned_vm_allocate(oned, oned_user(oned, 0), text, false, &err);

    if (!vm)
        abort();
    member->vm = vm->id;
    if (request->kind == REQUEST_RESERVED)
        request->promised = simulation_now() + request->ahead * SECOND;
    simulation_note("request %zu: VM %d %s-%zu, %lld%% CPU, %s", number, vm->id,
                    names[request->kind], number, (long long)request->cpu, terms ? terms : "");
    free(terms);
    free(text);
}

static void act(struct request *request, const char *action)
{
    struct oned *oned = simulation()->oned;
    struct oned_refusal refusal;

    for (size_t i = 0; i < request->n_members; i++) {
        struct member *member = &request->members[i];
        struct oned_vm *vm = oned_vm(oned, member->vm);

        if (!vm || vm->state == VM_DONE)
            continue;
        if (oned_vm_act(oned, vm, action, oned_user(oned, 0), &refusal) == 0) {
            simulation_note("VM %d: its user's %s", vm->id, action);
            member->disturbed = true;
        }
    }
}

static bool is_due(int64_t *at)
{
    if (*at < 0 || simulation_now() < *at)
        return false;
    *at = -1;
    return true;
}

static bool is_requested(const struct request *request)
{
    return request->members[request->n_members - 1].vm >= 0;
}

/* What cannot be ended now is tried again. */
static bool has_left(const struct request *request)
{
    for (size_t i = 0; i < request->n_members; i++) {
        const struct oned_vm *vm = oned_vm(simulation()->oned, request->members[i].vm);

        if (vm && vm->state != VM_DONE)
            return false;
    }
    return true;
}

void requests_act(void)
{
    struct simulation *now = simulation();

    for (size_t i = 0; i < now->n_requests; i++) {
        struct request *request = &now->requests[i];

        for (size_t j = 0; j < request->n_members; j++)
            if (request->members[j].vm < 0 && simulation_now() >= request->members[j].at)
                make(request, i, &request->members[j]);
        if (is_due(&request->suspend))
            act(request, "suspend");
        if (is_due(&request->resume))
            act(request, "resume");
        if (is_requested(request) && is_due(&request->end)) {
            act(request, "terminate-hard");
            request->end = has_left(request) ? -1 : simulation_now() + 5 * SECOND;
        }
    }
}

/* DONE, or held with the reason why nothing more happens to it. */
static bool is_final(const struct oned_vm *vm)
{
    return vm && (vm->state == VM_DONE || (vm->state == VM_HOLD && vm->history_count == 0));
}

bool requests_are_over(void)
{
    const struct simulation *now = simulation();

    if (simulation_now() < BUSY_UNTIL)
        return false;
    for (size_t i = 0; i < now->n_requests; i++)
        for (size_t j = 0; j < now->requests[i].n_members; j++)
            if (!is_final(oned_vm(now->oned, now->requests[i].members[j].vm)))
                return false;
    return true;
}
