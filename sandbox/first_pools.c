/* The objects of a fresh installation, and the hosts that were asked for. */
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/host.h"
#include "util/memory.h"

static void add_group(struct oned *oned, const char *name, const char *template)
{
    struct oned_group *group = memory_new(1, sizeof *group);

    group->name = memory_text(name);
    oned_attributes_parse(&group->template, template, NULL);
    group->id = oned_pool_add(oned, KIND_GROUP, group, -1);
    oned_touch(oned, KIND_GROUP, group->id);
}

static void add_datastore(struct oned *oned, const char *name, int type, const char *template)
{
    struct oned_datastore *datastore = memory_new(1, sizeof *datastore);

    datastore->name = memory_text(name);
    datastore->type = type;
    datastore->enabled = true;
    datastore->total_mb = type == 1 ? 4796800 : 20480;
    datastore->free_mb = type == 1 ? 3333260 : 20480;
    datastore->used_mb = type == 1 ? 1429920 : 9720;
    datastore->owner = (struct oned_owner){
        .rights = {[OWNER_U] = true, [OWNER_M] = true, [GROUP_U] = true},
    };
    oned_clusters_add(&datastore->clusters, &datastore->cluster_count, 0);
    oned_attributes_parse(&datastore->template, template, NULL);
    oned_datastore_defaults(oned, datastore);
    oned_attributes_remove(&datastore->template, "DISK_TYPE");
    datastore->id = oned_pool_add(oned, KIND_DATASTORE, datastore, -1);
    oned_touch(oned, KIND_DATASTORE, datastore->id);
}

/* The datastores of a fresh installation say nothing of their disks' type. */
static void add_datastores(struct oned *oned)
{
    add_datastore(oned, "system", 1, "TM_MAD=dummy\nTYPE=SYSTEM_DS");
    add_datastore(oned, "default", 0, "TM_MAD=dummy\nTYPE=IMAGE_DS");
    add_datastore(oned, "files", 2, "TM_MAD=dummy\nTYPE=FILE_DS");
}

static void add_acls(struct oned *oned)
{
    static const char *const rules[][5] = {
        {"200000001", "121429400000000", "8", "400000000",
         "@1 VM+IMAGE+TEMPLATE+DOCUMENT+SECGROUP+VMGROUP+BACKUPJOB/* CREATE *"},
        {"400000000", "800400000000", "1", "400000000", "* ZONE/* USE *"},
        {"400000000", "18000400000000", "1", "400000000", "* MARKETPLACE+MARKETPLACEAPP/* USE *"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        oned_acl_add(oned, rules[i], rules[i][4]);
    oned_acl_add_group(oned, 1);
}

static void add_cluster(struct oned *oned)
{
    struct oned_cluster *cluster = memory_new(1, sizeof *cluster);

    cluster->name = memory_text("default");
    oned_attributes_parse(&cluster->template, "RESERVED_CPU=\"\"\nRESERVED_MEM=\"\"", NULL);
    oned_pool_add(oned, KIND_CLUSTER, cluster, 0);
    oned_touch(oned, KIND_CLUSTER, 0);
}

void oned_world_begin(struct oned *oned)
{
    struct oned_user *administrator;
    char name[64], password[40];

    add_group(oned, "oneadmin", "");
    add_group(oned, "users",
              "SUNSTONE=[DEFAULT_VIEW=cloud,GROUP_ADMIN_DEFAULT_VIEW=groupadmin,"
              "GROUP_ADMIN_VIEWS=\"groupadmin,cloud\",VIEWS=cloud]");
    oned_user_add(oned, oned->options.user, oned->options.password, 0);
    snprintf(password, sizeof password, "%016llx%016llx", (unsigned long long)oned_random(oned),
             (unsigned long long)oned_random(oned));
    administrator = oned_user_add(oned, "serveradmin", password, 0);
    free(administrator->driver);
    administrator->driver = memory_text("server_cipher");
    add_cluster(oned);
    add_datastores(oned);
    add_acls(oned);
    for (int64_t i = 0; i < oned->options.hosts; i++) {
        struct oned_host *host;

        snprintf(name, sizeof name, "host%04d", (int)i);
        host = oned_host_add(oned, name, 0);
        host->total_cpu = oned->options.host_cpu;
        host->total_memory = oned->options.host_memory;
        oned_host_monitor(oned, host);
    }
    oned_touch(oned, KIND_CLOCK, 0);
}
