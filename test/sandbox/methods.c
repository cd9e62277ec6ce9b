/* Calls and templates: who may, what is read, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "sandbox/attributes.h"
#include "test/sandbox/fixture.h"
#include "util/memory.h"

#define ANNA "anna:secret"

static void add_anna(struct oned *oned)
{
    fixture_do(oned, "one.user.allocate", "(ssss)", ADMIN, "anna", "secret", "core");
}

static void sessions_are_passwords_or_tokens(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 1);
    const struct answer *answer;
    char session[100];

    add_anna(oned);
    assert_true(fixture_call(oned, "one.system.version", "(s)", ANNA)->ok);
    assert_int_equal(fixture_call(oned, "one.system.version", "(s)", "anna:secre")->code, 0x0100);
    assert_int_equal(fixture_call(oned, "one.system.version", "(s)", "anna:")->code, 0x0100);
    assert_int_equal(fixture_call(oned, "one.system.version", "(s)", "ann:secret")->code, 0x0100);
    answer = fixture_call(oned, "one.user.login", "(sssii)", ANNA, "anna", "", 60, -1);
    assert_true(answer->ok);
    snprintf(session, sizeof session, "anna:%.70s", answer->text);
    assert_true(fixture_call(oned, "one.system.version", "(s)", session)->ok);
    fixture_pass(oned, 61);
    assert_int_equal(fixture_call(oned, "one.system.version", "(s)", session)->code, 0x0100);
    oned_destroy(oned);
}

static void users_see_and_manage_their_own(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int theirs = fixture_vm(oned, 1, 512), hers;
    const struct answer *answer;

    add_anna(oned);
    hers = (int)fixture_do(oned, "one.vm.allocate", "(ssb)", ANNA, "CPU=1\nMEMORY=512",
                           (xmlrpc_bool)0);
    answer = fixture_call(oned, "one.vmpool.infoextended", "(siiii)", ANNA, -2, -1, -1, -1);
    assert_int_equal(fixture_first(answer->text, "ID"), hers);
    assert_null(strstr(answer->text, "<UNAME>oneadmin"));
    answer = fixture_call(oned, "one.vm.deploy", "(sii)", ANNA, hers, 0);
    assert_string_equal(answer->text,
                        "[one.vm.deploy] User [2] : Not authorized to perform ADMIN VM [1].");
    assert_int_equal(answer->code, 0x0200);
    fixture_do(oned, "one.vm.action", "(ssi)", ANNA, "hold", hers);
    answer = fixture_call(oned, "one.vm.action", "(ssi)", ANNA, "hold", theirs);
    assert_int_equal(answer->code, 0x0200);
    answer = fixture_call(oned, "one.user.info", "(si)", ANNA, -1);
    assert_non_null(strstr(answer->text, "<NAME>anna</NAME>"));
    assert_null(strstr(answer->text, "secret"));
    assert_int_equal(fixture_call(oned, "one.user.info", "(si)", ANNA, 0)->code, 0x0200);
    assert_int_equal(fixture_call(oned, "one.system.config", "(s)", ANNA)->code, 0x0200);
    oned_destroy(oned);
}

static void faults_of_the_protocol(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);

    assert_int_equal(fixture_call(oned, "one.none", "(s)", ADMIN)->fault, -506);
    assert_int_equal(fixture_call(oned, "one.vm.info", "(s)", ADMIN)->fault, -501);
    assert_int_equal(fixture_call(oned, "one.vm.info", "(ss)", ADMIN, "0")->fault, -501);
    assert_int_equal(fixture_call(oned, "one.vm.deploy", "(siii)", ADMIN, 0, 0, 1)->fault, -501);
    assert_int_equal(fixture_call(oned, "one.vm.info", "()")->fault, -501);
    oned_destroy(oned);
}

/* XML-RPC knows no document of more than 128 MB, in which "<" takes four bytes. */
static void an_answer_that_no_document_can_hold_is_a_fault(void **state)
{
    enum { LENGTH = 1000000, VMS = 34 };
    struct oned *oned = fixture_create(ONED_7_4, 1);
    char *text = memory_new(LENGTH + 4, 1);

    memset(text, '<', LENGTH);
    memcpy(text, "CPU=1\nMEMORY=1\nX=\"", strlen("CPU=1\nMEMORY=1\nX=\""));
    text[LENGTH] = '"';
    for (int i = 0; i < VMS; i++)
        fixture_do(oned, "one.vm.allocate", "(ssb)", ADMIN, text, (xmlrpc_bool)0);
    assert_int_not_equal(
        fixture_call(oned, "one.vmpool.infoextended", "(siiii)", ADMIN, -2, -1, -1, -1)->fault, 0);
    assert_true(fixture_call(oned, "one.vm.info", "(si)", ADMIN, 0)->ok);
    free(text);
    oned_destroy(oned);
}

