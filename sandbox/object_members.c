/* The members of the daemon's objects, to save, read and free them. */
#include "sandbox/object_members.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define AT(structure, member) offsetof(struct structure, member)
#define TYPE_OF(number)                                                                            \
    _Generic(number, int : MEMBER_INT, int64_t : MEMBER_INT64, bool : MEMBER_BOOL)
#define NUMBER(structure, member)                                                                  \
    {                                                                                              \
        .type = TYPE_OF(((struct structure *)NULL)->member), .offset = AT(structure, member)       \
    }
#define OWNER(structure)                                                                           \
    NUMBER(structure, owner.uid), NUMBER(structure, owner.gid),                                    \
    {                                                                                              \
        .type = MEMBER_BOOL, .offset = AT(structure, owner.rights), .count = RIGHTS                \
    }

const struct oned_member oned_history_members[] = {
    {MEMBER_TEXT, AT(oned_history, hostname), "HOSTNAME", 0},
    NUMBER(oned_history, host),
    NUMBER(oned_history, cluster),
    NUMBER(oned_history, datastore),
    NUMBER(oned_history, stime),
    NUMBER(oned_history, etime),
    NUMBER(oned_history, pstime),
    NUMBER(oned_history, petime),
    NUMBER(oned_history, rstime),
    NUMBER(oned_history, retime),
    NUMBER(oned_history, estime),
    NUMBER(oned_history, eetime),
    NUMBER(oned_history, plan),
    NUMBER(oned_history, plan_action),
    NUMBER(oned_history, action),
    NUMBER(oned_history, uid),
    NUMBER(oned_history, gid),
    NUMBER(oned_history, request),
    {.type = MEMBER_END},
};

const struct oned_member oned_token_members[] = {
    {MEMBER_TEXT, AT(oned_token, text), "TEXT", 0},
    NUMBER(oned_token, expires),
    {.type = MEMBER_END},
};

static const struct oned_member vm_members[] = {
    {MEMBER_TEXT, AT(oned_vm, name), "NAME", 0},
    {MEMBER_TEXT, AT(oned_vm, deploy_id), "DEPLOY_ID", 0},
    OWNER(oned_vm),
    {MEMBER_INT64, AT(oned_vm, times), NULL, ONED_PHASES},
    {MEMBER_TEMPLATE, AT(oned_vm, template), "TEMPLATE", 0},
    {MEMBER_TEMPLATE, AT(oned_vm, user_template), "USER_TEMPLATE", 0},
    {MEMBER_TEMPLATE, AT(oned_vm, use), "USE", 0},
    NUMBER(oned_vm, state),
    NUMBER(oned_vm, lcm),
    NUMBER(oned_vm, resched),
    NUMBER(oned_vm, stime),
    NUMBER(oned_vm, etime),
    NUMBER(oned_vm, cpu),
    NUMBER(oned_vm, memory),
    NUMBER(oned_vm, charged),
    NUMBER(oned_vm, leaving),
    NUMBER(oned_vm, operation),
    NUMBER(oned_vm, step),
    NUMBER(oned_vm, due),
    NUMBER(oned_vm, next_action),
    NUMBER(oned_vm, lock),
    NUMBER(oned_vm, lock_owner),
    NUMBER(oned_vm, lock_time),
    {.type = MEMBER_END},
};

/* Which VMs count on a host is known from the VMs. */
static const struct oned_member host_members[] = {
    {MEMBER_TEXT, AT(oned_host, name), "NAME", 0},
    {MEMBER_TEXT, AT(oned_host, im_mad), "IM_MAD", 0},
    {MEMBER_TEXT, AT(oned_host, vm_mad), "VM_MAD", 0},
    {MEMBER_INT64, AT(oned_host, times), NULL, ONED_PHASES},
    {MEMBER_TEMPLATE, AT(oned_host, template), "TEMPLATE", 0},
    {MEMBER_TEMPLATE, AT(oned_host, hardware), "HARDWARE", 0},
    NUMBER(oned_host, state),
    NUMBER(oned_host, cluster),
    NUMBER(oned_host, due),
    NUMBER(oned_host, total_cpu),
    NUMBER(oned_host, total_memory),
    NUMBER(oned_host, known_cpu),
    NUMBER(oned_host, known_memory),
    NUMBER(oned_host, monitored),
    {.type = MEMBER_END},
};

static const struct oned_member user_members[] = {
    {MEMBER_TEXT, AT(oned_user, name), "NAME", 0},
    {MEMBER_TEXT, AT(oned_user, password), "PASSWORD", 0},
    {MEMBER_TEXT, AT(oned_user, driver), "DRIVER", 0},
    {MEMBER_TEMPLATE, AT(oned_user, template), "TEMPLATE", 0},
    NUMBER(oned_user, gid),
    NUMBER(oned_user, enabled),
    {.type = MEMBER_END},
};

