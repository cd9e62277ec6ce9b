/* Hosts by state: a hash table of classes, each with a bitmap of its hosts in two levels. */
#include "core/host_classes.h"

#include <stdlib.h>
#include <string.h>

#include "core/lease_plan.h"
#include "util/memory.h"

enum {
    CLASSES_LEAST = 16,   /* always allowed, for any number of hosts */
    CLASSES_MOST = 1024,  /* bounds the memory of large sites */
    HOSTS_PER_CLASS = 16, /* with fewer on average, classes save no time */
    BUCKETS = 1024,
};

static const uint32_t no_class = UINT32_MAX;

struct host_class {
    struct host_state state;
    uint64_t *hosts;   /* bit h % 64 of word h / 64 */
    uint64_t *summary; /* bit w % 64 of word w / 64: word w of hosts is not 0 */
    uint32_t n;
    uint32_t next;  /* next class in the same bucket or in the chain of unused classes */
    uint32_t place; /* in live */
};

struct host_classes {
    size_t n_hosts, n_words, n_summary;
    struct host_class *items;
    size_t n_items, items_allocated;
    uint32_t unused; /* head of the chain of unused classes */
    uint32_t *live;  /* classes with hosts */
    size_t n_live, live_allocated, most;
    uint32_t *class_of; /* one per host */
    uint32_t buckets[BUCKETS];
};

struct host_classes *host_classes_create(size_t n_hosts)
{
    struct host_classes *classes = memory_new(1, sizeof *classes);

    classes->n_hosts = n_hosts;
    classes->n_words = (n_hosts + 63) / 64;
    classes->n_summary = (classes->n_words + 63) / 64;
    classes->most = n_hosts / HOSTS_PER_CLASS;
    classes->most = classes->most < CLASSES_LEAST  ? CLASSES_LEAST
                    : classes->most > CLASSES_MOST ? CLASSES_MOST
                                                   : classes->most;
    classes->class_of = memory_new(n_hosts, sizeof *classes->class_of);
    memset(classes->class_of, 0xff, n_hosts * sizeof *classes->class_of);
    memset(classes->buckets, 0xff, sizeof classes->buckets);
    classes->unused = no_class;
    return classes;
}

void host_classes_destroy(struct host_classes *classes)
{
    if (!classes)
        return;
    for (size_t i = 0; i < classes->n_items; i++) {
        free(classes->items[i].hosts);
        free(classes->items[i].summary);
    }
    free(classes->items);
    free(classes->live);
    free(classes->class_of);
    free(classes);
}

/* --- the classes ------------------------------------------------------------------------------ */

static uint32_t *bucket_of(struct host_classes *classes, const struct host_state *state)
{
    uint64_t x = (uint64_t)state->fits_until * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 29) ^ (uint64_t)state->unchanged_until) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 32) ^ (uint64_t)state->leases ^ (uint64_t)state->kind << 32) *
        UINT64_C(0x94d049bb133111eb);
    for (int type = 0; type <= RESOURCE_MEMORY; type++)
        x = (x ^ (x >> 29) ^ (uint64_t)state->free.of[type]) * UINT64_C(0x9e3779b97f4a7c15);
    return &classes->buckets[(x ^ (x >> 32)) % BUCKETS];
}

static bool is_same(const struct host_state *a, const struct host_state *b)
{
    return a->fits_until == b->fits_until && a->unchanged_until == b->unchanged_until &&
           a->leases == b->leases && a->kind == b->kind &&
           memcmp(&a->free, &b->free, sizeof a->free) == 0;
}

static uint32_t new_class(struct host_classes *classes)
{
    uint32_t class = classes->unused;

    if (class != no_class) {
        classes->unused = classes->items[class].next;
        return class;
    }
    MEMORY_GROW(classes->items, classes->items_allocated, classes->n_items + 1);
    class = (uint32_t)classes->n_items++;
    classes->items[class] = (struct host_class){
        .hosts = memory_new(classes->n_words, sizeof(uint64_t)),
        .summary = memory_new(classes->n_summary, sizeof(uint64_t)),
    };
    return class;
}

