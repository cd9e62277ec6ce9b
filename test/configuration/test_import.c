/* OpenNebula's configuration files, and what becomes of their settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/import.h"

static void assert_setting(const struct opennebula_file *file, size_t i, const char *name,
                           const char *key, const char *value, long line)
{
    assert_true(i < file->n);
    assert_string_equal(file->settings[i].name, name);
    if (key)
        assert_string_equal(file->settings[i].key, key);
    else
        assert_null(file->settings[i].key);
    assert_string_equal(file->settings[i].value, value);
    assert_int_equal(file->settings[i].line, line);
}

static void files_are_read(void **state)
{
    static const char text[] = "# a comment = 1\n"
                               "MAX_VM = 5000 # at most\n"
                               "one_xmlrpc=\"http://a:1/#x\"\n"
                               "EMPTY =\n"
                               "DEFAULT_SCHED = [\n"
                               "  policy = 3,  # custom\n"
                               "  RANK = \"- (RUNNING_VMS * 50, 2)\"\n"
                               "]\n"
                               "LOG=[SYSTEM=file,DEBUG_LEVEL=3]\tNEXT = a b \r\n";
    struct opennebula_file file;
    struct error err = {0};

    assert_int_equal(opennebula_file_parse(&file, text, sizeof text - 1, &err), 0);
    assert_int_equal(file.n, 8);
    assert_setting(&file, 0, "MAX_VM", NULL, "5000", 2);
    assert_setting(&file, 1, "ONE_XMLRPC", NULL, "http://a:1/#x", 3);
    assert_setting(&file, 3, "DEFAULT_SCHED", "POLICY", "3", 6);
    assert_setting(&file, 4, "DEFAULT_SCHED", "RANK", "- (RUNNING_VMS * 50, 2)", 7);
    assert_setting(&file, 5, "LOG", "SYSTEM", "file", 9);
    assert_setting(&file, 6, "LOG", "DEBUG_LEVEL", "3", 9);
    assert_setting(&file, 7, "NEXT", NULL, "a b", 9);
    opennebula_file_finish(&file);
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"A = 1\nB\n", "line 2: expected ="},
        {"= 1", "line 1: expected a name"},
        {"A = [ B = 1", "line 1: expected , or ]"},
        {"A = [\n B ]", "line 2: expected ="},
        {"A = [ 'B' = 1 ]", "line 1: expected a name"},
        {"A = \"x\n\n", "line 3: expected the closing \" of a string"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opennebula_file file;
        struct error err = {0};

        assert_int_equal(opennebula_file_parse(&file, cases[i].text, strlen(cases[i].text), &err),
                         -1);
        assert_string_equal(err.text, cases[i].error);
        assert_int_equal(file.n, 0);
    }
}

static void settings_become_options(void **state)
{
    static const struct {
        const char *name, *key, *value;
        enum import_result result;
        const char *option, *becomes;
    } cases[] = {
        {"ONE_XMLRPC", NULL, "http://a:2633/RPC2", IMPORT_OPTION, "endpoint", "http://a:2633/RPC2"},
        {"MESSAGE_SIZE", NULL, "1073741824", IMPORT_OPTION, "answer-limit", "1024"},
        {"MESSAGE_SIZE", NULL, "1000", IMPORT_INVALID, "answer-limit", ""},
        {"TIMEOUT", NULL, "60", IMPORT_OPTION, "timeout", "60"},
        {"MAX_DISPATCH", NULL, "0", IMPORT_OPTION, "actions-in-all", "10000"},
        {"COLD_MIGRATE_MODE", NULL, "0", IMPORT_OPTION, "cold-moves", "save"},
        {"COLD_MIGRATE_MODE", NULL, "2", IMPORT_OPTION, "cold-moves", "poweroff"},
        {"MAX_DISPATCH", NULL, "40", IMPORT_OPTION, "actions-in-all", "40"},
        {"MAX_ACTIONS_PER_HOST", NULL, "2", IMPORT_OPTION, "actions-per-host", "2"},
        {"MAX_ACTIONS_PER_CLUSTER", NULL, "30", IMPORT_OPTION, "actions-in-all", "30"},
        {"ACTION_TIMEOUT", NULL, "300", IMPORT_OPTION, "stuck-after", "300"},
        {"MAX_VM", NULL, "5000", IMPORT_NOT_NEEDED, NULL, ""},
        {"MAX_HOST", NULL, "1", IMPORT_NOT_NEEDED, NULL, ""},
        {"SCHED_INTERVAL", NULL, "15", IMPORT_NOT_NEEDED, NULL, ""},
        {"DEFAULT_SCHED", "POLICY", "4", IMPORT_OPTION, "host-policy", "4"},
        {"DEFAULT_SCHED", "POLICY", "7", IMPORT_INVALID, "host-policy", ""},
        {"DEFAULT_SCHED", "RANK", "FREE_CPU", IMPORT_OPTION, "rank", "FREE_CPU"},
        {"DEFAULT_DS_SCHED", "POLICY", "0", IMPORT_OPTION, "datastore-policy", "0"},
        {"DEFAULT_NIC_SCHED", "RANK", "-ID", IMPORT_OPTION, "network-rank", "-ID"},
        {"DIFFERENT_VNETS", NULL, "YES", IMPORT_OPTION, "different-networks", "YES"},
        {"MEMORY_SYSTEM_DS_SCALE", NULL, "1.5", IMPORT_OPTION, "memory-system-ds-scale", "1.5"},
        {"LOG", "DEBUG_LEVEL", "3", IMPORT_OPTION, "log-level", "info"},
        {"LOG", "DEBUG_LEVEL", "9", IMPORT_INVALID, "log-level", ""},
        {"LOG", "SYSTEM", "file", IMPORT_NOT_NEEDED, NULL, ""},
        {"EXTERNAL_SCHEDULER", "SERVER", "http://x", IMPORT_UNSUPPORTED, NULL, ""},
        {"DRS_INTERVAL", NULL, "600", IMPORT_OPTION, "rebalance-interval", "600"},
        {"DRS_INTERVAL", NULL, "-1", IMPORT_OPTION, "rebalance-interval", "0"},
        {"VM_SUBMIT_ON_HOLD", NULL, "NO", IMPORT_OPTION, "submit-on-hold", "NO"},
        {"PORT", NULL, "2633", IMPORT_OTHER, NULL, ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32], key[32], value[64];
        const struct opennebula_setting setting = {name, cases[i].key ? key : NULL, value, 1};
        struct imported imported;

        strcpy(name, cases[i].name);
        strcpy(key, cases[i].key ? cases[i].key : "");
        strcpy(value, cases[i].value);
        import_setting(&setting, false, &imported);
        if (imported.result != cases[i].result)
            fail_msg("%s: %d (%s)", cases[i].name, (int)imported.result, imported.text);
        if (cases[i].option)
            assert_string_equal(imported.option->name, cases[i].option);
        if (cases[i].result == IMPORT_OPTION)
            assert_string_equal(imported.value, cases[i].becomes);
        else if (cases[i].result != IMPORT_OTHER)
            assert_true(imported.text[0] != '\0');
    }
}

static void the_log_of_oned_is_not_the_schedulers(void **state)
{
    static const char text[] = "DB = [ BACKEND = sqlite ]\nLOG = [ DEBUG_LEVEL = 3 ]\n"
                               "MAX_ACTIONS_PER_HOST = 2";
    struct opennebula_file file;
    struct imported imported;
    struct error err = {0};

    assert_int_equal(opennebula_file_parse(&file, text, sizeof text - 1, &err), 0);
    assert_true(import_is_of_oned(&file));
    import_setting(&file.settings[1], true, &imported);
    assert_int_equal(imported.result, IMPORT_OTHER);
    import_setting(&file.settings[2], true, &imported);
    assert_int_equal(imported.result, IMPORT_OPTION);
    opennebula_file_finish(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(settings_become_options),
        cmocka_unit_test(the_log_of_oned_is_not_the_schedulers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
