/* VM groups on their way from the cloud to plans: what stock schedulers did with the same groups
 * (test/opennebula/placements/), groups that change, and what owners are told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/pool.h"
#include "configuration/ini.h"
#include "daemon/live/intake.h"
#include "daemon/live/reconcile.h"
#include "test/daemon/fake_cloud.h"
#include "test/daemon/store_fixture.h"
#include "util/memory.h"

enum { NOW = 100000 };

struct stage {
    struct scene scene;
    struct store *store;
    struct ini ini;
    struct host_pool hosts;
    struct vm_pool vms;
    struct datastore_pool datastores;
    struct vmgroup_pool vmgroups;
    struct vmgroup_pool old[4]; /* the world still has copies */
    size_t n_old;
};

static void open_stage(struct stage *stage, void **state)
{
    struct error err = {0};

    memset(stage, 0, sizeof *stage);
    stage->store = ((struct store_fixture *)*state)->store;
    scene_open(&stage->scene, stage->store);
    ini_init(&stage->ini);
    assert_int_equal(ini_read_text(&stage->ini, "f", "", 0, &err), 0);
    stage->scene.daemon.rights = rights_create(&stage->ini, &err);
    stage->scene.fake->vmgroups = &stage->vmgroups;
    stage->scene.settings.eligibility.policy = HOST_POLICY_STRIPING;
    scene_renew_planner(&stage->scene);
}

static void close_stage(struct stage *stage)
{
    scene_close(&stage->scene);
    rights_destroy(stage->scene.daemon.rights);
    ini_finish(&stage->ini);
    map_finish(&stage->scene.daemon.broken_rules);
    host_pool_finish(&stage->hosts);
    vm_pool_finish(&stage->vms);
    datastore_pool_finish(&stage->datastores);
    vmgroup_pool_finish(&stage->vmgroups);
    for (size_t i = 0; i < stage->n_old; i++)
        vmgroup_pool_finish(&stage->old[i]);
}

/* Looks at the cloud and places what is new. */
static void plan(struct stage *stage, bool anew)
{
    scene_poll(&stage->scene);
    broken_rules_find(&stage->scene.daemon.broken_rules, stage->scene.daemon.world);
    intake(&stage->scene.daemon, NOW);
    scene_plan(&stage->scene, anew, NOW);
}

/* The host planned for a VM; -1: it waits. */
static int32_t placed(const struct stage *stage, int32_t id)
{
    const struct vm_record *vm = store_vm(stage->store, id);
    const struct lease_record *lease = vm ? store_lease(stage->store, vm->lease) : NULL;

    assert_non_null(lease);
    return lease->phase == PHASE_STARTING ? vm->host : -1;
}

/* --- recorded placements ---------------------------------------------------------------------- */

