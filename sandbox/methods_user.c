/* Users, groups and access rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"
#include "util/memory.h"

static struct oned_user *get_user(struct oned_call *call, xmlrpc_value **answer)
{
    struct oned_user *user;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &id))
        return NULL;
    id = id == -1 ? call->user->id : id;
    user = oned_user(call->oned, id);
    if (!user) {
        *answer = oned_answer_missing(call, "user", id);
    } else if (!oned_is_admin(call->user) && user != call->user) {
        *answer = oned_answer_forbidden(call, "USE", "USER", id);
        user = NULL;
    }
    return user;
}

static xmlrpc_value *info(struct oned_call *call)
{
    struct oned_text text = {0};
    xmlrpc_value *answer;
    struct oned_user *user = get_user(call, &answer);

    if (!user)
        return answer;
    oned_user_document(call->oned, user, true, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *pool_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<USER_POOL>");
    for (int id = call->oned->pools[KIND_USER].count - 1; id >= 0; id--) {
        const struct oned_user *user = oned_user(call->oned, id);

        if (user && (oned_is_admin(call->user) || user == call->user))
            oned_user_document(call->oned, user, false, &text);
    }
    oned_text_put(&text, "<DEFAULT_USER_QUOTAS><DATASTORE_QUOTA></DATASTORE_QUOTA>"
                         "<NETWORK_QUOTA></NETWORK_QUOTA><VM_QUOTA></VM_QUOTA>"
                         "<IMAGE_QUOTA></IMAGE_QUOTA></DEFAULT_USER_QUOTAS></USER_POOL>");
    return oned_answer_document(call, &text);
}

static xmlrpc_value *group_info(struct oned_call *call)
{
    struct oned_text text = {0};
    const struct oned_group *group;
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    id = id == -1 ? call->user->gid : id;
    group = oned_pool_get(call->oned, KIND_GROUP, id);
    if (!group)
        return oned_answer_missing(call, "group", id);
    oned_group_document(call->oned, group, true, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *grouppool_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<GROUP_POOL>");
    for (int id = call->oned->pools[KIND_GROUP].count - 1; id >= 0; id--) {
        const struct oned_group *group = oned_pool_get(call->oned, KIND_GROUP, id);

        if (group && (oned_is_admin(call->user) || group->id == call->user->gid))
            oned_group_document(call->oned, group, false, &text);
    }
    oned_text_put(&text, "<DEFAULT_GROUP_QUOTAS><DATASTORE_QUOTA></DATASTORE_QUOTA>"
                         "<NETWORK_QUOTA></NETWORK_QUOTA><VM_QUOTA></VM_QUOTA>"
                         "<IMAGE_QUOTA></IMAGE_QUOTA></DEFAULT_GROUP_QUOTAS></GROUP_POOL>");
    return oned_answer_document(call, &text);
}

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
        oned_acl_document(acl, &text);
    oned_text_put(&text, "</ACL_POOL>");
    return oned_answer_document(call, &text);
}

/* (user, resource, rights[, zone]) as hexadecimal bit fields, as clients send them. */
static xmlrpc_value *acl_add(struct oned_call *call)
{
    char *fields[4] = {NULL, NULL, NULL, NULL}, words[160];
    xmlrpc_value *answer = NULL;
    int given = 0;

    if (!oned_is_admin(call->user))
        return oned_answer_failure(
            call, 0x0200, "User [%d] : Not authorized to perform MANAGE ACL.", call->user->id);
    while (given < 4 && (given < 3 || call->count > 4) &&
           oned_argument_text(call, given + 1, &fields[given]))
        given++;
    if (given == 3 && call->count <= 4)
        fields[given++] = memory_text("400000000");
    if (given == 4) {
        snprintf(words, sizeof words, "%.36s %.36s %.36s %.36s", fields[0], fields[1], fields[2],
                 fields[3]);
        answer =
            oned_answer_int(call, oned_acl_add(call->oned, (const char *const *)fields, words));
    }
    for (int i = 0; i < 4; i++)
        free(fields[i]);
    return answer;
}

