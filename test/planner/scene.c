/* A planner process with one module of the tests. */
#include "test/planner/scene.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/clock.h"

enum { PLAN_LIMIT = 30000 };

static bool take(void *context, enum frame kind, struct wire_reader *reader)
{
    struct scene *scene = context;
    const char *text;

    switch (kind) {
    case FRAME_READY:
        scene->ready = true;
        return true;
    case FRAME_REFUSED:
        scene->refused = true;
        wire_get(reader, 0, INT32_MAX);
        text = wire_get_text(reader, PROTOCOL_TEXT_MAX);
        snprintf(scene->text, sizeof scene->text, "%s", text ? text : "");
        return wire_is_at_end(reader);
    case FRAME_PLANNED:
        scene->n_planned++;
        plan_reply_finish(&scene->reply);
        return wire_get_plan_reply(reader, SCENE_HOSTS_MAX, &scene->reply);
    default:
        return true;
    }
}

void scene_begin(struct scene *scene, const char *module, enum policy_kind kind)
{
    memset(scene, 0, sizeof *scene);
    scene->call_limit = SCENE_CALL_LIMIT;
    policy_host_settings_init(&scene->settings);
    snprintf(scene->file, sizeof scene->file, MODULES "/%s.so", module);
    scene->module =
        (struct policy_module){.kind = kind, .name = module, .file = scene->file, .weight = 1};
    scene->settings.modules = &scene->module;
    scene->settings.n_modules = 1;
    scene->settings.options = scene->options;
}

void scene_option(struct scene *scene, const char *key, const char *value)
{
    scene->options[scene->settings.n_options++] =
        (struct policy_option){.module = scene->module.name, .key = key, .value = value};
}

void scene_start(struct scene *scene)
{
    struct planner_limits limits = {
        .call = scene->call_limit, .plan = PLAN_LIMIT, .memory = SCENE_MEMORY, .user = "nobody"};
    struct error err = {0};

    assert_int_equal(planner_limits_find_user(&limits, &err), 0);
    scene->process = planner_process_start(&scene->settings, &limits, &err);
    if (!scene->process)
        fail_msg("%s", err.text);
}

void scene_ask(struct scene *scene, const struct test_plan *plan)
{
    struct wire_writer frame = {0};

    test_plan_write(&frame, plan);
    planner_process_send(scene->process, &frame, 1);
}

bool scene_serve(struct scene *scene)
{
    return planner_process_serve(scene->process, take, scene);
}

bool scene_served(struct scene *scene)
{
    while (planner_process_is_busy(scene->process)) {
        struct pollfd fds[PLANNER_PROCESS_FDS];
        unsigned n = planner_process_waitfds(scene->process, fds);
        int64_t due = planner_process_due(scene->process) - clock_monotonic();

        poll(fds, n, due < 0 ? 0 : (int)due);
        if (!scene_serve(scene))
            return false;
    }
    return true;
}

bool scene_plan(struct scene *scene, const struct test_plan *plan)
{
    int before = scene->n_planned;

    scene_ask(scene, plan);
    return scene_served(scene) && scene->n_planned > before;
}

void scene_end(struct scene *scene)
{
    planner_process_destroy(scene->process);
    plan_reply_finish(&scene->reply);
}
