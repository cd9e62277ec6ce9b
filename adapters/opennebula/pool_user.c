/* Reads users, access rules and the Raft state of a zone. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/pool_reader.h"
#include "util/printable.h"

enum { TEMPLATE_LIST };

/* oneadmin's document contains passwords and tokens; Galerna does not need them. */
static bool is_secret(const char *name)
{
    return strstr(name, "PASSWORD") || strstr(name, "TOKEN") || strstr(name, "SECRET");
}

static void read_user(struct pool_reader *reader, void *object, const struct pool_path *path,
                      const struct pool_text *text)
{
    struct user *user = object;
    int32_t flag = 0;

    switch (path->elements[0]->word) {
    case WORD_GID:
        pool_read_int(reader, path, text, -1, &user->gid);
        break;
    case WORD_NAME:
        user->name = pool_read_text(reader, text);
        break;
    case WORD_GNAME:
        user->group = pool_read_text(reader, text);
        break;
    case WORD_ENABLED:
        pool_read_int(reader, path, text, 0, &flag);
        user->enabled = flag != 0;
        break;
    case WORD_GROUPS:
        if (path->n == 2 && path->elements[1]->word == WORD_ID)
            pool_add_id(reader, path, text);
        break;
    case WORD_TEMPLATE:
        if (path->n >= 2 && !is_secret(path->elements[path->n - 1]->name))
            pool_add_attribute(reader, pool_reader_list(reader, TEMPLATE_LIST), path, 1, text);
        break;
    default:
        break;
    }
}

static void end_user(struct pool_reader *reader, void *object)
{
    struct user *user = object;

    user->name = user->name ? user->name : "";
    user->group = user->group ? user->group : "";
    user->groups = pool_take_ids(reader, &user->n_groups);
    pool_take_attributes(reader, TEMPLATE_LIST, TEMPLATE_LIST, &user->attributes);
}

static const struct pool_format user_format = {
    .pool = "USER_POOL",
    .object = "USER",
    .what = "a user",
    .size = sizeof(struct user),
    .value = read_user,
    .end = end_user,
};

int user_pool_parse(struct user_pool *pool, const char *document, size_t length, struct error *err)
{
    struct pool_items items;
    int result = pool_read(&items, &user_format, document, length, err);

    POOL_MOVE(pool, &items);
    return result;
}

static void read_bits(struct pool_reader *reader, const struct pool_path *path,
                      const struct pool_text *text, uint64_t *bits)
{
    char shown[40], *end;

    errno = 0;
    *bits = strtoull(text->text, &end, 16);
    if (text->length == 0 || errno != 0 || *end != '\0' || text->text[0] == '-')
        pool_reader_reject(reader, "an access rule: %.40s is \"%s\", not a hexadecimal number",
                           path->elements[0]->name, printable(shown, sizeof shown, text->text));
}

static void read_rule(struct pool_reader *reader, void *object, const struct pool_path *path,
                      const struct pool_text *text)
{
    struct acl_rule *rule = object;

    switch (path->n == 1 ? path->elements[0]->word : WORD_NONE) {
    case WORD_USER:
        read_bits(reader, path, text, &rule->user);
        break;
    case WORD_RESOURCE:
        read_bits(reader, path, text, &rule->resource);
        break;
    case WORD_RIGHTS:
        read_bits(reader, path, text, &rule->rights);
        break;
    case WORD_ZONE:
        read_bits(reader, path, text, &rule->zone);
        break;
    default:
        break;
    }
}

static const struct pool_format rule_format = {
    .pool = "ACL_POOL",
    .object = "ACL",
    .size = sizeof(struct acl_rule),
    .unsorted = true,
    .value = read_rule,
};

int acl_parse(struct acl *acl, const char *document, size_t length, struct error *err)
{
    struct pool_items items;
    int result = pool_read(&items, &rule_format, document, length, err);

    /* Omitting an unreadable rule would change rights: the whole document is rejected. */
    if (result == 0 && items.errors.n > 0) {
        result = error_set(err, EINVAL, "document with ACL_POOL: %s", items.errors.first);
        free(items.items);
        pool_memory_destroy(items.memory);
        items = (struct pool_items){0};
    }
    *acl = (struct acl){items.items, items.n, items.allocated, items.memory};
    return result;
}

enum raft_state { RAFT_SOLO, RAFT_CANDIDATE, RAFT_FOLLOWER, RAFT_LEADER, RAFT_OBSERVER };

struct raft {
    int32_t state, server;
    int64_t term;
    bool has_state;
};

static void read_raft(struct pool_reader *reader, void *object, const struct pool_path *path,
                      const struct pool_text *text)
{
    struct raft *raft = object;

    if (path->n != 1)
        return;
    switch (path->elements[0]->word) {
    case WORD_STATE:
        pool_read_int(reader, path, text, 0, &raft->state);
        raft->has_state = text->length > 0;
        break;
    case WORD_SERVER_ID:
        pool_read_int(reader, path, text, -1, &raft->server);
        break;
    case WORD_TERM:
        pool_read_number(reader, path, text, (struct pool_range){0, INT64_MAX}, &raft->term);
        break;
    default:
        break;
    }
}

static void tell_leadership(const struct raft *raft, struct cloud_leadership *leadership)
{
    static const char *const names[] = {[RAFT_SOLO] = "solo",
                                        [RAFT_CANDIDATE] = "candidate",
                                        [RAFT_FOLLOWER] = "follower",
                                        [RAFT_LEADER] = "leader",
                                        [RAFT_OBSERVER] = "observer"};
    bool alone = raft->state == RAFT_SOLO;

    *leadership = (struct cloud_leadership){
        .leads = alone || raft->state == RAFT_LEADER,
        .term = alone ? 0 : raft->term,
        .server = alone ? -1 : raft->server,
    };
    if ((size_t)raft->state < sizeof names / sizeof *names)
        snprintf(leadership->role, sizeof leadership->role, "%s", names[raft->state]);
    else
        snprintf(leadership->role, sizeof leadership->role, "state %d", raft->state);
}

int raft_status_parse(struct cloud_leadership *leadership, const char *document, size_t length,
                      struct error *err)
{
    static const struct pool_format format = {
        .pool = "RAFT_POOL",
        .object = "RAFT",
        .size = sizeof(struct raft),
        .unsorted = true,
        .value = read_raft,
    };
    struct pool_items items;
    struct raft raft = {0};

    if (pool_read(&items, &format, document, length, err) < 0)
        return -1;
    if (items.n == 1)
        raft = *(const struct raft *)items.items;
    free(items.items);
    pool_memory_destroy(items.memory);
    if (!raft.has_state)
        return error_set(err, EINVAL, "one.zone.raftstatus: no STATE in the answer");
    if (raft.state == RAFT_LEADER && raft.term <= 0)
        return error_set(err, EINVAL, "one.zone.raftstatus: a leader without a TERM");
    tell_leadership(&raft, leadership);
    return 0;
}
