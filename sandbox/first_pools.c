/* The objects of a fresh installation, and the requested hosts. */
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/host.h"
#include "util/memory.h"

static void add_group(struct oned *oned, const char *name, const char *template)
{
    oned_thing_add(oned, KIND_GROUP, oned_thing_create(name, template, NULL), 0);
}

static void add_datastore(struct oned *oned, const char *name, int type, const char *template)
{
    struct oned_thing *datastore = oned_thing_create(name, template, NULL);

    datastore->type = type;
    datastore->total_mb = type == 1 ? 4796800 : 20480;
    datastore->free_mb = type == 1 ? 3333260 : 20480;
    datastore->used_mb = type == 1 ? 1429920 : 9720;
    oned_clusters_add(datastore, 0);
    oned_datastore_defaults(oned, datastore);
    oned_attributes_remove(&datastore->template, "DISK_TYPE");
    oned_thing_add(oned, KIND_DATASTORE, datastore, 0);
}

/* The datastores of a fresh installation have no DISK_TYPE. */
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
    oned_thing_add(oned, KIND_CLUSTER,
                   oned_thing_create("default", "RESERVED_CPU=\"\"\nRESERVED_MEM=\"\"", NULL), 0);
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
