/* The switch to Galerna and back, on a front-end of a few files with a systemctl that notes its
 * arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "adapters/opennebula/setup_switch.h"

#define ONED_CONF                                                                                  \
    "DRS_INTERVAL = 600\nSCHED_MAD = [\n  EXECUTABLE = \"one_sched\",\n  ARGUMENTS = \"-p "        \
    "rank\"\n]\n"

static char root[64], files[80], steps[2048];

static void write_text(const char *name, const char *text, mode_t mode)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_return_code(chmod(path, mode), 0);
}

static const char *read_text(const char *name)
{
    static char text[4096];
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int begin(void **state)
{
    char command[512], search[512];

    snprintf(root, sizeof root, "/tmp/switch.XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof command,
             "mkdir -p %s/bin %s/files %s/etc/one %s/etc/systemd/system %s/lib/systemd/system "
             "%s/var/lib/one/remotes/scheduler",
             root, root, root, root, root, root);
    assert_int_equal(system(command), 0);
    snprintf(files, sizeof files, "%s/files", root);
    write_text("files/place", "#!/bin/sh\n", 0644);
    write_text("files/optimize", "#!/bin/sh\n", 0644);
    write_text("etc/one/oned.conf", ONED_CONF, 0600);
    write_text(
        "bin/systemctl",
        "#!/bin/sh\nshift\necho \"$*\" >>\"${0%/bin/*}/called\"\n"
        "case \"$*\" in mask*) ln -s /dev/null "
        "\"${0%/bin/*}/etc/systemd/system/opennebula-scheduler.service\" ;;\n"
        "unmask*) rm \"${0%/bin/*}/etc/systemd/system/opennebula-scheduler.service\" ;; esac\n"
        "! grep -qxF \"$*\" \"${0%/bin/*}/fails\"\n",
        0755);
    write_text("called", "", 0644);
    write_text("fails", "", 0644);
    snprintf(search, sizeof search, "%s/bin:/usr/bin:/bin", root);
    setenv("PATH", search, 1);
    steps[0] = '\0';
    return 0;
}

static int end(void **state)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void note(void *context, const char *step)
{
    snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%s\n", step);
}

static void install_units(void)
{
    write_text("lib/systemd/system/galernad.service", "[Unit]\n", 0644);
    write_text("lib/systemd/system/opennebula-scheduler.service", "[Unit]\n", 0644);
}

static struct setup_switch to(int major)
{
    return (struct setup_switch){.root = root, .files = files, .major = major, .done = note};
}

static void older_versions_have_a_service_to_mask(void **state)
{
    const struct setup_switch settings = to(6);
    struct error err;

    install_units();
    assert_int_equal(setup_apply(&settings, &err), 0);
    assert_string_equal(read_text("called"),
                        "mask --now opennebula-scheduler\nenable --now galernad\n");
    assert_string_equal(read_text("etc/one/oned.conf"), ONED_CONF);
    write_text("called", "", 0644);
    /* Once more: it is masked. */
    assert_int_equal(setup_apply(&settings, &err), 0);
    assert_string_equal(read_text("called"), "enable --now galernad\n");
    write_text("called", "", 0644);
    assert_int_equal(setup_revert(&settings, &err), 0);
    assert_string_equal(read_text("called"), "disable --now galernad\nunmask opennebula-scheduler\n"
                                             "start opennebula-scheduler\n");
    /* Once more: there is nothing to switch back. */
    write_text("called", "", 0644);
    assert_int_equal(setup_revert(&settings, &err), 0);
    assert_string_equal(read_text("called"), "disable --now galernad\n");
}

/* The packages of Galerna were removed first. */
static void what_is_not_installed_is_not_stopped(void **state)
{
    const struct setup_switch settings = to(7);
    struct error err;

    assert_int_equal(setup_apply(&settings, &err), 0);
    write_text("called", "", 0644);
    assert_int_equal(setup_revert(&settings, &err), 0);
    assert_string_equal(read_text("called"), "restart opennebula\n");
    assert_string_equal(read_text("etc/one/oned.conf"), ONED_CONF);
}

