/* Decides from the observed marks whether this daemon may act. */
#include "daemon/live/claim.h"

#include <stdio.h>
#include <string.h>

void claim_init(struct claim *claim, const char *instance, const char *place, const char *host)
{
    *claim = (struct claim){.trusted = -1, .own = {.server = -1, .version = CLOUD_MARK_VERSION}};
    snprintf(claim->own.instance, sizeof claim->own.instance, "%s", instance);
    snprintf(claim->own.place, sizeof claim->own.place, "%s", place);
    snprintf(claim->own.host, sizeof claim->own.host, "%s", host);
}

/* Keeps the mark's number, which grows as long as this process lives. */
static void start_over(struct claim *claim, int64_t now)
{
    const struct cloud_mark own = claim->own;

    claim_init(claim, own.instance, own.place, own.host);
    claim->own.beat = own.beat;
    memcpy(claim->own.key, own.key, sizeof own.key);
    memcpy(claim->own.configuration, own.configuration, sizeof own.configuration);
    claim->next = now;
}

void claim_lead(struct claim *claim, int64_t term, int32_t server, int64_t now)
{
    if (term == claim->own.term)
        return;
    start_over(claim, now);
    claim->own.term = term;
    claim->own.server = server;
    claim->elected = now;
}

void claim_rest(struct claim *claim, int64_t now)
{
    if (claim->state != CLAIM_UNKNOWN || claim->own.term > 0)
        start_over(claim, now);
}

static bool is_same(const struct cloud_mark *a, const struct cloud_mark *b)
{
    return strcmp(a->instance, b->instance) == 0 && strcmp(a->place, b->place) == 0;
}

static bool is_unchanged(const struct cloud_mark *a, const struct cloud_mark *b)
{
    return is_same(a, b) && a->beat == b->beat;
}

enum claim_action claim_next_action(const struct claim *claim, int64_t now)
{
    if (claim->state == CLAIM_LOST || now < claim->next)
        return CLAIM_WAIT;
    if (claim->state == CLAIM_WRITING || (claim->state == CLAIM_HELD && claim->fresh))
        return CLAIM_WRITE;
    return CLAIM_READ;
}

int64_t claim_next_time(const struct claim *claim, int64_t now)
{
    bool waits = claim->state == CLAIM_HELD && now < claim->graced;

    return waits && claim->graced < claim->next ? claim->graced : claim->next;
}

static void go_to(struct claim *claim, enum claim_state state, int64_t next)
{
    claim->state = state;
    claim->next = next;
}

/* Continues from the number of the found mark: a galernad that watches the mark must see it
 * change. */
static void take(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (found->beat > claim->own.beat)
        claim->own.beat = found->beat;
    go_to(claim, CLAIM_WRITING, now);
}

/* A mark without an owner, released, or of a dead process on this machine, since this daemon holds
 * the lock. */
static bool is_free(const struct claim *claim, const struct cloud_mark *found)
{
    return !found->instance[0] || found->beat < 0 || strcmp(found->place, claim->own.place) == 0;
}

bool claim_is_newer(const struct cloud_mark *mark)
{
    return mark->version > CLOUD_MARK_VERSION;
}

static bool is_later(const struct cloud_mark *a, const struct cloud_mark *b)
{
    return b->term > 0 && a->term > b->term;
}

bool claim_is_outranked(const struct claim *claim)
{
    return claim->state == CLAIM_WATCHING &&
           (claim_is_newer(&claim->other) || is_later(&claim->other, &claim->own));
}

/* The mark is of an earlier term, or missing: the last commands of the previous daemon may still
 * arrive. This includes a mark of our own, which a late write may have put in place of another one.
 * A mark without a term by another daemon comes from a version without elections. */
static bool is_deposed(const struct claim *claim, const struct cloud_mark *found)
{
    bool is_ours = strcmp(found->place, claim->own.place) == 0;

    if (claim->own.term == 0 || !found->instance[0])
        return claim->own.term > 0;
    return found->term < claim->own.term && (found->term > 0 || is_ours);
}

/* The mark's owner is alive while the mark changes. */
static void watch(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    claim->other = *found;
    claim->changed = now;
    claim->trusted = -1;
    go_to(claim, CLAIM_WATCHING, now + CLAIM_LOOK);
}

/* Before this daemon has written the mark:
 *
 *     mark found                               from UNKNOWN   from WATCHING
 *     of newer rules, not released             WATCHING       WATCHING
 *     none, released, or of a deposed daemon   WRITING        WRITING
 *     another's, unchanged                     WATCHING       WATCHING; after CLAIM_DEAD WRITING
 *     another's, changed, of a later term      WATCHING       WATCHING
 *     another's, changed                       WATCHING       LOST: it is alive
 */