static void plans_are_of_7_4_only(void **state)
{
    struct oned *old = fixture_create(ONED_6_10, 1), *new = fixture_create(ONED_7_4, 1);

    assert_int_equal(fixture_call(old, "one.cluster.optimize", "(si)", ADMIN, 0)->fault, -506);
    fixture_do(new, "one.cluster.optimize", "(si)", ADMIN, 0);
    oned_destroy(old);
    oned_destroy(new);
}

static void vms_need_cpu_and_memory(void **state)
{
    static const char *const templates[] = {
        "",
        "CPU=1",
        "MEMORY=512",
        "CPU=0\nMEMORY=512",
        "CPU=-1\nMEMORY=512",
        "CPU=x\nMEMORY=512",
        "CPU=1\nMEMORY=0",
        "CPU=1\nMEMORY=1.5",
        "CPU=1\nMEMORY=512\nHAIZEA=[START=now",
        "CPU=1\nMEMORY=512\n=",
        "CPU=nan\nMEMORY=512",
        "<VM><CPU>1</CPU>",
    };
    struct oned *oned = fixture_create(ONED_7_4, 1);

    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        assert_int_equal(
            fixture_call(oned, "one.vm.allocate", "(ssb)", ADMIN, templates[i], (xmlrpc_bool)0)
                ->code,
            0x4000);
    assert_int_equal(fixture_vm(oned, 1, 512), 0); /* no id was used up */
    oned_destroy(oned);
}

static void assert_written(const char *template, const char *expected)
{
    struct oned_attributes list = {0};
    struct oned_text text = {0};
    struct error err = {0};

    oned_text_put(&text, "");
    if (oned_attributes_parse(&list, template, &err))
        fail_msg("%s", err.text);
    oned_attributes_write(&list, &text);
    assert_string_equal(text.bytes, expected);
    oned_text_finish(&text);
    oned_attributes_finish(&list);
}

static void templates_are_read_as_opennebula_does(void **state)
{
    assert_written("b = 2 # x", "<B><![CDATA[2 # x]]></B>");
    assert_written("# comment\nb=1\n\nA=\"x \\\"y\\\"\"",
                   "<A><![CDATA[x \"y\"]]></A><B><![CDATA[1]]></B>");
    assert_written("V=[ b=2,\n  A=\"1,]\" ]\nV=[C=3]",
                   "<V><A><![CDATA[1,]]]></A><B><![CDATA[2]]></B></V><V><C><![CDATA[3]]></C></V>");
    assert_written("<T><B>1</B><v><x>2</x></v></T>",
                   "<B><![CDATA[1]]></B><V><X><![CDATA[2]]></X></V>");
    assert_written("E=\nF=\"\"", "<E><![CDATA[]]></E><F><![CDATA[]]></F>");
    assert_written("A=\"]]>\"", "<A><![CDATA[]]]]><![CDATA[>]]></A>");
    assert_written("H=[START=+00:01:00,DURATION=00:02:00]",
                   "<H><DURATION><![CDATA[00:02:00]]></DURATION>"
                   "<START><![CDATA[+00:01:00]]></START></H>");
}

