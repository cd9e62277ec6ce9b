/* Objects as attributes, for the state file. */
#include "sandbox/object_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/machine.h"
#include "util/memory.h"

/* A list of numbers is a text with spaces between them. */
static void put_rights(struct oned_attributes *record, const struct oned_owner *owner)
{
    char text[RIGHTS + 1] = {0};

    for (int i = 0; i < RIGHTS; i++)
        text[i] = owner->rights[i] ? '1' : '0';
    oned_attributes_add_number(record, "UID", owner->uid);
    oned_attributes_add_number(record, "GID", owner->gid);
    oned_attributes_add(record, "RIGHTS", text);
}

static struct oned_owner get_owner(const struct oned_attributes *record)
{
    const char *rights = oned_attributes_get(record, "RIGHTS");
    struct oned_owner owner = {
        .uid = (int)oned_attributes_number(record, "UID", 0),
        .gid = (int)oned_attributes_number(record, "GID", 0),
    };

    for (int i = 0; rights && i < RIGHTS && rights[i]; i++)
        owner.rights[i] = rights[i] == '1';
    return owner;
}

static void put_numbers(struct oned_attributes *record, const char *name, const int64_t *numbers,
                        size_t count)
{
    struct oned_text text = {0};

    oned_text_put(&text, "");
    for (size_t i = 0; i < count; i++)
        oned_text_format(&text, "%lld ", (long long)numbers[i]);
    oned_attributes_add(record, name, text.bytes);
    oned_text_finish(&text);
}

static void get_numbers(const struct oned_attributes *record, const char *name, int64_t *numbers,
                        size_t count)
{
    const char *at = oned_attributes_get(record, name);
    char *end;

    for (size_t i = 0; at && i < count; i++, at = end)
        numbers[i] = strtoll(at, &end, 10);
}

static void put_template(struct oned_attributes *record, const char *name,
                         const struct oned_attributes *template)
{
    oned_attributes_copy(oned_attributes_add_vector(record, name), template);
}

static void get_template(const struct oned_attributes *record, const char *name,
                         struct oned_attributes *template)
{
    const struct oned_attributes *kept = oned_attributes_vector(record, name, 0);

    if (kept)
        oned_attributes_copy(template, kept);
}

static char *get_text(const struct oned_attributes *record, const char *name)
{
    const char *text = oned_attributes_get(record, name);

    return memory_text(text ? text : "");
}

enum { VM_NUMBERS = 17, HISTORY_NUMBERS = 17, HOST_NUMBERS = 9 };

static void write_history(struct oned_attributes *record, const struct oned_history *history)
{
    struct oned_attributes *kept = oned_attributes_add_vector(record, "HISTORY");
    const int64_t numbers[HISTORY_NUMBERS] = {
        history->host,        history->cluster, history->datastore, history->stime,
        history->etime,       history->pstime,  history->petime,    history->rstime,
        history->retime,      history->estime,  history->eetime,    history->plan,
        history->action,      history->uid,     history->gid,       history->request,
        history->plan_action,
    };

    oned_attributes_add(kept, "HOSTNAME", history->hostname);
    put_numbers(kept, "NUMBERS", numbers, HISTORY_NUMBERS);
}

static void read_history(const struct oned_attributes *kept, struct oned_vm *vm)
{
    struct oned_history *history;
    int64_t n[HISTORY_NUMBERS] = {0};

    vm->history = memory_grow(vm->history, &vm->history_allocated, vm->history_count + 1,
                              sizeof *vm->history);
    history = &vm->history[vm->history_count++];
    get_numbers(kept, "NUMBERS", n, HISTORY_NUMBERS);
    *history = (struct oned_history){
        .host = (int)n[0],
        .cluster = (int)n[1],
        .datastore = (int)n[2],
        .hostname = get_text(kept, "HOSTNAME"),
        .stime = n[3],
        .etime = n[4],
        .pstime = n[5],
        .petime = n[6],
        .rstime = n[7],
        .retime = n[8],
        .estime = n[9],
        .eetime = n[10],
        .plan = n[11],
        .plan_action = n[16],
        .action = (int)n[12],
        .uid = (int)n[13],
        .gid = (int)n[14],
        .request = (int)n[15],
    };
}

