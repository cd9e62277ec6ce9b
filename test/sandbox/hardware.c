/* Devices and NUMA nodes: given at deployment whether it is enforced or not, free again when the VM
 * no longer counts on its host, and never given twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"

#define GPU(slot)                                                                                  \
    "PCI=[ADDRESS=\"0000:0" slot ":00:0\",SHORT_ADDRESS=\"0" slot ":00.0\",VENDOR=\"10de\","       \
    "DEVICE=\"20f1\",CLASS=\"0302\",NUMA_NODE=\"0\"]\n"

static const char node[] =
    "CORE=[NODE_ID=\"0\",ID=\"0\",CPUS=\"0,2\"]\nCORE=[NODE_ID=\"0\",ID=\"1\",CPUS=\"1,3\"]\n"
    "HUGEPAGE=[NODE_ID=\"0\",SIZE=\"2048\",PAGES=\"1024\"]\n"
    "MEMORY_NODE=[NODE_ID=\"0\",TOTAL=\"33554432\",DISTANCE=\"0\"]\n";

static struct oned *site(void)
{
    struct oned *oned = fixture_create(ONED_7_4, 2);

    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, GPU("1") GPU("2"));
    fixture_do(oned, "sandbox.host", "(sis)", ADMIN, 0, node);
    return oned;
}

static int vm_with(struct oned *oned, const char *more)
{
    char template[400];

    snprintf(template, sizeof template, "CPU=1\nVCPU=1\nMEMORY=1024\n%s", more);
    return (int)fixture_do(oned, "one.vm.allocate", "(ssb)", ADMIN, template, 0);
}

static int deployed(struct oned *oned, const char *more)
{
    int vm = vm_with(oned, more);

    fixture_do(oned, "one.vm.deploy", "(siib)", ADMIN, vm, 0, 0);
    fixture_pass(oned, 1);
    return vm;
}

static void assert_refused(struct oned *oned, const char *more, const char *says)
{
    int vm = vm_with(oned, more);
    const struct answer *answer = fixture_call(oned, "one.vm.deploy", "(siib)", ADMIN, vm, 0, 0);

    assert_false(answer->ok);
    assert_non_null(strstr(answer->text, says));
}

static bool shows(struct oned *oned, const char *method, int id, const char *text)
{
    const struct answer *answer = fixture_call(oned, method, "(si)", ADMIN, id);

    assert_true(answer->ok);
    return strstr(answer->text, text) != NULL;
}

static void devices(void **state)
{
    static const char gpu[] = "PCI=[VENDOR=\"10de\",CLASS=\"0302\"]\n";
    struct oned *oned = site();
    int first = deployed(oned, gpu), second = deployed(oned, gpu);
    char used[64];

    assert_true(shows(oned, "one.vm.info", first, "0000:01:00:0"));
    assert_true(shows(oned, "one.vm.info", second, "0000:02:00:0"));
    snprintf(used, sizeof used, "<VMID><![CDATA[%d]]></VMID>", second);
    assert_true(shows(oned, "one.host.info", 0, used));
    assert_refused(oned, gpu, "Unavailable PCI device");
    assert_refused(oned, "PCI=[SHORT_ADDRESS=\"02:00.0\"]\n", "Unavailable PCI device");

    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "suspend", first);
    fixture_pass(oned, 1);
    assert_refused(oned, gpu, "Unavailable PCI device");
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "stop", second);
    fixture_pass(oned, 1);
    assert_false(shows(oned, "one.host.info", 0, used));
    deployed(oned, "PCI=[SHORT_ADDRESS=\"02:00.0\"]\n");
    oned_destroy(oned);
}

static void cores(void **state)
{
    struct oned *oned = site();
    int core = deployed(oned, "TOPOLOGY=[PIN_POLICY=CORE]\n");
    int thread = deployed(oned, "TOPOLOGY=[PIN_POLICY=THREAD]\n");

    assert_true(shows(oned, "one.vm.info", core, "<CPUS><![CDATA[0]]></CPUS>"));
    assert_true(shows(oned, "one.vm.info", thread, "<CPUS><![CDATA[1]]></CPUS>"));
    assert_refused(oned, "TOPOLOGY=[PIN_POLICY=CORE]\n", "Cannot allocate NUMA topology");
    deployed(oned, "TOPOLOGY=[PIN_POLICY=SHARED]\n");
    assert_refused(oned, "TOPOLOGY=[PIN_POLICY=THREAD]\n", "Cannot allocate NUMA topology");
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "terminate", core);
    fixture_pass(oned, 1);
    deployed(oned, "TOPOLOGY=[PIN_POLICY=THREAD]\n");
    oned_destroy(oned);
}

static void pages(void **state)
{
    struct oned *oned = site();
    int vm = deployed(oned, "TOPOLOGY=[HUGEPAGE_SIZE=2]\n");

    assert_true(shows(oned, "one.vm.info", vm, "<MEMORY_NODE_ID><![CDATA[0]]>"));
    assert_true(shows(oned, "one.host.info", 0, "<USAGE><![CDATA[512]]></USAGE>"));
    deployed(oned, "TOPOLOGY=[HUGEPAGE_SIZE=2,NODE_AFFINITY=0]\n");
    assert_refused(oned, "TOPOLOGY=[HUGEPAGE_SIZE=2]\n", "Cannot allocate NUMA topology");
    assert_refused(oned, "TOPOLOGY=[NODE_AFFINITY=1]\n", "Cannot allocate NUMA topology");
    oned_destroy(oned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices),
        cmocka_unit_test(cores),
        cmocka_unit_test(pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
