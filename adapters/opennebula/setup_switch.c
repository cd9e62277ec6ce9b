/* The steps of the switch to Galerna, and back. */
#include "adapters/opennebula/setup_switch.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/opennebula/oned_conf.h"
#include "adapters/opennebula/setup.h"
#include "util/file.h"
#include "util/new_file.h"
#include "util/output.h"
#include "util/unqualified.h"

enum { FILE_MAX = 1 << 20, STEP_MAX = 256, WORDS_MAX = 6 };

#define SCHEDULER "opennebula-scheduler"
#define DRIVERS   "/var/lib/one/remotes/scheduler/galerna"
#define ONED_CONF "/etc/one/oned.conf"
#define OUR_DRIVERS                                                                                \
    "SCHED_MAD = [ EXECUTABLE = \"one_sched\", ARGUMENTS = \"-t 15 -p galerna -o galerna\" ]"
#define OUR_DRS "DRS_INTERVAL = -1"

static void report(const struct setup_switch *settings, const char *step)
{
    settings->done(settings->context, step);
}

/* --- services --------------------------------------------------------------------------------- */

/* Runs systemctl with these words and returns its exit code. -1 with err: it cannot be run. */
static int run_systemctl(const char *const *words, struct error *err)
{
    char *arguments[WORDS_MAX + 3] = {unqualified("systemctl"), unqualified("--quiet")};
    int status, result;
    pid_t process;

    for (int i = 0; i < WORDS_MAX && words[i]; i++)
        arguments[i + 2] = unqualified(words[i]);
    result = posix_spawnp(&process, "systemctl", NULL, NULL, arguments, environ);
    if (result != 0)
        return error_set(err, result, "systemctl cannot be run: %s", strerror(result));
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return error_errno(err, "systemctl");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int systemctl(const struct setup_switch *settings, const char *const *words,
                     struct error *err)
{
    char step[STEP_MAX] = "systemctl";
    int code = run_systemctl(words, err);

    if (code < 0)
        return -1;
    for (int i = 0; words[i]; i++)
        snprintf(step + strlen(step), sizeof step - strlen(step), " %s", words[i]);
    if (code > 0)
        return error_set(err, EIO, "%s ended with exit code %d: see journalctl -xe", step, code);
    report(settings, step);
    return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The text of a file, to be freed. */
static char *read_file(const char *path, size_t *length, struct error *err)
{
    char *text = file_read(path, FILE_MAX, length, err);

    if (text && strlen(text) != *length) {
        error_set(err, EINVAL, "%s: not a text file", path);
        free(text);
        text = NULL;
    }
    return text;
}

/* Gives a file to the owner of the existing one or, if missing, to `owner`, if that user exists. */
static void give(int fd, const char *path, const char *owner)
{
    const struct passwd *user = owner ? getpwnam(owner) : NULL;
    struct stat status;

    if (stat(path, &status) == 0)
        (void)!fchown(fd, status.st_uid, status.st_gid);
    else if (user)
        (void)!fchown(fd, user->pw_uid, user->pw_gid);
}

static int write_file(const char *path, const char *text, size_t length, mode_t mode,
                      const char *owner, struct error *err)
{
    struct new_file *file = new_file_create(path, mode, err);
    int fd;

    if (!file)
        return -1;
    fd = new_file_descriptor(file);
    if (output_write_all(fd, text, length) < 0) {
        error_errno(err, "%s", path);
        new_file_destroy(file);
        return -1;
    }
    give(fd, path, owner);
    return new_file_commit(file, err);
}

static int install(const struct setup_switch *settings, const char *name, struct error *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    size_t length;
    char *text;
    int result;

    snprintf(from, sizeof from, "%s/%s", settings->files, name);
    snprintf(to, sizeof to, "%s" DRIVERS "/%s", settings->root, name);
    text = read_file(from, &length, err);
    if (!text)
        return -1;
    result = write_file(to, text, length, 0755, "oneadmin", err);
    free(text);
    if (result == 0 && chmod(to, 0755) < 0)
        return error_errno(err, "%s", to);
    return result;
}

static int install_drivers(const struct setup_switch *settings, struct error *err)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s" DRIVERS, settings->root);
    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return error_errno(err, "%s: cannot create the directory", folder);
    if (install(settings, "place", err) < 0 || install(settings, "optimize", err) < 0)
        return -1;
    report(settings, "place and optimize installed in " DRIVERS);
    return 0;
}

/* --- oned.conf -------------------------------------------------------------------------------- */

static char *with_galerna(const char *text, struct error *err)
{
    char *drivers = oned_conf_replace(text, "SCHED_MAD", OUR_DRIVERS, err), *both;

    if (!drivers)
        return NULL;
    both = oned_conf_replace(drivers, "DRS_INTERVAL", OUR_DRS, err);
    free(drivers);
    return both;
}

static char *without_galerna(const char *text, struct error *err)
{
    bool changed;

    (void)err;
    return oned_conf_restore(text, &changed);
}

/* 1: changed; 0: no change needed. */
static int edit_oned_conf(const struct setup_switch *settings,
                          char *(*edit)(const char *text, struct error *err), const char *step,
                          struct error *err)
{
    char path[PATH_MAX], *before, *after;
    size_t length;
    int result = -1;

    snprintf(path, sizeof path, "%s" ONED_CONF, settings->root);
    before = read_file(path, &length, err);
    if (!before)
        return -1;
    after = edit(before, err);
    if (after && !strcmp(before, after))
        result = 0;
    else if (after && write_file(path, after, strlen(after), 0640, NULL, err) == 0)
        result = 1;
    if (!after)
        error_prefix(err, "%s", path);
    if (result == 1)
        report(settings, step);
    free(before);
    free(after);
    return result;
}

/* --- both ways -------------------------------------------------------------------------------- */

static const char *const restart_oned[] = {"restart", "opennebula", NULL};
static const char *const mask[] = {"mask", "--now", SCHEDULER, NULL};
static const char *const unmask[] = {"unmask", SCHEDULER, NULL};
static const char *const start[] = {"start", SCHEDULER, NULL};
static const char *const enable[] = {"enable", "--now", "galernad", NULL};
static const char *const disable[] = {"disable", "--now", "galernad", NULL};

static int revert_oned(const struct setup_switch *settings, struct error *err)
{
    int changed = edit_oned_conf(settings, without_galerna,
                                 "SCHED_MAD and DRS_INTERVAL restored in " ONED_CONF, err);

    return changed > 0 ? systemctl(settings, restart_oned, err) : changed;
}

/* Lets the stock scheduler of 6.x start again, and starts it. */
static int revert_scheduler(const struct setup_switch *settings, struct error *err)
{
    if (!setup_unit_is_masked(settings->root, SCHEDULER ".service"))
        return 0;
    if (systemctl(settings, unmask, err) < 0)
        return -1;
    if (setup_unit_is_off(settings->root, SCHEDULER ".service") == SETUP_YES)
        return 0; /* it is not installed */
    return systemctl(settings, start, err);
}

static int apply_to_oned(const struct setup_switch *settings, bool *changed, struct error *err)
{
    int result;

    if (install_drivers(settings, err) < 0)
        return -1;
    result = edit_oned_conf(settings, with_galerna,
                            "SCHED_MAD and DRS_INTERVAL replaced in " ONED_CONF, err);
    *changed = result > 0;
    return result > 0 ? systemctl(settings, restart_oned, err) : result;
}

static int apply_to_scheduler(const struct setup_switch *settings, bool *changed, struct error *err)
{
    *changed = !setup_unit_is_masked(settings->root, SCHEDULER ".service");
    return *changed ? systemctl(settings, mask, err) : 0;
}

static int disable_galernad(const struct setup_switch *settings, struct error *err)
{
    if (setup_unit_is_off(settings->root, "galernad.service") == SETUP_YES)
        return 0; /* it is not installed */
    return systemctl(settings, disable, err);
}

/* After a failed step: OpenNebula must not be left without a scheduler, nor with two. */
static void undo(const struct setup_switch *settings, struct error *err)
{
    struct error failure = {0};
    int result = disable_galernad(settings, &failure);
    size_t length = strlen(err->text);

    if (result == 0)
        result = settings->major >= 7 ? revert_oned(settings, &failure)
                                      : revert_scheduler(settings, &failure);
    if (result < 0)
        snprintf(err->text + length, sizeof err->text - length, "; cannot switch back: %s",
                 failure.text);
    else
        snprintf(err->text + length, sizeof err->text - length,
                 "; OpenNebula's own scheduler is in use again");
}

int setup_apply(const struct setup_switch *settings, struct error *err)
{
    bool changed = false;
    int result = settings->major >= 7 ? apply_to_oned(settings, &changed, err)
                                      : apply_to_scheduler(settings, &changed, err);

    if (result == 0 && systemctl(settings, enable, err) == 0)
        return 0;
    if (changed)
        undo(settings, err);
    return -1;
}

int setup_revert(const struct setup_switch *settings, struct error *err)
{
    if (disable_galernad(settings, err) < 0 || revert_oned(settings, err) < 0)
        return -1;
    return revert_scheduler(settings, err);
}
