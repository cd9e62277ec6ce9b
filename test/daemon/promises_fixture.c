/* VMs whose templates show promises, and the store that knows them. */
#include "test/daemon/promises_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/rights.h"
#include "daemon/live/intake.h"
#include "daemon/live/messages.h"
#include "test/daemon/change_records.h"

const struct promise_key stage_key = {"0123456789abcdef0123456789abcde"};

static void hear(void *context, const struct store_event *event)
{
    struct stage *stage = context;
    size_t length = strlen(stage->events);

    snprintf(stage->events + length, sizeof stage->events - length, "%lld %s, ",
             (long long)event->lease, event->event);
}

void stage_open(struct stage *stage, struct store *store)
{
    struct error err = {0};

    memset(stage, 0, sizeof *stage);
    stage->store = store;
    scene_open(&stage->scene, store);
    ini_init(&stage->ini);
    stage->scene.daemon.rights = rights_create(&stage->ini, &err);
    stage->scene.daemon.promises = (struct promises){.has_key = true, .key = stage_key};
    stage->scene.daemon.messages = messages_create(&stage->scene.daemon);
    store_listen(store, hear, stage);
}

void stage_close(struct stage *stage)
{
    store_listen(stage->store, NULL, NULL);
    promises_finish(&stage->scene.daemon.promises);
    messages_destroy(stage->scene.daemon.messages);
    rights_destroy(stage->scene.daemon.rights);
    ini_finish(&stage->ini);
    scene_close(&stage->scene);
}

void stage_finish_calls(struct stage *stage)
{
    struct error err = {0};

    while (cloud_pending(stage->scene.daemon.cloud))
        assert_int_equal(cloud_wait(stage->scene.daemon.cloud, NULL, 0, 0, &err), 0);
}

size_t stage_write(struct stage *stage)
{
    size_t before = stage->scene.fake->n_promises;

    messages_prepare(stage->scene.daemon.messages, NOW);
    messages_send(stage->scene.daemon.messages);
    stage_finish_calls(stage);
    for (size_t i = 0; i < stage->scene.fake->n_vms; i++) {
        struct vm *vm = &stage->scene.fake->vms[i];

        if (stage->scene.fake->promises[vm->id][0])
            snprintf(stage->texts[vm->id], sizeof stage->texts[0], "%s",
                     stage->scene.fake->promises[vm->id]);
    }
    return stage->scene.fake->n_promises - before;
}

void stage_look(struct stage *stage)
{
    for (size_t i = 0; i < stage->scene.fake->n_vms; i++) {
        struct vm *vm = &stage->scene.fake->vms[i];

        stage->shown[vm->id] = (struct attribute){PROMISE_ATTRIBUTE, stage->texts[vm->id]};
        vm->user_template = (struct attributes){.items = &stage->shown[vm->id], .n = 1};
    }
    stage->events[0] = '\0';
    scene_poll(&stage->scene);
    intake(&stage->scene.daemon, NOW);
    messages_see(stage->scene.daemon.messages, NOW);
}

struct lease_record *stage_reserve(struct stage *stage, int32_t id, int n_vms)
{
    struct lease_record *lease = store_add_lease(stage->store, id);

    lease->uid = lease->gid = 0;
    lease->phase = PHASE_RESERVED;
    lease->kind = LEASE_RESERVATION;
    lease->submit = SUBMITTED;
    lease->start = lease->expected = START;
    lease->duration = 3600;
    lease->accepted = true;
    lease->priority = 5 * PRIORITY_ONE;
    if (n_vms > 1) {
        store_put_text(&lease->group, "front ends", STORE_GROUP_MAX);
        lease->group_size = (uint32_t)n_vms;
    }
    for (int32_t vm = id; vm < id + n_vms; vm++) {
        store_add_vm(stage->store, vm, id);
        fake_cloud_add_vm(stage->scene.fake, vm, VM_PENDING, -1, 100, 512);
    }
    return lease;
}
