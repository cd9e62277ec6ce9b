#include <stdio.h>
#include <string.h>

#include "core/forecast.h"
#include "daemon/log.h"
#include "daemon/planner/planner_inside.h"

#define TRIAL_ID (BLOCK_BASE * 2)

static size_t add_line(struct planner_trial *trial, size_t length, const char *line)
{
    size_t room = sizeof trial->text - length;
    int written = snprintf(trial->text + length, room, "%s%s", length ? "\n" : "", line);

    return written < 0 || (size_t)written >= room ? sizeof trial->text - 1
                                                  : length + (size_t)written;
}

static size_t describe_victims(const struct planner *planner, struct planner_trial *trial,
                               size_t length)
{
    for (size_t i = 0; i < planner->outputs.n_items; i++) {
        const struct engine_output *output = &planner->outputs.items[i];
        char when[64], line[160];

        if (output->kind != OUTPUT_PREEMPTED || output->other != TRIAL_ID)
            continue;
        lease_time_text(output->at, when, sizeof when);
        snprintf(line, sizeof line, "Lease %lld would be %s at %s",
                 (long long)output->lease->request.id,
                 output->how == PREEMPTED_SUSPEND   ? "suspended"
                 : output->how == PREEMPTED_REQUEUE ? "begun anew"
                                                    : "ended",
                 when);
        length = add_line(trial, length, line);
    }
    return length;
}

static int64_t start_of(const struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM)
            return lease->reservations[i]->from;
    return INSTANT_NONE;
}

/* It waits behind the others: when it would start if the queue is short enough for a forecast. */
static int64_t probable_start(const struct planner *planner)
{
    struct forecast *forecast =
        forecast_create(planner->engine, (size_t)planner->settings.forecast);
    int64_t found = INSTANT_NONE;

    while (forecast_left_out(forecast) == 0 && forecast_go_on(forecast, SIZE_MAX))
        continue;
    for (size_t i = forecast_count(forecast); i-- > 0 && found == INSTANT_NONE;) {
        int64_t start;

        if (forecast_lease(forecast, i, &start) == TRIAL_ID)
            found = start;
    }
    forecast_destroy(forecast);
    return found;
}

static size_t describe_wait(const struct planner *planner, struct planner_trial *trial,
                            size_t length)
{
    char line[160], when[64];

    trial->start = probable_start(planner);
    lease_time_text(trial->start, when, sizeof when);
    if (trial->start == INSTANT_NONE)
        snprintf(line, sizeof line, "It would wait in the queue; its start cannot be told yet");
    else if (trial->start == INSTANT_NEVER)
        snprintf(line, sizeof line,
                 "It would wait in the queue; what holds the hosts it may use "
                 "has no planned end");
    else
        snprintf(line, sizeof line, "It would wait in the queue and probably start at %s", when);
    return add_line(trial, length, line);
}

static void describe(const struct planner *planner, struct planner_trial *trial)
{
    const struct lease *lease = engine_lease(planner->engine, TRIAL_ID);
    char line[STORE_TEXT_MAX], when[64];
    size_t length = 0;

    if (!lease)
        return;
    trial->accepted = lease->state != LEASE_REJECTED;
    trial->start = start_of(lease);
    trial->contract = trial->accepted && lease->request.kind == LEASE_RESERVATION;
    snprintf(trial->word, sizeof trial->word, "%s",
             trial->accepted ? "" : reason_word(&lease->reason));
    if (!trial->accepted) {
        reason_format(&lease->reason, line, sizeof line, lease_time_text);
        add_line(trial, length, line);
        return;
    }
    if (trial->start == INSTANT_NONE) {
        length = describe_wait(planner, trial, length);
    } else {
        lease_time_text(trial->start, when, sizeof when);
        snprintf(line, sizeof line, "It would start at %s", when);
        length = add_line(trial, length, line);
    }
    describe_victims(planner, trial, length);
}

int planner_try(struct planner *planner, const struct lease_request *request, int64_t now,
                struct planner_trial *trial, struct error *err)
{
    struct lease_request asked = *request;
    struct engine_input input = {.kind = INPUT_REQUEST, .request = &asked};

    memset(trial, 0, sizeof *trial);
    trial->start = INSTANT_NONE;
    if (planner_rebuild(planner, now, err) < 0)
        return -1;
    asked.id = TRIAL_ID;
    asked.submit = now;
    if (engine_step(planner->engine, now, &input, 1, &planner->outputs, err) < 0) {
        planner_forget(planner);
        return -1;
    }
    describe(planner, trial);
    planner_forget(planner);
    return 0;
}

void planner_each_operation(const struct planner *planner, int32_t host,
                            void (*visit)(void *context, const struct reservation *r),
                            void *context)
{
    uint32_t place = planner->hosts ? host_place(planner, host) : HOST_NONE;
    size_t n;
    const struct lease_record *const *leases = store_leases(planner->store, &n);

    for (size_t i = 0; i < n && planner->engine; i++) {
        const struct lease *lease = engine_lease(planner->engine, leases[i]->id);

        for (size_t j = 0; lease && j < lease->n_reservations; j++) {
            const struct reservation *r = lease->reservations[j];

            for (uint32_t k = 0; r->placement && k < r->placement->n_hosts; k++)
                if (r->placement->hosts[k] == place && r->state != RESERVATION_DONE)
                    visit(context, r);
        }
    }
}