static char *read_text(const char *recording, const char *name, size_t *length)
{
    char path[512], *text;
    FILE *file;

    snprintf(path, sizeof path, "%s/vmgroups.%s/%s", PLACEMENTS, recording, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    text = memory_new(1 << 17, 1);
    *length = fread(text, 1, (1 << 17) - 1, file);
    fclose(file);
    return text;
}

#define READ(stage, recording, pool, parse)                                                        \
    do {                                                                                           \
        struct error fault = {0};                                                                  \
        size_t length;                                                                             \
        char *text = read_text(recording, #pool ".xml", &length);                                  \
        if (parse(&(stage)->pool, text, length, &fault) < 0)                                       \
            fail_msg("%s: %s: %s", recording, #pool, fault.text);                                  \
        free(text);                                                                                \
    } while (0)

static void read_recording(struct stage *stage, const char *recording)
{
    struct fake_cloud *fake = stage->scene.fake;

    READ(stage, recording, hosts, host_pool_parse);
    READ(stage, recording, vms, vm_pool_parse);
    READ(stage, recording, datastores, datastore_pool_parse);
    READ(stage, recording, vmgroups, vmgroup_pool_parse);
    assert_true(stage->hosts.n <= FAKE_HOSTS_MAX && stage->vms.n <= FAKE_VMS_MAX);
    memcpy(fake->hosts, stage->hosts.items, stage->hosts.n * sizeof *fake->hosts);
    fake->n_hosts = stage->hosts.n;
    memcpy(fake->vms, stage->vms.items, stage->vms.n * sizeof *fake->vms);
    fake->n_vms = stage->vms.n;
    fake->datastores = stage->datastores.items;
    fake->n_datastores = stage->datastores.n;
}

static bool is_among(const char *line, int32_t host)
{
    int32_t id;
    double score;
    int used;

    line = strstr(line, "hosts") + strlen("hosts");
    while (sscanf(line, " %d:%lf%n", &id, &score, &used) == 2) {
        if (id == host)
            return true;
        line += used;
    }
    return false;
}

/* "vm ID hosts ...": where stock found that the VM may be; "left ID": it waits. */
static void compare_line(const struct stage *stage, const char *recording, const char *line,
                         const char *all)
{
    char left[32];
    int32_t id, host;

    if (sscanf(line, "vm %d", &id) != 1)
        return;
    host = placed(stage, id);
    snprintf(left, sizeof left, "\nleft %d\n", id);
    if (strstr(all, left)) {
        if (host >= 0)
            fail_msg("%s: VM %d is placed on host %d", recording, id, host);
    } else if (host < 0 || !is_among(line, host)) {
        fail_msg("%s: VM %d is on host %d", recording, id, host);
    }
}

/* Where a VM is, or is to go. */
static int32_t host_of(void *context, int32_t id)
{
    const struct stage *stage = context;
    const struct vm_observation *observed = world_vm(stage->scene.daemon.world, id);

    return observed && observed_holds_host(observed) ? observed->history.host : placed(stage, id);
}

static int32_t cluster_of(void *context, int32_t host)
{
    return 0;
}

static void fail_for(void *context, const struct broken_rule *rule)
{
    fail_msg("VM %d on host %d breaks a rule of role %s", rule->vm, rule->host, rule->role);
}

static void assert_rules_hold(struct stage *stage)
{
    const struct rule_places places = {
        .host_of = host_of, .cluster_of = cluster_of, .context = stage};

    broken_rules_each(&stage->vmgroups, &places, fail_for, NULL);
}

static void as_stock_did(void **state, const char *recording)
{
    struct stage stage;
    size_t length;
    char *text = read_text(recording, "expected.txt", &length);
    char *copy = memory_text(text), *rest = copy, *line;

    open_stage(&stage, state);
    read_recording(&stage, recording);
    plan(&stage, true);
    while ((line = strsep(&rest, "\n")))
        compare_line(&stage, recording, line, text);
    assert_rules_hold(&stage);
    free(text);
    free(copy);
    close_stage(&stage);
}

static void affined_as_6_10(void **state)
{
    as_stock_did(state, "6.10/vmgroup-affined");
}

static void affined_as_7_4(void **state)
{
    as_stock_did(state, "7.4/vmgroup-affined");
}

static void anti_affined_as_6_10(void **state)
{
    as_stock_did(state, "6.10/vmgroup-antiaffined");
}

static void anti_affined_as_7_4(void **state)
{
    as_stock_did(state, "7.4/vmgroup-antiaffined");
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Group 3 with the role "web", whose VMs must be apart. */
static void use_group(struct stage *stage, const char *members)
{
    char document[512];
    struct error err = {0};

    assert_true(stage->n_old < sizeof stage->old / sizeof *stage->old);
    stage->old[stage->n_old++] = stage->vmgroups;
    snprintf(document, sizeof document,
             "<VM_GROUP_POOL><VM_GROUP><ID>3</ID><ROLES><ROLE><ID>0</ID><NAME>web</NAME>"
             "<POLICY>ANTI_AFFINED</POLICY><VMS>%s</VMS></ROLE></ROLES></VM_GROUP>"
             "</VM_GROUP_POOL>",
             members);
    if (vmgroup_pool_parse(&stage->vmgroups, document, strlen(document), &err) < 0)
        fail_msg("%s", err.text);
}

static void add_member(struct stage *stage, int32_t id, enum vm_state state, int32_t host)
{
    struct vm *vm = fake_cloud_add_vm(stage->scene.fake, id, state, host, 100, 512);

    vm->in_vmgroup = true;
    vm->vmgroup = 3;
}

static void use_hosts(struct stage *stage, int32_t n)
{
    static const char document[] =
        "<DATASTORE_POOL><DATASTORE><ID>0</ID><TYPE>1</TYPE><STATE>0</STATE><CLUSTERS><ID>0</ID>"
        "</CLUSTERS><TEMPLATE><SHARED>YES</SHARED></TEMPLATE></DATASTORE></DATASTORE_POOL>";
    struct error err;

    assert_int_equal(datastore_pool_parse(&stage->datastores, document, sizeof document - 1, &err),
                     0);
    stage->scene.fake->datastores = stage->datastores.items;
    stage->scene.fake->n_datastores = stage->datastores.n;
    for (int32_t i = 0; i < n; i++)
        fake_cloud_add_host(stage->scene.fake, i, 800, 8192);
}

/* A new member does not need a complete plan; a VM that joins while it runs does. */
static void members_come(void **state)
{
    struct stage stage;
    struct planner *planner;

    open_stage(&stage, state);
    planner = stage.scene.daemon.planner;
    use_hosts(&stage, 3);
    use_group(&stage, "1");
    add_member(&stage, 1, VM_RUNNING, 0);
    fake_cloud_add_vm(stage.scene.fake, 5, VM_RUNNING, 1, 100, 512);
    plan(&stage, true);
    add_member(&stage, 2, VM_PENDING, -1);
    use_group(&stage, "1,2");
    scene_poll(&stage.scene);
    assert_true(planner_sees_same_vmgroups(planner));
    plan(&stage, false);
    assert_in_range(placed(&stage, 2), 1, 2);
    assert_rules_hold(&stage);

    use_group(&stage, "1,2,5");
    scene_poll(&stage.scene);
    assert_false(planner_sees_same_vmgroups(planner));
    close_stage(&stage);
}

/* A VM whose group has not been read, or makes no sense, waits: its rules are not known. */
static void unknown_groups(void **state)
{
    struct stage stage;
    const struct lease_record *lease;

    open_stage(&stage, state);
    use_hosts(&stage, 1);
    add_member(&stage, 1, VM_PENDING, -1);
    plan(&stage, true);
    assert_int_equal(placed(&stage, 1), -1);
    lease = store_lease(stage.store, store_vm(stage.store, 1)->lease);
    assert_string_equal(lease->reason, "\ngroup-not-read 3");
    use_group(&stage, "1");
    scene_poll(&stage.scene);
    assert_false(planner_sees_same_vmgroups(stage.scene.daemon.planner));
    plan(&stage, true);
    assert_int_equal(placed(&stage, 1), 0);
    close_stage(&stage);
}

static void running_vms_that_break_a_rule(void **state)
{
    struct stage stage;
    const struct lease_record *lease;
    char text[STORE_SENTENCE_MAX];

    open_stage(&stage, state);
    use_hosts(&stage, 2);
    use_group(&stage, "1,2");
    add_member(&stage, 1, VM_RUNNING, 0);
    add_member(&stage, 2, VM_RUNNING, 0);
    plan(&stage, true);
    reconcile(&stage.scene.daemon, NOW);
    lease = store_lease(stage.store, store_vm(stage.store, 2)->lease);
    store_activity(lease, NOW, text, sizeof text);
    assert_string_equal(text, "Running. VM 2 on host 0 breaks a rule of its VM group: role web of "
                              "VM group 3 keeps it apart from VM 1");
    assert_int_equal(store_lease(stage.store, store_vm(stage.store, 1)->lease)->reason_id,
                     REASON_NONE);
    assert_string_equal(scene_commands(&stage.scene), "");

    fake_cloud_put(stage.scene.fake, 2, VM_RUNNING, 1);
    plan(&stage, true);
    reconcile(&stage.scene.daemon, NOW + 5);
    store_activity(lease, NOW + 5, text, sizeof text);
    assert_string_equal(text, "Running");
    close_stage(&stage);
}

/* The place of a VM that still leaves is not given to one that must be apart from it. */
static void a_vm_that_leaves_is_waited_for(void **state)
{
    struct stage stage;
    struct vm_record *vm;

    open_stage(&stage, state);
    use_hosts(&stage, 2);
    use_group(&stage, "1,2");
    add_member(&stage, 1, VM_CHANGING, 0);
    add_member(&stage, 2, VM_PENDING, -1);
    vm = scene_add(&stage.scene, 2, 2, GOAL_RUN, 0, 100, 512);
    vm->ran = true; /* it has a datastore */
    scene_poll(&stage.scene);
    fake_cloud_wait_a_moment();
    scene_poll(&stage.scene);
    assert_int_equal(scene_enact(&stage.scene, NOW), 0);
    vm->host = 1;
    assert_int_equal(scene_enact(&stage.scene, NOW), 1);
    assert_string_equal(scene_commands(&stage.scene), "deploy 2 on 1");
    close_stage(&stage);
}

/* Also if its lease runs on without it: others may have been sent after it. */
static void a_vm_that_is_off_moves(void **state)
{
    struct stage stage;
    struct vm_record *vm;

    open_stage(&stage, state);
    use_hosts(&stage, 2);
    add_member(&stage, 1, VM_POWEROFF, 0);
    vm = scene_add(&stage.scene, 1, 1, GOAL_RUN, 0, 100, 512);
    vm->move = MOVE_LIVE;
    vm->move_to = 1;
    scene_poll(&stage.scene);
    fake_cloud_wait_a_moment();
    scene_poll(&stage.scene);
    assert_int_equal(scene_enact(&stage.scene, NOW), 1);
    assert_string_equal(scene_commands(&stage.scene), "migrate 1 on 1");
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(affined_as_6_10, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(affined_as_7_4, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(anti_affined_as_6_10, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(anti_affined_as_7_4, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(members_come, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(unknown_groups, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(a_vm_that_leaves_is_waited_for, store_set_up,
                                        store_tear_down),
        cmocka_unit_test_setup_teardown(a_vm_that_is_off_moves, store_set_up, store_tear_down),
        cmocka_unit_test_setup_teardown(running_vms_that_break_a_rule, store_set_up,
                                        store_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
