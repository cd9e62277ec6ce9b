/* When hosts are in use, and when enough hosts are free. */
#include "daemon/control/free_hosts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/instant.h"
#include "util/memory.h"
#include "util/search.h"

struct use {
    int32_t host;
    int64_t from, until;
};

struct free_hosts {
    int64_t now;
    int32_t *ids;
    size_t n_ids, ids_allocated;
    struct use *uses;
    size_t n_uses, uses_allocated;
};

static int by_host(const void *a, const void *b)
{
    const struct use *x = a, *y = b;

    return x->host != y->host ? (x->host > y->host) - (x->host < y->host)
                              : (x->from > y->from) - (x->from < y->from);
}

struct free_hosts *free_hosts_create(int64_t now)
{
    struct free_hosts *hosts = memory_new(1, sizeof *hosts);

    hosts->now = now;
    return hosts;
}

void free_hosts_destroy(struct free_hosts *hosts)
{
    if (!hosts)
        return;
    free(hosts->ids);
    free(hosts->uses);
    free(hosts);
}

void free_hosts_add(struct free_hosts *hosts, int32_t host)
{
    MEMORY_GROW(hosts->ids, hosts->ids_allocated, hosts->n_ids + 1);
    hosts->ids[hosts->n_ids++] = host;
}

void free_hosts_use(struct free_hosts *hosts, int32_t host, int64_t from, int64_t until)
{
    if (until <= hosts->now || from >= until)
        return;
    MEMORY_GROW(hosts->uses, hosts->uses_allocated, hosts->n_uses + 1);
    hosts->uses[hosts->n_uses++] = (struct use){host, from, until};
}

static void sort(struct free_hosts *hosts)
{
    if (hosts->n_ids)
        qsort(hosts->ids, hosts->n_ids, sizeof *hosts->ids, search_by_id);
    if (hosts->n_uses)
        qsort(hosts->uses, hosts->n_uses, sizeof *hosts->uses, by_host);
}

size_t free_hosts_find(struct free_hosts *hosts, int64_t from, int64_t until, int32_t *found,
                       size_t most)
{
    size_t n = 0, use = 0;

    sort(hosts);
    for (size_t i = 0; i < hosts->n_ids && n < most; i++) {
        bool is_free = true;

        for (; use < hosts->n_uses && hosts->uses[use].host <= hosts->ids[i]; use++)
            if (hosts->uses[use].host == hosts->ids[i] && hosts->uses[use].from < until &&
                from < hosts->uses[use].until)
                is_free = false;
        if (is_free)
            found[n++] = hosts->ids[i];
    }
    return n;
}

/* --- the next time ---------------------------------------------------------------------------- */

/* From this time on, one host more, or one less, is free for long enough. */
struct turn {
    int64_t at;
    int by;
};

static int by_time(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->by - y->by;
}

/* Adds the turns of a host, whose uses begin at *use. Returns their number. */
static size_t add_turns(const struct free_hosts *hosts, int32_t host, size_t *use, int64_t length,
                        struct turn *turns)
{
    int64_t from = hosts->now;
    size_t n = 0;

    for (; *use < hosts->n_uses && hosts->uses[*use].host <= host; (*use)++) {
        const struct use *next = &hosts->uses[*use];

        if (next->host < host)
            continue;
        if (from < next->from && next->from - from >= length) {
            turns[n++] = (struct turn){from, 1};
            turns[n++] = (struct turn){next->from - length + 1, -1};
        }
        from = next->until > from ? next->until : from;
    }
    if (from != INSTANT_NEVER)
        turns[n++] = (struct turn){from, 1};
    return n;
}

int64_t free_hosts_next(struct free_hosts *hosts, int64_t after, int64_t length, size_t n)
{
    struct turn *turns = memory_new(2 * hosts->n_uses + hosts->n_ids + 1, sizeof *turns);
    size_t n_turns = 0, use = 0, n_free = 0;
    int64_t found = INSTANT_NEVER;

    sort(hosts);
    for (size_t i = 0; i < hosts->n_ids; i++)
        n_turns += add_turns(hosts, hosts->ids[i], &use, length, turns + n_turns);
    if (n_turns)
        qsort(turns, n_turns, sizeof *turns, by_time);
    for (size_t i = 0; i < n_turns && found == INSTANT_NEVER; i++) {
        if (turns[i].by < 0)
            n_free--;
        else if (++n_free >= n && turns[i].at > after)
            found = turns[i].at;
    }
    free(turns);
    return found;
}
