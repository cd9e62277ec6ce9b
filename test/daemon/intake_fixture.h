/* intake_fixture.h: a scene with rights, and VMs that ask for leases. */
#pragma once

#include "configuration/ini.h"
#include "test/daemon/fake_cloud.h"

enum { NOW = 100000, ATTRIBUTES_MAX = 6 };

struct stage {
    struct scene scene;
    struct store *store;
    struct ini ini;
    struct attribute attributes[FAKE_VMS_MAX][ATTRIBUTES_MAX];
    char last[FAKE_VMS_MAX][32]; /* the word of a lease's last line of history */
};

/* With the sections [rights] of this text; `state` holds a struct store_fixture. */
void open_stage(struct stage *stage, void **state, const char *rights);
void close_stage(struct stage *stage);
/* "NAME=value", ... of HAIZEA, ended by NULL. */
void ask_for(struct stage *stage, struct vm *vm, ...);
struct vm *add(struct stage *stage, int32_t id, enum vm_state state);
/* A pending VM, created at NOW. */
struct vm *add_now(struct stage *stage, int32_t id);
/* Give the VM to another user. */
void give(struct stage *stage, int32_t id, int32_t uid, const char *user);
void take_in(struct stage *stage, int64_t now);
/* The phase of the lease, and the word of its last line of history. */
void expect(struct stage *stage, int64_t id, enum lease_phase phase, const char *word);
