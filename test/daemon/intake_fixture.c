/* A stage for tests of the intake. */
#include "test/daemon/intake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/rights.h"
#include "daemon/live/intake.h"
#include "daemon/state/lease_state.h"
#include "test/daemon/store_fixture.h"

static void hear(void *context, const struct store_event *event)
{
    struct stage *stage = context;

    if (event->lease >= 0 && event->lease < FAKE_VMS_MAX)
        snprintf(stage->last[event->lease], sizeof stage->last[0], "%s", event->event);
}

void open_stage(struct stage *stage, void **state, const char *rights)
{
    struct error err = {0};

    memset(stage, 0, sizeof *stage);
    stage->store = ((struct store_fixture *)*state)->store;
    scene_open(&stage->scene, stage->store);
    ini_init(&stage->ini);
    assert_int_equal(ini_read_text(&stage->ini, "f", rights, strlen(rights), &err), 0);
    stage->scene.daemon.rights = rights_create(&stage->ini, &err);
    if (!stage->scene.daemon.rights)
        fail_msg("%s", err.text);
    stage->scene.live.group_timeout = 60;
    store_listen(stage->store, hear, stage);
}

void close_stage(struct stage *stage)
{
    store_ignore(stage->store, stage);
    rights_destroy(stage->scene.daemon.rights);
    ini_finish(&stage->ini);
    scene_close(&stage->scene);
}

/* "NAME=value", ... of HAIZEA, ended by NULL. */
void ask_for(struct stage *stage, struct vm *vm, ...)
{
    static const char *const names[] = {"HAIZEA/START", "HAIZEA/DURATION", "HAIZEA/GROUP",
                                        "HAIZEA/GROUP_SIZE", "HAIZEA/OTHER"};
    struct attribute *items = stage->attributes[vm->id];
    const char *text;
    size_t n = 0;
    va_list args;

    va_start(args, vm);
    while ((text = va_arg(args, const char *)))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t length = strlen(names[i]);

            if (strncmp(text, names[i] + strlen("HAIZEA/"), length - strlen("HAIZEA/")) == 0 &&
                text[length - strlen("HAIZEA/")] == '=')
                items[n++] = (struct attribute){names[i], strchr(text, '=') + 1};
        }
    va_end(args);
    vm->user_template = (struct attributes){.items = items, .n = n};
}

struct vm *add(struct stage *stage, int32_t id, enum vm_state state)
{
    return fake_cloud_add_vm(stage->scene.fake, id, state, state == VM_RUNNING ? 0 : -1, 100, 512);
}

void take_in(struct stage *stage, int64_t now)
{
    scene_poll(&stage->scene);
    intake(&stage->scene.daemon, now);
}

void expect(struct stage *stage, int64_t id, enum lease_phase phase, const char *word)
{
    const struct lease_record *lease = store_lease(stage->store, id);

    assert_non_null(lease);
    if (lease->phase != phase)
        fail_msg("lease %d is %s, not %s: %s", (int)id, phase_name(lease->phase), phase_name(phase),
                 lease->reason);
    assert_string_equal(stage->last[id], word);
}

void give(struct stage *stage, int32_t id, int32_t uid, const char *user)
{
    for (size_t i = 0; i < FAKE_VMS_MAX; i++)
        if (stage->scene.fake->vms[i].id == id) {
            stage->scene.fake->vms[i].uid = uid;
            stage->scene.fake->vms[i].user = user;
        }
}

struct vm *add_now(struct stage *stage, int32_t id)
{
    struct vm *vm = add(stage, id, VM_PENDING);

    vm->stime = NOW;
    return vm;
}