static void newer_versions_have_drivers_and_a_configuration(void **state)
{
    const struct setup_switch settings = to(7);
    struct stat status;
    struct error err;
    char path[256];

    install_units();
    assert_int_equal(setup_apply(&settings, &err), 0);
    assert_string_equal(read_text("called"), "restart opennebula\nenable --now galernad\n");
    assert_non_null(strstr(read_text("etc/one/oned.conf"), "\nDRS_INTERVAL = -1 "));
    assert_non_null(strstr(read_text("etc/one/oned.conf"), "-p galerna -o galerna"));
    snprintf(path, sizeof path, "%s/var/lib/one/remotes/scheduler/galerna/place", root);
    assert_return_code(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    snprintf(path, sizeof path, "%s/etc/one/oned.conf", root);
    assert_return_code(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);

    /* Once more: nothing is left to change, so oned is not restarted. */
    write_text("called", "", 0644);
    assert_int_equal(setup_apply(&settings, &err), 0);
    assert_string_equal(read_text("called"), "enable --now galernad\n");

    write_text("called", "", 0644);
    assert_int_equal(setup_revert(&settings, &err), 0);
    assert_string_equal(read_text("etc/one/oned.conf"), ONED_CONF);
    assert_string_equal(read_text("called"), "disable --now galernad\nrestart opennebula\n");
}

/* A switch that fails half-way leaves OpenNebula with its own scheduler. */
static void a_step_that_fails_undoes_the_others(void **state)
{
    const struct setup_switch newer = to(7), older = to(6);
    struct error err;

    install_units();
    write_text("fails", "enable --now galernad\n", 0644);
    assert_int_equal(setup_apply(&newer, &err), -1);
    assert_non_null(strstr(err.text, "systemctl enable --now galernad ended with exit code 1"));
    assert_non_null(strstr(err.text, "; OpenNebula's own scheduler is in use again"));
    assert_string_equal(read_text("called"), "restart opennebula\nenable --now galernad\n"
                                             "disable --now galernad\nrestart opennebula\n");
    assert_string_equal(read_text("etc/one/oned.conf"), ONED_CONF);

    write_text("called", "", 0644);
    assert_int_equal(setup_apply(&older, &err), -1);
    assert_string_equal(read_text("called"),
                        "mask --now opennebula-scheduler\nenable --now galernad\n"
                        "disable --now galernad\nunmask opennebula-scheduler\n"
                        "start opennebula-scheduler\n");

    write_text("fails", "restart opennebula\n", 0644);
    assert_int_equal(setup_apply(&newer, &err), -1);
    assert_non_null(strstr(err.text, "systemctl restart opennebula ended with exit code 1"));
    assert_non_null(strstr(err.text, "; cannot switch back: systemctl restart opennebula"));
    assert_string_equal(read_text("etc/one/oned.conf"), ONED_CONF);
}

/* A failure of what was switched before leaves that. */
static void what_was_switched_before_stays(void **state)
{
    const struct setup_switch settings = to(7);
    struct error err;

    install_units();
    assert_int_equal(setup_apply(&settings, &err), 0);
    write_text("called", "", 0644);
    write_text("fails", "enable --now galernad\n", 0644);
    assert_int_equal(setup_apply(&settings, &err), -1);
    assert_string_equal(read_text("called"), "enable --now galernad\n");
    assert_non_null(strstr(read_text("etc/one/oned.conf"), "-p galerna -o galerna"));
}

static void a_missing_configuration_is_named(void **state)
{
    const struct setup_switch settings = to(7);
    struct error err;
    char path[256];

    snprintf(path, sizeof path, "%s/etc/one/oned.conf", root);
    remove(path);
    assert_int_equal(setup_apply(&settings, &err), -1);
    assert_non_null(strstr(err.text, "/etc/one/oned.conf: cannot be read: No such file"));
    assert_string_equal(read_text("called"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(older_versions_have_a_service_to_mask, begin, end),
        cmocka_unit_test_setup_teardown(newer_versions_have_drivers_and_a_configuration, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_is_not_installed_is_not_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_step_that_fails_undoes_the_others, begin, end),
        cmocka_unit_test_setup_teardown(what_was_switched_before_stays, begin, end),
        cmocka_unit_test_setup_teardown(a_missing_configuration_is_named, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