static const struct oned_member thing_members[] = {
    {MEMBER_TEXT, AT(oned_thing, name), "NAME", 0},
    OWNER(oned_thing),
    {MEMBER_TEMPLATE, AT(oned_thing, template), "TEMPLATE", 0},
    NUMBER(oned_thing, type),
    NUMBER(oned_thing, enabled),
    NUMBER(oned_thing, total_mb),
    NUMBER(oned_thing, free_mb),
    NUMBER(oned_thing, used_mb),
    NUMBER(oned_thing, made),
    {.type = MEMBER_END},
};

static const struct oned_member acl_members[] = {
    {MEMBER_TEXT, AT(oned_acl, user), "USER", 0},
    {MEMBER_TEXT, AT(oned_acl, resource), "RESOURCE", 0},
    {MEMBER_TEXT, AT(oned_acl, rights), "RIGHTS", 0},
    {MEMBER_TEXT, AT(oned_acl, zone), "ZONE", 0},
    {MEMBER_TEXT, AT(oned_acl, string), "STRING", 0},
    {.type = MEMBER_END},
};

const struct oned_layout oned_layouts[KINDS] = {
    [KIND_VM] = {sizeof(struct oned_vm), vm_members},
    [KIND_HOST] = {sizeof(struct oned_host), host_members},
    [KIND_USER] = {sizeof(struct oned_user), user_members},
    [KIND_GROUP] = {sizeof(struct oned_thing), thing_members},
    [KIND_CLUSTER] = {sizeof(struct oned_thing), thing_members},
    [KIND_DATASTORE] = {sizeof(struct oned_thing), thing_members},
    [KIND_VNET] = {sizeof(struct oned_thing), thing_members},
    [KIND_VMGROUP] = {sizeof(struct oned_thing), thing_members},
    [KIND_ACL] = {sizeof(struct oned_acl), acl_members},
    [KIND_DOCUMENT] = {sizeof(struct oned_thing), thing_members},
    [KIND_TEMPLATE] = {sizeof(struct oned_thing), thing_members},
};

static void write_numbers(const struct oned_member *member, const void *at, struct oned_text *list)
{
    for (int i = 0; i < member->count || i == 0; i++)
        oned_text_format(list, "%lld ",
                         member->type == MEMBER_INT     ? (long long)((const int *)at)[i]
                         : member->type == MEMBER_INT64 ? (long long)((const int64_t *)at)[i]
                                                        : ((const bool *)at)[i]);
}

static void read_numbers(const struct oned_member *member, void *at, const char **list)
{
    for (int i = 0; *list && (i < member->count || i == 0); i++) {
        char *end;
        long long number = strtoll(*list, &end, 10);

        *list = end;
        if (member->type == MEMBER_INT)
            ((int *)at)[i] = (int)number;
        else if (member->type == MEMBER_INT64)
            ((int64_t *)at)[i] = number;
        else
            ((bool *)at)[i] = number != 0;
    }
}

void oned_members_write(const struct oned_member *members, const void *object,
                        struct oned_attributes *record)
{
    struct oned_text numbers = {0};

    oned_text_put(&numbers, "");
    for (const struct oned_member *member = members; member->type != MEMBER_END; member++) {
        const void *at = (const char *)object + member->offset;

        if (member->type == MEMBER_TEXT)
            oned_attributes_add(record, member->name, *(char *const *)at);
        else if (member->type == MEMBER_TEMPLATE)
            oned_attributes_copy(oned_attributes_add_vector(record, member->name), at);
        else
            write_numbers(member, at, &numbers);
    }
    oned_attributes_add(record, "NUMBERS", numbers.bytes);
    oned_text_finish(&numbers);
}

void oned_members_read(const struct oned_member *members, void *object,
                       const struct oned_attributes *record)
{
    const char *numbers = oned_attributes_get(record, "NUMBERS"), *text;
    const struct oned_attributes *template;

    for (const struct oned_member *member = members; member->type != MEMBER_END; member++) {
        void *at = (char *)object + member->offset;

        if (member->type == MEMBER_TEXT) {
            text = oned_attributes_get(record, member->name);
            *(char **)at = memory_text(text ? text : "");
        } else if (member->type == MEMBER_TEMPLATE) {
            template = oned_attributes_vector(record, member->name, 0);
            if (template)
                oned_attributes_copy(at, template);
        } else {
            read_numbers(member, at, &numbers);
        }
    }
}

void oned_members_finish(const struct oned_member *members, void *object)
{
    for (const struct oned_member *member = members; member->type != MEMBER_END; member++) {
        void *at = (char *)object + member->offset;

        if (member->type == MEMBER_TEXT)
            free(*(char **)at);
        else if (member->type == MEMBER_TEMPLATE)
            oned_attributes_finish(at);
    }
}
