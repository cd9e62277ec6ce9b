/* held_room.c: what it costs to hold room for waiting leases of high priority.
 *
 *   bench-held-room [HOSTS [WAITING]]
 *
 * Every host runs a lease without a known end that leaves one processor of 16 free. WAITING leases
 * of one VM of two processors each wait, with one lease of lower priority behind them, so that what
 * is free is held for them in every pass. Prints the processor time of a pass.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/processor_time.h"
#include "core/adoption.h"
#include "util/memory.h"

enum { CPU = 1600, PASSES = 5 };

static struct lease_request request_of(int64_t id, const struct node_set *nodes, int32_t priority)
{
    return (struct lease_request){.id = id,
                                  .kind = LEASE_BEST_EFFORT,
                                  .submit = id,
                                  .start = INSTANT_NONE,
                                  .deadline = INSTANT_NONE,
                                  .duration = SPAN_UNLIMITED,
                                  .duration_original = SPAN_UNLIMITED,
                                  .duration_known = SPAN_NONE,
                                  .priority = priority,
                                  .terms = TERMS_NON_PREEMPTABLE,
                                  .user = -1,
                                  .node_sets = nodes,
                                  .n_node_sets = 1};
}

static int fill_hosts(struct engine *engine, uint32_t n_hosts, struct error *err)
{
    const struct node_set nodes = {
        .count = 1, .amounts.of = {[RESOURCE_CPU] = CPU - 100, [RESOURCE_MEMORY] = 1024}};

    for (uint32_t host = 0; host < n_hosts; host++) {
        const struct adoption adoption = {.as = ADOPTED_RUNNING,
                                          .request = request_of(host + 1, &nodes, 0),
                                          .vm_host = &host,
                                          .until = INSTANT_NEVER,
                                          .not_before = INSTANT_NONE};

        if (engine_adopt(engine, &adoption, err) < 0)
            return -1;
    }
    return 0;
}

/* The first pass takes the leases in; the others are what any event costs. */
static int try_passes(struct engine *engine, uint32_t n_hosts, size_t waiting, struct error *err)
{
    const struct node_set nodes = {.count = 1,
                                   .amounts.of = {[RESOURCE_CPU] = 200, [RESOURCE_MEMORY] = 2048}};
    struct engine_input *inputs = memory_new(waiting, sizeof *inputs);
    struct lease_request *requests = memory_new(waiting, sizeof *requests);
    struct engine_outputs outputs;
    int result = 0;

    engine_outputs_init(&outputs);
    for (size_t i = 0; i < waiting; i++) {
        requests[i] = request_of(n_hosts + 1 + (int64_t)i, &nodes, i + 1 < waiting);
        inputs[i] = (struct engine_input){.kind = INPUT_REQUEST, .request = &requests[i]};
    }
    for (int pass = 0; pass < PASSES && result == 0; pass++) {
        double began = processor_ms();

        result =
            engine_step(engine, 1 + pass, pass ? NULL : inputs, pass ? 0 : waiting, &outputs, err);
        printf("%u hosts, %" PRId64 " waiting: %.2f ms for pass %d\n", n_hosts,
               engine_queue_length(engine), processor_ms() - began, pass + 1);
    }
    engine_outputs_finish(&outputs);
    free(requests);
    free(inputs);
    return result;
}

int main(int argc, char **argv)
{
    uint32_t n_hosts = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    size_t waiting = argc > 2 ? (size_t)atoll(argv[2]) : 1000;
    const struct amounts capacity = {.of = {[RESOURCE_CPU] = CPU, [RESOURCE_MEMORY] = 65536}};
    const struct policy_hooks hooks = {0};
    struct engine_settings settings;
    struct engine *engine;
    struct error err;
    struct site site;

    engine_settings_init(&settings);
    site_init(&site);
    if (site_add_hosts(&site, n_hosts, &capacity, &err) < 0 ||
        !(engine = engine_create(&site, &settings, &hooks, &err)) ||
        engine_begin(engine, 0, &err) < 0 || fill_hosts(engine, n_hosts, &err) < 0 ||
        try_passes(engine, n_hosts, waiting, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    engine_destroy(engine);
    site_finish(&site);
    return 0;
}
