/* Identifies the caller of a request, through OpenNebula. */
#include "web/caller.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "adapters/opennebula/rpc.h"
#include "adapters/opennebula/session.h"
#include "daemon/base/clock.h"
#include "util/map.h"
#include "util/memory.h"
#include "web/bucket.h"

enum {
    KEY_BYTES = 32,
    REMEMBERED_MAX = 4096, /* callers */
    FAILURES_BURST = 10,   /* per address; one more every FAILURE_REST seconds */
    FAILURE_REST = 6,
    TIMEOUT = 10 * 1000, /* milliseconds per call to oned */
    ANSWER_MAX = 64 << 20,
    PARALLEL = 8,
    ADMINISTRATORS = 0, /* the group oneadmin, and its first user */
};

struct remembered {
    int64_t until; /* monotonic milliseconds */
    int32_t uid;
    bool is_operator;
    char name[CALLER_NAME_MAX];
};

struct callers {
    struct callers_settings settings;
    uint8_t key[KEY_BYTES];
    pthread_mutex_t lock; /* protects the following members */
    struct map known;     /* of struct remembered, by the keyed hash of the session */
    struct buckets failures, requests;
};

struct rpc *callers_connect(const struct callers *callers, const char *session, struct error *err)
{
    return rpc_create(&(struct rpc_settings){.endpoint = callers->settings.endpoint,
                                             .session = session,
                                             .allow_plaintext = callers->settings.allow_plaintext,
                                             .ca_file = callers->settings.ca_file,
                                             .timeout = TIMEOUT,
                                             .connect_timeout = TIMEOUT,
                                             .parallel = PARALLEL,
                                             .answer_limit = ANSWER_MAX},
                      err);
}

struct callers *callers_create(const struct callers_settings *settings, struct error *err)
{
    struct callers *callers = memory_new(1, sizeof *callers);
    struct rpc *trial;

    callers->settings = *settings;
    pthread_mutex_init(&callers->lock, NULL);
    map_init_copying(&callers->known, sizeof(struct remembered));
    buckets_init(&callers->failures, 1.0 / FAILURE_REST, FAILURES_BURST);
    buckets_init(&callers->requests, (double)settings->rate, 2 * (double)settings->rate);
    trial = callers_connect(callers, "nobody:", err);
    rpc_destroy(trial);
    if (!trial) {
        callers_destroy(callers);
        return NULL;
    }
    if (getrandom(callers->key, sizeof callers->key, 0) == (ssize_t)sizeof callers->key)
        return callers;
    error_set(err, errno, "cannot get random bytes: %s", strerror(errno));
    callers_destroy(callers);
    return NULL;
}

void callers_destroy(struct callers *callers)
{
    if (!callers)
        return;
    buckets_finish(&callers->failures);
    buckets_finish(&callers->requests);
    map_finish(&callers->known);
    pthread_mutex_destroy(&callers->lock);
    free(callers);
}

void caller_finish(struct caller *caller)
{
    explicit_bzero(caller->session, sizeof caller->session);
}

/* --- remembered callers ----------------------------------------------------------------------- */

