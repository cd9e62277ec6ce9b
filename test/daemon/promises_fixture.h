/* promises_fixture.h: VMs whose templates show what was promised to them, and the store's view of
 * them.
 */
#pragma once

#include "configuration/ini.h"
#include "daemon/live/promise.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"

enum { NOW = 100000, START = 200000, SUBMITTED = 90000 };

extern const struct promise_key stage_key;

struct stage {
    struct scene scene;
    struct store *store;
    struct ini ini;
    struct attribute shown[FAKE_VMS_MAX];
    char texts[FAKE_VMS_MAX][PROMISE_TEXT_MAX];
    char events[1024]; /* the history since the last look: "1 promise-damaged, " */
};

void stage_open(struct stage *stage, struct store *store);
void stage_close(struct stage *stage);
/* Until all calls are answered. */
void stage_finish_calls(struct stage *stage);
/* What was written becomes what OpenNebula shows. Returns the number of promises. */
size_t stage_write(struct stage *stage);
/* A poll, and what follows from it for new VMs and promises. */
void stage_look(struct stage *stage);
/* An accepted reservation, with n_vms VMs from `id` on. */
struct lease_record *stage_reserve(struct stage *stage, int32_t id, int n_vms);
