/* Checks and completes the operator's settings for galernad. */
#include "configuration/live.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "configuration/configuration.h"
#include "util/loopback.h"
#include "util/memory.h"

#define SYSTEM_STATE   "/var/lib/galerna"
#define SYSTEM_RUNTIME "/run/galerna"
#define SOCKET_NAME    "control.sock"

/* The default configuration file; it need not exist. */
static const char *live_default_file(void)
{
    return "/etc/galerna/galerna.conf";
}

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

/* --- values --- */

static const struct ini_entry *written(const struct configuration *configuration, const char *key)
{
    return ini_find(&configuration->ini, "opennebula", key);
}

static void derive_endpoint(struct configuration *configuration)
{
    struct live_configuration *live = &configuration->live;
    const char *host = configuration->opennebula_host;
    size_t size;

    if (live->endpoint || !host)
        return;
    size = strlen(host) + sizeof "http://:65535/RPC2";
    live->endpoint = memory_new(size, 1);
    snprintf(live->endpoint, size, "http://%s:%d/RPC2", host, (int)configuration->opennebula_port);
}

/* One policy with its rank. The words precede the equivalent numbers; `custom` needs the rank. */
struct policy_options {
    const char *policy_name, *rank_name;
    int *policy;
    int words, custom;
};

static int check_policy(struct configuration *configuration, const struct policy_options *options,
                        struct error *err)
{
    const struct ini_entry *policy = written(configuration, options->policy_name),
                           *rank = written(configuration, options->rank_name);

    if (*options->policy >= options->words)
        *options->policy -= options->words;
    if (rank && !policy)
        *options->policy = options->custom;
    if (rank && *options->policy != options->custom)
        return ini_error(rank, err, "opennebula.%s takes effect only with %s: custom",
                         options->rank_name, options->policy_name);
    if (*options->policy == options->custom && (!rank || !*rank->value))
        return ini_error(rank ? rank : policy, err, "with %s custom, set opennebula.%s",
                         options->policy_name, options->rank_name);
    return 0;
}

static int check_placement(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;
    const struct policy_options all[] = {
        {"host-policy", "rank", &live->host_policy, LIVE_HOSTS_MODULES + 1, LIVE_HOSTS_CUSTOM},
        {"datastore-policy", "datastore-rank", &live->datastore_policy, LIVE_PLACEMENTS,
         LIVE_PLACEMENT_CUSTOM},
        {"network-policy", "network-rank", &live->network_policy, LIVE_PLACEMENTS,
         LIVE_PLACEMENT_CUSTOM},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (check_policy(configuration, &all[i], err) < 0)
            return -1;
    return 0;
}

/* oned counts the capacity of a suspended VM as used: with oned's check, no other VM would fit in
 * its place. */
static int check_suspension(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;
    const struct ini_entry *enforce = written(configuration, "enforce");

    if (live->suspend_with != SUSPEND_WITH_SUSPEND || !live->enforce)
        return 0;
    if (enforce)
        return ini_error(enforce, err,
                         "with enforce OpenNebula deploys nothing in place of a suspended VM, "
                         "set suspend-with: stop or enforce: no");
    live->enforce = false;
    return 0;
}

static int check_listen(const struct configuration *configuration, struct error *err)
{
    const struct ini_entry *listen = ini_find(&configuration->ini, "http", "listen");
    union loopback_address address;
    char where[256];

    if (!configuration->live.http_listen ||
        loopback_read(configuration->live.http_listen, &address, err) == 0)
        return 0;
    return error_prefix(err, "%s: http.listen",
                        listen ? ini_where(listen, where, sizeof where) : "");
}

int live_configuration_check(struct configuration *configuration, struct error *err)
{
    struct live_configuration *live = &configuration->live;

    if (check_placement(configuration, err) < 0 || check_suspension(configuration, err) < 0 ||
        check_listen(configuration, err) < 0)
        return -1;
    if (!written(configuration, "poll-interval") &&
        ini_find(&configuration->ini, "scheduling", "wakeup-interval"))
        live->poll_interval = configuration->wakeup_interval;
    derive_endpoint(configuration);
    return 0;
}

/* --- reading --- */

/* Haizea refuses a file without these three. */
static bool is_complete_haizea_file(const struct ini *ini)
{
    return !ini_has_section(ini, "galerna") && ini_has_section(ini, "general") &&
           ini_has_section(ini, "scheduling") && ini_has_section(ini, "accounting");
}

static void add_default(struct ini *ini, const char *section, const char *key, const char *value)
{
    if (!ini_find(ini, section, key))
        ini_add(ini, &(struct ini_entry){
                         .section = section, .key = key, .value = value, .origin = "default"});
}

static void add_defaults(struct ini *ini)
{
    if (is_complete_haizea_file(ini))
        return;
    ini_add_section(ini, "galerna", 0);
    add_default(ini, "general", "mode", "opennebula");
    add_default(ini, "scheduling", "policy-preemption", "ar-preempts-everything");
}

struct configuration *live_configuration_read(const char *file,
                                              const struct configuration_overrides *overrides,
                                              struct error *err)
{
    struct configuration *configuration = NULL;
    struct ini ini;

    if (!file && access(live_default_file(), F_OK) == 0)
        file = live_default_file();
    ini_init(&ini);
    if (file && ini_read_file(&ini, file, err) < 0)
        goto done;
    if (ini_has_section(&ini, "multi")) {
        error_set(err, EINVAL, "%s: a file with a section [multi] describes replays, not a daemon",
                  file);
        goto done;
    }
    add_defaults(&ini);
    configuration = configuration_create(&ini, "galernad", overrides, err);
done:
    ini_finish(&ini);
    return configuration;
}

/* --- places --- */

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
