#include "daemon/simulated.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "configuration/site_text.h"
#include "daemon/log.h"
#include "sandbox/oned.h"
#include "util/memory.h"

enum { PASSWORD_BYTES = 16, KB_PER_MB = 1024 };

static const char default_site[] = "4,cpu=100,memory=1024";

struct simulated {
    pid_t child;
    char *auth_file;
    char *state;
    bool resumed; /* there was a state already */
    char password[PASSWORD_BYTES * 2 + 1];
    char endpoint[64];
};

static volatile sig_atomic_t told_to_end;

static void end(int signal)
{
    (void)signal;
    told_to_end = 1;
}

/* The password that the kept state was made with. */
static int read_secret(struct simulated *simulated, struct error *err)
{
    static const char user[] = "oneadmin:";
    char line[sizeof user + sizeof simulated->password + 1];
    FILE *file = fopen(simulated->auth_file, "re");
    const char *password = line + strlen(user);
    bool got;

    if (!file)
        return error_set(
            err, errno, "%s: %s; without it %s cannot be used: give --simulate another --state-dir",
            simulated->auth_file, strerror(errno), simulated->state);
    got = fgets(line, sizeof line, file) && strncmp(line, user, strlen(user)) == 0;
    fclose(file);
    line[got ? strcspn(line, "\n") : 0] = '\0';
    if (!got || strlen(password) >= sizeof simulated->password)
        return error_set(err, EPROTO, "%s is damaged: give --simulate another --state-dir",
                         simulated->auth_file);
    memcpy(simulated->password, password, strlen(password) + 1);
    return 0;
}