static void write_vm(const struct oned_vm *vm, struct oned_attributes *record)
{
    const int64_t numbers[VM_NUMBERS] = {
        vm->state,  vm->lcm,         vm->resched, vm->stime,      vm->etime,     vm->cpu,
        vm->memory, vm->charged,     vm->leaving, vm->operation,  vm->step,      vm->due,
        0,          vm->next_action, vm->lock,    vm->lock_owner, vm->lock_time,
    };

    oned_attributes_add(record, "NAME", vm->name);
    oned_attributes_add(record, "DEPLOY_ID", vm->deploy_id);
    put_rights(record, &vm->owner);
    put_numbers(record, "NUMBERS", numbers, VM_NUMBERS);
    put_numbers(record, "TIMES", vm->times, ONED_PHASES);
    put_template(record, "TEMPLATE", &vm->template);
    put_template(record, "USER_TEMPLATE", &vm->user_template);
    for (size_t i = 0; i < vm->history_count; i++)
        write_history(record, &vm->history[i]);
}

static void note_action_ids(struct oned *oned, const struct oned_vm *vm)
{
    const struct oned_attributes *action;

    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++) {
        int64_t id = oned_attributes_number(action, "ID", -1);

        if (id >= oned->next_action)
            oned->next_action = (int)id + 1;
    }
}

static void read_vm(struct oned *oned, int id, const struct oned_attributes *record)
{
    struct oned_vm *vm = memory_new(1, sizeof *vm);
    const struct oned_attributes *history;
    int64_t n[VM_NUMBERS] = {0};

    get_numbers(record, "NUMBERS", n, VM_NUMBERS);
    vm->id = id;
    vm->owner = get_owner(record);
    vm->name = get_text(record, "NAME");
    vm->deploy_id = get_text(record, "DEPLOY_ID");
    vm->state = (int)n[0];
    vm->lcm = (int)n[1];
    vm->resched = n[2] != 0;
    vm->stime = n[3];
    vm->etime = n[4];
    vm->cpu = n[5];
    vm->memory = n[6];
    vm->charged = (int)n[7];
    vm->leaving = (int)n[8];
    vm->operation = (int)n[9];
    vm->step = (int)n[10];
    vm->due = n[11];
    vm->next_action = n[13];
    vm->lock = (int)n[14];
    vm->lock_owner = (int)n[15];
    vm->lock_time = n[16];
    get_numbers(record, "TIMES", vm->times, ONED_PHASES);
    get_template(record, "TEMPLATE", &vm->template);
    get_template(record, "USER_TEMPLATE", &vm->user_template);
    for (size_t i = 0; (history = oned_attributes_vector(record, "HISTORY", i)); i++)
        read_history(history, vm);
    note_action_ids(oned, vm);
    oned_pool_add(oned, KIND_VM, vm, id);
    oned_machine_adopt(oned, vm);
}

/* Which VMs count on a host is known from the VMs. */
static void write_host(const struct oned_host *host, struct oned_attributes *record)
{
    const int64_t numbers[HOST_NUMBERS] = {
        host->state,        host->cluster,   host->due,          host->total_cpu,
        host->total_memory, host->known_cpu, host->known_memory, host->monitored,
    };

    oned_attributes_add(record, "NAME", host->name);
    put_numbers(record, "NUMBERS", numbers, HOST_NUMBERS);
    put_numbers(record, "TIMES", host->times, ONED_PHASES);
    put_template(record, "TEMPLATE", &host->template);
    put_template(record, "HARDWARE", &host->hardware);
}

static void read_host(struct oned *oned, int id, const struct oned_attributes *record)
{
    struct oned_host *host = memory_new(1, sizeof *host);
    int64_t n[HOST_NUMBERS] = {0};

    get_numbers(record, "NUMBERS", n, HOST_NUMBERS);
    *host = (struct oned_host){
        .id = id,
        .name = get_text(record, "NAME"),
        .im_mad = memory_text("dummy"),
        .vm_mad = memory_text("dummy"),
        .state = (int)n[0],
        .cluster = (int)n[1],
        .due = n[2],
        .total_cpu = n[3],
        .total_memory = n[4],
        .known_cpu = n[5],
        .known_memory = n[6],
        .monitored = n[7],
    };
    get_numbers(record, "TIMES", host->times, ONED_PHASES);
    get_template(record, "TEMPLATE", &host->template);
    get_template(record, "HARDWARE", &host->hardware);
    oned_pool_add(oned, KIND_HOST, host, id);
}

