/* Any bytes as the record of a run: verified by the rules of both modes, and its run repeated for
 * some steps, without policies. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "adapters/simulation/recorded.h"
#include "adapters/simulation/simulation.h"
#include "verify/read.h"
#include "verify/verify.h"

enum { STEPS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void verify(const struct schedule *schedule, bool partial)
{
    const struct verify_options options = {.compatibility =
                                               partial ? VERIFY_AS_RECORDED : VERIFY_HAIZEA_1_0,
                                           .complete = true,
                                           .partial = partial};
    struct verification verification;
    struct error err;

    if (verify_schedule(schedule, &options, &verification, &err) < 0)
        abort();
    verification_finish(&verification);
}

static bool is_enough(void *context)
{
    int *steps = context;

    return ++*steps == STEPS;
}

static void repeat(struct recorded_run *recorded)
{
    static const struct policy_hooks nobody;
    const struct configuration *configuration = recorded->configuration;
    struct engine *engine = engine_create(&recorded->site, &configuration->settings, &nobody, NULL);
    struct simulation_result result;
    struct error err;
    int steps = 0;
    const struct simulation simulation = {
        .engine = engine,
        .trace = recorded->trace,
        .cancellations = configuration->cancellations,
        .n_cancellations = configuration->n_cancellations,
        .behaviour = &configuration->settings.behaviour,
        .should_stop = is_enough,
        .context = &steps,
    };

    if (engine)
        simulation_run(&simulation, &result, &err);
    engine_destroy(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *record = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    struct recorded_run recorded;
    struct schedule schedule;
    struct error err;

    if (record && schedule_read_json(&schedule, record, "record", &err) == 0) {
        verify(&schedule, false);
        verify(&schedule, true);
        schedule_finish(&schedule);
    }
    if (record && recorded_run_read(&recorded, record, "record", &err) == 0) {
        repeat(&recorded);
        recorded_run_finish(&recorded);
    }
    json_decref(record);
    return 0;
}