static void an_update_appends_or_replaces(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    const struct answer *answer;

    fixture_vm(oned, 1, 512);
    fixture_do(oned, "one.vm.update", "(sisi)", ADMIN, 0, "A=1\nB=2", 0);
    fixture_do(oned, "one.vm.update", "(sisi)", ADMIN, 0, "B=3\nC=4", 1);
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, 0);
    assert_non_null(strstr(answer->text, "<USER_TEMPLATE><A><![CDATA[1]]></A><B><![CDATA[3]]></B>"
                                         "<C><![CDATA[4]]></C></USER_TEMPLATE>"));
    fixture_do(oned, "one.vm.update", "(sisi)", ADMIN, 0, "D=5", 0);
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, 0);
    assert_non_null(strstr(answer->text, "<USER_TEMPLATE><D><![CDATA[5]]></D></USER_TEMPLATE>"));
    oned_destroy(oned);
}

static void the_clock_can_run_fast_and_jump(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int64_t before, after;

    before = strtoll(fixture_call(oned, "sandbox.clock", "(s)", ADMIN)->text, NULL, 10);
    after = strtoll(fixture_call(oned, "sandbox.clock", "(sdi)", ADMIN, -1.0, 100)->text, NULL, 10);
    assert_int_equal(after - before, 100);
    after = strtoll(fixture_call(oned, "sandbox.clock", "(sii)", ADMIN, -1, -50)->text, NULL, 10);
    assert_int_equal(after - before, 50);
    oned_destroy(oned);
}

static void a_locked_vm_is_left_alone(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    const struct answer *answer;

    add_anna(oned);
    fixture_do(oned, "one.vm.allocate", "(ssb)", ANNA, "CPU=1\nMEMORY=512", (xmlrpc_bool)0);
    fixture_do(oned, "one.vm.lock", "(sii)", ANNA, 0, 2);
    answer = fixture_call(oned, "one.vm.info", "(si)", ANNA, 0);
    assert_int_equal(fixture_first(answer->text, "LOCKED"), 2);
    answer = fixture_call(oned, "one.vm.action", "(ssi)", ANNA, "hold", 0);
    assert_int_equal(answer->code, 0x0200);
    assert_non_null(strstr(answer->text, "Not authorized to perform MANAGE VM [0]."));
    answer = fixture_call(oned, "one.vm.action", "(ssi)", ADMIN, "hold", 0);
    assert_int_equal(answer->code, 0x0200);
    assert_non_null(strstr(answer->text, "User [0] : VM is locked. [0]."));
    fixture_do(oned, "one.vm.unlock", "(si)", ANNA, 0);
    answer = fixture_call(oned, "one.vm.info", "(si)", ANNA, 0);
    assert_null(strstr(answer->text, "<LOCK>"));
    fixture_do(oned, "one.vm.action", "(ssi)", ANNA, "hold", 0);
    oned_destroy(oned);
}

static void a_resize_changes_what_is_counted(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_running(oned, 0);
    const struct answer *answer;

    fixture_do(oned, "one.vm.resize", "(sisb)", ADMIN, vm, "CPU=3\nMEMORY=2048", (xmlrpc_bool)1);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "CPU_USAGE"), 300);
    assert_int_equal(fixture_first(answer->text, "MEM_USAGE"), 2048 * 1024);
    answer = fixture_call(oned, "one.vm.resize", "(sisb)", ADMIN, vm, "CPU=17", (xmlrpc_bool)1);
    assert_int_equal(answer->code, 0x0800);
    answer = fixture_call(oned, "one.host.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "CPU_USAGE"), 300);
    oned_destroy(oned);
}

