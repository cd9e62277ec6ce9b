/* A galernad of a later version, as far as others see it: its mark has other rules, and promises a
 * version that this one cannot read. The linker puts these functions between the daemon and its
 * own.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/live/claim.h"
#include "daemon/live/promise.h"

enum { OLDER = '1', NEWER = '2' }; /* of promises: "v1:..." */

/* NOLINTBEGIN(bugprone-reserved-identifier) */
const struct cloud_mark *__real_claim_write(struct claim *claim, int64_t now);
const struct cloud_mark *__wrap_claim_write(struct claim *claim, int64_t now);
void __real_claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now);
void __wrap_claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now);
void __real_promise_write(const struct promise *promise, const struct promise_key *key,
                          char text[PROMISE_TEXT_MAX]);
void __wrap_promise_write(const struct promise *promise, const struct promise_key *key,
                          char text[PROMISE_TEXT_MAX]);
enum promise_verdict __real_promise_read(const char *text, const struct promise_key *key,
                                         int32_t zone, int32_t vm, struct promise *promise);
enum promise_verdict __wrap_promise_read(const char *text, const struct promise_key *key,
                                         int32_t zone, int32_t vm, struct promise *promise);

const struct cloud_mark *__wrap_claim_write(struct claim *claim, int64_t now)
{
    claim->own.version = CLOUD_MARK_VERSION + 1;
    return __real_claim_write(claim, now);
}

/* Its own rules are the newest that it knows. */
void __wrap_claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    struct cloud_mark mark = *found;

    mark.version--;
    __real_claim_read(claim, &mark, now);
}

static void sign_as(char version, const struct promise_key *key, char *text)
{
    char *colon = strrchr(text, ':');

    text[1] = version;
    promise_key_sign(key, text, (size_t)(colon - text), colon + 1);
}

void __wrap_promise_write(const struct promise *promise, const struct promise_key *key,
                          char text[PROMISE_TEXT_MAX])
{
    __real_promise_write(promise, key, text);
    sign_as(NEWER, key, text);
}

/* It reads both versions. */
enum promise_verdict __wrap_promise_read(const char *text, const struct promise_key *key,
                                         int32_t zone, int32_t vm, struct promise *promise)
{
    char own[PROMISE_TEXT_MAX];

    if (!text || text[0] != 'v' || text[1] != NEWER)
        return __real_promise_read(text, key, zone, vm, promise);
    snprintf(own, sizeof own, "%s", text);
    sign_as(OLDER, key, own);
    return __real_promise_read(own, key, zone, vm, promise);
}
/* NOLINTEND(bugprone-reserved-identifier) */
