/* Writes and reads the mark of the acting galernad, and holds the lock on this machine. */
#include "daemon/live/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/claim.h"
#include "daemon/store/state_directory.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/time_text.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

enum { RELEASE_LIMIT = 2000 /* milliseconds */ };

struct guard {
    struct cloud *cloud;
    struct claim claim;
    int fd;
    bool marked, in_flight, released, resting;
    bool watching;      /* the mark is being read while resting */
    int64_t next_watch; /* while resting */
    bool told_failure, told_refusal, told_watching;
};

/* --- the lock --------------------------------------------------------------------------------- */

static uint64_t digest_of(const char *text)
{
    uint64_t digest = UINT64_C(14695981039346656037);

    for (; *text; text++)
        digest = (digest ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return digest;
}

/* If root runs in another user's directory, that user must be able to lock the file as well. */
static void give_to_owner(int fd, const char *directory)
{
    struct stat status;

    if (geteuid() == 0 && stat(directory, &status) == 0)
        (void)!fchown(fd, status.st_uid, status.st_gid);
}

/* In a directory that other users can write to, those users could block galernad. */
static int check_directory(const char *directory, struct error *err)
{
    struct stat status;

    if (store_make_directory(directory) < 0)
        return error_errno(err, "%s: cannot create the directory", directory);
    if (stat(directory, &status) < 0)
        return error_errno(err, "%s: cannot read its status", directory);
    if ((status.st_uid != geteuid() && geteuid() != 0) || (status.st_mode & (S_IWGRP | S_IWOTH)))
        return error_set(err, EPERM, "%s: other users may write to it", directory);
    return 0;
}

/* -1 with EBUSY: another galernad holds the lock. After other errors only the mark reveals other
 * daemons. */
static int hold_lock(const struct guard_settings *settings, struct error *err)
{
    char path[PATH_MAX];
    int fd = -1;

    if (snprintf(path, sizeof path, "%s/%016" PRIx64 ".lock", settings->directory,
                 digest_of(settings->endpoint)) >= (int)sizeof path)
        error_set(err, ENAMETOOLONG, "%.200s...: the name is too long", settings->directory);
    else if (check_directory(settings->directory, err) == 0)
        fd = store_state_take(path, settings->endpoint, err);
    if (fd >= 0)
        give_to_owner(fd, settings->directory);
    else if (err->code != EBUSY)
        log_warning("cannot lock out another galernad on this machine; only its mark would reveal "
                    "it: %s",
                    err->text);
    return fd;
}

/* --- this daemon's name ----------------------------------------------------------------------- */

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

/* If two daemons have the same place, only the holder of the lock can be alive. */
static void name_self(struct guard *guard, const struct guard_settings *settings)
{
    char host[65] = "", machine[80], place[128];
    uint64_t digest = digest_of(settings->endpoint);
    struct stat lock;

    gethostname(host, sizeof host - 1);
    read_machine(machine, sizeof machine, host);
    if (guard->fd >= 0 && fstat(guard->fd, &lock) == 0)
        snprintf(place, sizeof place, "%.60s %" PRIx64 ":%" PRIx64 " %016" PRIx64, machine,
                 (uint64_t)lock.st_dev, (uint64_t)lock.st_ino, digest);
    else
        snprintf(place, sizeof place, "%.60s %.40s", machine, settings->instance);
    claim_init(&guard->claim, settings->instance, place, host);
    snprintf(guard->claim.own.key, sizeof guard->claim.own.key, "%s", settings->key);
    guard_configured(guard, settings->configuration);
}

/* --- the mark --------------------------------------------------------------------------------- */

static void failed(struct guard *guard, const char *why)
{
    if (!guard->told_failure)
        log_warning("cannot write the mark of the active galernad to OpenNebula: %s; trying again",
                    why);
    guard->told_failure = true;
    claim_failed(&guard->claim, clock_monotonic());
}

/* A galernad without permission to read the mark acts all the same, since nothing suggests another
 * daemon. */
static void answered_no(struct guard *guard, const struct cloud_reply *reply)
{
    if (reply->outcome != CLOUD_REFUSED || reply->refusal != CLOUD_NO_PERMISSION) {
        failed(guard, reply->message);
        return;
    }
    if (!guard->told_refusal)
        log_warning("cannot detect a galernad on another machine: %s", reply->message);
    guard->told_refusal = true;
    claim_refused(&guard->claim, clock_monotonic());
}

static void tell_watching(struct guard *guard)
{
    const struct cloud_mark *other = &guard->claim.other;

    if (guard->claim.state == CLAIM_WATCHING && !claim_is_outranked(&guard->claim) &&
        !guard->told_watching)
        log_info(
            "another galernad is registered in OpenNebula, %s on %s; it counts as dead when it "
            "has not renewed its mark for %d s",
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
        log_info("the mark of the active galernad is in OpenNebula");
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

void guard_lead(struct guard *guard, const struct cloud_leadership *leadership)
{
    if (!guard->in_flight)
        claim_lead(&guard->claim, leadership->term, leadership->server, clock_monotonic());
}

static void mark_watched(void *context, const struct cloud_reply *reply,
                         const struct cloud_mark *mark)
{
    struct guard *guard = context;

    guard->watching = false;
    if (reply->outcome == CLOUD_DONE && guard->resting)
        guard->claim.other = *mark;
}

void guard_rest(struct guard *guard)
{
    int64_t now = clock_monotonic();

    if (!guard->marked || guard->in_flight)
        return;
    claim_rest(&guard->claim, now);
    guard->resting = true;
    guard->told_watching = false;
    if (guard->watching || now < guard->next_watch)
        return;
    guard->next_watch = now + CLAIM_BEAT;
    guard->watching = true;
    cloud_read_mark(guard->cloud, mark_watched, guard);
}

void guard_step(struct guard *guard)
{
    enum claim_action action = claim_next_action(&guard->claim, clock_monotonic());

    guard->resting = false;
    if (!guard->marked || guard->in_flight || action == CLAIM_WAIT)
        return;
    if (action == CLAIM_WRITE) {
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
    if (guard->resting)
        return guard->watching ? INT64_MAX : guard->next_watch;
    return claim_next_time(&guard->claim, clock_monotonic());
}

bool guard_is_settled(const struct guard *guard)
{
    return !guard->marked || guard->told_failure || guard->claim.open ||
           guard->claim.state == CLAIM_HELD || guard->claim.state == CLAIM_LOST ||
           claim_is_outranked(&guard->claim);
}

bool guard_holds(const struct guard *guard)
{
    return !guard || !guard->marked || claim_holds(&guard->claim, clock_monotonic());
}

bool guard_is_confirmed(const struct guard *guard, int64_t since)
{
    return !guard->marked || claim_is_confirmed(&guard->claim, since, clock_monotonic());
}

bool guard_covers(const struct guard *guard, int64_t since, int64_t asked)
{
    if (guard && !guard->marked)
        return asked > since + CLAIM_PAUSE;
    return !guard || claim_covers(&guard->claim, since, asked);
}

void guard_confirm(struct guard *guard)
{
    claim_confirm(&guard->claim, clock_monotonic());
}

bool guard_may_send(const struct guard *guard, const struct cloud_leadership *leadership,
                    int64_t led, int64_t since)
{
    int64_t now = clock_monotonic();

    if (!guard || !guard->marked)
        return now - led < CLAIM_FENCE;
    return leadership->term == guard->claim.own.term && claim_may_send(&guard->claim, led, now) &&
           claim_is_confirmed(&guard->claim, since, now);
}

int64_t guard_send_by(const struct guard *guard)
{
    return guard && guard->marked && !guard->claim.open ? claim_send_by(&guard->claim) : 0;
}

const struct cloud_mark *guard_acting(const struct guard *guard)
{
    return guard->claim.state == CLAIM_HELD ? &guard->claim.own : &guard->claim.other;
}

bool guard_acts_elsewhere(const struct guard *guard)
{
    const struct cloud_mark *acting = guard_acting(guard);

    return acting->instance[0] && strcmp(acting->place, guard->claim.own.place) != 0;
}

static bool differ(const char *own, const char *other)
{
    return *own && *other && strcmp(own, other) != 0;
}

bool guard_differs(const struct guard *guard, char *text, size_t size)
{
    const struct cloud_mark *own = &guard->claim.own, *other = &guard->claim.other;
    const char *what = NULL;

    if (!guard_acts_elsewhere(guard))
        return false;
    if (claim_is_newer(other) && other->beat >= 0)
        what = "has a newer version, so this one stays passive: upgrade this front-end";
    else if (differ(own->key, other->key))
        what = "signs promises with another key: copy the file promise-key of one front-end to all "
               "the others";
    else if (differ(own->configuration, other->configuration))
        what = "has another configuration: galerna.conf must be the same on all front-ends";
    if (what)
        snprintf(text, size, "the galernad on %s %s", other->host, what);
    return what;
}

void guard_configured(struct guard *guard, const char *fingerprint)
{
    snprintf(guard->claim.own.configuration, sizeof guard->claim.own.configuration, "%s",
             fingerprint);
}

int guard_check(const struct guard *guard, struct error *err)
{
    const struct cloud_mark *other = &guard->claim.other;

    if (!guard->marked || guard->claim.state != CLAIM_LOST)
        return 0;
    return error_set(
        err, EBUSY,
        "another galernad is active on this OpenNebula: instance %s on %s; stop it first",
        other->instance, other->host);
}

struct guard *guard_create(const struct guard_settings *settings, struct error *err)
{
    struct guard *guard = memory_new(1, sizeof *guard);

    guard->cloud = settings->cloud;
    guard->marked = settings->marked;
    guard->fd = settings->directory ? hold_lock(settings, err) : -1;
    if (settings->directory && guard->fd < 0 && err->code == EBUSY) {
        free(guard);
        return NULL;
    }
    name_self(guard, settings);
    crash_point("place taken");
    return guard;
}

static void mark_released(void *context, const struct cloud_reply *reply)
{
    struct guard *guard = context;

    guard->released = true;
    if (reply->outcome != CLOUD_DONE)
        log_debug("cannot remove the mark from OpenNebula: %s", reply->message);
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
    cloud_write_mark(guard->cloud, &mark, mark_released, guard);
    while (!guard->released && clock_monotonic() < until)
        if (cloud_wait(guard->cloud, NULL, 0, (int)(until - clock_monotonic()), &err) < 0)
            break;
}

void guard_destroy(struct guard *guard)
{
    if (!guard)
        return;
    if (guard->fd >= 0)
        close(guard->fd);
    free(guard);
}
