/* Random VM groups, and a checker of their rules. */
#include "test/property/random_groups.h"

#include <stdio.h>
#include <string.h>

/* --- groups ------------------------------------------------------------------------------------
 */

static uint32_t some_bits(struct random *random, size_t n)
{
    return (uint32_t)random_between(random, 1, (1 << n) - 1);
}

static void choose_role(struct group_role *role, struct random *random, size_t n_hosts)
{
    int64_t policy = random_between(random, 0, 3);

    role->together = policy == 1;
    role->apart = policy >= 2;
    role->by_cluster = random_once_in(random, 4);
    role->hosts = random_once_in(random, 4) ? some_bits(random, n_hosts) : UINT32_MAX;
    role->clusters = random_once_in(random, 6) ? some_bits(random, CLUSTERS) : UINT32_MAX;
}

static void choose_rule(struct group *group, struct random *random)
{
    if (group->n_roles < 2 || random_once_in(random, 3))
        return;
    group->together = random_once_in(random, 2);
    group->apart = !group->together;
    group->by_cluster = random_once_in(random, 3);
    group->ruled = group->n_roles > 2 && random_once_in(random, 2) ? 7 : 3;
    for (size_t i = 0; group->together && i < group->n_roles; i++)
        if (group->ruled & 1U << i)
            group->roles[i].apart &= group->by_cluster && !group->roles[i].by_cluster;
}

void groups_choose(struct random_groups *groups, struct random *random, size_t n_hosts)
{
    memset(groups, 0, sizeof *groups);
    groups->n_hosts = n_hosts;
    for (size_t i = 0; i < GROUPS; i++) {
        struct group *group = &groups->groups[i];

        group->n_roles = (size_t)random_between(random, 1, ROLES);
        for (size_t k = 0; k < group->n_roles; k++)
            choose_role(&group->roles[k], random, n_hosts);
        choose_rule(group, random);
    }
}

void groups_add(struct random_groups *groups, size_t group, size_t role, int32_t vm)
{
    struct group_role *to = &groups->groups[group].roles[role];

    if (to->n < MEMBERS)
        to->members[to->n++] = vm;
}

static bool ties(const struct group *group, size_t number, int32_t vm)
{
    const struct group_role *role = &group->roles[number];
    bool by_rule = group->together && !group->by_cluster && group->ruled & 1U << number;
    size_t i = 0;

    while (i < role->n && role->members[i] != vm)
        i++;
    return i < role->n && ((role->together && !role->by_cluster && role->n > 1) || by_rule);
}

bool groups_tie(const struct random_groups *groups, int32_t vm)
{
    for (size_t i = 0; i < GROUPS; i++)
        for (size_t k = 0; k < groups->groups[i].n_roles; k++)
            if (ties(&groups->groups[i], k, vm))
                return true;
    return false;
}

/* --- documents ---------------------------------------------------------------------------------
 */

struct text {
    char *at, *end;
};

static void add(struct text *text, const char *part)
{
    text->at += snprintf(text->at, (size_t)(text->end - text->at), "%s", part);
}

static void add_id(struct text *text, int64_t id)
{
    text->at += snprintf(text->at, (size_t)(text->end - text->at), "%lld,", (long long)id);
}

static void add_bits(struct text *text, const char *open, uint32_t bits, size_t n,
                     const char *close)
{
    if (bits == UINT32_MAX)
        return;
    add(text, open);
    for (size_t i = 0; i < n; i++)
        if (bits & 1U << i)
            add_id(text, (int64_t)i);
    add(text, close);
}

static void write_role(const struct random_groups *groups, const struct group_role *role,
                       size_t number, struct text *text)
{
    add(text, "<ROLE><ID>");
    text->at += snprintf(text->at, (size_t)(text->end - text->at), "%zu</ID><NAME>r%zu</NAME>",
                         number, number);
    if (role->together || role->apart)
        add(text, role->apart ? "<POLICY>ANTI_AFFINED</POLICY>" : "<POLICY>AFFINED</POLICY>");
    if (role->by_cluster)
        add(text, "<GALERNA_LEVEL>CLUSTER</GALERNA_LEVEL>");
    add_bits(text, "<HOST_AFFINED>", role->hosts, groups->n_hosts, "</HOST_AFFINED>");
    add_bits(text, "<GALERNA_CLUSTER_AFFINED>", role->clusters, CLUSTERS,
             "</GALERNA_CLUSTER_AFFINED>");
    add(text, "<VMS>");
    for (size_t i = 0; i < role->n; i++)
        add_id(text, role->members[i]);
    text->at -= role->n > 0;
    add(text, "</VMS></ROLE>");
}

static void write_rule(const struct group *group, struct text *text)
{
    add(text, "<TEMPLATE>");
    if (group->by_cluster)
        add(text, "<GALERNA_LEVEL>CLUSTER</GALERNA_LEVEL>");
    if (group->ruled) {
        add(text, group->apart ? "<ANTI_AFFINED>" : "<AFFINED>");
        add(text, group->ruled == 7 ? "r0,r1,r2" : "r0, r1");
        add(text, group->apart ? "</ANTI_AFFINED>" : "</AFFINED>");
    }
    add(text, "</TEMPLATE>");
}

