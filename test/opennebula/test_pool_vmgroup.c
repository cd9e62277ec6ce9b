/* VM groups: what their documents mean, and documents that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "util/memory.h"

static void read_pool(const char *document, struct vmgroup_pool *pool)
{
    struct error err = {0};
    char *copy = memory_text(document);

    if (vmgroup_pool_parse(pool, copy, strlen(copy), &err) < 0)
        fail_msg("%s", err.text);
    memset(copy, 'x', strlen(copy)); /* nothing points into the document */
    free(copy);
}

static void assert_ids(const struct id_set *set, const char *expected)
{
    char text[200] = "";
    size_t length = 0;

    for (size_t i = 0; i < set->n; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", length ? "," : "",
                                   set->ids[i]);
    assert_string_equal(text, expected);
}

#define GROUP(roles, template)                                                                     \
    "<VM_GROUP_POOL><VM_GROUP><ID>3</ID><NAME>app</NAME><ROLES>" roles                             \
    "</ROLES><TEMPLATE>" template "</TEMPLATE></VM_GROUP></VM_GROUP_POOL>"
#define ROLE(id, name, more) "<ROLE><ID>" #id "</ID><NAME>" name "</NAME>" more "</ROLE>"

static void roles_and_rules(void **state)
{
    struct vmgroup_pool pool;
    const struct vmgroup *group;

    read_pool(GROUP(ROLE(0, "web", "<POLICY>anti_affined</POLICY><VMS>7,4,4</VMS>")
                        ROLE(5, "db",
                             "<POLICY>AFFINED</POLICY><HOST_AFFINED>1, 0,,</HOST_AFFINED>"
                             "<HOST_ANTI_AFFINED> 2 </HOST_ANTI_AFFINED>"
                             "<GALERNA_CLUSTER_AFFINED>100</GALERNA_CLUSTER_AFFINED>"
                             "<GALERNA_CLUSTER_ANTI_AFFINED>101,102</GALERNA_CLUSTER_ANTI_AFFINED>"
                             "<GALERNA_WEIGHT>5</GALERNA_WEIGHT>"
                             "<GALERNA_LEVEL>cluster</GALERNA_LEVEL>")
                            ROLE(6, "cache and more", "<POLICY>FRIENDLY</POLICY><VMS></VMS>"),
                    "<AFFINED>db, cache and more </AFFINED><ANTI_AFFINED>web,db</ANTI_AFFINED>"
                    "<ANTI_AFFINED>web,cache and more</ANTI_AFFINED>"
                    "<GALERNA_WEIGHT>2</GALERNA_WEIGHT><GALERNA_LEVEL>HOST</GALERNA_LEVEL>"),
              &pool);
    assert_int_equal(pool.errors.n, 0);
    assert_int_equal(pool.n, 1);
    group = &pool.items[0];
    assert_int_equal(group->id, 3);
    assert_string_equal(group->name, "app");
    assert_int_equal(group->weight, 2);
    assert_int_equal(group->n_roles, 3);
    assert_string_equal(group->roles[0].name, "web");
    assert_int_equal(group->roles[0].policy, ROLE_APART);
    assert_int_equal(group->roles[0].weight, 0);
    assert_ids(&group->roles[0].vms, "4,7");
    assert_ids(&group->roles[0].hosts, "");
    assert_int_equal(group->roles[1].id, 5);
    assert_int_equal(group->roles[1].policy, ROLE_TOGETHER);
    assert_int_equal(group->roles[1].weight, 5);
    assert_true(group->roles[1].by_cluster);
    assert_false(group->roles[0].by_cluster || group->by_cluster);
    assert_ids(&group->roles[1].hosts, "0,1");
    assert_ids(&group->roles[1].not_hosts, "2");
    assert_ids(&group->roles[1].clusters, "100");
    assert_ids(&group->roles[1].not_clusters, "101,102");
    assert_int_equal(group->roles[2].policy, ROLE_FREE);
    assert_int_equal(group->n_rules, 3);
    assert_false(group->rules[0].apart);
    assert_int_equal(group->rules[0].roles, 1u << 1 | 1u << 2);
    assert_true(group->rules[1].apart);
    assert_int_equal(group->rules[1].roles, 1u << 0 | 1u << 1);
    assert_int_equal(group->rules[2].roles, 1u << 0 | 1u << 2);
    vmgroup_pool_finish(&pool);
}

static void members_by_vm(void **state)
{
    struct vmgroup_pool pool;
    const struct vmgroup_member *members;
    size_t n;

    read_pool("<VM_GROUP_POOL>"
              "<VM_GROUP><ID>9</ID><ROLES>" ROLE(
                  0, "a",
                  "<VMS>1,8</VMS>") "</ROLES></VM_GROUP>"
                                    "<VM_GROUP><ID>2</ID><ROLES>" ROLE(0, "b", "")
                                        ROLE(1, "c",
                                             "<VMS>8</VMS>") "</ROLES></VM_GROUP></VM_GROUP_POOL>",
              &pool);
    assert_int_equal(pool.n_members, 3);
    members = vmgroup_pool_roles_of(&pool, 8, &n);
    assert_int_equal(n, 2); /* of both groups */
    assert_int_equal(pool.items[members[0].group].id, 2);
    assert_int_equal(members[0].role, 1);
    assert_int_equal(pool.items[members[1].group].id, 9);
    members = vmgroup_pool_roles_of(&pool, 1, &n);
    assert_int_equal(n, 1);
    assert_int_equal(members->vm, 1);
    assert_null(vmgroup_pool_roles_of(&pool, 0, &n));
    assert_null(vmgroup_pool_roles_of(&pool, 9, &n));
    assert_int_equal(n, 0);
    vmgroup_pool_finish(&pool);
}

