/* Programs that the daemon runs: the scheduler driver of 7.4, and hooks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"

static char output[64], plan[64];

static void write_plan(const char *text)
{
    FILE *file = fopen(plan, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char *read_output(char *text, size_t size)
{
    FILE *file = fopen(output, "r");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;

    text[length] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Let the daemon run its programs for a while. */
static void work(struct oned *oned, int milliseconds)
{
    struct error err = {0};

    for (int i = 0; i < milliseconds / 10; i++) {
        assert_int_equal(oned_step(oned, 10, &err), 0);
        usleep(1000);
    }
}

/* Let it run until it has written so many lines, or for long enough. */
static void work_until(struct oned *oned, int lines)
{
    static char text[1 << 16];

    for (int i = 0, found = 0; i < 1000 && found < lines; i++) {
        work(oned, 10);
        read_output(text, sizeof text);
        found = 0;
        for (const char *c = text; *c; c++)
            found += *c == '\n' || !strncmp(c, "</SCHEDULER_DRIVER_ACTION>", 26);
    }
}

static struct oned *with_driver(void)
{
    struct oned_options options = fixture_options(ONED_7_4, 2);
    struct oned *oned;

    options.place = ONED_TEST_DATA "/place.sh";
    oned = oned_create(&options, NULL);
    assert_non_null(oned);
    return oned;
}

static void a_plan_is_carried_out(void **state)
{
    static char text[1 << 16];
    struct oned *oned = with_driver();

    write_plan("<PLAN><ID>-1</ID><ACTION><VM_ID>0</VM_ID><OPERATION>deploy</OPERATION>"
               "<HOST_ID>1</HOST_ID><DS_ID>-1</DS_ID></ACTION></PLAN>");
    fixture_vm(oned, 1, 512);
    work(oned, 100);
    fixture_assert_state(oned, 0, 1, 0); /* the window is open */
    fixture_pass(oned, 11);
    work_until(oned, 1);
    work(oned, 500);
    fixture_pass(oned, 1);
    fixture_assert_state(oned, 0, 3, 3);
    read_output(text, sizeof text);
    assert_memory_equal(text, "<SCHEDULER_DRIVER_ACTION><VM_POOL><VM><ID>0</ID>", 48);
    assert_non_null(strstr(text, "</VM_POOL><HOST_POOL><HOST><ID>0</ID>"));
    assert_non_null(strstr(text, "<REQUIREMENTS><VM><ID>0</ID><HOSTS><ID>0</ID><ID>1</ID></HOSTS>"
                                 "<DATASTORES><ID>0</ID></DATASTORES></VM></REQUIREMENTS>"));
    oned_destroy(oned);
}

static void many_vms_close_the_window(void **state)
{
    struct oned *oned = with_driver();

    write_plan("<PLAN><ID>-1</ID></PLAN>");
    unlink(output);
    for (int i = 0; i < 7; i++)
        fixture_vm(oned, 1, 512);
    work_until(oned, 1);
    assert_int_equal(access(output, F_OK), 0);
    work(oned, 500);
    unlink(output);
    fixture_pass(oned, 30);
    work(oned, 100);
    assert_int_not_equal(access(output, F_OK), 0);
    fixture_pass(oned, 31); /* they still wait */
    work_until(oned, 1);
    assert_int_equal(access(output, F_OK), 0);
    oned_destroy(oned);
}

static void a_wrong_plan_is_refused_whole(void **state)
{
    static const char *const plans[] = {
        "",
        "not xml",
        "<PLAN><ID>-1</ID><ACTION><VM_ID>0</VM_ID><OPERATION>deploy</OPERATION><HOST_ID>1"
        "</HOST_ID><DS_ID>0</DS_ID></ACTION><ACTION><VM_ID>0</VM_ID><OPERATION>hold</OPERATION>"
        "</ACTION></PLAN>",
        "<PLAN><ID>-1</ID><ACTION><VM_ID>0</VM_ID><OPERATION>deploy</OPERATION><HOST_ID>1 "
        "</HOST_ID><DS_ID>0</DS_ID></ACTION></PLAN>",
        "<PLAN><ID>0</ID><ACTION><VM_ID>0</VM_ID><OPERATION>deploy</OPERATION><HOST_ID>1"
        "</HOST_ID><DS_ID>0</DS_ID></ACTION></PLAN>",
    };

    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct oned *oned = with_driver();

        write_plan(plans[i]);
        unlink(output);
        fixture_vm(oned, 1, 512);
        work(oned, 20);
        fixture_pass(oned, 11);
        work_until(oned, 1);
        assert_int_equal(access(output, F_OK), 0);
        work(oned, 300);
        fixture_assert_state(oned, 0, 1, 0);
        oned_destroy(oned);
    }
}

static void hooks_are_told_of_each_state(void **state)
{
    static char text[4096];
    struct oned_options options = fixture_options(ONED_7_4, 1);
    struct oned *oned;

    unlink(output);
    options.hook = ONED_TEST_DATA "/hook.sh";
    oned = oned_create(&options, NULL);
    assert_non_null(oned);
    work_until(oned, 1);
    fixture_vm(oned, 1, 512);
    work_until(oned, 2);
    fixture_do(oned, "one.vm.action", "(ssi)", ADMIN, "hold", 0);
    work_until(oned, 3);
    fixture_do(oned, "one.vm.update", "(sisi)", ADMIN, 0, "A=b", 1); /* no state */
    fixture_do(oned, "one.host.status", "(sii)", ADMIN, 0, 1);
    work_until(oned, 4);
    work(oned, 300);
    read_output(text, sizeof text);
    assert_string_equal(text, "HOST 0 2 \nVM 0 1 0\nVM 0 2 0\nHOST 0 4 \n");
    oned_destroy(oned);
}

static int begin(void **state)
{
    snprintf(output, sizeof output, "programs-test-%d.out", (int)getpid());
    snprintf(plan, sizeof plan, "programs-test-%d.plan", (int)getpid());
    setenv("ONED_TEST_OUTPUT", output, 1);
    setenv("ONED_TEST_PLAN", plan, 1);
    return 0;
}

static int end(void **state)
{
    unlink(output);
    unlink(plan);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_carried_out),
        cmocka_unit_test(many_vms_close_the_window),
        cmocka_unit_test(a_wrong_plan_is_refused_whole),
        cmocka_unit_test(hooks_are_told_of_each_state),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
