/* galerna sandbox: serve the stand-in for OpenNebula. */
#include "cli/sandbox.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "util/new_file.h"

static volatile sig_atomic_t told_to_end;

static void end(int signal)
{
    (void)signal;
    told_to_end = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = end};

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* The first line of a file. */
static int read_password(const char *path, char *password, size_t size, struct error *err)
{
    FILE *file = fopen(path, "re");
    bool read;

    if (!file)
        return error_errno(err, "%s", path);
    read = fgets(password, (int)size, file) != NULL;
    fclose(file);
    if (!read)
        return error_set(err, EINVAL, "%s: no password in the file", path);
    password[strcspn(password, "\r\n")] = '\0';
    return 0;
}

static int write_auth(const struct sandbox_arguments *arguments, struct error *err)
{
    struct new_file *file = new_file_create(arguments->auth, 0600, err);

    if (!file)
        return -1;
    /* An existing file may have been readable for all users. */
    if (fchmod(new_file_descriptor(file), 0600) < 0 ||
        dprintf(new_file_descriptor(file), "%s:%s\n", arguments->options.user,
                arguments->options.password) < 0) {
        error_errno(err, "%s: cannot be written", arguments->auth);
        new_file_destroy(file);
        return -1;
    }
    return new_file_commit(file, err);
}

static void print_ready(const struct sandbox_arguments *arguments, int port)
{
    const char *version = arguments->options.version == ONED_6_10 ? "6.10" : "7.4";
    char endpoint[120];
    json_t *line;

    snprintf(endpoint, sizeof endpoint, "http://%s:%d/RPC2", arguments->listen, port);
    if (arguments->json) {
        line = json_pack("{s:s, s:s, s:s, s:s?, s:i}", "endpoint", endpoint, "opennebula", version,
                         "user", arguments->options.user, "auth", arguments->auth, "pid",
                         (int)getpid());
        json_dumpf(line, stdout, JSON_COMPACT);
        json_decref(line);
        putchar('\n');
    } else {
        printf("ready: OpenNebula %s at %s, user %s%s%s\n", version, endpoint,
               arguments->options.user, arguments->auth ? ", credentials in " : "",
               arguments->auth ? arguments->auth : "");
    }
    fflush(stdout);
}

static int serve(const struct sandbox_arguments *arguments, const char *command)
{
    struct error err = {0};
    struct oned *oned = oned_create(&arguments->options, &err);
    int port, code = EXIT_FAILED;

    if (!oned)
        return command_failed(command, &err);
    port = oned_listen(oned, arguments->listen, (int)arguments->port, &err);
    if (port >= 0 && (!arguments->auth || !write_auth(arguments, &err))) {
        print_ready(arguments, port);
        if (!oned_run(oned, &told_to_end, &err))
            code = EXIT_DONE;
    }
    if (code != EXIT_DONE)
        command_failed(command, &err);
    oned_destroy(oned);
    return code;
}

int command_sandbox(const struct call *call)
{
    struct sandbox_arguments *arguments = call->arguments;
    struct error err = {0};
    char password[256] = "opennebula";

    if (arguments->options.place && arguments->options.version < ONED_7_4)
        return command_usage_error(
            call->name, "--place requires --opennebula 7.4: 6.10 has no scheduler driver");
    if (arguments->password_file &&
        read_password(arguments->password_file, password, sizeof password, &err))
        return command_failed(call->name, &err);
    arguments->options.password = password;
    catch_signals();
    return serve(arguments, call->name);
}
