/* The daemon's objects: users, clusters, datastores, hosts and VMs. */
#include "sandbox/pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sandbox/object_members.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/random.h"

enum { MICROSECONDS = 1000000 };

int64_t oned_now(const struct oned *oned)
{
    return oned->base_own +
           (int64_t)((double)(clock_microseconds(CLOCK_REALTIME) - oned->base_real) * oned->rate);
}

int64_t oned_seconds(const struct oned *oned)
{
    return oned_now(oned) / MICROSECONDS;
}

int64_t oned_real_until(const struct oned *oned, int64_t moment)
{
    int64_t left = moment - oned_now(oned);

    if (left <= 0)
        return 0;
    if (oned->rate <= 0 || (double)left / oned->rate > 1e15)
        return INT64_MAX;
    return (int64_t)((double)left / oned->rate);
}

void oned_clock_set(struct oned *oned, double rate, int64_t jump)
{
    int64_t now = oned_now(oned);

    oned->base_real = clock_microseconds(CLOCK_REALTIME);
    oned->base_own = now + jump * MICROSECONDS;
    oned->rate = rate;
    oned_touch(oned, KIND_CLOCK, 0);
}

uint64_t oned_random(struct oned *oned)
{
    return random_next(&oned->random);
}

int oned_pool_add(struct oned *oned, enum oned_kind kind, void *object, int id)
{
    struct oned_pool *pool = &oned->pools[kind];

    if (id < 0)
        id = pool->count;
    if (id >= pool->count) {
        MEMORY_GROW(pool->items, pool->allocated, (size_t)id + 1);
        memset(&pool->items[pool->count], 0, (size_t)(id + 1 - pool->count) * sizeof *pool->items);
        pool->count = id + 1;
    }
    pool->items[id] = object;
    return id;
}

void *oned_pool_get(const struct oned *oned, enum oned_kind kind, int64_t id)
{
    const struct oned_pool *pool = &oned->pools[kind];

    return id >= 0 && id < pool->count ? pool->items[id] : NULL;
}

static void note_change(struct oned *oned, enum oned_kind kind, int id)
{
    struct oned_changes *changed = &oned->changed;

    if (!oned->store || (changed->count > 0 && changed->items[changed->count - 1].kind == kind &&
                         changed->items[changed->count - 1].id == id))
        return;
    MEMORY_GROW(changed->items, changed->allocated, changed->count + 1);
    changed->items[changed->count++] = (struct oned_change){kind, id};
}

void oned_pool_remove(struct oned *oned, enum oned_kind kind, int id)
{
    oned_object_free(kind, oned->pools[kind].items[id]);
    oned->pools[kind].items[id] = NULL;
    note_change(oned, kind, id);
}

struct oned_vm *oned_vm(const struct oned *oned, int64_t id)
{
    return oned_pool_get(oned, KIND_VM, id);
}

struct oned_host *oned_host(const struct oned *oned, int64_t id)
{
    return oned_pool_get(oned, KIND_HOST, id);
}

struct oned_user *oned_user(const struct oned *oned, int64_t id)
{
    return oned_pool_get(oned, KIND_USER, id);
}

struct oned_thing *oned_cluster(const struct oned *oned, int64_t id)
{
    return oned_pool_get(oned, KIND_CLUSTER, id);
}

struct oned_thing *oned_datastore(const struct oned *oned, int64_t id)
{
    return oned_pool_get(oned, KIND_DATASTORE, id);
}

const char *oned_user_name(const struct oned *oned, int id)
{
    const struct oned_user *user = oned_user(oned, id);

    return user ? user->name : "";
}

const char *oned_group_name(const struct oned *oned, int id)
{
    const struct oned_thing *group = oned_pool_get(oned, KIND_GROUP, id);

    return group ? group->name : "";
}

void oned_touch(struct oned *oned, enum oned_kind kind, int id)
{
    if (kind == KIND_VM) {
        struct oned_vm *vm = oned_vm(oned, id);

        free(vm->full);
        free(vm->brief);
        vm->full = vm->brief = NULL;
    }
    note_change(oned, kind, id);
}

static void free_parts(enum oned_kind kind, void *object)
{
    struct oned_vm *vm = kind == KIND_VM ? object : NULL;
    struct oned_user *user = kind == KIND_USER ? object : NULL;

    for (size_t i = 0; vm && i < vm->history_count; i++)
        oned_members_finish(oned_history_members, &vm->history[i]);
    for (size_t i = 0; user && i < user->token_count; i++)
        oned_members_finish(oned_token_members, &user->tokens[i]);
    if (vm) {
        free(vm->history);
        free(vm->full);
        free(vm->brief);
    } else if (user) {
        free(user->tokens);
    } else if (kind == KIND_HOST) {
        free(((struct oned_host *)object)->vms);
    } else if (oned_is_thing(kind)) {
        free(((struct oned_thing *)object)->clusters);
    }
}

void oned_object_free(enum oned_kind kind, void *object)
{
    if (!object)
        return;
    free_parts(kind, object);
    oned_members_finish(oned_layouts[kind].members, object);
    free(object);
}

void oned_world_finish(struct oned *oned)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (int id = 0; id < oned->pools[kind].count; id++)
            oned_object_free(kind, oned->pools[kind].items[id]);
        free(oned->pools[kind].items);
    }
    free(oned->heap.vms);
}

bool oned_is_thing(enum oned_kind kind)
{
    return kind != KIND_VM && kind != KIND_HOST && kind != KIND_USER && kind != KIND_ACL &&
           kind != KIND_CLOCK;
}