/* A password nobody needs to know, in a file that only the daemon's user may read. */
static int make_secret(struct simulated *simulated, struct error *err)
{
    unsigned char bytes[PASSWORD_BYTES];
    int fd;
    bool written;

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_set(err, errno, "no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(simulated->password + 2 * i, 3, "%02x", bytes[i]);
    unlink(simulated->auth_file);
    fd = open(simulated->auth_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, errno, "%s: %s", simulated->auth_file, strerror(errno));
    written = dprintf(fd, "oneadmin:%s\n", simulated->password) > 0;
    if (close(fd) < 0 || !written)
        return error_set(err, EIO, "%s: cannot be written", simulated->auth_file);
    return 0;
}

/* Hosts of other sizes than the first. */
static int resize_host(struct oned *oned, const struct simulated *simulated, size_t place,
                       const struct amounts *capacity, struct error *err)
{
    char request[1024], *answer;
    size_t size;
    int length =
        snprintf(request, sizeof request,
                 "<?xml version=\"1.0\"?><methodCall><methodName>sandbox.host</methodName><params>"
                 "<param><value><string>oneadmin:%s</string></value></param>"
                 "<param><value><int>%zu</int></value></param>"
                 "<param><value><string>CPU=%lld\nMEMORY=%lld</string></value></param>"
                 "</params></methodCall>",
                 simulated->password, place, (long long)capacity->of[RESOURCE_CPU],
                 (long long)capacity->of[RESOURCE_MEMORY] * KB_PER_MB);
    bool done;

    answer = oned_call(oned, request, (size_t)length, &size);
    done = answer && strstr(answer, "<boolean>1</boolean>");
    free(answer);
    return done ? 0 : error_set(err, EIO, "simulated host %zu cannot have its size", place);
}

static size_t count_hosts(struct oned *oned, const struct simulated *simulated)
{
    static const char host[] = "&lt;HOST&gt;";
    char request[512], *answer;
    const char *rest, *at;
    size_t size, n = 0;
    int length = snprintf(request, sizeof request,
                          "<?xml version=\"1.0\"?><methodCall><methodName>one.hostpool.info"
                          "</methodName><params><param><value><string>oneadmin:%s</string></value>"
                          "</param></params></methodCall>",
                          simulated->password);

    answer = oned_call(oned, request, (size_t)length, &size);
    rest = answer;
    while (rest && (at = memmem(rest, size - (size_t)(rest - answer), host, strlen(host)))) {
        n++;
        rest = at + 1;
    }
    free(answer);
    return n;
}

/* What was kept has the hosts of then: as many as now, please, in the sizes of now. */
static int check_hosts(struct oned *oned, const struct simulated *simulated,
                       const struct site *site, struct error *err)
{
    size_t n = simulated->resumed ? count_hosts(oned, simulated) : site->n_hosts;

    if (n != site->n_hosts)
        return error_set(
            err, EINVAL,
            "%s has %zu hosts, simulation.resources %zu: to begin with new hosts, give "
            "--simulate another --state-dir",
            simulated->state, n, site->n_hosts);
    for (size_t i = simulated->resumed ? 0 : 1; i < site->n_hosts; i++) {
        const struct amounts *capacity = &site->hosts[i].capacity;

        if (!simulated->resumed &&
            memcmp(capacity, &site->hosts[0].capacity, sizeof *capacity) == 0)
            continue;
        if (resize_host(oned, simulated, i, capacity, err) < 0)
            return -1;
    }
    return 0;
}

static struct oned *make_oned(const struct simulated *simulated, const struct site *site,
                              struct error *err)
{
    struct oned_options options;
    struct oned *oned;

    oned_options_init(&options);
    options.password = simulated->password;
    options.state = simulated->state;
    options.hosts = (int64_t)site->n_hosts;
    options.host_cpu = site->hosts[0].capacity.of[RESOURCE_CPU];
    options.host_memory = site->hosts[0].capacity.of[RESOURCE_MEMORY] * KB_PER_MB;
    oned = oned_create(&options, err);
    if (oned && check_hosts(oned, simulated, site, err) < 0) {
        oned_destroy(oned);
        oned = NULL;
    }
    return oned;
}

/* The child: tells its port, or why there is none, and serves. */
static int serve(const struct simulated *simulated, const struct site *site, int fd)
{
    struct sigaction action = {.sa_handler = end};
    struct error err = {0};
    struct oned *oned;
    int port = -1;
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    umask(S_IRWXG | S_IRWXO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    oned = make_oned(simulated, site, &err);
    if (oned)
        port = oned_listen(oned, "127.0.0.1", 0, &err);
    dprintf(fd, "%d %s\n", port, port < 0 ? err.text : "");
    close(fd);
    if (port >= 0 && oned_run(oned, &told_to_end, &err) < 0)
        log_error("the simulated OpenNebula: %s", err.text);
    oned_destroy(oned);
    return port < 0;
}

static int read_port(struct simulated *simulated, int fd, struct error *err)
{
    FILE *file = fdopen(fd, "r");
    char line[ERROR_TEXT_MAX + 16] = "-1 it ended";
    char *text;
    long port;

    if (file && !fgets(line, sizeof line, file))
        snprintf(line, sizeof line, "-1 it ended at once");
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    port = strtol(line, &text, 10);
    if (port < 0)
        return error_set(err, EIO, "the simulated OpenNebula does not start:%s", text);
    snprintf(simulated->endpoint, sizeof simulated->endpoint, "http://127.0.0.1:%ld/RPC2", port);
    return 0;
}

static int start_child(struct simulated *simulated, const struct site *site, struct error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
    simulated->child = fork();
    if (simulated->child == 0) {
        close(ends[0]);
        _exit(serve(simulated, site, ends[1]));
    }
    close(ends[1]);
    if (simulated->child < 0) {
        close(ends[0]);
        return error_set(err, errno, "cannot start a process: %s", strerror(errno));
    }
    return read_port(simulated, ends[0], err);
}

static char *file_in(const char *directory, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        abort();
    return path;
}

static int set_going(struct simulated *simulated, const char *state_directory, bool with_leases,
                     const struct site *site, struct error *err)
{
    if (with_leases && !simulated->resumed)
        return error_set(
            err, EINVAL,
            "%s is gone, and %s has leases of its VMs: give --simulate another --state-dir",
            simulated->state, state_directory);
    if ((simulated->resumed ? read_secret(simulated, err) : make_secret(simulated, err)) < 0)
        return -1;
    return start_child(simulated, site, err);
}

struct simulated *simulated_start(const struct configuration *configuration,
                                  const char *state_directory, bool with_leases, struct error *err)
{
    const char *text = configuration->resources ? configuration->resources : default_site;
    struct simulated *simulated;
    struct site site;
    int result;

    if (strcmp(text, "in-tracefile") == 0)
        text = default_site;
    if (site_text_parse(text, &site, err) < 0) {
        error_prefix(err, "simulation.resources");
        return NULL;
    }
    simulated = memory_new(1, sizeof *simulated);
    simulated->child = -1;
    simulated->auth_file = file_in(state_directory, "simulated_auth");
    simulated->state = file_in(state_directory, "simulated.db");
    simulated->resumed = access(simulated->state, F_OK) == 0;
    result = set_going(simulated, state_directory, with_leases, &site, err);
    site_finish(&site);
    if (result < 0) {
        simulated_stop(simulated);
        return NULL;
    }
    log_info("simulated hosts: %s%s", text, simulated->resumed ? ", with the VMs of before" : "");
    return simulated;
}

void simulated_stop(struct simulated *simulated)
{
    if (!simulated)
        return;
    if (simulated->child > 0) {
        kill(simulated->child, SIGTERM);
        while (waitpid(simulated->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    explicit_bzero(simulated->password, sizeof simulated->password);
    free(simulated->auth_file);
    free(simulated->state);
    free(simulated);
}

const char *simulated_endpoint(const struct simulated *simulated)
{
    return simulated->endpoint;
}

const char *simulated_auth_file(const struct simulated *simulated)
{
    return simulated->auth_file;
}
