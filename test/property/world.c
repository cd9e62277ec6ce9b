/* Random leases on a small site, run by one engine after the other. */
#include "test/property/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/adoption.h"
#include "test/property/carried_out.h"
#include "test/property/world_demands.h"
#include "test/support/random.h"
#include "util/memory.h"

enum { SETS = 2, LAST_REQUEST = 4000, STEPS_MAX = 20000 };

/* A lease as the driver knows it. */
struct entry {
    struct lease_request request;
    struct node_set sets[SETS];
    bool asked, over;
    int64_t credit; /* seconds of resumptions that a new engine took for running */
};

struct world {
    struct random random;
    struct site site;
    struct engine_settings settings;
    struct policy_hooks policies;
    struct engine *engine;
    struct engine_outputs outputs;
    struct carried_out *log;
    struct entry *entries; /* of id 1, 2, ... */
    int n;
    int64_t now;
    char *text;
    size_t size;
    bool failed;
    bool demands;
};

static void fail(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct world *world, const char *format, ...)
{
    va_list args;

    if (world->failed)
        return;
    world->failed = true;
    va_start(args, format);
    vsnprintf(world->text, world->size, format, args);
    va_end(args);
}

/* --- what is there ---------------------------------------------------------------------------- */

static void score_best_effort(void *context, const struct victim_batch *batch, int64_t *scores)
{
    bool may = batch->preemptor->request.kind == LEASE_RESERVATION ||
               batch->preemptor->request.kind == LEASE_DEADLINE;

    for (size_t i = 0; i < batch->n; i++) {
        const struct lease_request *victim = &batch->victims[i].lease->request;

        scores[i] =
            may && victim->kind == LEASE_BEST_EFFORT && victim->terms != TERMS_NON_PREEMPTABLE
                ? victim->id
                : POLICY_VETO;
    }
}

static void choose_site(struct world *world)
{
    struct random *random = &world->random;
    struct amounts whole = {{200, 2048, 100000, 100000, 100000}};
    struct amounts half = {{100, 1024, 100000, 100000, 100000}};

    site_init(&world->site);
    site_add_hosts(&world->site, (size_t)random_between(random, 1, 3), &whole, NULL);
    site_add_hosts(&world->site, (size_t)random_between(random, 1, 2), &half, NULL);
}

static void choose_settings(struct world *world)
{
    struct random *random = &world->random;
    struct engine_settings *settings = &world->settings;

    engine_settings_init(settings);
    settings->backfilling = (enum backfilling)random_between(random, 0, 3);
    settings->backfilling_reservations = random_between(random, 1, 4);
    settings->suspension = random_once_in(random, 5) ? SUSPENSION_NONE : SUSPENSION_ALL;
    settings->exclusion = (enum suspension_exclusion)random_between(random, 0, 1);
    settings->migration = (enum migration)random_between(random, 0, 2);
    settings->shutdown_time = random_between(random, 0, 1) * 7;
    settings->enactment_overhead = random_between(random, 0, 2);
    if (!random_once_in(random, 3))
        world->policies.score_victims = score_best_effort;
}

static void choose_lease(struct world *world, int64_t id)
{
    struct random *random = &world->random;
    struct entry *entry = &world->entries[id - 1];
    int64_t submit = id * LAST_REQUEST / world->n, duration = random_between(random, 10, 600);
    static const enum lease_kind kinds[] = {LEASE_BEST_EFFORT, LEASE_BEST_EFFORT, LEASE_IMMEDIATE,
                                            LEASE_RESERVATION, LEASE_RESERVATION, LEASE_DEADLINE};
    enum lease_kind kind = kinds[random_between(random, 0, 5)];

    for (int set = 0; set < SETS; set++)
        entry->sets[set] = (struct node_set){
            .count = (uint32_t)random_between(random, 1, 3),
            .amounts = {{random_between(random, 1, 4) * 25, random_between(random, 1, 8) * 128}},
            .demand = world->demands ? world_demand(random) : NULL};
    entry->request = (struct lease_request){
        .id = id,
        .kind = kind,
        .submit = submit,
        .start = kind == LEASE_RESERVATION ? submit + random_between(random, 0, 900) : INSTANT_NONE,
        .deadline = kind == LEASE_DEADLINE ? submit + duration + random_between(random, 20, 2000)
                                           : INSTANT_NONE,
        .duration_original = duration,
        .duration = duration,
        .duration_known = SPAN_NONE,
        .preemptible = true,
        .terms = random_once_in(random, 5) ? TERMS_NON_PREEMPTABLE : TERMS_SUSPENDABLE,
        .user = -1,
        .node_sets = entry->sets,
        .n_node_sets = (size_t)random_between(random, 1, SETS),
    };
}