static xmlrpc_value *acl_remove(struct oned_call *call)
{
    int64_t id;

    if (!oned_argument_int(call, 1, &id))
        return NULL;
    if (!oned_is_admin(call->user))
        return oned_answer_failure(
            call, 0x0200, "User [%d] : Not authorized to perform MANAGE ACL.", call->user->id);
    if (!oned_pool_get(call->oned, KIND_ACL, id))
        return oned_answer_missing(call, "ACL rule", id);
    oned_pool_remove(call->oned, KIND_ACL, (int)id);
    return oned_answer_int(call, id);
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct oned_user *user;
    char *name, *password;

    if (!oned_is_admin(call->user))
        return oned_answer_failure(
            call, 0x0200, "User [%d] : Not authorized to perform CREATE USER.", call->user->id);
    if (!oned_argument_text(call, 1, &name))
        return NULL;
    if (!oned_argument_text(call, 2, &password)) {
        free(name);
        return NULL;
    }
    user = oned_user_add(call->oned, name, password, 1);
    free(name);
    free(password);
    return oned_answer_int(call, user->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    struct oned_attributes changes = {0};
    struct error err = {0};
    struct oned_user *user;
    xmlrpc_value *answer;
    int64_t append;
    char *template;

    if (!oned_argument_int(call, 3, &append) || !oned_argument_text(call, 2, &template))
        return NULL;
    user = get_user(call, &answer);
    if (user && oned_attributes_parse(&changes, template, &err)) {
        answer = oned_answer_failure(call, 0x2000, "Cannot update template. %.300s", err.text);
    } else if (user) {
        if (append)
            oned_attributes_merge(&user->template, &changes);
        else
            oned_attributes_copy(&user->template, &changes);
        oned_touch(call->oned, KIND_USER, user->id);
        answer = oned_answer_int(call, user->id);
    }
    oned_attributes_finish(&changes);
    free(template);
    return answer;
}

static xmlrpc_value *change_group(struct oned_call *call)
{
    struct oned_user *user;
    xmlrpc_value *answer;
    int64_t gid;

    if (!oned_argument_int(call, 2, &gid))
        return NULL;
    user = get_user(call, &answer);
    if (!user)
        return answer;
    if (!oned_is_admin(call->user))
        return oned_answer_forbidden(call, "MANAGE", "USER", user->id);
    if (!oned_pool_get(call->oned, KIND_GROUP, gid))
        return oned_answer_missing(call, "group", gid);
    user->gid = (int)gid;
    oned_touch(call->oned, KIND_USER, user->id);
    return oned_answer_int(call, user->id);
}

static xmlrpc_value *change_password(struct oned_call *call)
{
    struct oned_user *user;
    xmlrpc_value *answer;
    char *password;

    if (!oned_argument_text(call, 2, &password))
        return NULL;
    user = get_user(call, &answer);
    if (!user) {
        free(password);
        return answer;
    }
    free(user->password);
    user->password = password;
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
    struct oned_user *user;
    int64_t seconds;
    const char *token;
    char *name;

    if (!oned_argument_int(call, 3, &seconds) || !oned_argument_text(call, 1, &name))
        return NULL;
    user = find_name(call->oned, name);
    free(name);
    if (!user)
        return oned_answer_failure(call, 0x0400, "Error getting user");
    if (!oned_is_admin(call->user) && user != call->user)
        return oned_answer_forbidden(call, "MANAGE", "USER", user->id);
    token = oned_token_add(call->oned, user, seconds);
    return oned_answer_text(call, token, strlen(token));
}

static xmlrpc_value *group_allocate(struct oned_call *call)
{
    struct oned_group *group;
    char *name;

    if (!oned_is_admin(call->user))
        return oned_answer_failure(
            call, 0x0200, "User [%d] : Not authorized to perform CREATE GROUP.", call->user->id);
    if (!oned_argument_text(call, 1, &name))
        return NULL;
    group = memory_new(1, sizeof *group);
    group->name = name;
    group->id = oned_pool_add(call->oned, KIND_GROUP, group,
                              call->oned->pools[KIND_GROUP].count < 100 ? 100 : -1);
    oned_touch(call->oned, KIND_GROUP, group->id);
    oned_acl_add_group(call->oned, group->id);
    return oned_answer_int(call, group->id);
}

const struct oned_method oned_user_methods[] = {
    {"one.user.info", "A:si", info, ONED_6_10},
    {"one.user.allocate", "A:sss", allocate, ONED_6_10},
    {"one.user.update", "A:sisi", update, ONED_6_10},
    {"one.user.chgrp", "A:sii", change_group, ONED_6_10},
    {"one.user.passwd", "A:sis", change_password, ONED_6_10},
    {"one.user.login", "A:sssii", login, ONED_6_10},
    {"one.userpool.info", "A:s", pool_info, ONED_6_10},
    {"one.group.allocate", "A:ss", group_allocate, ONED_6_10},
    {"one.group.info", "A:si", group_info, ONED_6_10},
    {"one.grouppool.info", "A:s", grouppool_info, ONED_6_10},
    {"one.acl.addrule", "A:ssss", acl_add, ONED_6_10},
    {"one.acl.delrule", "A:si", acl_remove, ONED_6_10},
    {"one.acl.info", "A:s", acl_info, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
