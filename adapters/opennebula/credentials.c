/* Finds oned's endpoint and the credentials for it, and protects them. */
#include "adapters/opennebula/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

enum { CONTENT_MAX = 4096 };

static const char default_endpoint[] = "http://localhost:2633/RPC2";
static const char system_folder[] = "/var/lib/one/.one";

static bool is_set(const char *text)
{
    return text && *text;
}

/* "": unknown. */
static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    const struct passwd *entry;

    if (is_set(home))
        return home;
    entry = getpwuid(getuid());
    return entry && entry->pw_dir ? entry->pw_dir : "";
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A copy without surrounding blanks. */
static char *trimmed(const char *content, size_t length)
{
    char *text;

    while (length > 0 && is_blank(content[length - 1]))
        length--;
    while (length > 0 && is_blank(*content)) {
        content++;
        length--;
    }
    text = memory_new(length + 1, 1);
    memcpy(text, content, length);
    return text;
}

/* NULL with err. */
static char *read_all(int file, const char *path, struct error *err)
{
    char content[CONTENT_MAX + 1], *text = NULL;
    size_t length = 0;
    ssize_t n;

    while ((n = read(file, content + length, sizeof content - length)) > 0)
        length += (size_t)n;
    if (n < 0)
        error_errno(err, "%s", path);
    else if (length > CONTENT_MAX)
        error_set(err, EINVAL, "%s: more than %d bytes; expected one line", path, CONTENT_MAX);
    else
        text = trimmed(content, length);
    explicit_bzero(content, sizeof content);
    return text;
}

/* NULL with err; ENOENT if there is no such file. */
static char *read_small_file(const char *path, struct stat *status, struct error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL;

    if (file < 0)
        return error_null(err, errno == ENOTDIR ? ENOENT : errno, "%s: %s", path, strerror(errno));
    if (fstat(file, status) < 0)
        error_errno(err, "%s", path);
    else if (!S_ISREG(status->st_mode))
        error_set(err, EINVAL, "%s: not a regular file", path);
    else
        text = read_all(file, path, err);
    close(file);
    return text;
}

/* The files searched by OpenNebula's tools, the user's before the machine's. */
static void usual_paths(char paths[2][PATH_MAX], const char *name)
{
    snprintf(paths[0], PATH_MAX, "%s/.one/%s", home_folder(), name);
    snprintf(paths[1], PATH_MAX, "%s/%s", system_folder, name);
}

static void set_endpoint(struct credentials *credentials, const char *endpoint, const char *from)
{
    credentials->endpoint = memory_text(endpoint);
    credentials->endpoint_from = memory_text(from);
}

int credentials_find_endpoint(struct credentials *credentials, const char *endpoint,
                              struct error *err)
{
    const char *variable = getenv("ONE_XMLRPC");
    char paths[2][PATH_MAX], *text;
    struct error problem = {0};
    struct stat status;

    if (is_set(endpoint)) {
        set_endpoint(credentials, endpoint, "configuration");
        return 0;
    }
    if (is_set(variable)) {
        set_endpoint(credentials, variable, "ONE_XMLRPC");
        return 0;
    }
    usual_paths(paths, "one_endpoint");
    for (size_t i = 0; i < 2; i++) {
        text = read_small_file(paths[i], &status, &problem);
        if (text) {
            set_endpoint(credentials, text, paths[i]);
            free(text);
            return 0;
        }
        if (problem.code != ENOENT)
            return error_set(err, problem.code, "endpoint of OpenNebula: %s", problem.text);
    }
    set_endpoint(credentials, default_endpoint, "default");
    return 0;
}

/* The session must be "user:password" in one line. */
static int check_session(const char *session, const char *path, struct error *err)
{
    const char *colon = strchr(session, ':');

    if (!colon || colon == session || colon[1] == '\0')
        return error_set(err, EINVAL, "%s: expected \"user:password\" (the content is not shown)",
                         path);
    for (const char *c = session; *c; c++)
        if ((unsigned char)*c < 0x20)
            return error_set(
                err, EINVAL,
                "%s: expected one line with \"user:password\" (the content is not shown)", path);
    return 0;
}

int credentials_read_session(struct credentials *credentials, const char *path, struct error *err)
{
    struct stat status = {0};
    char *text = read_small_file(path, &status, err);

    if (!text)
        return -1;
    if (check_session(text, path, err) < 0) {
        memory_wipe(text);
        return -1;
    }
    credentials->session = text;
    credentials->user = memory_new(strlen(text) + 1, 1);
    memcpy(credentials->user, text, strcspn(text, ":"));
    credentials->session_from = memory_text(path);
    if (status.st_mode & S_IROTH)
        snprintf(credentials->warning, sizeof credentials->warning,
                 "%.240s: all users of this machine can read the password in it; run chmod 600",
                 path);
    return 0;
}

static int find_session(struct credentials *credentials, const char *configured, struct error *err)
{
    const char *variable = getenv("ONE_AUTH");
    struct error problem = {0};
    char paths[2][PATH_MAX];

    if (is_set(configured))
        return credentials_read_session(credentials, configured, err) < 0
                   ? error_prefix(err, "auth-file in [opennebula]")
                   : 0;
    if (is_set(variable))
        return credentials_read_session(credentials, variable, err) < 0
                   ? error_prefix(err, "ONE_AUTH")
                   : 0;
    usual_paths(paths, "one_auth");
    for (size_t i = 0; i < 2; i++) {
        if (credentials_read_session(credentials, paths[i], &problem) == 0)
            return 0;
        if (problem.code != ENOENT)
            return error_set(err, problem.code, "%s", problem.text);
    }
    return error_set(err, ENOENT,
                     "no session for OpenNebula: looked for auth-file in [opennebula], ONE_AUTH, "
                     "%.160s and %s; put \"user:password\" into one of them",
                     paths[0], paths[1]);
}

int credentials_find(struct credentials *credentials, const char *endpoint, const char *auth_file,
                     struct error *err)
{
    *credentials = (struct credentials){0};
    if (credentials_find_endpoint(credentials, endpoint, err) < 0 ||
        find_session(credentials, auth_file, err) < 0) {
        credentials_finish(credentials);
        return -1;
    }
    return 0;
}

void credentials_finish(struct credentials *credentials)
{
    free(credentials->endpoint);
    memory_wipe(credentials->session);
    free(credentials->user);
    free(credentials->endpoint_from);
    free(credentials->session_from);
    *credentials = (struct credentials){0};
}

int credentials_protect(struct error *err)
{
    if (prctl(PR_SET_DUMPABLE, 0) < 0)
        return error_errno(err, "cannot disable core dumps");
    return 0;
}
