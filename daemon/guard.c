#include "daemon/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "adapters/opennebula/pool.h"
#include "daemon/clock.h"
#include "daemon/log.h"
#include "util/crash_point.h"
#include "util/memory.h"

enum { ATTEMPTS = 5, ATTEMPT_PAUSE = 500 * 1000 /* microseconds */ };

struct guard {
    struct rpc *rpc;
    char instance[80], machine[80];
    int fd;
    int32_t user;
    int64_t seen;
    bool in_flight;
};

static uint64_t digest_of(const char *text)
{
    uint64_t digest = UINT64_C(14695981039346656037);

    for (; *text; text++)
        digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return digest;
}

static int hold_socket(const char *endpoint, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int length;

    if (fd < 0)
        return error_set(err, errno, "cannot make a socket: %s", strerror(errno));
    length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "galerna/%016" PRIx64,
                      digest_of(endpoint));
    if (bind(fd, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) < 0) {
        int code = errno;

        close(fd);
        if (code == EADDRINUSE)
            return error_set(err, EBUSY,
                             "another galernad on this machine acts on %s already; stop it first",
                             endpoint);
        return error_set(err, code, "cannot take the place of scheduler of %s: %s", endpoint,
                         strerror(code));
    }
    return fd;
}

static void read_machine(char *text, size_t size)
{
    FILE *file = fopen("/etc/machine-id", "re");
    char host[64] = "";

    text[0] = '\0';
    if (file) {
        if (!fgets(text, (int)size, file))
            text[0] = '\0';
        fclose(file);
        text[strcspn(text, "\n")] = '\0';
    }
    if (!text[0]) {
        gethostname(host, sizeof host - 1);
        snprintf(text, size, "%s", host);
    }
}

/* oned may be starting or stumble: a refusal counts at once, a lost answer after some. */
static int ask_patiently(struct guard *guard, const struct rpc_request *request, char **document,
                         struct error *err)
{
    struct rpc_reply reply = {0};

    for (int i = 0; i < ATTEMPTS; i++) {
        if (i > 0)
            usleep(ATTEMPT_PAUSE);
        if (rpc_call_now(guard->rpc, request, document, &reply, err) == 0)
            return 0;
        if (reply.outcome != RPC_NOT_SENT && reply.outcome != RPC_UNKNOWN)
            break;
    }
    return -1;
}

static int look_for_others(struct guard *guard, struct error *err)
{
    const struct rpc_argument self = RPC_INT(-1);
    struct rpc_request request = {
        .method = "one.user.info", .arguments = &self, .n_arguments = 1};
    struct user_pool users = {0};
    char *document = NULL;
    const char *instance, *machine, *seen;
    int64_t age;
    int result = 0;

    if (ask_patiently(guard, &request, &document, err) < 0)
        return -1;
    if (!document || user_pool_parse(&users, document, strlen(document), err) < 0 || !users.n) {
        free(document);
        user_pool_finish(&users);
        return error_prefix(err, "one.user.info");
    }
    free(document);
    guard->user = users.items[0].id;
    instance = attributes_find(&users.items[0].attributes, "GALERNA/INSTANCE");
    machine = attributes_find(&users.items[0].attributes, "GALERNA/MACHINE");
    seen = attributes_find(&users.items[0].attributes, "GALERNA/SEEN");
    age = seen ? clock_now() - strtoll(seen, NULL, 10) : GUARD_FRESH;
    if (instance && machine && strcmp(instance, guard->instance) != 0 &&
        strcmp(machine, guard->machine) != 0 && age < GUARD_FRESH && age > -GUARD_FRESH)
        result = error_set(err, EBUSY,
                           "another galernad acts on this OpenNebula: instance %.60s on machine "
                           "%.60s, last seen %lld s ago; stop it, or wait until it has not been "
                           "seen for %d s",
                           instance, machine, (long long)age, GUARD_FRESH);
    user_pool_finish(&users);
    return result;
}

static void refreshed(void *context, const struct rpc_reply *reply)
{
    struct guard *guard = context;

    guard->in_flight = false;
    crash_point("mark answered");
    if (reply->outcome != RPC_DONE)
        log_debug("the mark of this daemon could not be refreshed: %s", reply->message);
}

void guard_refresh(struct guard *guard, int64_t now)
{
    char text[320];
    const struct rpc_argument arguments[] = {RPC_INT(guard->user), RPC_TEXT(text), RPC_INT(1)};

    if (guard->user < 0 || guard->in_flight || (now - guard->seen < GUARD_INTERVAL && now >= guard->seen))
        return;
    guard->seen = now;
    guard->in_flight = true;
    crash_point("before a mark");
    snprintf(text, sizeof text, "GALERNA=[INSTANCE=\"%s\",MACHINE=\"%s\",SEEN=\"%lld\"]",
             guard->instance, guard->machine, (long long)now);
    rpc_call(guard->rpc, &(struct rpc_request){.method = "one.user.update",
                                               .arguments = arguments,
                                               .n_arguments = 3,
                                               .done = refreshed,
                                               .context = guard});
    crash_point("after a mark");
}

struct guard *guard_create(struct rpc *rpc, const char *endpoint, const char *instance,
                           bool look, struct error *err)
{
    struct guard *guard = memory_new(1, sizeof *guard);

    guard->rpc = rpc;
    snprintf(guard->instance, sizeof guard->instance, "%s", instance);
    read_machine(guard->machine, sizeof guard->machine);
    guard->fd = hold_socket(endpoint, err);
    if (guard->fd < 0) {
        free(guard);
        return NULL;
    }
    guard->user = -1;
    crash_point("place taken");
    if (look && look_for_others(guard, err) < 0) {
        guard_destroy(guard);
        return NULL;
    }
    return guard;
}

void guard_destroy(struct guard *guard)
{
    if (!guard)
        return;
    close(guard->fd);
    free(guard);
}
