/* Limits the requests of callers. */
#include "web/bucket.h"

struct bucket {
    double tokens; /* at `seen` */
    int64_t seen;
};

enum { MILLISECONDS = 1000 };

void buckets_init(struct buckets *buckets, double rate, double burst)
{
    map_init_copying(&buckets->by_name, sizeof(struct bucket));
    buckets->rate = rate;
    buckets->burst = burst;
}

void buckets_finish(struct buckets *buckets)
{
    map_finish(&buckets->by_name);
}

static double tokens_at(const struct buckets *buckets, const struct bucket *bucket, int64_t now)
{
    double tokens = bucket->tokens + buckets->rate * (double)(now - bucket->seen) / MILLISECONDS;

    return tokens < buckets->burst ? tokens : buckets->burst;
}

/* Drops full buckets, which are like new ones. If none is full, drops the newest: its caller gets a
 * burst again, which is better than refusing new callers. */
static void make_room(struct buckets *buckets, int64_t now)
{
    struct map *map = &buckets->by_name;

    for (uint32_t i = (uint32_t)map->n; i-- > 0;)
        if (tokens_at(buckets, map_value(map, i), now) >= buckets->burst)
            map_remove(map, i);
    while (map->n >= BUCKETS_MAX)
        map_remove(map, (uint32_t)map->n - 1);
}

bool buckets_has(const struct buckets *buckets, const char *name, int64_t now)
{
    const struct bucket *bucket =
        map_value(&buckets->by_name, map_find_text(&buckets->by_name, name));

    return !bucket || tokens_at(buckets, bucket, now) >= 1;
}

bool buckets_take(struct buckets *buckets, const char *name, int64_t now)
{
    struct map *map = &buckets->by_name;
    uint32_t place = map_find_text(map, name);
    struct bucket *bucket = map_value(map, place);

    if (!bucket) {
        if (map->n >= BUCKETS_MAX)
            make_room(buckets, now);
        bucket = map_value(map, map_add_text(map, name));
        *bucket = (struct bucket){buckets->burst, now};
    }
    bucket->tokens = tokens_at(buckets, bucket, now);
    bucket->seen = now;
    if (bucket->tokens < 1)
        return false;
    bucket->tokens -= 1;
    return true;
}
