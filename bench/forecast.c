/* forecast.c: what it costs to estimate when those that wait will start.
 *
 *   bench-forecast [HOSTS [RUNNING [WAITING]]]
 *
 * RUNNING leases of one VM each run on HOSTS hosts until an end of its own each; WAITING leases of
 * one to four VMs wait for room, every third with a filter that allows half of the hosts. Prints
 * processor time for the engine's own step, for the copy of the slot table, for all estimates, and
 * for the longest turn of those that the daemon makes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/processor_time.h"
#include "core/adoption.h"
#include "core/forecast.h"
#include "core/host_filter.h"
#include "util/memory.h"

enum { CPU = 1600, TURN_WORK = 400 * 1000 /* as daemon/planner/planner_forecast.c */ };

static struct lease_request request_of(int64_t id, const struct node_set *nodes, int64_t duration)
{
    return (struct lease_request){.id = id,
                                  .kind = LEASE_BEST_EFFORT,
                                  .submit = id,
                                  .start = INSTANT_NONE,
                                  .deadline = INSTANT_NONE,
                                  .duration = duration,
                                  .duration_original = duration,
                                  .duration_known = SPAN_NONE,
                                  .terms = TERMS_NON_PREEMPTABLE,
                                  .user = -1,
                                  .node_sets = nodes,
                                  .n_node_sets = 1};
}

static int run_leases(struct engine *engine, uint32_t n_hosts, int64_t n, struct error *err)
{
    const int64_t each = CPU * 15 / 16 / ((n + n_hosts - 1) / n_hosts);
    const struct node_set nodes = {.count = 1,
                                   .amounts.of = {[RESOURCE_CPU] = each, [RESOURCE_MEMORY] = 1024}};

    for (int64_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)(i % n_hosts);
        const struct adoption adoption = {.as = ADOPTED_RUNNING,
                                          .request = request_of(i + 1, &nodes, 86400),
                                          .vm_host = &place,
                                          .since = 0,
                                          .until = 7200 + i * 7919 % 36000,
                                          .not_before = INSTANT_NONE};

        if (engine_adopt(engine, &adoption, err) < 0)
            return -1;
    }
    return 0;
}

static struct engine_input *waiting_leases(int64_t first, size_t n, const struct host_filter *half)
{
    struct engine_input *inputs = memory_new(n, sizeof *inputs);
    struct lease_request *requests = memory_new(n, sizeof *requests);
    struct node_set *nodes = memory_new(n, sizeof *nodes);

    for (size_t i = 0; i < n; i++) {
        nodes[i] = (struct node_set){
            .count = 1 + (uint32_t)(i % 4),
            .amounts.of = {[RESOURCE_CPU] = 200 + 100 * (int64_t)(i % 3), [RESOURCE_MEMORY] = 2048},
            .hosts = i % 3 == 0 ? half : NULL};
        requests[i] = request_of(first + (int64_t)i, &nodes[i], 1800 + (int64_t)i * 60);
        inputs[i] = (struct engine_input){.kind = INPUT_REQUEST, .request = &requests[i]};
    }
    return inputs;
}

static void estimate(struct engine *engine, size_t most)
{
    double began = processor_ms(), all = began, longest = 0;
    struct forecast *forecast = forecast_create(engine, most);
    size_t turns = 0;
    bool more = true;

    printf("copy of the slot table: %.2f ms\n", processor_ms() - began);
    for (; more; turns++) {
        double turn = processor_ms();

        more = forecast_go_on(forecast, TURN_WORK);
        turn = processor_ms() - turn;
        longest = turn > longest ? turn : longest;
    }
    printf("%zu estimates: %.2f ms in %zu turns, the longest %.2f ms\n", forecast_count(forecast),
           processor_ms() - all, turns, longest);
    forecast_destroy(forecast);
}

int main(int argc, char **argv)
{
    uint32_t n_hosts = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    int64_t running = argc > 2 ? atoll(argv[2]) : 10000;
    size_t waiting = argc > 3 ? (size_t)atoll(argv[3]) : 200;
    const struct amounts capacity = {.of = {[RESOURCE_CPU] = CPU, [RESOURCE_MEMORY] = 65536}};
    const struct policy_hooks hooks = {0};
    struct host_filter half = {0};
    uint64_t *allowed = memory_new(bitmap_words(n_hosts), sizeof *allowed);
    struct engine_settings settings;
    struct engine_outputs outputs;
    struct engine *engine;
    struct error err;
    struct site site;
    double began;

    engine_settings_init(&settings);
    engine_outputs_init(&outputs);
    site_init(&site);
    for (uint32_t host = 0; host < n_hosts; host += 2)
        bitmap_add(allowed, host);
    half.allowed = allowed;
    if (site_add_hosts(&site, n_hosts, &capacity, &err) < 0 ||
        !(engine = engine_create(&site, &settings, &hooks, &err)) ||
        engine_begin(engine, 3600, &err) < 0 || run_leases(engine, n_hosts, running, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    began = processor_ms();
    if (engine_step(engine, 3600, waiting_leases(running + 1, waiting, &half), waiting, &outputs,
                    &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%u hosts, %" PRId64 " running, %zu waiting: %.2f ms for the engine's own plan\n",
           n_hosts, running, engine_queue_length(engine), processor_ms() - began);
    estimate(engine, 50);
    estimate(engine, waiting);
    engine_destroy(engine);
    return 0;
}
