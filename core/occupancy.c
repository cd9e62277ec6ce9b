/* Units and roles over time. */
#include "core/occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "core/host_rank.h"
#include "core/refusals.h"
#include "util/bitmap.h"
#include "util/instant.h"
#include "util/map.h"
#include "util/memory.h"

/* Stays by ascending start. */
struct stays {
    struct stay *items;
    size_t n, allocated;
};

/* Two sets of a host's counters. */
struct scratch {
    int64_t *used;
    size_t allocated;
};

struct occupancy {
    const struct site *site;
    struct stays *on_host; /* of VMs with units, per host; NULL: none so far */
    struct map of_role;    /* role -> struct stays */
    struct scratch *scratch;
    struct refusals *refusals;
};

struct occupancy *occupancy_create(const struct site *site)
{
    struct occupancy *occupancy = memory_new(1, sizeof *occupancy);

    occupancy->site = site;
    occupancy->scratch = memory_new(1, sizeof *occupancy->scratch);
    occupancy->refusals = refusals_create(site);
    map_init(&occupancy->of_role, sizeof(struct stays));
    return occupancy;
}

static void stays_finish(struct stays *stays)
{
    for (size_t i = 0; i < stays->n; i++)
        held_units_destroy(stays->items[i].held);
    free(stays->items);
}

void occupancy_destroy(struct occupancy *occupancy)
{
    if (!occupancy)
        return;
    for (size_t host = 0; occupancy->on_host && host < occupancy->site->n_hosts; host++)
        stays_finish(&occupancy->on_host[host]);
    for (size_t i = 0; i < occupancy->of_role.n; i++)
        stays_finish(map_value(&occupancy->of_role, (uint32_t)i));
    map_finish(&occupancy->of_role);
    free(occupancy->on_host);
    free(occupancy->scratch->used);
    free(occupancy->scratch);
    refusals_destroy(occupancy->refusals);
    free(occupancy);
}

static void stays_copy(struct stays *to, const struct stays *from)
{
    to->n = to->allocated = from->n;
    to->items = memory_copy(from->items, from->n * sizeof *from->items);
    for (size_t i = 0; i < to->n; i++) {
        held_units_share(to->items[i].held);
        to->items[i].lease = NULL;
    }
}

struct occupancy *occupancy_copy(const struct occupancy *from, const struct site *site)
{
    struct occupancy *copy = occupancy_create(site);

    if (from->on_host)
        copy->on_host = memory_new(site->n_hosts, sizeof *copy->on_host);
    for (size_t host = 0; from->on_host && host < site->n_hosts; host++)
        stays_copy(&copy->on_host[host], &from->on_host[host]);
    for (size_t i = 0; i < from->of_role.n; i++) {
        uint32_t role = map_add(&copy->of_role, map_key(&from->of_role, (uint32_t)i));

        stays_copy(map_value(&copy->of_role, role), map_value(&from->of_role, (uint32_t)i));
    }
    return copy;
}

/* --- booking ---------------------------------------------------------------------------------- */

