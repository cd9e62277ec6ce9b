#include "daemon/live/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/live/claim.h"
#include "daemon/live/clock.h"
#include "daemon/log.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/time_text.h"

enum { RELEASE_LIMIT = 2000 /* milliseconds */ };

struct guard {
    struct cloud *cloud;
    struct claim claim;
    int fd;
    bool marked, in_flight, released;
    bool told_failure, told_refusal, told_watching;
};

/* --- the socket ------------------------------------------------------------------------------- */

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

/* --- who we are ------------------------------------------------------------------------------- */

static void read_machine(char *text, size_t size, const char *host)
{
    FILE *file = fopen("/etc/machine-id", "re");

    text[0] = '\0';
    if (file) {
        if (!fgets(text, (int)size, file))
            text[0] = '\0';
        fclose(file);
        text[strcspn(text, "\n")] = '\0';
    }
    if (!text[0])
        snprintf(text, size, "%s", host);
}

/* Sockets with the same name are the same socket within one network namespace only. */
static void read_network(char *text, size_t size)
{
    ssize_t length = readlink("/proc/self/ns/net", text, size - 1);

    text[length > 0 ? length : 0] = '\0';
}

static void name_self(struct guard *guard, const char *endpoint, const char *instance)
{
    char host[65] = "", machine[80], network[40], place[128];

    gethostname(host, sizeof host - 1);
    read_machine(machine, sizeof machine, host);
    read_network(network, sizeof network);
    snprintf(place, sizeof place, "%.60s %.30s %016" PRIx64, machine, network, digest_of(endpoint));
    claim_init(&guard->claim, instance, place, host);
}

/* --- the mark --------------------------------------------------------------------------------- */

static void failed(struct guard *guard, const char *why)
{
    if (!guard->told_failure)
        log_warning("the mark of the acting galernad in OpenNebula: %s; trying again", why);
    guard->told_failure = true;
    claim_failed(&guard->claim, clock_monotonic());
}

/* A galernad that may not ask still acts: there is no evidence of another one. */
static void answered_no(struct guard *guard, const struct cloud_reply *reply)
{
    if (reply->outcome != CLOUD_REFUSED || reply->refusal != CLOUD_NO_PERMISSION) {
        failed(guard, reply->message);
        return;
    }
    if (!guard->told_refusal)
        log_warning("a galernad on another machine would not be noticed: %s", reply->message);
    guard->told_refusal = true;
    claim_refused(&guard->claim, clock_monotonic());
}

static void tell_watching(struct guard *guard)
{
    const struct cloud_mark *other = &guard->claim.other;

    if (guard->claim.state == CLAIM_WATCHING && !guard->told_watching)
        log_info("OpenNebula has the mark of another galernad, %s on %s; it is taken for gone when "
                 "its mark does not change for %d s",
                 other->instance, other->host, CLAIM_DEAD / 1000);
    guard->told_watching = guard->claim.state == CLAIM_WATCHING;
}

static void mark_seen(void *context, const struct cloud_reply *reply, const struct cloud_mark *mark)
{
    struct guard *guard = context;

    guard->in_flight = false;
    if (reply->outcome != CLOUD_DONE) {
        answered_no(guard, reply);
        return;
    }
    claim_read(&guard->claim, mark, clock_monotonic());
    tell_watching(guard);
}

static void mark_written(void *context, const struct cloud_reply *reply)
{
    struct guard *guard = context;

    guard->in_flight = false;
    crash_point("mark answered");
    if (reply->outcome != CLOUD_DONE) {
        answered_no(guard, reply);
        return;
    }
    if (guard->told_failure)
        log_info("the mark of the acting galernad is in OpenNebula");
    guard->told_failure = false;
    claim_written(&guard->claim, clock_monotonic());
}

static void write_mark(struct guard *guard)
{
    struct cloud_mark mark = *claim_write(&guard->claim, clock_monotonic());

    time_text_utc(clock_now(), mark.seen, sizeof mark.seen);
    guard->in_flight = true;
    crash_point("before a mark");
    cloud_write_mark(guard->cloud, &mark, mark_written, guard);
    crash_point("after a mark");
}

void guard_rest(struct guard *guard)
{
    const struct cloud_mark own = guard->claim.own;

    if (guard->claim.state == CLAIM_UNKNOWN || guard->in_flight)
        return;
    claim_init(&guard->claim, own.instance, own.place, own.host);
    guard->claim.own.beat = own.beat;
    guard->told_watching = false;
}

void guard_step(struct guard *guard)
{
    enum claim_wish wish = claim_wish(&guard->claim, clock_monotonic());

    if (!guard->marked || guard->in_flight || wish == CLAIM_WAIT)
        return;
    if (wish == CLAIM_WRITE) {
        write_mark(guard);
        return;
    }
    guard->in_flight = true;
    cloud_read_mark(guard->cloud, mark_seen, guard);
}

int64_t guard_next_time(const struct guard *guard)
{
    if (!guard->marked || guard->in_flight || guard->claim.state == CLAIM_LOST)
        return INT64_MAX;
    return guard->claim.next;
}

bool guard_is_settled(const struct guard *guard)
{
    return !guard->marked || guard->told_failure || guard->claim.open ||
           guard->claim.state == CLAIM_HELD || guard->claim.state == CLAIM_LOST;
}

bool guard_holds(const struct guard *guard)
{
    return !guard->marked || claim_holds(&guard->claim, clock_monotonic());
}

int guard_check(const struct guard *guard, struct error *err)
{
    const struct cloud_mark *other = &guard->claim.other;

    if (!guard->marked || guard->claim.state != CLAIM_LOST)
        return 0;
    return error_set(err, EBUSY,
                     "another galernad acts on this OpenNebula: instance %s on %s; stop it first",
                     other->instance, other->host);
}

struct guard *guard_create(struct cloud *cloud, const char *endpoint, const char *instance,
                           bool marked, struct error *err)
{
    struct guard *guard = memory_new(1, sizeof *guard);

    guard->cloud = cloud;
    guard->marked = marked;
    name_self(guard, endpoint, instance);
    guard->fd = hold_socket(endpoint, err);
    if (guard->fd < 0) {
        free(guard);
        return NULL;
    }
    crash_point("place taken");
    return guard;
}

static void given_up(void *context, const struct cloud_reply *reply)
{
    struct guard *guard = context;

    guard->released = true;
    if (reply->outcome != CLOUD_DONE)
        log_debug("the mark stays in OpenNebula: %s", reply->message);
}

void guard_release(struct guard *guard)
{
    int64_t until = clock_monotonic() + RELEASE_LIMIT;
    struct cloud_mark mark;
    struct error err = {0};

    if (!guard || !guard->marked || guard->claim.open || !guard_holds(guard))
        return;
    mark = guard->claim.own;
    mark.beat = -1;
    time_text_utc(clock_now(), mark.seen, sizeof mark.seen);
    crash_point("before giving the mark up");
    cloud_write_mark(guard->cloud, &mark, given_up, guard);
    while (!guard->released && clock_monotonic() < until)
        if (cloud_wait(guard->cloud, NULL, 0, (int)(until - clock_monotonic()), &err) < 0)
            break;
}

void guard_destroy(struct guard *guard)
{
    if (!guard)
        return;
    close(guard->fd);
    free(guard);
}