/* --- a new engine ----------------------------------------------------------------------------- */

static const struct reservation *last_vm(const struct lease *lease, enum reservation_state state)
{
    for (size_t i = lease->n_reservations; i-- > 0;)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == state)
            return lease->reservations[i];
    return NULL;
}

static const struct reservation *first_scheduled(const struct lease *lease,
                                                 enum reservation_kind kind)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == kind &&
            lease->reservations[i]->state == RESERVATION_SCHEDULED)
            return lease->reservations[i];
    return NULL;
}

/* The end of the operations of a kind that are under way. */
static int64_t end_of(const struct lease *lease, enum reservation_kind kind)
{
    int64_t end = INSTANT_NONE;

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == kind &&
            lease->reservations[i]->state != RESERVATION_DONE &&
            lease->reservations[i]->until > end)
            end = lease->reservations[i]->until;
    return end;
}

static uint32_t *hosts_of(const struct reservation *vm)
{
    uint32_t *hosts = memory_new(vm->placement->n_vms, sizeof *hosts);

    for (uint32_t i = 0; i < vm->placement->n_vms; i++)
        hosts[vm->placement->vms[i].vm] = vm->placement->vms[i].host;
    return hosts;
}

/* In the order in which a driver adopts: what holds hosts, what is promised, what waits. */
enum rebuild_pass { PASS_RUNNING, PASS_RESERVATIONS, PASS_DEADLINES, PASS_WAITING, PASSES };

struct rebuild {
    struct world *world;
    struct engine *engine;
    enum rebuild_pass pass;
};

/* The suspension that is planned for it, and when it goes on. */
static void describe_plan(const struct lease *lease, struct adoption *adoption)
{
    const struct reservation *resume = NULL;

    if (!first_scheduled(lease, RESERVATION_SUSPEND))
        return;
    adoption->suspend_at = end_of(lease, RESERVATION_SUSPEND);
    for (size_t i = 0; i < lease->n_reservations && !resume; i++)
        if (lease->reservations[i]->kind == RESERVATION_RESUME &&
            lease->reservations[i]->from >= adoption->suspend_at)
            resume = lease->reservations[i];
    adoption->resume_at = resume ? resume->from : INSTANT_NONE;
}

static void describe_resuming(const struct lease *lease, struct adoption *adoption)
{
    const struct reservation *vm = last_vm(lease, RESERVATION_SCHEDULED);

    adoption->as = ADOPTED_RUNNING;
    adoption->since = vm->from;
    adoption->until = vm->from + lease->request.duration - lease->accumulated;
    adoption->vm_host = hosts_of(vm);
    adoption->vm_units = world_report(vm);
    describe_plan(lease, adoption);
}

/* Its hosts are held as long as a suspension, or a wait for others, holds them. */
static int64_t *held_until(const struct world *world, const struct lease *lease,
                           const struct reservation *vm)
{
    int64_t *until = memory_new(lease->n_vms, sizeof *until);

    for (uint32_t i = 0; i < lease->n_vms; i++) {
        until[i] = world->now;
        for (size_t k = 0; k < lease->n_reservations; k++) {
            const struct reservation *r = lease->reservations[k];

            for (uint32_t h = 0; h < r->placement->n_hosts; h++)
                if (r->kind == RESERVATION_SUSPEND && r->state != RESERVATION_DONE &&
                    r->placement->hosts[h] == vm->placement->vms[i].host && r->until > until[i])
                    until[i] = r->until;
        }
    }
    return until;
}

static void describe_suspending(const struct world *world, const struct lease *lease,
                                struct adoption *adoption)
{
    const struct reservation *vm = last_vm(lease, RESERVATION_DONE);
    const struct reservation *resume = first_scheduled(lease, RESERVATION_RESUME);

    adoption->as = ADOPTED_SUSPENDED;
    adoption->vm_host = hosts_of(vm);
    adoption->vm_until = held_until(world, lease, vm);
    adoption->vm_units = world_report(vm);
    adoption->until = end_of(lease, RESERVATION_SUSPEND);
    adoption->since = resume ? resume->from : INSTANT_NONE;
}

static enum rebuild_pass describe(struct world *world, const struct lease *lease,
                                  struct adoption *adoption)
{
    bool deadline = lease->request.kind == LEASE_DEADLINE;
    const struct reservation *vm;

