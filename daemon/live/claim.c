#include "daemon/live/claim.h"

#include <stdio.h>
#include <string.h>

void claim_init(struct claim *claim, const char *instance, const char *place, const char *host)
{
    *claim = (struct claim){.trusted = -1};
    snprintf(claim->own.instance, sizeof claim->own.instance, "%s", instance);
    snprintf(claim->own.place, sizeof claim->own.place, "%s", place);
    snprintf(claim->own.host, sizeof claim->own.host, "%s", host);
}

static bool is_same(const struct cloud_mark *a, const struct cloud_mark *b)
{
    return strcmp(a->instance, b->instance) == 0 && strcmp(a->place, b->place) == 0;
}

static bool is_unchanged(const struct cloud_mark *a, const struct cloud_mark *b)
{
    return is_same(a, b) && a->beat == b->beat;
}

enum claim_wish claim_wish(const struct claim *claim, int64_t now)
{
    if (claim->state == CLAIM_LOST || now < claim->next)
        return CLAIM_WAIT;
    if (claim->state == CLAIM_WRITING || (claim->state == CLAIM_HELD && claim->fresh))
        return CLAIM_WRITE;
    return CLAIM_READ;
}

static void go_to(struct claim *claim, enum claim_state state, int64_t next)
{
    claim->state = state;
    claim->next = next;
}

/* Continues from the mark's number: a galernad that watches the mark must see it change. */
static void take(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (found->beat > claim->own.beat)
        claim->own.beat = found->beat;
    go_to(claim, CLAIM_WRITING, now);
}

/* A mark without an owner, released, or of a dead process: this daemon holds its lock. */
static bool is_free(const struct claim *claim, const struct cloud_mark *found)
{
    return !found->instance[0] || found->beat < 0 || strcmp(found->place, claim->own.place) == 0;
}

static void find(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (is_free(claim, found)) {
        claim->other = *found;
        claim->resumed = is_same(found, &claim->own);
        take(claim, found, now);
    } else if (claim->state == CLAIM_UNKNOWN) {
        claim->other = *found;
        claim->changed = now;
        go_to(claim, CLAIM_WATCHING, now + CLAIM_LOOK);
    } else if (!is_unchanged(found, &claim->other)) {
        claim->other = *found;
        claim->state = CLAIM_LOST;
    } else if (now - claim->changed >= CLAIM_DEAD) {
        take(claim, found, now);
    } else {
        claim->next = now + CLAIM_LOOK;
    }
}

/* After a write the mark should be ours. Where OpenNebula replicates between zones, the replaced
 * mark may still be read for a while. */
static void check(struct claim *claim, const struct cloud_mark *found, int64_t now)
{
    if (is_same(found, &claim->own)) {
        claim->trusted = found->beat == claim->own.beat ? claim->sent : claim->trusted;
        claim->fresh = claim->state == CLAIM_HELD;
        go_to(claim, CLAIM_HELD, claim->fresh ? now : now + CLAIM_BEAT);
    } else if (!found->instance[0]) {
        go_to(claim, CLAIM_WRITING, now); /* the mark was removed */
    } else if (is_unchanged(found, &claim->other)) {
        claim->next = now + CLAIM_PAUSE;
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
    claim->next = now + CLAIM_LOOK;
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
    claim->trusted = claim->sent;
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

bool claim_holds(const struct claim *claim, int64_t now)
{
    if (claim->state == CLAIM_LOST)
        return false;
    return claim->open || (claim->state == CLAIM_HELD && now - claim->trusted < CLAIM_TRUST);
}
