/* Reads VM groups: their roles, rules and members. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/pool_reader.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/search.h"

enum { WEIGHT_MAX = 100, SHOWN_MAX = 40 };

/* The state of reading a group. Rules may name later roles, and are resolved at the end of the
 * group. */
struct vmgroup_draft {
    bool has_role_id;
    struct vmgroup_role role; /* the current one */
    struct vmgroup_role roles[VMGROUP_ROLES_MAX];
    size_t n_roles;
    const char *rules[VMGROUP_RULES_MAX];
    bool apart[VMGROUP_RULES_MAX];
    size_t n_rules;
};

static void reject(struct pool_reader *reader, const struct vmgroup *group, const char *what,
                   const char *text)
{
    char shown[SHOWN_MAX];

    pool_reader_reject(reader, "VM group %d: %s \"%s\"", group->id, what,
                       printable(shown, sizeof shown, text));
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Parses "3, 1,,3" as 1, 3. False: other characters. */
static bool parse_ids(const char *text, int32_t *ids, size_t *n)
{
    size_t kept = 0;

    *n = 0;
    while (*text) {
        char *end;
        long long id;

        text += strspn(text, ", \t\r\n");
        if (!*text)
            break;
        if (*text < '0' || *text > '9')
            return false;
        id = strtoll(text, &end, 10);
        end += strspn(end, " \t\r\n");
        if (id > INT32_MAX || (*end && *end != ','))
            return false;
        ids[(*n)++] = (int32_t)id;
        text = end;
    }
    if (*n > 0)
        qsort(ids, *n, sizeof *ids, search_by_id);
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    *n = kept;
    return true;
}

/* A shortened list would be a different rule. */
static void read_ids(struct pool_reader *reader, const struct vmgroup *group,
                     const struct pool_value *given, struct id_set *set)
{
    int32_t *ids = memory_new(given->length / 2 + 1, sizeof *ids);

    if (given->length >= POOL_TEXT_MAX) {
        pool_reader_reject(reader, "VM group %d: %.40s is longer than 64 KB", group->id,
                           given->elements[given->n - 1]->name);
    } else if (!parse_ids(given->text, ids, &set->n)) {
        reject(reader, group, "not a list of ids:", given->text);
    } else {
        set->ids = pool_memory_array(pool_reader_memory(reader), set->n, sizeof *ids);
        if (set->n > 0)
            memcpy(set->ids, ids, set->n * sizeof *ids);
    }
    free(ids);
}

static void read_weight(struct pool_reader *reader, const struct pool_value *given, int32_t *weight)
{
    int64_t value = 0;

    pool_read_number(reader, given, (struct pool_range){0, WEIGHT_MAX}, &value);
    *weight = (int32_t)value;
}

static void read_level(struct pool_reader *reader, const struct vmgroup *group,
                       const struct pool_value *given, bool *by_cluster)
{
    *by_cluster = strcasecmp(given->text, "CLUSTER") == 0;
    if (!*by_cluster && strcasecmp(given->text, "HOST") != 0 && given->length > 0)
        reject(reader, group, "GALERNA_LEVEL is neither HOST nor CLUSTER:", given->text);
}

/* --- roles and rules -------------------------------------------------------------------------- */

/* As in OpenNebula, an unknown policy counts as none. */
static enum role_policy policy_of(const char *text)
{
    if (strcasecmp(text, "AFFINED") == 0)
        return ROLE_TOGETHER;
    return strcasecmp(text, "ANTI_AFFINED") == 0 ? ROLE_APART : ROLE_FREE;
}

static void read_role(struct pool_reader *reader, const struct vmgroup *group,
                      const struct pool_value *given)
{
    struct vmgroup_draft *draft = pool_reader_scratch(reader);
    struct vmgroup_role *role = &draft->role;

    switch (given->elements[2]->word) {
    case WORD_ID:
        pool_read_int(reader, given, 0, &role->id);
        draft->has_role_id = given->length > 0;
        break;
    case WORD_NAME:
        role->name = pool_read_text(reader, given);
        break;
    case WORD_POLICY:
        role->policy = policy_of(given->text);
        break;
    case WORD_HOST_AFFINED:
        read_ids(reader, group, given, &role->hosts);
        break;
    case WORD_HOST_ANTI_AFFINED:
        read_ids(reader, group, given, &role->not_hosts);
        break;
    case WORD_GALERNA_CLUSTER_AFFINED:
        read_ids(reader, group, given, &role->clusters);
        break;
    case WORD_GALERNA_CLUSTER_ANTI_AFFINED:
        read_ids(reader, group, given, &role->not_clusters);
        break;
    case WORD_GALERNA_WEIGHT:
        read_weight(reader, given, &role->weight);
        break;
    case WORD_GALERNA_LEVEL:
        read_level(reader, group, given, &role->by_cluster);
        break;
    case WORD_VMS:
        read_ids(reader, group, given, &role->vms);
        break;
    default:
        break;
    }
}

static void end_role(struct pool_reader *reader, const struct vmgroup *group)
{
    struct vmgroup_draft *draft = pool_reader_scratch(reader);

    if (!draft->has_role_id || !draft->role.name)
        pool_reader_reject(reader, "VM group %d: a role has no %s", group->id,
                           draft->has_role_id ? "NAME" : "ID");
    else if (draft->n_roles == VMGROUP_ROLES_MAX)
        pool_reader_reject(reader, "VM group %d: more than %d roles", group->id, VMGROUP_ROLES_MAX);
    else
        draft->roles[draft->n_roles++] = draft->role;
    draft->role = (struct vmgroup_role){0};
    draft->has_role_id = false;
}

static void note_rule(struct pool_reader *reader, const struct vmgroup *group, bool apart,
                      const struct pool_value *given)
{
    struct vmgroup_draft *draft = pool_reader_scratch(reader);

    if (draft->n_rules == VMGROUP_RULES_MAX) {
        pool_reader_reject(reader, "VM group %d: more than %d rules", group->id, VMGROUP_RULES_MAX);
        return;
    }
    draft->apart[draft->n_rules] = apart;
    draft->rules[draft->n_rules++] = pool_read_text(reader, given);
}

/* The bit of a role; 0: the group has no such role. */
static uint64_t role_bit(const struct vmgroup_draft *draft, const char *name, size_t length)
{
    for (size_t i = 0; i < draft->n_roles; i++)
        if (strncmp(draft->roles[i].name, name, length) == 0 && !draft->roles[i].name[length])
            return UINT64_C(1) << i;
    return 0;
}

/* Parses "web, db". */
static void read_rule(struct pool_reader *reader, const struct vmgroup *group, const char *text,
                      struct vmgroup_rule *rule)
{
    const struct vmgroup_draft *draft = pool_reader_scratch(reader);
    const char *name = text;

    while (*name) {
        size_t length;
        uint64_t bit;

        name += strspn(name, ", \t\r\n");
        length = strcspn(name, ",");
        while (length > 0 && strchr(" \t\r\n", name[length - 1]))
            length--;
        if (length == 0)
            continue;
        bit = role_bit(draft, name, length);
        if (!bit)
            reject(reader, group, "a rule names a role that it does not have:", text);
        rule->roles |= bit;
        name += strcspn(name, ",");
    }
}

static void read_vmgroup(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct vmgroup *group = object;
    enum pool_word outer = given->elements[0]->word;
    enum pool_word inner = given->n > 1 ? given->elements[1]->word : WORD_NONE;

    if (given->n == 1 && outer == WORD_NAME) {
        group->name = pool_read_text(reader, given);
    } else if (given->n == 3 && outer == WORD_ROLES && inner == WORD_ROLE) {
        read_role(reader, group, given);
    } else if (given->n == 2 && outer == WORD_TEMPLATE) {
        if (inner == WORD_AFFINED || inner == WORD_ANTI_AFFINED)
            note_rule(reader, group, inner == WORD_ANTI_AFFINED, given);
        else if (inner == WORD_GALERNA_WEIGHT)
            read_weight(reader, given, &group->weight);
        else if (inner == WORD_GALERNA_LEVEL)
            read_level(reader, group, given, &group->by_cluster);
    }
}

static void close_element(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    if (given->n == 2 && given->elements[0]->word == WORD_ROLES &&
        given->elements[1]->word == WORD_ROLE)
        end_role(reader, object);
}

static void end_vmgroup(struct pool_reader *reader, void *object)
{
    const struct vmgroup_draft *draft = pool_reader_scratch(reader);
    struct pool_memory *memory = pool_reader_memory(reader);
    struct vmgroup *group = object;

    group->name = group->name ? group->name : "";
    group->n_roles = draft->n_roles;
    group->roles = pool_memory_array(memory, draft->n_roles, sizeof *group->roles);
    if (draft->n_roles > 0)
        memcpy(group->roles, draft->roles, draft->n_roles * sizeof *group->roles);
    group->n_rules = draft->n_rules;
    group->rules = pool_memory_array(memory, draft->n_rules, sizeof *group->rules);
    for (size_t i = 0; i < draft->n_rules; i++) {
        group->rules[i] = (struct vmgroup_rule){.apart = draft->apart[i]};
        read_rule(reader, group, draft->rules[i], &group->rules[i]);
    }
}

static const struct pool_format vmgroup_format = {
    .pool = "VM_GROUP_POOL",
    .object = "VM_GROUP",
    .what = "a VM group",
    .size = sizeof(struct vmgroup),
    .value = read_vmgroup,
    .close = close_element,
    .end = end_vmgroup,
    .scratch = sizeof(struct vmgroup_draft),
};

int vmgroup_pool_parse(struct vmgroup_pool *pool, const char *document, size_t length,
                       struct error *err)
{
    struct pool_items items;
    int result = pool_read(&items, &vmgroup_format, document, length, err);

    *pool = (struct vmgroup_pool){0};
    POOL_MOVE(pool, &items);
    vmgroup_pool_index(pool);
    return result;
}