static void find(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    bool deposed = is_deposed(claim, found);

    if (claim_is_newer(found) && !is_free(claim, found)) {
        watch(claim, found, now);
    } else if (deposed || is_free(claim, found)) {
        claim->graced = deposed ? claim->elected + CLAIM_GRACE : now;
        claim->other = *found;
        claim->resumed = is_same(found, &claim->own);
        take(claim, found, now);
    } else if (claim->state == CLAIM_UNKNOWN ||
               (is_later(found, &claim->own) && !is_unchanged(found, &claim->other))) {
        watch(claim, found, now);
    } else if (!is_unchanged(found, &claim->other)) {
        claim->other = *found;
        claim->state = CLAIM_LOST;
    } else if (now - claim->changed >= CLAIM_DEAD) {
        take(claim, found, now);
    } else {
        claim->next = now + CLAIM_LOOK;
    }
}

static void trust(struct claim *claim, int64_t now)
{
    claim->trusted = claim->sent;
    claim->proved = now;
}

/* After a write (PROVING, HELD, or WRITING again) the mark should be ours. If OpenNebula replicates
 * between front-ends, the replaced mark may still be read for a while.
 *
 *     mark found                      next state
 *     ours                            HELD
 *     none: it was removed            WRITING
 *     another's, of an earlier term   WRITING; a write from before the election came late
 *     the replaced one                unchanged; read again after CLAIM_PAUSE. WRITING after
 *                                     CLAIM_REPEAT: oned can lose what it confirmed
 *     another's, of a later term      WATCHING
 *     another's                       LOST
 */
static void check(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (is_same(found, &claim->own)) {
        if (found->beat == claim->own.beat)
            trust(claim, now);
        claim->fresh = claim->state == CLAIM_HELD;
        go_to(claim, CLAIM_HELD, claim->fresh ? now : now + CLAIM_BEAT);
    } else if (!found->instance[0]) {
        go_to(claim, CLAIM_WRITING, now);
    } else if (is_later(&claim->own, found)) {
        take(claim, found, now);
    } else if (is_unchanged(found, &claim->other)) {
        if (now - claim->sent >= CLAIM_REPEAT)
            claim->state = CLAIM_WRITING;
        claim->next = now + CLAIM_PAUSE;
    } else if (is_later(found, &claim->own)) {
        watch(claim, found, now);
    } else {
        claim->other = *found;
        claim->state = CLAIM_LOST;
    }
}

void claim_read(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (claim->state == CLAIM_UNKNOWN || claim->state == CLAIM_WATCHING)
        find(claim, found, now);
    else
        check(claim, found, now);
}

void claim_failed(struct claim *claim, int64_t now)
{
    claim->fresh = false;
    claim->next = now + CLAIM_AGAIN;
}

const struct cloud_mark *claim_write(struct claim *claim, int64_t now)
{
    claim->own.beat++;
    claim->sent = now;
    return &claim->own;
}

void claim_written(struct claim *claim, int64_t now)
{
    claim->open = false;
    claim->fresh = false;
    trust(claim, now);
    if (claim->state == CLAIM_HELD)
        claim->next = now + CLAIM_BEAT;
    else
        go_to(claim, claim->resumed ? CLAIM_HELD : CLAIM_PROVING, now + CLAIM_PAUSE);
}

void claim_refused(struct claim *claim, int64_t now)
{
    claim->open = true;
    claim->fresh = false;
    claim->next = now + CLAIM_BEAT;
}

int64_t claim_send_by(const struct claim *claim)
{
    if (claim->open)
        return INT64_MAX;
    if (claim->state != CLAIM_HELD)
        return -1;
    return claim->trusted + (claim->own.term > 0 ? CLAIM_FENCE : CLAIM_TRUST);
}

bool claim_holds(const struct claim *claim, int64_t now)
{
    if (claim->state == CLAIM_LOST)
        return false;
    return claim->open || (claim->state == CLAIM_HELD && now >= claim->graced &&
                           now - claim->trusted < CLAIM_TRUST);
}

bool claim_may_send(const struct claim *claim, int64_t led, int64_t now)
{
    if (now >= claim_send_by(claim))
        return false;
    if (claim->open || claim->own.term == 0)
        return now - led < CLAIM_FENCE;
    return now >= claim->graced && led >= claim->proved;
}

bool claim_covers(const struct claim *claim, int64_t since, int64_t asked)
{
    if (claim->open || claim->own.term == 0)
        return asked > since + CLAIM_PAUSE;
    return claim->trusted > since && asked > claim->proved;
}

/* Was the mark written a moment ago? */
static bool is_fresh(const struct claim *claim, int64_t now)
{
    return claim_send_by(claim) - now >= CLAIM_FENCE / 2;
}

bool claim_is_confirmed(const struct claim *claim, int64_t since, int64_t now)
{
    return (claim->trusted >= since && now < claim_send_by(claim)) || is_fresh(claim, now);
}

void claim_confirm(struct claim *claim, int64_t now)
{
    if (claim->state == CLAIM_HELD && !is_fresh(claim, now))
        claim->next = now;
}