    *adoption = (struct adoption){.request = world->entries[lease->request.id - 1].request,
                                  .since = INSTANT_NONE,
                                  .until = INSTANT_NONE,
                                  .not_before = INSTANT_NONE,
                                  .accumulated = lease->accumulated};
    switch (lease->state) {
    case LEASE_ACTIVE:
        vm = last_vm(lease, RESERVATION_ACTIVE);
        adoption->as = vm ? ADOPTED_RUNNING : ADOPTED_ENDING;
        if (!vm)
            vm = last_vm(lease, RESERVATION_DONE);
        adoption->vm_host = hosts_of(vm);
        adoption->vm_units = world_report(vm);
        adoption->since = vm->from;
        if (adoption->as == ADOPTED_RUNNING)
            describe_plan(lease, adoption);
        adoption->until = adoption->as == ADOPTED_ENDING
                              ? end_of(lease, RESERVATION_SHUTDOWN)
                              : vm->from + lease->request.duration - adoption->accumulated;
        /* Taken over while it was resumed. */
        if (adoption->accumulated < 0) {
            adoption->since -= adoption->accumulated;
            adoption->accumulated = 0;
        }
        return PASS_RUNNING;
    case LEASE_RESUMING:
        describe_resuming(lease, adoption);
        return PASS_RUNNING;
    case LEASE_SUSPENDING:
        describe_suspending(world, lease, adoption);
        return deadline ? PASS_DEADLINES : PASS_RUNNING;
    case LEASE_SUSPENDED_QUEUED:
    case LEASE_SUSPENDED_SCHEDULED:
        adoption->as = ADOPTED_SUSPENDED;
        adoption->vm_host = hosts_of(last_vm(lease, RESERVATION_DONE));
        if (first_scheduled(lease, RESERVATION_RESUME))
            adoption->since = first_scheduled(lease, RESERVATION_RESUME)->from;
        return deadline ? PASS_DEADLINES : PASS_WAITING;
    default:
        break;
    }
    if (deadline || lease->request.kind == LEASE_RESERVATION) {
        vm = last_vm(lease, RESERVATION_SCHEDULED);
        adoption->as = ADOPTED_RESERVED;
        adoption->vm_host = hosts_of(vm);
        adoption->since = vm->from;
        return deadline ? PASS_DEADLINES : PASS_RESERVATIONS;
    }
    adoption->as = ADOPTED_QUEUED;
    return PASS_WAITING;
}

/* Operations that the new engine takes up in the middle; VMs that run just go on. */
static void note_take_over(struct world *world, const struct lease *before,
                           const struct lease *after)
{
    if (before->state == LEASE_ACTIVE && last_vm(before, RESERVATION_ACTIVE))
        return;
    if (before->state == LEASE_RESUMING)
        world->entries[before->request.id - 1].credit +=
            last_vm(before, RESERVATION_SCHEDULED)->from - world->now;
    carried_out_take_over(world->log, after, world->now);
}

static void adopt(void *context, const struct lease *lease)
{
    struct rebuild *rebuild = context;
    struct world *world = rebuild->world;
    struct adoption adoption;
    struct error err = {0};
    int adopted;

    if (lease_state_is_final(lease->state))
        return;
    if (describe(world, lease, &adoption) == rebuild->pass) {
        adopted = engine_adopt(rebuild->engine, &adoption, &err);
        if (adopted < 0)
            fail(world, "at %" PRId64 ": adoption: %s", world->now, err.text);
        if (adopted > 0)
            fail(world, "at %" PRId64 ": lease %" PRId64 " (%s) has lost its place: %s", world->now,
                 lease->request.id, lease_state_name(lease->state),
                 reason_name(engine_lease(rebuild->engine, lease->request.id)->reason.id));
        if (adopted == 0)
            note_take_over(world, lease, engine_lease(rebuild->engine, lease->request.id));
    }
    world_forget((struct vm_units *)(uintptr_t)adoption.vm_units, lease->n_vms);
    memory_free(adoption.vm_host);
    memory_free(adoption.vm_until);
}

/* VMs that wait for their turn to be resumed do not hold their hosts, but a lease that boots does:
 * a driver that takes over then is wrong by as much. */
static void note_half_resumed(void *context, const struct lease *lease)
{
    bool *half = context;

    *half |= lease->state == LEASE_RESUMING && first_scheduled(lease, RESERVATION_RESUME);
}

