/* Reads users and access rules. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/pool_reader.h"
#include "util/printable.h"

enum { TEMPLATE_LIST };

/* oneadmin's document contains passwords and tokens; Galerna does not need them. */
static bool is_secret(const char *name)
{
    return strstr(name, "PASSWORD") || strstr(name, "TOKEN") || strstr(name, "SECRET");
}

static void read_user(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct user *user = object;
    int32_t flag = 0;

    switch (given->elements[0]->word) {
    case WORD_GID:
        pool_read_int(reader, given, -1, &user->gid);
        break;
    case WORD_NAME:
        user->name = pool_read_text(reader, given);
        break;
    case WORD_GNAME:
        user->group = pool_read_text(reader, given);
        break;
    case WORD_ENABLED:
        pool_read_int(reader, given, 0, &flag);
        user->enabled = flag != 0;
        break;
    case WORD_GROUPS:
        if (given->n == 2 && given->elements[1]->word == WORD_ID)
            pool_add_id(reader, given);
        break;
    case WORD_TEMPLATE:
        if (given->n >= 2 && !is_secret(given->elements[given->n - 1]->name))
            pool_add_attribute(reader, TEMPLATE_LIST, given, 1);
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

POOL_PARSER(user_pool_parse, user, user_format)

static void read_bits(struct pool_reader *reader, const struct pool_value *given, uint64_t *bits)
{
    char shown[40], *end;

    errno = 0;
    *bits = strtoull(given->text, &end, 16);
    if (given->length == 0 || errno != 0 || *end != '\0' || given->text[0] == '-')
        pool_reader_reject(reader, "an access rule: %.40s is \"%s\", not a hexadecimal number",
                           given->elements[0]->name, printable(shown, sizeof shown, given->text));
}

static void read_rule(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct acl_rule *rule = object;

    switch (given->n == 1 ? given->elements[0]->word : WORD_NONE) {
    case WORD_USER:
        read_bits(reader, given, &rule->user);
        break;
    case WORD_RESOURCE:
        read_bits(reader, given, &rule->resource);
        break;
    case WORD_RIGHTS:
        read_bits(reader, given, &rule->rights);
        break;
    case WORD_ZONE:
        read_bits(reader, given, &rule->zone);
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
