/* group_stage.h: a story's cloud, daemon and groups, shared by what happens and what is checked. */
#pragma once

#include "adapters/opennebula/pool.h"
#include "configuration/ini.h"
#include "test/daemon/store_fixture.h"
#include "test/property/group_story.h"
#include "test/property/moving_cloud.h"
#include "test/property/random_groups.h"

enum {
    BEGIN = 1700000000,
    VMS = 26,
    HOSTS_MOST = 6,
    POOLS_MOST = 64,
    STEPS_MOST = 2500,
    LONGEST_STEP = 30,
    CPU = 400,
    MEMORY = 4096,
    ATTRIBUTES_MOST = 8,
};

struct stage {
    const struct group_story *story;
    struct random random;
    struct store_fixture *fixture;
    struct store *store;
    struct scene scene;
    struct daemon *daemon;
    struct moving_cloud cloud;
    struct random_groups groups;
    struct vmgroup_pool pools[POOLS_MOST]; /* the last one holds; the world has copies of others */
    size_t n_pools;
    struct cluster clusters[CLUSTERS];
    struct datastore datastore;
    int32_t datastore_clusters[CLUSTERS];
    struct attribute attributes[FAKE_VMS_MAX][ATTRIBUTES_MOST];
    char values[FAKE_VMS_MAX][ATTRIBUTES_MOST][32];
    struct ini ini;
    int32_t n_vms;
    int left_of_group, group_size; /* VMs that are still to come of a lease */
    int64_t now, excused;          /* reservations submitted before that may have been displaced */
    int events;
    struct group_figures *figures;
    char *text;
    size_t size;
    bool failed;
};

/* The first one counts. */
void fail_story(struct stage *stage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fails the story when a rule is broken, a host over capacity, or a promise not kept. */
void group_story_check(struct stage *stage);
