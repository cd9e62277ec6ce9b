/* Builds an engine from facts: hosts, filters and adopted leases. */
#include "planner/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { RELOCATED_MAX = 8 /* per plan: each one repeats all adoptions */ };

/* Ids of blocks for VMs whose leases have no place. */
#define BLOCK_OF_LEASE (BLOCK_BASE + (INT64_C(1) << 33))

void plan_finish(struct plan *plan)
{
    engine_destroy(plan->engine);
    free(plan->objects.filters);
    for (size_t i = 0; i < plan->n_columns; i++)
        rank_values_destroy(plan->columns[i].values);
    free(plan->columns);
    free(plan->bitmaps);
    free(plan->objects.demands);
    kept_finish(&plan->kept);
    free(plan->host_of);
    *plan = (struct plan){0};
}

uint32_t plan_host_of(const struct plan *plan, uint32_t place)
{
    return place < plan->n_places ? plan->host_of[place] : place;
}

/* --- the engine ------------------------------------------------------------------------------- */

/* Adds a second place for each booked host, for the leases inside the booking. */
static int read_insides(struct wire_reader *reader, struct site *site, struct plan *plan,
                        struct error *err)
{
    size_t n = site->n_hosts, n_insides = wire_get_count(reader, 1);

    plan->n_hosts = n;
    plan->host_of = memory_new(n + n_insides, sizeof *plan->host_of);
    for (size_t place = 0; place < n; place++)
        plan->host_of[place] = (uint32_t)place;
    for (size_t i = 0; i < n_insides && !reader->failed; i++) {
        uint32_t host = (uint32_t)wire_get(reader, 0, (int64_t)n - 1);
        struct amounts capacity;

        if (reader->failed)
            break;
        capacity = site->hosts[host].capacity;
        if (site_add_hosts(site, 1, &capacity, err) < 0)
            return -1;
        site->hosts[n + i] = site->hosts[host];
        plan->host_of[n + i] = host;
    }
    return 0;
}

/* Reads the hosts. A host refers to its units by number, since many hosts share them; -1: none. */
static int read_site(struct plan *plan, struct wire_reader *reader, struct site *site,
                     struct error *err)
{
    size_t n_units = wire_get_count(reader, 3), n;
    const struct host_units **units = kept_new(&plan->kept, n_units, sizeof *units);

    for (size_t i = 0; i < n_units; i++)
        units[i] = wire_get_host_units(reader, &plan->kept);
    site_init(site);
    n = wire_get_count(reader, 6);
    for (size_t i = 0; i < n; i++) {
        struct amounts capacity = {{0}};
        int32_t id = (int32_t)wire_get(reader, INT32_MIN, INT32_MAX);
        bool closed = wire_get_bool(reader);
        int32_t cluster = (int32_t)wire_get(reader, INT32_MIN, INT32_MAX);
        int64_t number = wire_get(reader, -1, (int64_t)n_units - 1);

        capacity.of[RESOURCE_CPU] = wire_get(reader, 0, INT64_MAX);
        capacity.of[RESOURCE_MEMORY] = wire_get(reader, 0, INT64_MAX);
        if (site_add_hosts(site, 1, &capacity, err) < 0)
            return -1;
        site->hosts[i].id = id;
        site->hosts[i].closed = closed;
        site->hosts[i].cluster = cluster;
        site->hosts[i].units = number < 0 ? NULL : units[number];
    }
    if (read_insides(reader, site, plan, err) < 0)
        return -1;
    return reader->failed ? error_set(err, EPROTO, "the hosts cannot be read") : 0;
}

static void tell_site(const struct plan_building *building, const struct site *site)
{
    if (building->policies)
        policy_host_set_site(building->policies, site);
}