/* Finds or adds the class; no_class: there are too many. */
static uint32_t class_for(struct host_classes *classes, const struct host_state *state)
{
    uint32_t *bucket = bucket_of(classes, state), class;

    for (class = *bucket; class != no_class; class = classes->items[class].next)
        if (is_same(&classes->items[class].state, state))
            return class;
    if (classes->n_live == classes->most)
        return no_class;
    class = new_class(classes);
    classes->items[class].state = *state;
    classes->items[class].next = *bucket;
    *bucket = class;
    MEMORY_GROW(classes->live, classes->live_allocated, classes->n_live + 1);
    classes->items[class].place = (uint32_t)classes->n_live;
    classes->live[classes->n_live++] = class;
    return class;
}

/* Removes a class without hosts. */
static void drop_class(struct host_classes *classes, uint32_t class)
{
    struct host_class *item = &classes->items[class];
    uint32_t *link = bucket_of(classes, &item->state), last = classes->live[--classes->n_live];

    while (*link != class)
        link = &classes->items[*link].next;
    *link = item->next;
    classes->live[item->place] = last;
    classes->items[last].place = item->place;
    item->next = classes->unused;
    classes->unused = class;
}

static void take_out(struct host_classes *classes, uint32_t host)
{
    uint32_t class = classes->class_of[host];
    struct host_class *item;

    if (class == no_class)
        return;
    item = &classes->items[class];
    item->hosts[host / 64] &= ~(UINT64_C(1) << host % 64);
    if (item->hosts[host / 64] == 0)
        item->summary[host / 4096] &= ~(UINT64_C(1) << host / 64 % 64);
    classes->class_of[host] = no_class;
    if (--item->n == 0)
        drop_class(classes, class);
}

void host_classes_clear(struct host_classes *classes)
{
    for (size_t host = 0; host < classes->n_hosts; host++)
        take_out(classes, (uint32_t)host);
}

bool host_classes_put(struct host_classes *classes, uint32_t host, const struct host_state *state)
{
    uint32_t class = classes->class_of[host];
    struct host_class *item;

    if (state && class != no_class && is_same(&classes->items[class].state, state))
        return true;
    take_out(classes, host);
    if (!state)
        return true;
    class = class_for(classes, state);
    if (class == no_class)
        return false;
    item = &classes->items[class];
    item->hosts[host / 64] |= UINT64_C(1) << host % 64;
    item->summary[host / 4096] |= UINT64_C(1) << host / 64 % 64;
    item->n++;
    classes->class_of[host] = class;
    return true;
}

/* --- their hosts ------------------------------------------------------------------------------ */

size_t host_classes_count(const struct host_classes *classes)
{
    return classes->n_live;
}

const struct host_state *host_classes_state(const struct host_classes *classes, size_t i)
{
    return &classes->items[classes->live[i]].state;
}

/* The first set bit from `from` on, or SIZE_MAX. */
static size_t next_bit(const uint64_t *words, size_t n_words, size_t from)
{
    size_t word = from / 64;
    uint64_t bits;

    if (word >= n_words)
        return SIZE_MAX;
    bits = words[word] & ~UINT64_C(0) << from % 64;
    while (!bits && ++word < n_words)
        bits = words[word];
    return bits ? word * 64 + (size_t)__builtin_ctzll(bits) : SIZE_MAX;
}

static uint32_t first_from(const struct host_classes *classes, const struct host_class *item,
                           size_t from)
{
    size_t word = from / 64;
    uint64_t bits = word < classes->n_words ? item->hosts[word] & ~UINT64_C(0) << from % 64 : 0;

    if (!bits) {
        word = next_bit(item->summary, classes->n_summary, word + 1);
        if (word == SIZE_MAX)
            return HOST_NONE;
        bits = item->hosts[word];
    }
    return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
}

const uint64_t *host_classes_hosts(const struct host_classes *classes, size_t i)
{
    return classes->items[classes->live[i]].hosts;
}

uint32_t host_classes_first(const struct host_classes *classes, size_t i)
{
    return first_from(classes, &classes->items[classes->live[i]], 0);
}

uint32_t host_classes_next(const struct host_classes *classes, uint32_t host)
{
    return first_from(classes, &classes->items[classes->class_of[host]], (size_t)host + 1);
}
