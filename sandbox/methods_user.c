/* Users, groups and access rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"
#include "util/memory.h"

static bool acl_precedes(const struct oned_acl *a, const struct oned_acl *b)
{
    unsigned long long x = strtoull(a->user, NULL, 16), y = strtoull(b->user, NULL, 16);

    return x != y ? x < y : a->id < b->id;
}

/* The next rule in the order of those they are for; the first one after NULL. */
static const struct oned_acl *acl_after(const struct oned *oned, const struct oned_acl *last)
{
    const struct oned_acl *next = NULL;

    for (int id = 0; id < oned->pools[KIND_ACL].count; id++) {
        const struct oned_acl *acl = oned_pool_get(oned, KIND_ACL, id);

        if (acl && (!last || acl_precedes(last, acl)) && (!next || acl_precedes(acl, next)))
            next = acl;
    }
    return next;
}

static xmlrpc_value *acl_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<ACL_POOL>");
    for (const struct oned_acl *acl = NULL; (acl = acl_after(call->oned, acl));)
        oned_object_document(call->oned, KIND_ACL, acl, false, &text);
    oned_text_put(&text, "</ACL_POOL>");
    return oned_answer_document(call, &text);
}

/* (user, resource, rights[, zone]) as hexadecimal bit fields, as clients send them. */
static xmlrpc_value *acl_add(struct oned_call *call)
{
    const char *const fields[] = {call->argument[1].text, call->argument[2].text,
                                  call->argument[3].text,
                                  call->argument[4].text ? call->argument[4].text : "400000000"};
    char words[160];

    snprintf(words, sizeof words, "%.36s %.36s %.36s %.36s", fields[0], fields[1], fields[2],
             fields[3]);
    return oned_answer_int(call, oned_acl_add(call->oned, fields, words));
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    return oned_answer_int(
        call, oned_user_add(call->oned, call->argument[1].text, call->argument[2].text, 1)->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_user *user = call->object;

    return oned_update_template(call, KIND_USER, user->id, &user->template);
}

static xmlrpc_value *change_group(struct oned_call *call)
{
    struct oned_user *user = call->object;
    int64_t gid = call->argument[2].number;

    if (!oned_is_admin(call->user))
        return oned_answer_forbidden(call, "MANAGE", "USER", user->id);
    if (!oned_pool_get(call->oned, KIND_GROUP, gid))
        return oned_answer_missing(call, KIND_GROUP, gid);
    user->gid = (int)gid;
    oned_touch(call->oned, KIND_USER, user->id);
    return oned_answer_int(call, user->id);
}

static xmlrpc_value *change_password(struct oned_call *call)
{
    struct oned_user *user = call->object;

    free(user->password);
    user->password = memory_text(call->argument[2].text);
    oned_touch(call->oned, KIND_USER, user->id);
    return oned_answer_int(call, user->id);
}

static struct oned_user *find_name(const struct oned *oned, const char *name)
{
    for (int id = 0; id < oned->pools[KIND_USER].count; id++) {
        struct oned_user *user = oned_user(oned, id);

        if (user && !strcmp(user->name, name))
            return user;
    }
    return NULL;
}

static xmlrpc_value *login(struct oned_call *call)
{
    struct oned_user *user = find_name(call->oned, call->argument[1].text);

    if (!user)
        return oned_answer_failure(call, 0x0400, "Error getting user");
    if (!oned_is_admin(call->user) && user != call->user)
        return oned_answer_forbidden(call, "MANAGE", "USER", user->id);
    return oned_answer_text(call, oned_token_add(call->oned, user, call->argument[3].number));
}

static xmlrpc_value *group_allocate(struct oned_call *call)
{
    int id = oned_thing_add(call->oned, KIND_GROUP,
                            oned_thing_create(call->argument[1].text, "", NULL), 100);

    oned_acl_add_group(call->oned, id);
    return oned_answer_int(call, id);
}

const struct oned_method oned_user_methods[] = {
    {"one.user.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_USER},
    {"one.user.allocate", "A:sss", .run = allocate, .privilege = "CREATE USER"},
    {"one.user.update", "A:sisi", .run = update, .object = 1, .kind = KIND_USER},
    {"one.user.chgrp", "A:sii", .run = change_group, .object = 1, .kind = KIND_USER},
    {"one.user.passwd", "A:sis", .run = change_password, .object = 1, .kind = KIND_USER},
    {"one.user.login", "A:sssii", .run = login, .optional = 1},
    {"one.userpool.info", "A:s", .run = oned_answer_pool, .kind = KIND_USER},
    {"one.group.allocate", "A:ss", .run = group_allocate, .privilege = "CREATE GROUP"},
    {"one.group.info", "A:si", .run = oned_answer_info, .object = 1, .kind = KIND_GROUP},
    {"one.grouppool.info", "A:s", .run = oned_answer_pool, .kind = KIND_GROUP},
    {"one.acl.addrule", "A:sssss", .run = acl_add, .optional = 1, .privilege = "MANAGE ACL"},
    {"one.acl.delrule", "A:si", .run = oned_answer_delete, .object = 1, .kind = KIND_ACL,
     .privilege = "MANAGE ACL"},
    {"one.acl.info", "A:s", .run = acl_info},
    {.name = NULL},
};
