/* Plans as galernad asks for them, with hosts, adopted leases, requests and cancellations that the
 * input chooses: each is answered, by what galernad can read. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/settings.h"
#include "planner/planning.h"
#include "planner/wire_units.h"
#include "util/memory.h"

enum { HOSTS_MAX = 5, LEASES_MAX = 12, FRAMES_MAX = 8, TURNS_MAX = 10000, HEADER = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the input chooses; at its end always the first. */
struct chooser {
    const uint8_t *at, *end;
    int64_t now, next_id;
    uint32_t n_hosts, n_places;
};

static int64_t choose(struct chooser *chooser, int64_t n)
{
    return chooser->at < chooser->end ? *chooser->at++ % n : 0;
}

/* Seconds: often the same few, seldom very long. */
static int64_t choose_span(struct chooser *chooser)
{
    static const int64_t spans[] = {100, 0, 1, 60, 99, 101, 200, 3600, 86400, INT64_C(1) << 38};

    return spans[choose(chooser, sizeof spans / sizeof *spans)];
}

/* --- units and demands: each host has the same, each VM one of the demands or none --- */

static const uint32_t threads[] = {0, 4, 1, 5, 2, 6, 3, 7};
static const struct numa_core cores[] = {
    {threads, 2}, {threads + 2, 2}, {threads + 4, 2}, {threads + 6, 2}};
static const struct huge_pages pages[] = {{2048, 512}};
static const struct numa_node nodes[] = {
    {.id = 0, .memory_kb = 4 << 20, .cores = cores, .n_cores = 2, .pages = pages, .n_pages = 1},
    {.id = 1, .memory_kb = 4 << 20, .cores = cores + 2, .n_cores = 2}};
static const struct pci_device devices[] = {
    {.vendor = 1, .device = 2, .class_id = 3, .address = 0, .numa_node = 0},
    {.vendor = 1, .device = 4, .class_id = 3, .address = 1, .numa_node = NODE_ANY}};
static const struct host_units units = {
    .nodes = nodes, .n_nodes = 2, .vms_per_thread = 1, .devices = devices, .n_devices = 2};

static const struct vm_node virtual_nodes[] = {{2, 1 << 20}, {2, 1 << 20}};
static const struct pci_demand wanted[] = {{1, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, DEMAND_ANY},
                                           {DEMAND_ANY, DEMAND_ANY, DEMAND_ANY, 1, DEMAND_ANY}};
static const struct vm_demand demands[] = {
    {.node = NODE_ANY, .role = DEMAND_ANY, .devices = wanted, .n_devices = 1},
    {.node = NODE_ANY, .role = DEMAND_ANY, .devices = wanted, .n_devices = 2},
    {.pin = PIN_CORE,
     .node = NODE_ANY,
     .role = DEMAND_ANY,
     .nodes = virtual_nodes,
     .n_nodes = 1,
     .devices = wanted,
     .n_devices = 1,
     .devices_near = true},
    {.pin = PIN_THREAD, .node = NODE_ANY, .role = DEMAND_ANY, .nodes = virtual_nodes, .n_nodes = 2},
    {.page_kb = 2048, .node = NODE_ANY, .role = DEMAND_ANY, .nodes = virtual_nodes, .n_nodes = 1},
    {.node = 1, .role = DEMAND_ANY, .nodes = virtual_nodes, .n_nodes = 1}};

enum { N_DEMANDS = sizeof demands / sizeof *demands };

static void put_demands(struct wire_writer *frame)
{
    wire_put(frame, N_DEMANDS);
    for (int i = 0; i < N_DEMANDS; i++)
        wire_put_demand(frame, &demands[i]);
}

static uint32_t put_request(struct wire_writer *frame, struct chooser *chooser, int64_t id,
                            enum lease_kind kind)
{
    struct node_set set = {.count = 1 + (uint32_t)choose(chooser, 3)};
    struct set_numbers numbers = {.filter = -1};
    struct lease_request request = {
        .id = id,
        .kind = kind,
        .submit = chooser->now - choose(chooser, 50),
        .start = kind == LEASE_RESERVATION || kind == LEASE_DEADLINE
                     ? chooser->now + choose_span(chooser)
                     : INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration_known = SPAN_NONE,
        .user = (int32_t)choose(chooser, 2) - 1,
        .node_sets = &set,
        .n_node_sets = 1,
    };