static void machines_behave_on_their_own(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    int vm = fixture_running(oned, 0);
    const struct answer *answer;

    fixture_do(oned, "sandbox.vm", "(sis)", ADMIN, vm, "unknown");
    fixture_assert_state(oned, vm, 3, 16);
    fixture_do(oned, "sandbox.vm", "(sis)", ADMIN, vm, "running");
    fixture_assert_state(oned, vm, 3, 3);
    fixture_do(oned, "sandbox.vm", "(sis)", ADMIN, vm, "off");
    fixture_assert_state(oned, vm, 8, 0);
    fixture_do(oned, "sandbox.datastore", "(sii)", ADMIN, 0, 1000);
    answer = fixture_call(oned, "one.datastore.info", "(si)", ADMIN, 0);
    assert_int_equal(fixture_first(answer->text, "FREE_MB"), 1000);
    fixture_do(oned, "sandbox.raft", "(si)", ADMIN, 2);
    answer = fixture_call(oned, "one.zone.raftstatus", "(s)", ADMIN);
    assert_int_equal(fixture_first(answer->text, "STATE"), 2);
    fixture_do(oned, "one.user.allocate", "(ssss)", ADMIN, "second", "secret", "core");
    fixture_do(oned, "sandbox.raft", "(siis)", ADMIN, 3, 7, "second");
    answer = fixture_call(oned, "one.zone.raftstatus", "(s)", "second:secret");
    assert_int_equal(fixture_first(answer->text, "STATE"), 3);
    assert_int_equal(fixture_first(answer->text, "TERM"), 7);
    answer = fixture_call(oned, "one.zone.raftstatus", "(s)", ADMIN);
    assert_int_equal(fixture_first(answer->text, "STATE"), 2);
    assert_int_equal(fixture_first(answer->text, "SERVER_ID"), 1);
    oned_destroy(oned);
}

static void a_scheduled_action_runs_once(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 1);
    int vm = fixture_running(oned, 0);

    fixture_do(oned, "one.vm.schedadd", "(sis)", ADMIN, vm,
               "SCHED_ACTION=[ACTION=poweroff,TIME=\"+60\"]");
    fixture_pass(oned, 57);
    fixture_assert_state(oned, vm, 3, 3);
    fixture_pass(oned, 3);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 8, 0);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "resume", vm);
    fixture_pass(oned, 60);
    fixture_assert_state(oned, vm, 3, 3);
    oned_destroy(oned);
}

static void access_rules_come_and_go(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 0);
    const struct answer *answer;
    int64_t id;

    id = fixture_do(oned, "one.acl.addrule", "(ssss)", ADMIN, "100000002", "1000000005", "2");
    answer = fixture_call(oned, "one.acl.info", "(s)", ADMIN);
    assert_non_null(strstr(answer->text, "<USER>100000002</USER><RESOURCE>1000000005</RESOURCE>"
                                         "<RIGHTS>2</RIGHTS><ZONE>400000000</ZONE>"));
    fixture_do(oned, "one.acl.delrule", "(si)", ADMIN, (xmlrpc_int32)id);
    answer = fixture_call(oned, "one.acl.info", "(s)", ADMIN);
    assert_null(strstr(answer->text, "100000002"));
    oned_destroy(oned);
}

static int instantiate(struct oned *oned, int template, const char *name, const char *attributes)
{
    return (int)fixture_do(oned, "one.template.instantiate", "(sisbs)", ADMIN, template, name,
                           (xmlrpc_bool)0, attributes);
}

static void a_template_is_instantiated(void **state)
{
    struct oned *oned = fixture_create(ONED_7_4, 1);
    const struct answer *answer;
    int template, vm;

    template = (int)fixture_do(oned, "one.template.allocate", "(ss)", ADMIN,
                               "NAME=web\nCPU=1\nMEMORY=512\nGALERNA=[DURATION=60]");
    vm = instantiate(oned, template, "", "");
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);
    assert_non_null(strstr(answer->text, "<NAME>one-0</NAME>"));
    assert_non_null(strstr(answer->text, "<TEMPLATE_ID><![CDATA[0]]></TEMPLATE_ID>"));
    assert_non_null(strstr(answer->text, "<TEMPLATE_NAME><![CDATA[web]]></TEMPLATE_NAME>"));
    assert_non_null(strstr(answer->text, "<DURATION><![CDATA[60]]></DURATION>"));
    vm = instantiate(oned, template, "mine", "GALERNA=[START=now, DURATION=90]\nMEMORY=256");
    answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);
    assert_non_null(strstr(answer->text, "<NAME>mine</NAME>"));
    assert_non_null(strstr(answer->text, "<MEMORY><![CDATA[256]]></MEMORY>"));
    assert_non_null(strstr(answer->text, "<START><![CDATA[now]]></START>"));
    assert_null(strstr(answer->text, "<![CDATA[60]]>"));
    answer = fixture_call(oned, "one.template.info", "(si)", ADMIN, template);
    assert_non_null(strstr(answer->text, "<NAME>web</NAME>"));
    assert_non_null(strstr(answer->text, "<MEMORY><![CDATA[512]]></MEMORY>"));
    oned_destroy(oned);
}