static bool may_rebuild(const struct world *world)
{
    bool half = false;

    engine_each_lease(world->engine, note_half_resumed, &half);
    return !half;
}

static void rebuild_engine(struct world *world)
{
    struct rebuild rebuild = {.world = world};
    struct error err = {0};

    rebuild.engine = engine_create(&world->site, &world->settings, &world->policies, &err);
    engine_begin(rebuild.engine, world->now, &err);
    for (rebuild.pass = 0; rebuild.pass < PASSES; rebuild.pass++)
        engine_each_lease(world->engine, adopt, &rebuild);
    engine_destroy(world->engine);
    world->engine = rebuild.engine;
}

/* --- time ------------------------------------------------------------------------------------- */

static void note_outputs(struct world *world)
{
    for (size_t i = 0; i < world->outputs.n_items; i++) {
        const struct engine_output *output = &world->outputs.items[i];

        carried_out_note(world->log, output);
        if (output->kind == OUTPUT_FINISHED)
            world->entries[output->lease->request.id - 1].over = true;
    }
}

static void step(struct world *world, int64_t now)
{
    struct engine_input inputs[4];
    size_t n = 0;
    struct error err = {0};

    for (int i = 0; i < world->n && n < 4; i++)
        if (!world->entries[i].asked && world->entries[i].request.submit <= now) {
            world->entries[i].asked = true;
            inputs[n++] =
                (struct engine_input){.kind = INPUT_REQUEST, .request = &world->entries[i].request};
        }
    world->now = now;
    if (engine_step(world->engine, now, inputs, n, &world->outputs, &err) < 0)
        fail(world, "at %" PRId64 ": %s", now, err.text);
    else
        note_outputs(world);
    if (world->demands && !world->failed)
        world->failed = !world_demands_are_met(world->engine, world->text, world->size);
}

static int64_t next_time(const struct world *world)
{
    int64_t next = engine_next_time(world->engine);

    for (int i = 0; i < world->n; i++)
        if (!world->entries[i].asked && world->entries[i].request.submit < next)
            return world->entries[i].request.submit > world->now ? world->entries[i].request.submit
                                                                 : world->now;
    return next;
}

static void run(struct world *world, bool rebuilds, int *n_rebuilds)
{
    int64_t next;

    for (int i = 0; i < STEPS_MAX && !world->failed; i++) {
        next = next_time(world);
        if (next == INSTANT_NEVER)
            return;
        if (rebuilds && random_once_in(&world->random, 4)) {
            if (next > world->now + 1 && random_once_in(&world->random, 2))
                step(world, random_between(&world->random, world->now, next - 1));
            if (!may_rebuild(world))
                continue;
            rebuild_engine(world);
            ++*n_rebuilds;
            if (!world->failed)
                step(world, world->now);
            continue;
        }
        step(world, next);
    }
    fail(world, "it does not come to an end");
}

/* --- the whole -------------------------------------------------------------------------------- */

static void check_all_over(struct world *world)
{
    for (int i = 0; i < world->n && !world->failed; i++)
        if (!world->entries[i].over)
            fail(world, "lease %d is %s at the end", i + 1,
                 lease_state_name(engine_lease(world->engine, i + 1)->state));
}

bool world_play(const struct world_wishes *wishes, char *text, int64_t size, int *rebuilds)
{
    struct world world = {
        .n = wishes->n_leases, .text = text, .size = (size_t)size, .demands = wishes->demands};
    struct error err = {0};

    random_init(&world.random, wishes->seed);
    choose_site(&world);
    if (world.demands)
        world_give_units(&world.site);
    choose_settings(&world);
    world.entries = memory_new((size_t)world.n, sizeof *world.entries);
    for (int id = 1; id <= world.n; id++)
        choose_lease(&world, id);
    engine_outputs_init(&world.outputs);
    world.engine = engine_create(&world.site, &world.settings, &world.policies, &err);
    world.log = carried_out_create(&world.site, &world.settings);
    run(&world, wishes->rebuilds, rebuilds);
    check_all_over(&world);
    for (int i = 0; i < world.n && !world.failed; i++)
        carried_out_lease(world.log, &world.entries[i].request, world.entries[i].credit);
    if (!world.failed && !carried_out_is_clean(world.log, world.now, text, (size_t)size))
        world.failed = true;
    carried_out_destroy(world.log);
    engine_destroy(world.engine);
    engine_outputs_finish(&world.outputs);
    site_finish(&world.site);
    free(world.entries);
    return !world.failed;
}