/* Such a group is left out as a whole: half of its rules would be other rules. */
static void groups_that_make_no_sense(void **state)
{
    static const struct {
        const char *document, *says;
    } cases[] = {
        {GROUP(ROLE(0, "web", "<HOST_AFFINED>host01</HOST_AFFINED>"), ""), "not a list of ids"},
        {GROUP(ROLE(0, "web", "<HOST_AFFINED>1 2</HOST_AFFINED>"), ""), "not a list of ids"},
        {GROUP(ROLE(0, "web", "<HOST_AFFINED>-1</HOST_AFFINED>"), ""), "not a list of ids"},
        {GROUP(ROLE(0, "web", "<VMS>99999999999999999999</VMS>"), ""), "not a list of ids"},
        {GROUP(ROLE(0, "web", "<GALERNA_WEIGHT>much</GALERNA_WEIGHT>"), ""), "GALERNA_WEIGHT"},
        {GROUP(ROLE(0, "web", "<GALERNA_WEIGHT>-1</GALERNA_WEIGHT>"), ""), "GALERNA_WEIGHT"},
        {GROUP(ROLE(0, "web", ""), "<GALERNA_WEIGHT>101</GALERNA_WEIGHT>"), "GALERNA_WEIGHT"},
        {GROUP(ROLE(0, "web", "<GALERNA_LEVEL>rack</GALERNA_LEVEL>"), ""), "neither HOST nor"},
        {GROUP(ROLE(0, "web", ""), "<AFFINED>web,db</AFFINED>"), "a role that it does not have"},
        {GROUP(ROLE(0, "web", ""), "<AFFINED>we</AFFINED>"), "a role that it does not have"},
        {GROUP("<ROLE><NAME>web</NAME></ROLE>", ""), "a role has no ID"},
        {GROUP("<ROLE><ID>1</ID></ROLE>", ""), "a role has no NAME"},
        {"<VM_GROUP_POOL><VM_GROUP><NAME>x</NAME></VM_GROUP></VM_GROUP_POOL>", "has no ID"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vmgroup_pool pool;

        read_pool(cases[i].document, &pool);
        assert_int_equal(pool.n, 0);
        assert_int_equal(pool.n_members, 0);
        assert_int_equal(pool.errors.n, 1);
        if (!strstr(pool.errors.first, cases[i].says))
            fail_msg("\"%s\" does not say \"%s\"", pool.errors.first, cases[i].says);
        vmgroup_pool_finish(&pool);
    }
}

/* A document of one group with `n` roles, `rules` rules, and the id repeated as the first role's
 * VMS. */
static char *large_document(size_t n, size_t rules, size_t ids)
{
    char *text = memory_new(400 + n * 60 + rules * 40 + ids * 8, 1), *end = text;

    end += sprintf(end, "<VM_GROUP_POOL><VM_GROUP><ID>3</ID><ROLES>");
    for (size_t i = 0; i < n; i++)
        end += sprintf(end, "<ROLE><ID>%zu</ID><NAME>r%zu</NAME></ROLE>", i, i);
    end += sprintf(end, "<ROLE><ID>%zu</ID><NAME>last</NAME><VMS>0", n);
    for (size_t i = 0; i < ids; i++)
        end += sprintf(end, ",%zu", i);
    end += sprintf(end, "</VMS></ROLE></ROLES><TEMPLATE>");
    for (size_t i = 0; i < rules; i++)
        end += sprintf(end, "<AFFINED>last</AFFINED>");
    sprintf(end, "</TEMPLATE></VM_GROUP></VM_GROUP_POOL>");
    return text;
}

static void assert_read(size_t n, size_t rules, size_t ids, size_t groups)
{
    char *document = large_document(n, rules, ids);
    struct vmgroup_pool pool;

    read_pool(document, &pool);
    assert_int_equal(pool.n, groups);
    assert_int_equal(pool.errors.n, 1 - groups);
    assert_int_equal(pool.n_members, groups ? (ids ? ids : 1) : 0);
    vmgroup_pool_finish(&pool);
    free(document);
}

static void sizes_are_bounded(void **state)
{
    assert_read(VMGROUP_ROLES_MAX - 1, VMGROUP_RULES_MAX, 10000, 1);
    assert_read(VMGROUP_ROLES_MAX, 0, 0, 0);
    assert_read(0, VMGROUP_RULES_MAX + 1, 0, 0);
    assert_read(0, 0, 20000, 0); /* more than 64 KB: the list was cut */
}

static void vm_names_its_group(void **state)
{
    static const char document[] =
        "<VM_POOL><VM><ID>1</ID><PERMISSIONS><OWNER_U>1</OWNER_U></PERMISSIONS><STATE>1</STATE>"
        "<TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY><VMGROUP><ROLE>web</ROLE><VMGROUP_ID>0"
        "</VMGROUP_ID></VMGROUP></TEMPLATE></VM><VM><ID>2</ID><PERMISSIONS><OWNER_U>1</OWNER_U>"
        "</PERMISSIONS><STATE>1</STATE><TEMPLATE><CPU>1</CPU><MEMORY>1</MEMORY></TEMPLATE>"
        "<USER_TEMPLATE><VMGROUP><ROLE>web</ROLE><VMGROUP_ID>0</VMGROUP_ID></VMGROUP>"
        "</USER_TEMPLATE></VM></VM_POOL>";
    struct vm_pool pool;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, document, sizeof document - 1, &err), 0);
    assert_true(pool.items[0].in_vmgroup);
    assert_int_equal(pool.items[0].vmgroup, 0);
    assert_false(pool.items[1].in_vmgroup); /* its owner wrote that */
    vm_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_and_rules),           cmocka_unit_test(members_by_vm),
        cmocka_unit_test(groups_that_make_no_sense), cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(vm_names_its_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