    request.duration = choose(chooser, 4) ? 1 + choose_span(chooser) : SPAN_UNLIMITED;
    if (kind == LEASE_DEADLINE || kind == LEASE_RESERVATION)
        request.duration = 1 + choose_span(chooser);
    request.duration_original = request.duration;
    if (kind == LEASE_DEADLINE)
        request.deadline = request.start + request.duration + choose_span(chooser);
    request.terms = (enum lease_terms)choose(chooser, TERMS_NON_PREEMPTABLE + 1);
    request.preemptible = request.terms != TERMS_NON_PREEMPTABLE;
    request.priority = (int32_t)choose(chooser, 3) - 1;
    set.amounts.of[RESOURCE_CPU] = 50 * (1 + choose(chooser, 9));
    set.amounts.of[RESOURCE_MEMORY] = 512 * (1 + choose(chooser, 17));
    numbers.demand = (int32_t)choose(chooser, N_DEMANDS + 1) - 1;
    wire_put_request(frame, &request, &numbers);
    return set.count;
}

static void put_settings(struct wire_writer *frame, struct chooser *chooser)
{
    struct engine_settings settings;

    engine_settings_init(&settings);
    settings.backfilling = (enum backfilling)choose(chooser, 4);
    settings.backfilling_reservations = choose(chooser, 3);
    settings.convert_reservations = choose(chooser, 2);
    settings.whole_stretches = choose(chooser, 2);
    settings.suspension = (enum suspension)choose(chooser, 3);
    settings.exclusion = (enum suspension_exclusion)choose(chooser, 2);
    settings.migration = (enum migration)choose(chooser, 3);
    settings.migration_interval = 11 * choose(chooser, 2);
    settings.shutdown_time = choose(chooser, 20);
    settings.enactment_overhead = choose(chooser, 3);
    settings.fair_share.by = (enum fair_share_by)choose(chooser, 3);
    wire_put_raw(frame, &settings, sizeof settings);
}

static void put_site(struct wire_writer *frame, struct chooser *chooser)
{
    put_settings(frame, chooser);
    chooser->n_hosts = (uint32_t)choose(chooser, HOSTS_MAX + 1);
    wire_put(frame, 1); /* units */
    wire_put_host_units(frame, &units);
    wire_put(frame, chooser->n_hosts);
    for (uint32_t i = 0; i < chooser->n_hosts; i++) {
        wire_put(frame, i);
        wire_put(frame, choose(chooser, 4) == 3); /* closed */
        wire_put(frame, 0);                       /* cluster */
        wire_put(frame, choose(chooser, 2) - 1);  /* units */
        wire_put(frame, 100 * choose(chooser, 9));
        wire_put(frame, 1024 * choose(chooser, 17));
    }
    chooser->n_places = chooser->n_hosts + (chooser->n_hosts ? (uint32_t)choose(chooser, 3) : 0);
    wire_put(frame, chooser->n_places - chooser->n_hosts); /* booked hosts */
    for (uint32_t i = chooser->n_hosts; i < chooser->n_places; i++)
        wire_put(frame, choose(chooser, chooser->n_hosts));
    wire_put(frame, 2); /* usage of users -1 and 0 */
    for (int user = -1; user <= 0; user++) {
        wire_put(frame, user);
        wire_put(frame, 0);
        wire_put(frame, 100 * choose_span(chooser));
    }
}

static void put_adoption(struct wire_writer *frame, struct chooser *chooser)
{
    static const enum adopted_as reserved[] = {ADOPTED_RUNNING, ADOPTED_RESERVED, ADOPTED_ENDING},
                                 waiting[] = {ADOPTED_RUNNING, ADOPTED_SUSPENDED, ADOPTED_QUEUED};
    bool exact = choose(chooser, 2);
    struct fact_adoption fact = {
        .adoption = {.as = (exact ? reserved : waiting)[choose(chooser, 3)],
                     .since = chooser->now - choose_span(chooser),
                     .until = chooser->now + choose_span(chooser),
                     .accumulated = choose(chooser, 100),
                     .not_before = INSTANT_NONE},
        .has_places = true,
        .alternative = choose(chooser, 2) ? ALTERNATIVE_ANYWHERE : ALTERNATIVE_NONE,
    };
    uint32_t n;

    if (fact.adoption.as == ADOPTED_RUNNING && choose(chooser, 2))
        fact.adoption.until = INSTANT_NEVER;
    if (fact.adoption.as == ADOPTED_RESERVED || fact.adoption.as == ADOPTED_QUEUED) {
        fact.adoption.accumulated = 0;
        fact.has_places = false;
    }
    wire_put_fields(frame, fact_adoption_fields, n_fact_adoption_fields, &fact);
    n = put_request(frame, chooser, chooser->next_id++,
                    exact ? LEASE_RESERVATION : LEASE_BEST_EFFORT);
    wire_put(frame, n);
    for (uint32_t i = 0; i < n; i++) {
        wire_put(frame, choose(chooser, 2)); /* holds its host */
        wire_put(frame, choose(chooser, chooser->n_places));
    }
}