/* The first stay that does not begin before `from`. */
static size_t first_from(const struct stays *stays, int64_t from)
{
    size_t low = 0, high = stays->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (stays->items[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void stays_insert(struct stays *stays, const struct stay *stay)
{
    size_t place = first_from(stays, stay->from);

    MEMORY_GROW(stays->items, stays->allocated, stays->n + 1);
    memmove(&stays->items[place + 1], &stays->items[place],
            (stays->n++ - place) * sizeof *stays->items);
    stays->items[place] = *stay;
    held_units_share(stay->held);
}

static void stays_remove(struct stays *stays, const struct stay *stay)
{
    size_t i = first_from(stays, stay->from);

    while (i < stays->n &&
           (stays->items[i].held != stay->held || stays->items[i].until != stay->until ||
            stays->items[i].lease != stay->lease))
        i++;
    if (i == stays->n || stays->items[i].from != stay->from)
        return;
    held_units_destroy(stay->held);
    memmove(&stays->items[i], &stays->items[i + 1], (--stays->n - i) * sizeof *stays->items);
}

static const struct stays *stays_of_role(const struct occupancy *occupancy, uint32_t role)
{
    static const struct stays none;
    const struct stays *stays = map_value(&occupancy->of_role, map_find(&occupancy->of_role, role));

    return stays ? stays : &none;
}

static const struct stays *stays_on(const struct occupancy *occupancy, uint32_t host)
{
    static const struct stays none;

    return occupancy->on_host ? &occupancy->on_host[host] : &none;
}

const struct stay *occupancy_stays(const struct occupancy *occupancy, uint32_t host, size_t *n)
{
    const struct stays *stays = stays_on(occupancy, host);

    *n = stays->n;
    return stays->items;
}

void occupancy_book(struct occupancy *occupancy, const struct stay *stay)
{
    uint32_t role = stay->held->demand->role;

    if (held_has_units(stay->held)) {
        if (!occupancy->on_host)
            occupancy->on_host = memory_new(occupancy->site->n_hosts, sizeof *occupancy->on_host);
        stays_insert(&occupancy->on_host[stay->held->host], stay);
        refusals_forget(occupancy->refusals, stay->held->host);
    }
    if (role != DEMAND_ANY)
        stays_insert(map_value(&occupancy->of_role, map_add(&occupancy->of_role, role)), stay);
}

void occupancy_release(struct occupancy *occupancy, const struct stay *stay)
{
    uint32_t role = stay->held->demand->role;

    if (held_has_units(stay->held)) {
        stays_remove(&occupancy->on_host[stay->held->host], stay);
        refusals_forget(occupancy->refusals, stay->held->host);
    }
    if (role != DEMAND_ANY)
        stays_remove(map_value(&occupancy->of_role, map_find(&occupancy->of_role, role)), stay);
}

/* --- units ------------------------------------------------------------------------------------ */

/* Units in use on a host, during a pass over the stays of an interval by start. */
struct sweep {
    const struct unit_layout *layout;
    int64_t *now, *most; /* counters at this instant, and their maximum so far */
    int64_t sign;
};

static void count(void *context, uint32_t counter, int64_t amount)
{
    struct sweep *sweep = context;

    sweep->now[counter] += sweep->sign * amount;
    if (sweep->now[counter] > sweep->most[counter])
        sweep->most[counter] = sweep->now[counter];
}

static int by_end(const void *a, const void *b)
{
    const struct stay *x = a, *y = b;

    return x->until < y->until ? -1 : x->until > y->until;
}

static bool overlaps(const struct stay *stay, int64_t from, int64_t until)
{
    return stay->from < until && stay->until > from;
}

/* Adds stays that overlap the interval; stays that begin after `from` may follow others. */
static void sweep_stays(struct sweep *sweep, const struct stays *stays, int64_t from, int64_t until)
{
    struct stay *ends = memory_new(stays->n, sizeof *ends);
    size_t n = 0, ended = 0;

    for (size_t i = 0; i < stays->n && stays->items[i].from < until; i++)
        if (overlaps(&stays->items[i], from, until))
            ends[n++] = stays->items[i];
    if (n)
        qsort(ends, n, sizeof *ends, by_end);
    for (size_t i = 0; i < stays->n && stays->items[i].from < until; i++) {
        if (!overlaps(&stays->items[i], from, until))
            continue;
        sweep->sign = -1;
        while (ends[ended].until <= stays->items[i].from)
            held_units_visit(sweep->layout, ends[ended++].held, count, sweep);
        sweep->sign = 1;
        held_units_visit(sweep->layout, stays->items[i].held, count, sweep);
    }
    free(ends);
}

/* The maximum of each counter during the interval; scratch until the next call. */
static int64_t *use_of_units(const struct occupancy *occupancy, const struct unit_layout *layout,
                             uint32_t host, int64_t from, int64_t until)
{
    const struct stays *stays = stays_on(occupancy, host);
    struct scratch *scratch = occupancy->scratch;
    struct sweep sweep = {.layout = layout, .sign = 1};
    size_t last = first_from(stays, until);

    MEMORY_GROW(scratch->used, scratch->allocated, 2 * (size_t)layout->n + 1);
    memset(scratch->used, 0, 2 * (size_t)layout->n * sizeof *scratch->used);
    sweep.most = scratch->used;
    sweep.now = scratch->used + layout->n;
    if (last && stays->items[last - 1].from > from) {
        sweep_stays(&sweep, stays, from, until);
        return scratch->used;
    }
    for (size_t i = 0; i < last; i++)
        if (stays->items[i].until > from)
            held_units_visit(layout, stays->items[i].held, count, &sweep);
    return scratch->used;
}

static bool choose_until(const struct occupancy *occupancy, const struct unit_layout *layout,
                         const struct unit_question *question, int64_t until, struct unit_set *set)
{
    const struct stays *stays = stays_on(occupancy, question->host);
    const size_t ahead = first_from(stays, until);
    const struct refusal refusal = {.host = question->host,
                                    .demand = question->demand,
                                    .from = question->from,
                                    .ahead = ahead,
                                    .at_once =
                                        !ahead || stays->items[ahead - 1].from <= question->from};

    if (refusals_has(occupancy->refusals, question->host, question->demand, question->from, ahead))
        return false;
    if (units_choose(layout, question->demand,
                     use_of_units(occupancy, layout, question->host, question->from, until), set))
        return true;
    refusals_note(occupancy->refusals, &refusal);
    return false;
}

bool occupancy_refused(const struct occupancy *occupancy, const struct unit_question *question)
{
    return demand_has_units(question->demand) &&
           refusals_has(occupancy->refusals, question->host, question->demand, question->from,
                        first_from(stays_on(occupancy, question->host), question->least));
}

const uint64_t *occupancy_refusing(const struct occupancy *occupancy,
                                   const struct vm_demand *demand, int64_t from)
{
    return demand_has_units(demand) ? refusals_hosts(occupancy->refusals, demand, from) : NULL;
}

bool occupancy_refused_by_all(const struct occupancy *occupancy, const struct vm_demand *demand,
                              int64_t from, const uint64_t *allowed)
{
    const uint64_t *refusing = occupancy_refusing(occupancy, demand, from);

    for (size_t word = 0; refusing && word < bitmap_words(occupancy->site->n_hosts); word++)
        if (~refusing[word] & (allowed ? allowed[word] : ~UINT64_C(0)))
            return false;
    return refusing != NULL;
}

/* The latest start of a stay on the host, before question->until, up to which the demand is met:
 * each stay that begins leaves fewer units. */
static int64_t latest_end(const struct occupancy *occupancy, const struct unit_layout *layout,
                          const struct unit_question *question, struct unit_set *set)
{
    const struct stays *stays = stays_on(occupancy, question->host);
    size_t low = first_from(stays, question->from + 1), high = first_from(stays, question->until);
    int64_t best = question->least;

    if (!choose_until(occupancy, layout, question, question->least, set))
        return question->from;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int64_t until = stays->items[middle].from;

        if (until <= best || choose_until(occupancy, layout, question, until, set)) {
            best = until > best ? until : best;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    choose_until(occupancy, layout, question, best, set);
    return best;
}

int64_t occupancy_units_until(const struct occupancy *occupancy,
                              const struct unit_question *question, struct held_units **held)
{
    const struct host_units *units = occupancy->site->hosts[question->host].units;
    int64_t until = question->until;
    struct unit_layout layout;
    struct unit_set set;

    if (!demand_has_units(question->demand)) {
        if (held)
            *held = held_units_create(question->vm, question->host, question->demand, NULL);
        return until;
    }
    if (!units)
        return question->from;
    layout = unit_layout_of(units);
    if (!choose_until(occupancy, &layout, question, until, &set))
        until = question->least < until ? latest_end(occupancy, &layout, question, &set)
                                        : question->from;
    if (held && until > question->from)
        *held = held_units_create(question->vm, question->host, question->demand, &set);
    return until;
}

bool occupancy_units_free(const struct occupancy *occupancy, const struct stay *stay)
{
    const struct host_units *units = occupancy->site->hosts[stay->held->host].units;
    struct unit_layout layout;

    if (!held_has_units(stay->held))
        return true;
    layout = unit_layout_of(units);
    return units_are_free(
        &layout, stay->held,
        use_of_units(occupancy, &layout, stay->held->host, stay->from, stay->until));
}

struct held_units *occupancy_reported(const struct occupancy *occupancy,
                                      const struct unit_question *question,
                                      const struct vm_units *reported)
{
    const struct host_units *units = occupancy->site->hosts[question->host].units;
    int64_t from = question->from;
    struct unit_layout layout;
    struct unit_set set;
    bool found;

    if (!units || !demand_has_units(question->demand))
        return held_units_create(question->vm, question->host, question->demand, NULL);
    layout = unit_layout_of(units);
    do {
        found = units_reported(
            &layout, question->demand, reported,
            use_of_units(occupancy, &layout, question->host, from, question->until), &set);
        from = occupancy_next_end(occupancy, question->host, from);
    } while (!found && from < question->until);
    return held_units_create(question->vm, question->host, question->demand, &set);
}

int64_t occupancy_next_end(const struct occupancy *occupancy, uint32_t host, int64_t at)
{
    const struct stays *stays = stays_on(occupancy, host);
    int64_t next = INSTANT_NEVER;

    for (size_t i = 0; i < stays->n && stays->items[i].from <= at; i++)
        if (stays->items[i].until > at && stays->items[i].until < next)
            next = stays->items[i].until;
    return next;
}

/* --- rules ------------------------------------------------------------------------------------ */

/* Hosts with the same number are one place for a rule of this level. */
static int64_t place_of(const struct occupancy *occupancy, enum company_level level, uint32_t host)
{
    return level == COMPANY_HOST ? (int64_t)host : occupancy->site->hosts[host].cluster;
}

static int64_t place_of_stay(const struct occupancy *occupancy, enum company_level level,
                             const struct stay *stay)
{
    return place_of(occupancy, level, stay->held->host);
}

static void lower(int64_t *limit, int64_t to)
{
    if (to < *limit)
        *limit = to;
}

/* A rule during an interval. */
struct ruling {
    const struct occupancy *occupancy;
    const struct company_rule *rule;
    const struct stays *stays; /* of the role */
    int64_t from, until;
};

/* The first instant at which a VM of the role is elsewhere and none is at the place. */
static int64_t first_alone(const struct ruling *ruling, int64_t place)
{
    int64_t first = ruling->until;

    for (size_t i = 0; i < ruling->stays->n && ruling->stays->items[i].from < first; i++) {
        const struct stay *away = &ruling->stays->items[i];
        int64_t at = instant_later(away->from, ruling->from);
        enum company_level level = ruling->rule->level;

        if (away->until <= at || place_of_stay(ruling->occupancy, level, away) == place)
            continue;
        /* Companions at the place may follow one another; they are ordered by start. */
        for (size_t k = 0; k < ruling->stays->n && ruling->stays->items[k].from <= at; k++)
            if (ruling->stays->items[k].until > at &&
                place_of_stay(ruling->occupancy, level, &ruling->stays->items[k]) == place)
                at = ruling->stays->items[k].until;
        if (at < away->until)
            lower(&first, at);
    }
    return first;
}

/* Computes the limit of each place; places that are not in the map have the limit *elsewhere. */
static void limits_of_rule(const struct ruling *ruling, struct map *limits, int64_t *elsewhere)
{
    *elsewhere = ruling->until;
    for (size_t i = 0; i < ruling->stays->n && ruling->stays->items[i].from < ruling->until; i++) {
        const struct stay *stay = &ruling->stays->items[i];
        int64_t place = place_of_stay(ruling->occupancy, ruling->rule->level, stay);
        int64_t begins = instant_later(stay->from, ruling->from), *limit;

        if (!overlaps(stay, ruling->from, ruling->until))
            continue;
        if (map_find(limits, place) == MAP_NONE) {
            limit = map_value(limits, map_add(limits, place));
            *limit = ruling->rule->apart ? begins : first_alone(ruling, place);
        }
        if (!ruling->rule->apart)
            lower(elsewhere, begins);
    }
}

static void lower_everywhere(const struct ruling *ruling, const struct map *by_place,
                             int64_t elsewhere, int64_t *limits)
{
    const struct site *site = ruling->occupancy->site;

    for (uint32_t host = 0; by_place->n && host < site->n_hosts; host++) {
        int64_t place = place_of(ruling->occupancy, ruling->rule->level, host);
        const int64_t *limit = map_value(by_place, map_find(by_place, place));

        lower(&limits[host], limit ? *limit : elsewhere);
    }
}

/* Few hosts have VMs to be apart from, so only these are visited. */
static void apply_rule(const struct ruling *ruling, int64_t *limits)
{
    struct map by_place;
    int64_t elsewhere;

    map_init(&by_place, sizeof(int64_t));
    limits_of_rule(ruling, &by_place, &elsewhere);
    if (elsewhere < ruling->until || ruling->rule->level != COMPANY_HOST)
        lower_everywhere(ruling, &by_place, elsewhere, limits);
    else
        for (uint32_t i = 0; i < by_place.n; i++)
            lower(&limits[map_key(&by_place, i)], *(int64_t *)map_value(&by_place, i));
    map_finish(&by_place);
}

static struct ruling ruling_of(const struct occupancy *occupancy, const struct company_rule *rule,
                               int64_t from, int64_t until)
{
    return (struct ruling){occupancy, rule, stays_of_role(occupancy, rule->role), from, until};
}

void occupancy_rules_until(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t from, int64_t until, int64_t *limits)
{
    for (size_t host = 0; host < occupancy->site->n_hosts; host++)
        limits[host] = until;
    for (uint32_t i = 0; i < demand->n_rules; i++) {
        struct ruling ruling = ruling_of(occupancy, &demand->rules[i], from, until);

        if (!demand->rules[i].weight)
            apply_rule(&ruling, limits);
    }
}

void occupancy_preferences(const struct occupancy *occupancy, const struct vm_demand *demand,
                           int64_t at, int64_t *ranks)
{
    const struct site *site = occupancy->site;

    for (uint32_t i = 0; i < demand->n_rules; i++) {
        const struct company_rule *rule = &demand->rules[i];
        const struct stays *stays = stays_of_role(occupancy, rule->role);
        struct map sums;

        if (!rule->weight)
            continue;
        map_init(&sums, sizeof(int64_t));
        for (size_t k = 0; k < stays->n && stays->items[k].from <= at; k++)
            if (stays->items[k].until > at) {
                int64_t place = place_of_stay(occupancy, rule->level, &stays->items[k]);
                int64_t *sum = map_value(&sums, map_add(&sums, place));

                *sum = rank_add(*sum, rule->apart ? -rule->weight : rule->weight);
            }
        for (uint32_t host = 0; sums.n && host < site->n_hosts; host++) {
            const int64_t *sum =
                map_value(&sums, map_find(&sums, place_of(occupancy, rule->level, host)));

            ranks[host] = rank_add(ranks[host], sum ? *sum : 0);
        }
        map_finish(&sums);
    }
}

bool occupancy_has_companions(const struct occupancy *occupancy, const struct vm_demand *demand,
                              int64_t from, int64_t until)
{
    for (uint32_t i = 0; i < demand->n_rules; i++) {
        const struct company_rule *rule = &demand->rules[i];
        const struct stays *stays = stays_of_role(occupancy, rule->role);

        if (rule->weight || rule->apart || rule->level != COMPANY_HOST)
            continue;
        for (size_t k = 0; k < stays->n; k++)
            if (overlaps(&stays->items[k], from, until))
                return true;
    }
    return false;
}

const struct lease *occupancy_in_the_way(const struct occupancy *occupancy,
                                         const struct vm_demand *demand, uint32_t host, int64_t at,
                                         bool *together)
{
    for (uint32_t i = 0; i < demand->n_rules; i++) {
        struct ruling ruling = ruling_of(occupancy, &demand->rules[i], at, at + 1);
        enum company_level level = demand->rules[i].level;
        bool apart = demand->rules[i].apart;

        if (demand->rules[i].weight)
            continue;
        for (size_t k = 0; k < ruling.stays->n; k++) {
            const struct stay *stay = &ruling.stays->items[k];
            int64_t place = place_of(occupancy, level, host);

            if (!overlaps(stay, at, at + 1) ||
                (place_of_stay(occupancy, level, stay) == place) != apart ||
                (!apart && first_alone(&ruling, place) > at))
                continue;
            *together = !apart;
            return stay->lease;
        }
    }
    return NULL;
}