static void write_user(const struct oned_user *user, struct oned_attributes *record)
{
    oned_attributes_add(record, "NAME", user->name);
    oned_attributes_add(record, "PASSWORD", user->password);
    oned_attributes_add(record, "DRIVER", user->driver);
    oned_attributes_add_number(record, "GID", user->gid);
    oned_attributes_add_number(record, "ENABLED", user->enabled);
    put_template(record, "TEMPLATE", &user->template);
    for (size_t i = 0; i < user->token_count; i++) {
        struct oned_attributes *token = oned_attributes_add_vector(record, "TOKEN");

        oned_attributes_add(token, "TEXT", user->tokens[i].text);
        oned_attributes_add_number(token, "EXPIRES", user->tokens[i].expires);
    }
}

static void read_user(struct oned *oned, int id, const struct oned_attributes *record)
{
    struct oned_user *user = memory_new(1, sizeof *user);
    const struct oned_attributes *token;

    user->id = id;
    user->gid = (int)oned_attributes_number(record, "GID", 0);
    user->name = get_text(record, "NAME");
    user->password = get_text(record, "PASSWORD");
    user->driver = get_text(record, "DRIVER");
    user->enabled = oned_attributes_number(record, "ENABLED", 1) != 0;
    get_template(record, "TEMPLATE", &user->template);
    for (size_t i = 0; (token = oned_attributes_vector(record, "TOKEN", i)); i++) {
        user->tokens = memory_grow(user->tokens, &user->tokens_allocated, user->token_count + 1,
                                   sizeof *user->tokens);
        user->tokens[user->token_count++] = (struct oned_token){
            .text = get_text(token, "TEXT"),
            .expires = oned_attributes_number(token, "EXPIRES", -1),
        };
    }
    oned_pool_add(oned, KIND_USER, user, id);
}

static void put_clusters(struct oned_attributes *record, const int *clusters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        oned_attributes_add_number(record, "CLUSTER", clusters[i]);
}

static void get_clusters(const struct oned_attributes *record, int **clusters, size_t *count)
{
    for (size_t i = 0; i < record->count; i++)
        if (!strcmp(record->items[i].name, "CLUSTER"))
            oned_clusters_add(clusters, count, atoi(record->items[i].value));
}

static void write_datastore(const struct oned_datastore *datastore, struct oned_attributes *record)
{
    const int64_t numbers[] = {datastore->type, datastore->enabled, datastore->total_mb,
                               datastore->free_mb, datastore->used_mb};

    oned_attributes_add(record, "NAME", datastore->name);
    put_rights(record, &datastore->owner);
    put_numbers(record, "NUMBERS", numbers, sizeof numbers / sizeof *numbers);
    put_clusters(record, datastore->clusters, datastore->cluster_count);
    put_template(record, "TEMPLATE", &datastore->template);
}

static void read_datastore(struct oned *oned, int id, const struct oned_attributes *record)
{
    struct oned_datastore *datastore = memory_new(1, sizeof *datastore);
    int64_t n[5] = {0};

    get_numbers(record, "NUMBERS", n, 5);
    datastore->id = id;
    datastore->name = get_text(record, "NAME");
    datastore->owner = get_owner(record);
    datastore->type = (int)n[0];
    datastore->enabled = n[1] != 0;
    datastore->total_mb = n[2];
    datastore->free_mb = n[3];
    datastore->used_mb = n[4];
    get_clusters(record, &datastore->clusters, &datastore->cluster_count);
    get_template(record, "TEMPLATE", &datastore->template);
    oned_pool_add(oned, KIND_DATASTORE, datastore, id);
}

static void write_thing(const struct oned_thing *thing, struct oned_attributes *record)
{
    oned_attributes_add(record, "NAME", thing->name);
    put_numbers(record, "TYPE", &thing->type, 1);
    put_numbers(record, "MADE", &thing->made, 1);
    put_rights(record, &thing->owner);
    put_clusters(record, thing->clusters, thing->cluster_count);
    put_template(record, "TEMPLATE", &thing->template);
}

static void read_thing(struct oned *oned, enum oned_kind kind, int id,
                       const struct oned_attributes *record)
{
    struct oned_thing *thing = memory_new(1, sizeof *thing);

    thing->id = id;
    thing->name = get_text(record, "NAME");
    get_numbers(record, "TYPE", &thing->type, 1);
    get_numbers(record, "MADE", &thing->made, 1);
    thing->owner = get_owner(record);
    get_clusters(record, &thing->clusters, &thing->cluster_count);
    get_template(record, "TEMPLATE", &thing->template);
    oned_pool_add(oned, kind, thing, id);
}