bool oned_in_cluster(const struct oned_thing *thing, int cluster)
{
    for (size_t i = 0; i < thing->cluster_count; i++)
        if (thing->clusters[i] == cluster)
            return true;
    return false;
}

void oned_clusters_add(struct oned_thing *thing, int cluster)
{
    size_t allocated = thing->cluster_count;

    if (oned_in_cluster(thing, cluster))
        return;
    MEMORY_GROW(thing->clusters, allocated, thing->cluster_count + 1);
    thing->clusters[thing->cluster_count++] = cluster;
}

struct oned_thing *oned_thing_create(const char *name, const char *template, struct error *err)
{
    struct oned_thing *thing = memory_new(1, sizeof *thing);

    thing->enabled = true;
    thing->owner =
        (struct oned_owner){.rights = {[OWNER_U] = true, [OWNER_M] = true, [GROUP_U] = true}};
    if (oned_attributes_parse(&thing->template, template, err)) {
        oned_object_free(KIND_GROUP, thing);
        return NULL;
    }
    if (!name)
        name = oned_attributes_get(&thing->template, "NAME");
    thing->name = memory_text(name ? name : "");
    oned_attributes_remove(&thing->template, "NAME");
    return thing;
}

void oned_thing_give(struct oned_thing *thing, const struct oned_user *user)
{
    thing->owner = (struct oned_owner){
        .uid = user->id, .gid = user->gid, .rights = {[OWNER_U] = true, [OWNER_M] = true}};
}

int oned_thing_add(struct oned *oned, enum oned_kind kind, struct oned_thing *thing, int least)
{
    int count = oned->pools[kind].count;

    thing->id = oned_pool_add(oned, kind, thing, count < least ? least : -1);
    oned_touch(oned, kind, thing->id);
    return thing->id;
}

struct oned_thing *oned_default_datastore(const struct oned *oned, int cluster)
{
    for (int id = 0; id < oned->pools[KIND_DATASTORE].count; id++) {
        struct oned_thing *datastore = oned_datastore(oned, id);

        if (datastore && datastore->type == 1 && datastore->enabled &&
            oned_in_cluster(datastore, cluster))
            return datastore;
    }
    return NULL;
}

struct oned_user *oned_user_add(struct oned *oned, const char *name, const char *password, int gid)
{
    struct oned_user *user = memory_new(1, sizeof *user);

    user->gid = gid;
    user->name = memory_text(name);
    user->password = memory_text(password);
    user->driver = memory_text("core");
    user->enabled = true;
    user->id = oned_pool_add(oned, KIND_USER, user, -1);
    oned_touch(oned, KIND_USER, user->id);
    return user;
}

void oned_datastore_defaults(const struct oned *oned, struct oned_thing *datastore)
{
    static const char system_6[] = "ALLOW_ORPHANS=NO\nDISK_TYPE=FILE\nDS_MIGRATE=YES\n"
                                   "SHARED=YES";
    static const char system_7[] = "ALLOW_ORPHANS=NO\nDISK_TYPE=FILE\nDS_LIVE_MIGRATE=YES\n"
                                   "DS_MIGRATE=YES\nDS_MIGRATE_SNAP=YES\n"
                                   "PERSISTENT_SNAPSHOTS=YES\nSHARED=YES";
    static const char other_6[] = "ALLOW_ORPHANS=NO\nCLONE_TARGET=SYSTEM\nDS_MAD=dummy\n"
                                  "LN_TARGET=NONE";
    static const char other_7[] = "ALLOW_ORPHANS=NO\nCLONE_TARGET=SYSTEM\nDS_MAD=dummy\n"
                                  "LN_TARGET=NONE\nPERSISTENT_SNAPSHOTS=YES";
    bool old = oned->options.version == ONED_6_10;
    struct oned_attributes defaults = {0};

    if (datastore->type == 1)
        oned_attributes_parse(&defaults, old ? system_6 : system_7, NULL);
    else
        oned_attributes_parse(&defaults, old ? other_6 : other_7, NULL);
    for (size_t i = 0; i < defaults.count; i++)
        if (!oned_attributes_get(&datastore->template, defaults.items[i].name))
            oned_attributes_add(&datastore->template, defaults.items[i].name,
                                defaults.items[i].value);
    oned_attributes_finish(&defaults);
}

int oned_acl_add(struct oned *oned, const char *const *fields, const char *words)
{
    struct oned_acl *acl = memory_new(1, sizeof *acl);

    acl->user = memory_text(fields[0]);
    acl->resource = memory_text(fields[1]);
    acl->rights = memory_text(fields[2]);
    acl->zone = memory_text(fields[3]);
    acl->string = memory_text(words);
    acl->id = oned_pool_add(oned, KIND_ACL, acl, -1);
    oned_touch(oned, KIND_ACL, acl->id);
    return acl->id;
}

void oned_acl_add_group(struct oned *oned, int group)
{
    static const char *const rules[][3] = {
        {"2400000000", "2", "HOST/* MANAGE"},
        {"4400000000", "1", "NET/* USE"},
        {"100400000000", "1", "DATASTORE/* USE"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char user[24], words[64];

        snprintf(user, sizeof user, "%llx", 0x200000000LL + group);
        snprintf(words, sizeof words, "@%d %s #0", group, rules[i][2]);
        oned_acl_add(oned, (const char *const[]){user, rules[i][0], rules[i][1], "100000000"},
                     words);
    }
}