static int begin(struct plan_building *building, struct wire_reader *reader, struct error *err)
{
    struct engine *engine = building->plan->engine;
    size_t n = wire_get_count(reader, 3);

    if (engine_begin(engine, building->now, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int64_t user = wire_get(reader, INT32_MIN, INT32_MAX);
        int64_t group = wire_get(reader, INT32_MIN, INT32_MAX);

        engine_use(engine, user, group, (double)wire_get(reader, 0, INT64_MAX));
    }
    return reader->failed ? error_set(err, EPROTO, "the usage of users cannot be read") : 0;
}

int plan_make_engine(struct plan_building *building, struct wire_reader *reader, struct error *err)
{
    struct engine_settings settings;
    struct plan *plan = building->plan;
    struct site site;

    tell_site(building, NULL);
    engine_destroy(plan->engine);
    plan->engine = NULL;
    free(plan->host_of);
    plan->host_of = NULL;
    wire_get_raw(reader, &settings, sizeof settings);
    if (read_site(plan, reader, &site, err) == 0)
        plan->engine = engine_create(&site, &settings, building->hooks, err);
    plan->n_places = site.n_hosts;
    site_finish(&site);
    if (!plan->engine)
        return -1;
    tell_site(building, engine_site(plan->engine));
    return begin(building, reader, err);
}

/* A value of eight bytes for each host; an inside has its host's value. */
static const void *get_new_column(struct plan *plan, struct wire_reader *reader)
{
    uint64_t *column = kept_new(&plan->kept, plan->n_places, sizeof *column);

    wire_get_raw(reader, column, plan->n_hosts * sizeof *column);
    for (size_t place = plan->n_hosts; place < plan->n_places; place++)
        memcpy(&column[place], &column[plan->host_of[place]], sizeof *column);
    return column;
}

static void read_columns(struct plan *plan, struct wire_reader *reader)
{
    size_t n = wire_get_count(reader, plan->n_hosts > 0 ? plan->n_hosts * sizeof(int64_t) : 1);

    MEMORY_GROW(plan->columns, plan->columns_allocated, plan->n_columns + n);
    while (n--)
        plan->columns[plan->n_columns++] =
            (struct plan_column){.numbers = get_new_column(plan, reader)};
}

/* The bitmaps stay in the frame. */
static void read_bitmaps(struct plan *plan, struct wire_reader *reader)
{
    size_t words = bitmap_words(plan->n_places);
    size_t n = wire_get_count(reader, words > 0 ? words * sizeof(uint64_t) : 1);

    MEMORY_GROW(plan->bitmaps, plan->bitmaps_allocated, plan->n_bitmaps + n);
    wire_get_align(reader);
    while (n--)
        plan->bitmaps[plan->n_bitmaps++] = wire_get_words(reader, words);
}

/* A column by the number with which it was sent; -1: NULL. */
static struct plan_column *get_column(const struct plan *plan, struct wire_reader *reader)
{
    int64_t number = wire_get(reader, -1, (int64_t)plan->n_columns - 1);

    return number < 0 ? NULL : &plan->columns[number];
}

static const void *numbers_of(const struct plan_column *column)
{
    return column ? column->numbers : NULL;
}

/* NULL: too many. */
static const struct rank_values *values_of(const struct plan *plan, struct plan_column *column)
{
    if (!column->has_values)
        column->values = rank_values_create(column->numbers, plan->n_places);
    column->has_values = true;
    return column->values;
}

/* Returns the column to which the step refers; NULL: none. */
static struct plan_column *get_step(const struct plan *plan, struct wire_reader *reader,
                                    struct rank_step *step)
{
    struct plan_column *column = NULL;

    step->operation = (enum rank_operation)wire_get(reader, 0, RANK_OPERATIONS - 1);
    if (step->operation == RANK_NUMBER) {
        wire_get_raw(reader, &step->number, sizeof step->number);
    } else if (step->operation == RANK_COLUMN) {
        column = get_column(plan, reader);
        step->column = numbers_of(column);
        reader->failed |= !column;
    }
    return column;
}

/* The depth of the stack after a step, from the depth before it; fails if the stack would run
 * empty. */
static size_t depth_after(struct wire_reader *reader, const struct rank_step *step, size_t depth)
{
    bool is_value = step->operation == RANK_NUMBER || step->operation == RANK_COLUMN;

    reader->failed |= !is_value && depth < (step->operation == RANK_NEGATE ? 1 : 2);
    return reader->failed ? 0 : is_value ? depth + 1 : depth - (step->operation != RANK_NEGATE);
}

static const struct host_rank *get_rank(struct plan *plan, struct wire_reader *reader)
{
    struct host_rank *rank = kept_new(&plan->kept, 1, sizeof *rank);
    size_t depth = 0, n = wire_get_count(reader, 1);
    struct rank_step *steps = kept_new(&plan->kept, n, sizeof *steps);
    struct plan_column *only = NULL;
    bool has_several = false;

    *rank = (struct host_rank){.steps = steps, .n = n};
    for (size_t i = 0; i < n && !reader->failed; i++) {
        struct plan_column *column = get_step(plan, reader, &steps[i]);

        has_several |= column && only && column != only;
        only = column ? column : only;
        depth = depth_after(reader, &steps[i], depth);
        if (depth > rank->depth)
            rank->depth = depth;
    }
    reader->failed |= n > 0 && depth != 1;
    if (only && !has_several && !reader->failed)
        rank->values = values_of(plan, only);
    rank->added = numbers_of(get_column(plan, reader));
    rank->preferences = numbers_of(get_column(plan, reader));
    return rank;
}

static void read_filter(struct plan *plan, struct wire_reader *reader)
{
    struct host_filter *filter = kept_new(&plan->kept, 1, sizeof *filter);
    int64_t allowed = wire_get(reader, -1, (int64_t)plan->n_bitmaps - 1);

    if (allowed >= 0)
        filter->allowed = plan->bitmaps[allowed];
    if (wire_get_bool(reader))
        filter->rank = get_rank(plan, reader);
    filter->rank_per_vm = wire_get(reader, INT64_MIN, INT64_MAX);
    plan->objects.filters = memory_grow(plan->objects.filters, &plan->filters_allocated,
                                        plan->objects.n_filters + 1, sizeof(struct host_filter *));
    plan->objects.filters[plan->objects.n_filters++] = filter;
}

static void read_demand(struct plan *plan, struct wire_reader *reader)
{
    struct set_objects *objects = &plan->objects;

    MEMORY_GROW(objects->demands, plan->demands_allocated, objects->n_demands + 1);
    objects->demands[objects->n_demands++] = wire_get_demand(reader, &plan->kept);
}

void plan_read_objects(struct plan *plan, struct wire_reader *reader)
{
    size_t n;

    read_columns(plan, reader);
    read_bitmaps(plan, reader);
    n = wire_get_count(reader, 3);
    for (size_t i = 0; i < n && !reader->failed; i++)
        read_filter(plan, reader);
    n = wire_get_count(reader, 10);
    for (size_t i = 0; i < n && !reader->failed; i++)
        read_demand(plan, reader);
}

/* --- adoptions -------------------------------------------------------------------------------- */

/* An adoption as read. */
struct fact {
    struct fact_adoption fact;
    struct node_set *sets;
    struct fact_place *places;
    uint32_t *vm_host;
    struct vm_units *units;
    uint32_t n_vms;
};

static void fact_finish(struct fact *fact)
{
    free(fact->sets);
    free(fact->places);
    free(fact->vm_host);
    free(fact->units);
}

static uint32_t get_place(struct wire_reader *reader, size_t n_places)
{
    int64_t place = wire_get(reader, -1, (int64_t)n_places - 1);

    return place < 0 ? HOST_NONE : (uint32_t)place;
}

/* The VM's place, after relocation if it was relocated. */
static uint32_t place_now(const struct plan_building *building, int64_t lease, uint32_t vm,
                          const struct fact_place *place)
{
    for (size_t i = 0; i < building->n_relocations; i++) {
        const struct plan_relocation *relocation = &building->relocations[i];

        if (relocation->lease == lease && relocation->vm == vm && relocation->place != HOST_NONE)
            return relocation->place;
    }
    return place->place;
}

static const struct node_set *set_of(const struct fact *fact, uint32_t vm)
{
    const struct lease_request *request = &fact->fact.adoption.request;
    size_t set = 0;

    while (set + 1 < request->n_node_sets && vm >= request->node_sets[set].count)
        vm -= request->node_sets[set++].count;
    return &request->node_sets[set];
}

static void read_units(const struct plan_building *building, struct wire_reader *reader,
                       struct fact *fact, uint32_t vm)
{
    const struct vm_demand *demand =
        fact->fact.adoption.request.n_node_sets ? set_of(fact, vm)->demand : NULL;

    if (!fact->units)
        fact->units = memory_new(fact->n_vms, sizeof *fact->units);
    wire_get_vm_units(reader, &building->plan->kept, &fact->units[vm],
                      demand ? demand->n_nodes : 0);
}

static void read_places(const struct plan_building *building, struct wire_reader *reader,
                        struct fact *fact)
{
    fact->n_vms = (uint32_t)wire_get_count(reader, 2);
    fact->places = memory_new(fact->n_vms, sizeof *fact->places);
    fact->vm_host = memory_new(fact->n_vms, sizeof *fact->vm_host);
    for (uint32_t i = 0; i < fact->n_vms; i++) {
        struct fact_place *place = &fact->places[i];
        int64_t flags = wire_get(reader, 0, PLACE_HOLDS | PLACE_RELOCATE | PLACE_HAS_UNITS);

        place->place = get_place(reader, building->plan->n_places);
        place->holds = flags & PLACE_HOLDS;
        place->relocate = flags & PLACE_RELOCATE;
        place->filter =
            place->relocate
                ? (int32_t)wire_get(reader, -1, (int64_t)building->plan->objects.n_filters - 1)
                : -1;
        if (flags & PLACE_HAS_UNITS)
            read_units(building, reader, fact, i);
        fact->vm_host[i] = place_now(building, fact->fact.adoption.request.id, i, place);
    }
}

static bool read_fact(const struct plan_building *building, struct wire_reader *reader,
                      struct fact *fact)
{
    struct adoption *adoption = &fact->fact.adoption;

    *fact = (struct fact){0};
    wire_get_fields(reader, fact_adoption_fields, n_fact_adoption_fields, &fact->fact);
    wire_get_request(reader, &adoption->request, &fact->sets, &building->plan->objects);
    read_places(building, reader, fact);
    adoption->vm_host = fact->fact.has_places ? fact->vm_host : NULL;
    adoption->vm_units = adoption->vm_host ? fact->units : NULL;
    return !reader->failed;
}

static void note_exception(struct plan_building *building, int64_t lease, bool no_place,
                           const struct reason *reason)
{
    building->n_exceptions++;
    wire_put(&building->exceptions, lease);
    wire_put(&building->exceptions, no_place);
    wire_put_reason(&building->exceptions, reason);
}

/* The lease has no place in the plan, but its VMs still hold their hosts. `planned`: also those of
 * VMs that are to start. */
static void adopt_blocks(struct plan_building *building, const struct fact *fact, bool planned)
{
    const struct lease_request *request = &fact->fact.adoption.request;
    uint32_t vm = 0;

    for (size_t set = 0; set < request->n_node_sets; set++)
        for (uint32_t i = 0; i < request->node_sets[set].count && vm < fact->n_vms; i++, vm++) {
            struct node_set nodes = {.count = 1,
                                     .amounts = request->node_sets[set].amounts,
                                     .demand = request->node_sets[set].demand};
            struct adoption block = {.as = ADOPTED_RUNNING,
                                     .vm_host = &fact->vm_host[vm],
                                     .vm_units = fact->units ? &fact->units[vm] : NULL,
                                     .since = building->now,
                                     .until = INSTANT_NEVER,
                                     .not_before = INSTANT_NONE};

            if ((!fact->places[vm].holds && !planned) || fact->vm_host[vm] == HOST_NONE)
                continue;
            block.request =
                block_request(BLOCK_OF_LEASE + building->n_blocks++, building->now, &nodes);
            engine_adopt(building->plan->engine, &block, NULL);
        }
}

static int try_alternative(struct plan_building *building, struct fact *fact, struct error *err)
{
    struct engine *engine = building->plan->engine;
    struct adoption *adoption = &fact->fact.adoption;

    if (fact->fact.alternative == ALTERNATIVE_NONE)
        return 1;
    engine_forget(engine, adoption->request.id, NULL);
    if (fact->fact.alternative == ALTERNATIVE_ANYWHERE) {
        adoption->vm_host = NULL;
        adoption->vm_units = NULL;
    } else {
        adoption->request.start = fact->fact.start;
        adoption->request.duration = adoption->request.duration_original = fact->fact.duration;
    }
    return engine_adopt(engine, adoption, err);
}

/* Does a VM of a starting group lack a host? relocate() looks for one when all other leases are in
 * the plan. */
static bool has_homeless(const struct fact *fact)
{
    for (uint32_t i = 0; i < fact->n_vms; i++)
        if (fact->fact.adoption.as == ADOPTED_RUNNING && fact->vm_host[i] == HOST_NONE)
            return true;
    return false;
}

static void adopt(struct plan_building *building, struct fact *fact)
{
    struct engine *engine = building->plan->engine;
    const struct adoption *adoption = &fact->fact.adoption;
    int64_t id = adoption->request.id;
    struct error err = {0};
    int result;

    if (has_homeless(fact)) {
        adopt_blocks(building, fact, true);
        return;
    }
    result = engine_adopt(engine, adoption, &err);
    if (result > 0)
        result = try_alternative(building, fact, &err);
    if (result == 0)
        return;
    if (result > 0) {
        note_exception(building, id, true, &engine_lease(engine, id)->reason);
        engine_forget(engine, id, NULL);
    } else {
        note_exception(building, id, false, &(struct reason){.id = REASON_TEXT, .text = err.text});
    }
    adopt_blocks(building, fact, false);
}

static void note_displaced(struct plan_building *building, const struct fact *fact)
{
    for (uint32_t i = 0; i < fact->n_vms && fact->fact.adoption.request.n_node_sets; i++) {
        const struct fact_place *place = &fact->places[i];

        if (!place->relocate)
            continue;
        MEMORY_GROW(building->displaced, building->displaced_allocated, building->n_displaced + 1);
        building->displaced[building->n_displaced++] = (struct displaced_vm){
            .lease = fact->fact.adoption.request.id,
            .vm = i,
            .is_homeless = fact->vm_host[i] == HOST_NONE,
            .filter = place->filter < 0 ? NULL : building->plan->objects.filters[place->filter],
            .nodes = *set_of(fact, i),
            .until = fact->fact.adoption.until};
    }
}

static int adopt_all(struct plan_building *building, struct wire_reader *reader, struct error *err)
{
    size_t n = wire_get_count(reader, 20);

    wire_writer_finish(&building->exceptions);
    building->n_exceptions = 0;
    building->n_displaced = 0;
    for (size_t i = 0; i < n && !reader->failed; i++) {
        struct fact fact;

        if (read_fact(building, reader, &fact)) {
            adopt(building, &fact);
            note_displaced(building, &fact);
        }
        fact_finish(&fact);
    }
    return reader->failed ? error_set(err, EPROTO, "the adopted leases cannot be read") : 0;
}

/* --- group members that must move to other hosts ---------------------------------------------- */

/* The best-ranked host that the filter allows and that can take the VM until displaced->until. */
static uint32_t other_host(const struct plan_building *building,
                           const struct displaced_vm *displaced)
{
    const struct plan *plan = building->plan;
    const struct site *site = engine_site(plan->engine);
    const struct host_filter *filter = displaced->filter;
    int64_t *limits = memory_new(site->n_hosts, sizeof *limits);
    uint32_t best = HOST_NONE;
    int64_t best_rank = 0;

    engine_takes_until(plan->engine, &displaced->nodes, building->now, displaced->until, limits);
    for (uint32_t place = 0; place < site->n_hosts; place++) {
        int64_t rank = filter && filter->rank ? host_rank_of(filter->rank, place) : 0;

        if (site->hosts[place].closed || !host_filter_allows(filter, place) ||
            (best != HOST_NONE && rank <= best_rank) || limits[place] < displaced->until)
            continue;
        best = place;
        best_rank = rank;
    }
    free(limits);
    return best;
}

static bool is_settled(const struct plan_building *building, const struct displaced_vm *displaced)
{
    for (size_t i = 0; i < building->n_relocations; i++)
        if (building->relocations[i].lease == displaced->lease &&
            building->relocations[i].vm == displaced->vm)
            return true;
    return false;
}

/* True: a VM got another host, so all adoptions must be repeated. */
static bool relocate(struct plan_building *building)
{
    for (size_t i = 0; i < building->n_displaced; i++) {
        const struct displaced_vm *displaced = &building->displaced[i];
        uint32_t place;

        if (is_settled(building, displaced) ||
            (!displaced->is_homeless && !engine_lease(building->plan->engine, displaced->lease)))
            continue;
        place = other_host(building, displaced);
        MEMORY_GROW(building->relocations, building->relocations_allocated,
                    building->n_relocations + 1);
        building->relocations[building->n_relocations++] = (struct plan_relocation){
            .lease = displaced->lease, .vm = displaced->vm, .place = place};
        if (place != HOST_NONE)
            return true;
    }
    return false;
}

int plan_adopt(struct plan_building *building, struct wire_reader *reader,
               const struct wire_reader *site, struct error *err)
{
    struct wire_reader adoptions = *reader;
    int result = adopt_all(building, reader, err);

    for (int i = 0; i < RELOCATED_MAX && result == 0 && relocate(building); i++) {
        struct wire_reader again = *site;

        *reader = adoptions;
        result = plan_make_engine(building, &again, err);
        if (result == 0)
            result = adopt_all(building, reader, err);
    }
    return result;
}

void plan_building_finish(struct plan_building *building)
{
    free(building->displaced);
    free(building->relocations);
    wire_writer_finish(&building->exceptions);
}