static void put_plan(struct wire_writer *frame, struct chooser *chooser, bool anew)
{
    int64_t n;

    chooser->now += choose_span(chooser) % 10000;
    wire_put(frame, chooser->now);
    wire_put(frame, anew);
    if (anew)
        put_site(frame, chooser);
    wire_put(frame, 0); /* events */
    wire_put(frame, 0); /* columns */
    wire_put(frame, 0); /* bitmaps */
    wire_align(frame, HEADER);
    wire_put(frame, 0); /* filters */
    if (anew)
        put_demands(frame);
    else
        wire_put(frame, 0);
    if (anew) {
        n = choose(chooser, LEASES_MAX);
        n = chooser->n_hosts ? n : 0;
        wire_put(frame, n);
        while (n-- > 0)
            put_adoption(frame, chooser);
    }
    wire_put(frame, 1); /* steps */
    n = choose(chooser, LEASES_MAX);
    wire_put(frame, n);
    while (n-- > 0) {
        bool cancels = choose(chooser, 4) == 3;

        wire_put(frame, cancels);
        if (cancels)
            wire_put(frame, choose(chooser, 2 * LEASES_MAX));
        else
            put_request(frame, chooser, chooser->next_id++,
                        (enum lease_kind)choose(chooser, LEASE_DEADLINE + 1));
    }
}

static void put_frame(struct wire_writer *frame, struct chooser *chooser, enum frame kind,
                      bool anew)
{
    wire_begin(frame);
    wire_put(frame, kind);
    if (kind == FRAME_PLAN)
        put_plan(frame, chooser, anew);
    else if (kind == FRAME_FORECAST)
        wire_put(frame, 1 + choose(chooser, LEASES_MAX));
    else
        wire_put(frame, choose(chooser, chooser->n_hosts + 1));
    wire_end(frame);
}

/* As galernad does. */
static bool can_be_read(struct wire_writer *reply, uint32_t n_hosts)
{
    struct planned_operation *operations;
    struct forecast_reply forecast = {0};
    struct plan_reply plan = {0};
    struct wire_reader reader;
    bool good;
    size_t n;

    wire_reader_init(&reader, wire_bytes(reply) + HEADER, reply->n - HEADER);
    switch (wire_get(&reader, FRAME_READY, FRAMES - 1)) {
    case FRAME_FORECASTED:
        good = wire_get_forecast(&reader, &forecast);
        free(forecast.starts);
        break;
    case FRAME_OPERATIONS_OF:
        good = wire_get_operations(&reader, &operations, &n);
        free(operations);
        break;
    default:
        good = wire_get_plan_reply(&reader, n_hosts, &plan);
        plan_reply_finish(&plan);
    }
    return good;
}

/* Whoever has a lower priority. */
static void score_victims(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++)
        scores[i] =
            batch->victims[i].lease->request.priority < batch->preemptor->request.priority
                ? batch->preemptor->request.priority - batch->victims[i].lease->request.priority
                : POLICY_VETO;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum frame kinds[] = {FRAME_PLAN, FRAME_PLAN, FRAME_FORECAST, FRAME_OPERATIONS};
    static const struct policy_hooks hooks = {.score_victims = score_victims};
    struct chooser chooser = {.at = data, .end = data + size, .now = 1000000};
    struct planning *planning = planning_create(NULL, &hooks);

    for (int i = 0; i < FRAMES_MAX && (i == 0 || chooser.at < chooser.end); i++) {
        struct wire_writer frame = {0}, reply = {0};
        enum frame kind = i == 0 ? FRAME_PLAN : kinds[choose(&chooser, 4)];

        put_frame(&frame, &chooser, kind, i == 0 || choose(&chooser, 3) == 2);
        if (planning_handle(planning, memory_copy(wire_bytes(&frame) + HEADER, frame.n - HEADER),
                            frame.n - HEADER, &reply) < 0)
            abort();
        for (int turn = 0; reply.n == 0; turn++) {
            if (!planning_has_more(planning) || turn == TURNS_MAX)
                abort();
            planning_go_on(planning, &reply);
        }
        if (!can_be_read(&reply, chooser.n_hosts))
            abort();
        wire_writer_finish(&frame);
        wire_writer_finish(&reply);
    }
    planning_destroy(planning);
    return 0;
}
