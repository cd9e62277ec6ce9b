/* scene.h: a planner process with one module of the tests. */
#pragma once

#include "daemon/planner/planner_process.h"
#include "test/planner/frames.h"

enum {
    SCENE_HOSTS_MAX = 400,
    SCENE_CALL_LIMIT = 700, /* milliseconds */
    SCENE_LONG_LIMIT = 20000,
    SCENE_MEMORY = 128 << 20
};

/* Must not move between scene_begin() and scene_end(). */
struct scene {
    struct planner_process *process;
    int64_t call_limit;
    char file[4096];
    struct policy_module module;
    struct policy_option options[4];
    struct policy_host_settings settings;
    bool ready, refused;
    int n_planned;
    char text[PROTOCOL_TEXT_MAX + 1];
    struct plan_reply reply; /* the last */
};

void scene_begin(struct scene *scene, const char *module, enum policy_kind kind);
void scene_option(struct scene *scene, const char *key, const char *value);
void scene_start(struct scene *scene);
void scene_ask(struct scene *scene, const struct test_plan *plan);
/* Take what has come and look at deadlines; false: the process has ended. */
bool scene_serve(struct scene *scene);
/* Until no answer is awaited; false: the process has ended. */
bool scene_served(struct scene *scene);
/* Ask, and have it answered. */
bool scene_plan(struct scene *scene, const struct test_plan *plan);
void scene_end(struct scene *scene);