/* Groups and clusters. */
static void read_named(struct oned *oned, enum oned_kind kind, int id,
                       const struct oned_attributes *record)
{
    if (kind == KIND_GROUP) {
        struct oned_group *group = memory_new(1, sizeof *group);

        group->id = id;
        group->name = get_text(record, "NAME");
        get_template(record, "TEMPLATE", &group->template);
        oned_pool_add(oned, kind, group, id);
    } else {
        struct oned_cluster *cluster = memory_new(1, sizeof *cluster);

        cluster->id = id;
        cluster->name = get_text(record, "NAME");
        get_template(record, "TEMPLATE", &cluster->template);
        oned_pool_add(oned, kind, cluster, id);
    }
}

static void write_acl(const struct oned_acl *acl, struct oned_attributes *record)
{
    oned_attributes_add(record, "USER", acl->user);
    oned_attributes_add(record, "RESOURCE", acl->resource);
    oned_attributes_add(record, "RIGHTS", acl->rights);
    oned_attributes_add(record, "ZONE", acl->zone);
    oned_attributes_add(record, "STRING", acl->string);
}

static void read_acl(struct oned *oned, int id, const struct oned_attributes *record)
{
    struct oned_acl *acl = memory_new(1, sizeof *acl);

    acl->id = id;
    acl->user = get_text(record, "USER");
    acl->resource = get_text(record, "RESOURCE");
    acl->rights = get_text(record, "RIGHTS");
    acl->zone = get_text(record, "ZONE");
    acl->string = get_text(record, "STRING");
    oned_pool_add(oned, KIND_ACL, acl, id);
}

static void write_clock(const struct oned *oned, struct oned_attributes *record)
{
    char rate[40];

    snprintf(rate, sizeof rate, "%.17g", oned->rate);
    oned_attributes_add(record, "RATE", rate);
    oned_attributes_add_number(record, "BASE_REAL", oned->base_real);
    oned_attributes_add_number(record, "BASE_OWN", oned->base_own);
}

static void read_clock(struct oned *oned, const struct oned_attributes *record)
{
    const char *rate = oned_attributes_get(record, "RATE");

    oned->rate = rate ? strtod(rate, NULL) : 1;
    oned->base_real = oned_attributes_number(record, "BASE_REAL", oned->base_real);
    oned->base_own = oned_attributes_number(record, "BASE_OWN", oned->base_own);
}

void oned_record_write(const struct oned *oned, enum oned_kind kind, int id,
                       struct oned_attributes *record)
{
    const void *object = oned_pool_get(oned, kind, id);
    const struct oned_group *group = object;
    const struct oned_cluster *cluster = object;

    switch (kind) {
    case KIND_VM:
        write_vm(object, record);
        break;
    case KIND_HOST:
        write_host(object, record);
        break;
    case KIND_USER:
        write_user(object, record);
        break;
    case KIND_GROUP:
        oned_attributes_add(record, "NAME", group->name);
        put_template(record, "TEMPLATE", &group->template);
        break;
    case KIND_CLUSTER:
        oned_attributes_add(record, "NAME", cluster->name);
        put_template(record, "TEMPLATE", &cluster->template);
        break;
    case KIND_DATASTORE:
        write_datastore(object, record);
        break;
    case KIND_VNET:
    case KIND_VMGROUP:
    case KIND_DOCUMENT:
    case KIND_TEMPLATE:
        write_thing(object, record);
        break;
    case KIND_ACL:
        write_acl(object, record);
        break;
    case KIND_CLOCK:
        write_clock(oned, record);
        break;
    case KINDS:
        break;
    }
}

void oned_record_read(struct oned *oned, enum oned_kind kind, int id,
                      const struct oned_attributes *record)
{
    switch (kind) {
    case KIND_VM:
        read_vm(oned, id, record);
        break;
    case KIND_HOST:
        read_host(oned, id, record);
        break;
    case KIND_USER:
        read_user(oned, id, record);
        break;
    case KIND_GROUP:
    case KIND_CLUSTER:
        read_named(oned, kind, id, record);
        break;
    case KIND_DATASTORE:
        read_datastore(oned, id, record);
        break;
    case KIND_VNET:
    case KIND_VMGROUP:
    case KIND_DOCUMENT:
    case KIND_TEMPLATE:
        read_thing(oned, kind, id, record);
        break;
    case KIND_ACL:
        read_acl(oned, id, record);
        break;
    case KIND_CLOCK:
        read_clock(oned, record);
        break;
    case KINDS:
        break;
    }
}
