/* A cloud with VM groups, and galernad's parts around it, through a random day. */
#include "test/property/group_story.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "daemon/base/log.h"
#include "daemon/live/enactor.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile.h"
#include "daemon/state/lease_state.h"
#include "test/property/group_stage.h"
#include "util/memory.h"

/* --- time ------------------------------------------------------------------------------------- */

/* The linker puts these in the place of the C library's. */
static int64_t story_time; /* microseconds */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
time_t __wrap_time(time_t *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    story_time += 40;
    now->tv_sec = story_time / 1000000;
    now->tv_nsec = story_time % 1000000 * 1000;
    return 0;
}

time_t __wrap_time(time_t *now)
{
    if (now)
        *now = story_time / 1000000;
    return story_time / 1000000;
}

static void tell(const struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(const struct stage *stage, const char *format, ...)
{
    va_list args;

    if (!stage->story->told)
        return;
    fflush(stdout);
    printf("%" PRId64 " ", stage->now - BEGIN);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

/* --- the stage -------------------------------------------------------------------------------- */

static void score_best_effort(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] = batch->preemptor->request.kind == LEASE_RESERVATION &&
                            batch->victims[i].lease->request.kind == LEASE_BEST_EFFORT &&
                            batch->victims[i].lease->request.preemptible
                        ? batch->victims[i].lease->request.id
                        : POLICY_VETO;
}

static void choose_settings(struct stage *stage)
{
    struct random *random = &stage->random;
    struct planner_settings *settings = &stage->scene.settings;
    struct engine_settings *engine = &settings->engine;

    stage->scene.policies.score_victims = score_best_effort;
    stage->scene.live.suspend_with =
        random_once_in(random, 2) ? SUSPEND_WITH_STOP : SUSPEND_WITH_SUSPEND;
    stage->scene.live.poll_interval = 60; /* what starts later is late */
    settings->resumes_anywhere = stage->scene.live.suspend_with == SUSPEND_WITH_STOP;
    engine->migration = settings->resumes_anywhere  ? MIGRATION_YES_NOTRANSFER
                        : random_once_in(random, 2) ? MIGRATION_YES
                                                    : MIGRATION_NO;
    engine->backfilling = (enum backfilling)random_between(random, 0, 3);
    engine->backfilling_reservations = 2;
    engine->override_suspend_time = engine->override_resume_time = 10;
    engine->shutdown_time = 10;
    engine->transfer_bandwidth = random_between(random, 1, 4) * 200;
    engine->in_front_least = random_once_in(random, 2) ? 300 : 0;
    settings->eligibility.policy = (enum host_policy)random_between(random, 0, 1);
    settings->drains = &stage->daemon->drains;
    settings->moves_per_host = random_between(random, 1, 3);
    settings->live_rescheds = !random_once_in(random, 3);
    settings->moves_off = random_once_in(random, 2);
    settings->rebalance_threshold = USE_WHOLE / 20;
}

static void put_site(struct stage *stage)
{
    static struct attribute weights[] = {{"ONE_DRS/CPU_WEIGHT", "1"},
                                         {"ONE_DRS/POLICY", "balance"}};
    struct fake_cloud *fake = stage->scene.fake;
    int64_t n = random_between(&stage->random, 3, HOSTS_MOST);

    for (int32_t i = 0; i < n; i++)
        fake_cloud_add_host(fake, i, CPU, MEMORY)->cluster = i % CLUSTERS;
    for (int32_t i = 0; i < CLUSTERS; i++) {
        stage->datastore_clusters[i] = i;
        stage->clusters[i] =
            (struct cluster){.id = i, .name = "c", .attributes = {.items = weights, .n = 2}};
    }
    stage->datastore = (struct datastore){.name = "system",
                                          .type = 1,
                                          .shared = true,
                                          .clusters = stage->datastore_clusters,
                                          .n_clusters = CLUSTERS,
                                          .free = 1 << 30,
                                          .total = 1 << 30};
    fake->datastores = &stage->datastore;
    fake->n_datastores = 1;
}

static void use_groups(struct stage *stage)
{
    char document[TEXT_OF_GROUPS];
    struct error err = {0};

    assert_true(stage->n_pools < POOLS_MOST);
    groups_write(&stage->groups, document);
    if (vmgroup_pool_parse(&stage->pools[stage->n_pools], document, strlen(document), &err) < 0 ||
        stage->pools[stage->n_pools].errors.n)
        fail_msg("%s%s", err.text, stage->pools[stage->n_pools].errors.first);
    stage->scene.fake->vmgroups = &stage->pools[stage->n_pools++];
}

static void open_stage(struct stage *stage)
{
    struct error err = {0};

    if (!stage->story->told)
        log_set_level(LOG_LEVEL_ERROR);
    random_init(&stage->random, stage->story->seed);
    story_time = INT64_C(1000000) * BEGIN;
    stage->now = stage->excused = BEGIN;
    assert_int_equal(store_set_up((void **)&stage->fixture), 0);
    stage->store = stage->fixture->store;
    scene_open(&stage->scene, stage->store);
    stage->daemon = &stage->scene.daemon;
    ini_init(&stage->ini);
    assert_int_equal(ini_read_text(&stage->ini, "f", "", 0, &err), 0);
    stage->daemon->rights = rights_create(&stage->ini, &err);
    put_site(stage);
    choose_settings(stage);
    groups_choose(&stage->groups, &stage->random, stage->scene.fake->n_hosts);
    use_groups(stage);
    moving_cloud_init(&stage->cloud, stage->scene.fake, &stage->random);
    stage->cloud.slowest = random_between(&stage->random, 1, 9);
    stage->cloud.slowest_move = random_once_in(&stage->random, 2) ? stage->cloud.slowest : 120;
    stage->cloud.failing = random_once_in(&stage->random, 2) ? 4 : 0;
    scene_renew_planner(&stage->scene);
}

static void close_stage(struct stage *stage)
{
    rebalancing_finish(&stage->daemon->rebalancing);
    drains_finish(&stage->daemon->drains);
    scene_close(&stage->scene);
    rights_destroy(stage->daemon->rights);
    ini_finish(&stage->ini);
    map_finish(&stage->daemon->broken_rules);
    for (size_t i = 0; i < stage->n_pools; i++)
        vmgroup_pool_finish(&stage->pools[i]);
    assert_int_equal(store_tear_down((void **)&stage->fixture), 0);
}

/* --- what happens ----------------------------------------------------------------------------- */

static void give(struct stage *stage, struct vm *vm, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void give(struct stage *stage, struct vm *vm, const char *name, const char *format, ...)
{
    char *value = stage->values[vm->id][vm->user_template.n];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof stage->values[0][0], format, args);
    va_end(args);
    vm->user_template.items = stage->attributes[vm->id];
    vm->user_template.items[vm->user_template.n++] = (struct attribute){name, value};
}

static void ask_for_time(struct stage *stage, struct vm *vm)
{
    struct random *random = &stage->random;
    int64_t kind = random_between(random, 0, 5);

    if (kind == 0)
        return; /* a plain VM */
    give(stage, vm, "HAIZEA/DURATION", "00:%02d:00", (int)random_between(random, 1, 20));
    give(stage, vm, "HAIZEA/PREEMPTIBLE", kind < 4 ? "yes" : "no");
    if (kind >= 4)
        give(stage, vm, "HAIZEA/START", "+00:%02d:00", (int)random_between(random, 1, 14));
    if (kind == 3)
        give(stage, vm, "HAIZEA/START", "now");
    if (random_once_in(random, 6))
        give(stage, vm, "HAIZEA/BOOKING", "course");
}

/* VMs of one lease ask for the same, one by one. */
static void copy_request(struct stage *stage, struct vm *vm, const struct vm *first)
{
    vm->stime = first->stime;
    for (size_t i = 0; i < first->user_template.n; i++)
        give(stage, vm, first->user_template.items[i].name, "%s",
             first->user_template.items[i].value);
}

static int64_t n_roles(const struct stage *stage, size_t group)
{
    return (int64_t)stage->groups.groups[group].n_roles;
}

static void new_vm(struct stage *stage)
{
    struct random *random = &stage->random;
    size_t group = (size_t)random_between(random, 0, GROUPS);
    size_t role = group < GROUPS ? (size_t)random_between(random, 0, n_roles(stage, group) - 1) : 0;
    struct vm *vm;

    if (stage->n_vms == VMS)
        return;
    vm = fake_cloud_add_vm(stage->scene.fake, stage->n_vms++, VM_PENDING, -1,
                           random_between(random, 1, 4) * 50, random_between(random, 1, 4) * 256);
    vm->stime = stage->now;
    if (stage->left_of_group > 0) {
        stage->left_of_group--;
        copy_request(stage, vm, moving_cloud_vm(&stage->cloud, vm->id - 1));
    } else {
        ask_for_time(stage, vm);
        if (vm->user_template.n && random_once_in(random, 4)) {
            stage->left_of_group = (int)random_between(random, 1, 2);
            give(stage, vm, "HAIZEA/GROUP", "lease%d", vm->id);
            give(stage, vm, "HAIZEA/GROUP_SIZE", "%d", stage->left_of_group + 1);
        }
    }
    if (group < GROUPS) {
        vm->in_vmgroup = true;
        vm->vmgroup = (int32_t)group;
        groups_add(&stage->groups, group, role, vm->id);
        use_groups(stage);
    }
    tell(stage, "VM %d of %" PRId64 " CPU, %" PRId64 " MB, group %d role %zu, is asked for", vm->id,
         vm->cpu, vm->memory, vm->in_vmgroup ? vm->vmgroup : -1, role);
    for (size_t i = 0; i < vm->user_template.n; i++)
        tell(stage, "    %s=%s", vm->user_template.items[i].name, vm->user_template.items[i].value);
}

static int32_t some_host(struct stage *stage)
{
    return (int32_t)random_between(&stage->random, 0, (int64_t)stage->scene.fake->n_hosts - 1);
}

static void drain_host(struct stage *stage)
{
    struct random *random = &stage->random;
    struct drain drain = {.host = some_host(stage),
                          .from = stage->now + random_between(random, 0, 2) * 300};
    struct booking course = {.name = "course", .users = (char[]){"anna"}, .groups = (char[]){""}};

    drain.until =
        random_once_in(random, 3) ? INSTANT_NEVER : drain.from + random_between(random, 100, 900);
    if (random_once_in(random, 4) && drain.until != INSTANT_NEVER) {
        snprintf(drain.booking, sizeof drain.booking, "%s", course.name);
        drains_book(&stage->daemon->drains, &course);
    }
    drains_put(&stage->daemon->drains, &drain);
    stage->excused = stage->now + 1;
    stage->figures->drains++;
    daemon_replan(stage->daemon, "a drain");
    tell(stage, "host %d is %s from %" PRId64 " until %" PRId64, drain.host,
         *drain.booking ? "booked" : "drained", drain.from - BEGIN,
         drain.until == INSTANT_NEVER ? -1 : drain.until - BEGIN);
}

static void end_drain(struct stage *stage)
{
    int32_t host = some_host(stage);

    if (!drains_remove(&stage->daemon->drains, host, INSTANT_NONE))
        return;
    daemon_replan(stage->daemon, "a drain ended");
    tell(stage, "the drain of host %d is over", host);
}

static struct vm *some_vm(struct stage *stage)
{
    return stage->n_vms == 0
               ? NULL
               : &stage->scene.fake->vms[random_between(&stage->random, 0, stage->n_vms - 1)];
}

static void mark_vm(struct stage *stage)
{
    struct vm *vm = some_vm(stage);

    if (!vm || (vm->state != VM_RUNNING && vm->state != VM_POWEROFF))
        return;
    vm->resched = true;
    stage->excused = stage->now + 1;
    tell(stage, "VM %d is marked to be rescheduled", vm->id);
}

static void flush_host(struct stage *stage)
{
    struct host *host = &stage->scene.fake->hosts[some_host(stage)];

    stage->excused = stage->now + 1;
    host->state = host->state == HOST_ON ? HOST_DISABLED : HOST_ON;
    host->state_name = host->state == HOST_ON ? "on" : "disabled";
    tell(stage, "host %d is %s", host->id, host->state_name);
    for (size_t i = 0; host->state == HOST_DISABLED && i < stage->scene.fake->n_vms; i++) {
        struct vm *vm = &stage->scene.fake->vms[i];

        if (vm->history.host == host->id && vm->state == VM_RUNNING)
            vm->resched = true;
    }
}

static void user_does(struct stage *stage, enum command command)
{
    const struct vm *vm = some_vm(stage);

    if (!vm || (command == COMMAND_RESUME && vm->state != VM_POWEROFF) ||
        !moving_cloud_do(&stage->cloud, vm->id, command, stage->now))
        return;
    stage->excused = stage->now + 1;
    tell(stage, "a user: %s VM %d", command_words[command], vm->id);
}

static void rebalance_cluster(struct stage *stage)
{
    const struct cluster *cluster = &stage->clusters[random_between(&stage->random, 0, 1)];
    struct rebalance_plan plan;
    struct rebalance_plan *old = rebalancing_plan(&stage->daemon->rebalancing, cluster->id);
    struct error err = {0};

    if (old || planner_rebalance(stage->daemon->planner, cluster, stage->now, &plan, &err) < 0)
        return;
    tell(stage, "cluster %d is rebalanced: %zu moves", cluster->id, plan.n_moves);
    if (plan.n_moves == 0) {
        rebalance_plan_finish(&plan);
        return;
    }
    stage->figures->rebalanced += plan.n_moves;
    rebalancing_put(&stage->daemon->rebalancing, &plan);
    rebalancing_apply(stage->daemon, rebalancing_plan(&stage->daemon->rebalancing, cluster->id),
                      "the story");
}

static void something_happens(struct stage *stage)
{
    if (stage->left_of_group > 0) {
        new_vm(stage);
        return;
    }
    stage->events++;
    switch (random_between(&stage->random, 0, 15)) {
    case 0:
        drain_host(stage);
        break;
    case 1:
        end_drain(stage);
        break;
    case 2:
        mark_vm(stage);
        break;
    case 3:
        flush_host(stage);
        break;
    case 4:
        user_does(stage, COMMAND_POWEROFF);
        break;
    case 5:
        user_does(stage, COMMAND_RESUME);
        break;
    case 6:
        user_does(stage, COMMAND_TERMINATE);
        break;
    case 7:
        rebalance_cluster(stage);
        break;
    default:
        new_vm(stage);
    }
}

/* --- a cycle, as galernad's ------------------------------------------------------------------- */

static void after_poll(struct stage *stage)
{
    struct daemon *daemon = stage->daemon;

    broken_rules_find(&daemon->broken_rules, daemon->world);
    if (drains_expire(&daemon->drains, stage->now))
        daemon_replan(daemon, "a drain ended");
    if (quarantine_expire(&daemon->quarantine, stage->now))
        daemon_replan(daemon, "a quarantine ended");
    rebalancing_follow(daemon);
    if (planner_unplaced(daemon->planner) || planner_retry_time(daemon->planner) <= stage->now ||
        planner_is_outdated(daemon->planner) || random_once_in(&stage->random, 5))
        daemon_replan(daemon, "again");
}

static void plan(struct stage *stage)
{
    struct daemon *daemon = stage->daemon;
    bool rebuild;

    if (!planner_sees_same_hosts(daemon->planner) || !planner_sees_same_vmgroups(daemon->planner))
        daemon_replan(daemon, "hosts or groups");
    rebuild = daemon->replan || !planner_is_ready(daemon->planner);
    daemon->replan = false;
    if (rebuild)
        reconcile_before_replan(daemon);
    scene_plan(&stage->scene, rebuild, stage->now);
}

static void count_commands(struct stage *stage)
{
    const struct fake_cloud *fake = stage->scene.fake;

    for (size_t i = 0; i < fake->n_commands; i++) {
        const struct cloud_command *command = &fake->commands[i];
        enum command_effect effect = command_kinds[command->command].effect;

        stage->figures->starts += effect == EFFECT_START;
        stage->figures->migrations += effect == EFFECT_MOVE;
        stage->figures->together +=
            effect == EFFECT_MOVE && groups_tie(&stage->groups, command->vm);
        if (effect == EFFECT_MOVE && stage->cloud.slowest_move > stage->cloud.slowest)
            stage->excused = stage->now + 1;
        stage->figures->suspensions += effect == EFFECT_SUSPEND;
        tell(stage, "%s %d on %d", command_words[command->command], command->vm, command->host);
    }
}

static void cycle(struct stage *stage)
{
    struct daemon *daemon = stage->daemon;

    scene_poll(&stage->scene);
    after_poll(stage);
    intake(daemon, stage->now);
    reconcile(daemon, stage->now);
    daemon_want_forms(daemon);
    plan(stage);
    scene_enact(&stage->scene, stage->now);
    count_commands(stage);
    moving_cloud_obey(&stage->cloud, stage->now);
}

/* --- the whole -------------------------------------------------------------------------------- */

static int64_t earlier(int64_t one, int64_t other)
{
    return other != INSTANT_NONE && other < one ? other : one;
}

static int64_t next_time(struct stage *stage)
{
    int64_t next = stage->now + LONGEST_STEP;

    if (stage->events < stage->story->events)
        next = stage->now + random_between(&stage->random, 1, LONGEST_STEP);
    next = earlier(next, moving_cloud_next(&stage->cloud));
    next = earlier(next, planner_next_time(stage->daemon->planner));
    next = earlier(next, reconcile_next_time(stage->daemon, stage->now));
    next = earlier(next, enactor_next_time(stage->daemon->enactor));
    return next > stage->now ? next : stage->now + 1;
}

bool group_story_play(const struct group_story *story, struct group_figures *figures, char *text,
                      size_t size)
{
    struct stage *stage = memory_new(1, sizeof *stage);
    int quiet = 0;
    bool failed;

    *stage = (struct stage){.story = story, .figures = figures, .text = text, .size = size};
    open_stage(stage);
    for (int i = 0; i < STEPS_MOST && !stage->failed && quiet < 60; i++) {
        moving_cloud_settle(&stage->cloud, stage->now);
        if (stage->events < story->events || stage->left_of_group > 0)
            something_happens(stage);
        else
            quiet++;
        cycle(stage);
        group_story_check(stage);
        stage->now = next_time(stage);
        story_time = INT64_C(1000000) * stage->now;
    }
    close_stage(stage);
    failed = stage->failed;
    free(stage);
    return !failed;
}