static void templates_are_refused(void **state)
{
    struct oned *oned = fixture_create(ONED_6_10, 1);
    const struct answer *answer;

    add_anna(oned);
    assert_int_equal(fixture_call(oned, "one.template.allocate", "(ss)", ADMIN, "CPU=1")->code,
                     0x4000);
    fixture_do(oned, "one.template.allocate", "(ss)", ADMIN, "NAME=web\nCPU=1");
    answer = fixture_call(oned, "one.template.allocate", "(ss)", ADMIN, "NAME=web");
    assert_string_equal(answer->text,
                        "[one.template.allocate] Error allocating a new virtual machine"
                        " template. NAME is already taken by TEMPLATE 0.");
    answer = fixture_call(oned, "one.template.instantiate", "(sis)", ANNA, 0, "");
    assert_string_equal(answer->text, "[one.template.instantiate] User [2] : Not authorized to"
                                      " perform USE TEMPLATE [0].");
    assert_int_equal(fixture_call(oned, "one.template.instantiate", "(sis)", ADMIN, 0, "")->code,
                     0x4000); /* no MEMORY */
    assert_int_equal(fixture_call(oned, "one.template.instantiate", "(sisbs)", ADMIN, 0, "",
                                  (xmlrpc_bool)0, "MEMORY=[")
                         ->code,
                     0x2000);
    assert_int_equal(fixture_call(oned, "one.template.instantiate", "(sis)", ADMIN, 1, "")->code,
                     0x0400);
    answer = fixture_call(oned, "one.templatepool.info", "(siii)", ANNA, -2, -1, -1);
    assert_string_equal(answer->text, "<VMTEMPLATE_POOL></VMTEMPLATE_POOL>");
    fixture_do(oned, "one.template.chmod", "(siiiiiiiiii)", ADMIN, 0, -1, -1, -1, -1, -1, -1, 1, -1,
               -1);
    fixture_do(oned, "one.template.update", "(sisi)", ADMIN, 0, "MEMORY=512", 1);
    assert_true(fixture_call(oned, "one.template.instantiate", "(sis)", ANNA, 0, "")->ok);
    fixture_do(oned, "one.template.delete", "(si)", ADMIN, 0);
    assert_int_equal(fixture_call(oned, "one.template.info", "(si)", ADMIN, 0)->code, 0x0400);
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_are_passwords_or_tokens),
        cmocka_unit_test(users_see_and_manage_their_own),
        cmocka_unit_test(faults_of_the_protocol),
        cmocka_unit_test(an_answer_that_no_document_can_hold_is_a_fault),
        cmocka_unit_test(plans_are_of_7_4_only),
        cmocka_unit_test(vms_need_cpu_and_memory),
        cmocka_unit_test(templates_are_read_as_opennebula_does),
        cmocka_unit_test(an_update_appends_or_replaces),
        cmocka_unit_test(the_clock_can_run_fast_and_jump),
        cmocka_unit_test(a_locked_vm_is_left_alone),
        cmocka_unit_test(a_resize_changes_what_is_counted),
        cmocka_unit_test(machines_behave_on_their_own),
        cmocka_unit_test(a_scheduled_action_runs_once),
        cmocka_unit_test(access_rules_come_and_go),
        cmocka_unit_test(a_template_is_instantiated),
        cmocka_unit_test(templates_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
