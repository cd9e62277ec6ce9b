/* The directories and sockets of galernad. */
#include "configuration/live.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

#define SYSTEM_STATE   "/var/lib/galerna"
#define SYSTEM_RUNTIME "/run/galerna"
#define SOCKET_NAME    "control.sock"

/* Keeps the meaning of a relative path if this process changes its directory. */
static char *absolute(const char *path, struct error *err)
{
    char *here, *whole;

    if (path[0] == '/')
        return memory_text(path);
    here = getcwd(NULL, 0);
    if (!here) {
        error_errno(err, "%s is relative to the current directory, which cannot be read", path);
        return NULL;
    }
    whole = memory_format("%s/%s", here, path);
    free(here);
    return whole;
}

/* The first folder of a list set by systemd ("a:b"), or NULL. */
static char *from_environment(const char *name)
{
    const char *value = getenv(name);
    char *folder;

    if (!value || value[0] != '/')
        return NULL;
    folder = memory_text(value);
    folder[strcspn(folder, ":")] = '\0';
    return folder;
}

static bool is_ours(const char *folder)
{
    struct stat status;

    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

static char *state_of_user(struct error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const struct passwd *user;

    if (state && state[0] == '/')
        return memory_format("%s/galerna", state);
    if (!home || home[0] != '/') {
        user = getpwuid(geteuid());
        home = user ? user->pw_dir : NULL;
    }
    if (!home || home[0] != '/') {
        error_set(err, ENOENT,
                  "no state directory: this user has no home directory; set daemon.state-dir or "
                  "--state-dir");
        return NULL;
    }
    return memory_format("%s/.local/state/galerna", home);
}

char *live_state_directory(const struct live_configuration *live, const char *wanted,
                           struct error *err)
{
    char *folder;

    if (wanted)
        return absolute(wanted, err);
    if (live && live->state_dir)
        return absolute(live->state_dir, err);
    folder = from_environment("STATE_DIRECTORY");
    if (folder)
        return folder;
    if (geteuid() == 0 || is_ours(SYSTEM_STATE))
        return memory_text(SYSTEM_STATE);
    return state_of_user(err);
}

char *live_promise_key(const struct live_configuration *live, const char *state_directory)
{
    return live->promise_key ? memory_text(live->promise_key)
                             : memory_format("%s/promise.key", state_directory);
}

char *live_lock_directory(struct error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *folder = from_environment("RUNTIME_DIRECTORY");

    if (folder)
        return folder;
    if (geteuid() == 0 || is_ours(SYSTEM_RUNTIME))
        return memory_text(SYSTEM_RUNTIME);
    return runtime && runtime[0] == '/' ? memory_format("%s/galerna", runtime) : state_of_user(err);
}

char *live_control_socket(const struct live_configuration *live, const char *wanted_state,
                          const char *state_directory)
{
    char *runtime, *path;

    if (live && live->control_socket)
        return memory_text(live->control_socket);
    runtime = wanted_state ? NULL : from_environment("RUNTIME_DIRECTORY");
    path = memory_format("%s/" SOCKET_NAME, runtime ? runtime : state_directory);
    free(runtime);
    return path;
}

char *live_client_socket(const struct live_configuration *live, struct error *err)
{
    const char *told = getenv("GALERNA_SOCKET");
    char *state, *path;

    if (told && *told)
        return memory_text(told);
    if (live && live->control_socket)
        return memory_text(live->control_socket);
    if (access(SYSTEM_RUNTIME "/" SOCKET_NAME, F_OK) == 0)
        return memory_text(SYSTEM_RUNTIME "/" SOCKET_NAME);
    state = live_state_directory(live, NULL, err);
    if (!state)
        return NULL;
    path = memory_format("%s/" SOCKET_NAME, state);
    free(state);
    return path;
}