static void digest_of(const struct callers *callers, const char *session,
                      uint8_t digest[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx hmac;

    hmac_sha256_set_key(&hmac, sizeof callers->key, callers->key);
    hmac_sha256_update(&hmac, strlen(session), (const uint8_t *)session);
    hmac_sha256_digest(&hmac, SHA256_DIGEST_SIZE, digest);
    explicit_bzero(&hmac, sizeof hmac);
}

static bool recall(struct callers *callers, const uint8_t digest[SHA256_DIGEST_SIZE], int64_t now,
                   struct caller *caller)
{
    uint32_t place = map_find_bytes(&callers->known, digest, SHA256_DIGEST_SIZE);
    const struct remembered *known = map_value(&callers->known, place);

    if (!known)
        return false;
    if (known->until <= now) {
        map_remove(&callers->known, place);
        return false;
    }
    caller->uid = known->uid;
    caller->is_operator = known->is_operator;
    memcpy(caller->name, known->name, sizeof caller->name);
    return true;
}

static void remember(struct callers *callers, const uint8_t digest[SHA256_DIGEST_SIZE], int64_t now,
                     const struct caller *caller)
{
    struct map *known = &callers->known;
    struct remembered *entry;

    for (uint32_t i = (uint32_t)known->n; known->n >= REMEMBERED_MAX && i-- > 0;)
        if (((const struct remembered *)map_value(known, i))->until <= now)
            map_remove(known, i);
    if (known->n >= REMEMBERED_MAX)
        return;
    entry = map_value(known, map_add_bytes(known, digest, SHA256_DIGEST_SIZE));
    *entry = (struct remembered){now + CALLER_REMEMBERED, caller->uid, caller->is_operator, ""};
    memcpy(entry->name, caller->name, sizeof entry->name);
}

/* --- OpenNebula's word ------------------------------------------------------------------------ */

static int take_user(const struct user *user, struct caller *caller, struct error *err)
{
    if (strlen(user->name) >= sizeof caller->name)
        return error_set(err, EPROTO, "the name of user %d is too long", user->id);
    caller->uid = user->id;
    caller->is_operator = user->id == ADMINISTRATORS || user->gid == ADMINISTRATORS;
    for (size_t i = 0; i < user->n_groups; i++)
        caller->is_operator = caller->is_operator || user->groups[i] == ADMINISTRATORS;
    strcpy(caller->name, user->name);
    return 0;
}

/* EACCES: OpenNebula refuses the session. */
static int ask(const struct callers *callers, struct caller *caller, struct error *err)
{
    struct rpc *rpc = callers_connect(callers, caller->session, err);
    struct user_pool pool;
    int result = -1;

    if (rpc && session_user(rpc, &pool, err) == 0) {
        result = take_user(pool.items, caller, err);
        user_pool_finish(&pool);
    }
    rpc_destroy(rpc);
    return result;
}

/* --- sign-in ---------------------------------------------------------------------------------- */

static int count_request(struct callers *callers, const struct caller *caller, int64_t now,
                         struct error *err)
{
    char name[16];

    snprintf(name, sizeof name, "%d", (int)caller->uid);
    if (buckets_take(&callers->requests, name, now))
        return 0;
    return error_set(err, EBUSY, "more than %lld requests per second; wait a moment",
                     (long long)callers->settings.rate);
}

/* Call it with the lock held; it releases the lock during the call to OpenNebula. */
static int sign_in(struct callers *callers, const char *address,
                   const uint8_t digest[SHA256_DIGEST_SIZE], struct caller *caller,
                   struct error *err)
{
    int64_t now = clock_monotonic();
    int result;

    if (recall(callers, digest, now, caller))
        return count_request(callers, caller, now, err);
    if (!buckets_has(&callers->failures, address, now))
        return error_set(err, EBUSY, "too many failed attempts from this address; wait %d seconds",
                         FAILURE_REST);
    pthread_mutex_unlock(&callers->lock);
    result = ask(callers, caller, err);
    pthread_mutex_lock(&callers->lock);
    if (result == 0) {
        remember(callers, digest, clock_monotonic(), caller);
        return count_request(callers, caller, now, err);
    }
    if (err->code != EACCES)
        return error_set(err, EAGAIN,
                         "cannot reach OpenNebula to authenticate you; try again later");
    buckets_take(&callers->failures, address, clock_monotonic());
    return error_set(err, EACCES,
                     "OpenNebula rejects this user and password (or token); use those in the file "
                     "named by ONE_AUTH");
}

int callers_sign_in(struct callers *callers, const struct caller_signs *with, struct caller *caller,
                    struct error *err)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    int result, n;

    *caller = (struct caller){.uid = -1};
    n = snprintf(caller->session, sizeof caller->session, "%s:%s", with->user, with->password);
    if (!*with->user || n < 0 || (size_t)n >= sizeof caller->session) {
        caller_finish(caller);
        return error_set(err, EACCES, "the user's name is missing, or the session is too long");
    }
    digest_of(callers, caller->session, digest);
    pthread_mutex_lock(&callers->lock);
    result = sign_in(callers, with->address, digest, caller, err);
    pthread_mutex_unlock(&callers->lock);
    if (result < 0)
        caller_finish(caller);
    return result;
}