void groups_write(const struct random_groups *groups, char buffer[TEXT_OF_GROUPS])
{
    struct text text = {buffer, buffer + TEXT_OF_GROUPS};

    add(&text, "<VM_GROUP_POOL>");
    for (size_t i = 0; i < GROUPS; i++) {
        text.at += snprintf(text.at, (size_t)(text.end - text.at),
                            "<VM_GROUP><ID>%zu</ID><NAME>g</NAME><ROLES>", i);
        for (size_t k = 0; k < groups->groups[i].n_roles; k++)
            write_role(groups, &groups->groups[i].roles[k], k, &text);
        add(&text, "</ROLES>");
        write_rule(&groups->groups[i], &text);
        add(&text, "</VM_GROUP>");
    }
    add(&text, "</VM_GROUP_POOL>");
}

/* --- checks ------------------------------------------------------------------------------------
 */

static int32_t place_of(int32_t host, bool by_cluster)
{
    return by_cluster ? host % CLUSTERS : host;
}

static bool share_place(const struct vm_places *a, const struct vm_places *b, bool by_cluster)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (place_of(a->hosts[i], by_cluster) == place_of(b->hosts[k], by_cluster))
                return true;
    return false;
}

static struct vm_places with_next(const struct vm_places *places)
{
    struct vm_places all = *places;

    if (all.next >= 0)
        all.hosts[all.n++] = all.next;
    return all;
}

static struct vm_places in_the_end(const struct vm_places *places)
{
    struct vm_places last = *places;

    if (last.next >= 0) {
        last.hosts[0] = last.next;
        last.n = 1;
    }
    if (last.ends)
        last.n = 0;
    return last;
}

struct pair {
    int32_t vms[2];
    struct vm_places places[2];
    const char *rule;
};

static bool is_kept(const struct pair *pair, bool apart, bool by_cluster, char *text, size_t size)
{
    const struct vm_places *a = &pair->places[0], *b = &pair->places[1];
    struct vm_places a_soon = with_next(a), b_soon = with_next(b);
    struct vm_places a_last = in_the_end(a), b_last = in_the_end(b);

    if (a->n == 0 || b->n == 0 || (!apart && (a->left_behind || b->left_behind)))
        return true;
    if (apart ? !share_place(a, b, by_cluster) && !share_place(&a_last, &b_last, by_cluster)
              : share_place(&a_soon, &b_soon, by_cluster))
        return true;
    snprintf(text, size,
             "VM %d (host %d, %d, to %d) and VM %d (host %d, %d, to %d) are %s, against %s%s",
             pair->vms[0], a->hosts[0], a->n > 1 ? a->hosts[1] : -1, a->next, pair->vms[1],
             b->hosts[0], b->n > 1 ? b->hosts[1] : -1, b->next,
             apart ? "not apart" : "not together", pair->rule, by_cluster ? " by cluster" : "");
    return false;
}

static bool role_is_kept(const struct group_role *role, const struct places_of_vms *places,
                         char *text, size_t size)
{
    for (size_t i = 0; i < role->n; i++) {
        struct vm_places at = places->of(places->context, role->members[i]);
        struct vm_places soon = with_next(&at);

        for (size_t k = 0; k < soon.n; k++)
            if (!(role->hosts & 1U << soon.hosts[k]) ||
                !(role->clusters & 1U << soon.hosts[k] % CLUSTERS)) {
                snprintf(text, size, "VM %d is on host %d, which its role excludes",
                         role->members[i], soon.hosts[k]);
                return false;
            }
        for (size_t k = 0; k < i && (role->apart || role->together); k++) {
            struct pair pair = {{role->members[i], role->members[k]},
                                {at, places->of(places->context, role->members[k])},
                                "their role"};

            if (!is_kept(&pair, role->apart, role->by_cluster, text, size))
                return false;
        }
    }
    return true;
}

static bool rule_is_kept(const struct group *group, const struct places_of_vms *places, size_t a,
                         size_t b, char *text, size_t size)
{
    const struct group_role *one = &group->roles[a], *other = &group->roles[b];

    for (size_t i = 0; i < one->n; i++)
        for (size_t k = 0; k < other->n; k++) {
            struct pair pair = {{one->members[i], other->members[k]},
                                {places->of(places->context, one->members[i]),
                                 places->of(places->context, other->members[k])},
                                "the rule of their roles"};

            if (!is_kept(&pair, group->apart, group->by_cluster, text, size))
                return false;
        }
    return true;
}

bool groups_are_kept(const struct random_groups *groups, const struct places_of_vms *places,
                     char *text, size_t size)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *group = &groups->groups[i];

        for (size_t a = 0; a < group->n_roles; a++) {
            if (!role_is_kept(&group->roles[a], places, text, size))
                return false;
            for (size_t b = 0; b < a; b++)
                if (group->ruled & 1U << a && group->ruled & 1U << b &&
                    !rule_is_kept(group, places, a, b, text, size))
                    return false;
        }
    }
    return true;
}
