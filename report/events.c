/* Writes the engine's decisions, one line of JSON per event. */
#include "report/events.h"

#include <stdlib.h>

#include "report/record_lease.h"
#include "util/json_writer.h"
#include "util/memory.h"
#include "util/time_text.h"

struct events {
    struct output *out;
};

struct events *events_create(const char *path, struct error *err)
{
    struct events *events = memory_new(1, sizeof *events);

    events->out = output_create(path, err);
    if (events->out)
        return events;
    free(events);
    return NULL;
}

void events_destroy(struct events *events)
{
    if (!events)
        return;
    output_destroy(events->out);
    free(events);
}

static void optional(struct json_writer *json, const char *key, int64_t value)
{
    json_write_key(json, key);
    json_write_raw(json);
    record_optional(json->out, value);
}

static void explain(struct json_writer *json, const struct reason *reason)
{
    char sentence[1024];

    reason_format(reason, sentence, sizeof sentence, time_text_seconds);
    json_put_string(json, "reason", reason_name(reason->id));
    json_put_string(json, "explanation", sentence);
}

static void operation(struct json_writer *json, const struct site *site,
                      const struct reservation *reservation, bool hosts)
{
    if (!reservation)
        return;
    json_put_string(json, "operation", reservation_kind_name(reservation->kind));
    optional(json, "from", reservation->from);
    optional(json, "until", reservation->until);
    if (!hosts)
        return;
    json_open_array(json, "hosts");
    for (uint32_t i = 0; i < reservation->placement->n_hosts; i++)
        json_write_integer(json, record_host_id(site, reservation->placement->hosts[i]));
    json_end_array(json);
}

static void details(struct json_writer *json, const struct site *site,
                    const struct engine_output *output)
{
    static const char *const how[] = {
        [PREEMPTED_SUSPEND] = "suspend",
        [PREEMPTED_REQUEUE] = "requeue",
        [PREEMPTED_CANCEL] = "cancel",
    };

    switch (output->kind) {
    case OUTPUT_REQUESTED:
        json_put_bool(json, "accepted", output->accepted);
        if (!output->accepted)
            explain(json, &output->lease->reason);
        break;
    case OUTPUT_STATE:
        json_put_string(json, "from", lease_state_name(output->from));
        json_put_string(json, "to", lease_state_name(output->to));
        break;
    case OUTPUT_PREEMPTED:
        json_put_integer(json, "for", output->other);
        optional(json, "at", output->at);
        json_put_string(json, "how", how[output->how]);
        break;
    case OUTPUT_OPERATION_STARTED:
        operation(json, site, output->reservation, true);
        break;
    case OUTPUT_OPERATION_ENDED:
        operation(json, site, output->reservation, false);
        break;
    case OUTPUT_VM_INTERVAL:
        if (output->reservation) {
            optional(json, "from", output->reservation->from);
            optional(json, "until", output->at);
        }
        break;
    case OUTPUT_FINISHED:
        json_put_string(json, "state", lease_state_name(output->lease->state));
        explain(json, &output->lease->reason);
        break;
    case OUTPUT_CONVERTED:
        explain(json, &output->lease->reason);
        break;
    case OUTPUT_VM_WITHDRAWN:
        break;
    }
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    static const char *const names[] = {
        [OUTPUT_STATE] = "state",           [OUTPUT_REQUESTED] = "requested",
        [OUTPUT_PREEMPTED] = "preempted",   [OUTPUT_OPERATION_STARTED] = "started",
        [OUTPUT_OPERATION_ENDED] = "ended", [OUTPUT_VM_INTERVAL] = "planned",
        [OUTPUT_FINISHED] = "finished",     [OUTPUT_VM_WITHDRAWN] = "withdrawn",
        [OUTPUT_CONVERTED] = "converted",
    };
    struct events *events = context;
    struct json_writer json;

    (void)now;
    for (size_t i = 0; i < outputs->n_items; i++) {
        const struct engine_output *output = &outputs->items[i];

        json_writer_init(&json, events->out);
        json_begin_object(&json);
        json_put_integer(&json, "time", output->time);
        json_put_integer(&json, "lease", output->lease->request.id);
        json_put_string(&json, "event", names[output->kind]);
        details(&json, engine_site(engine), output);
        json_end_object(&json);
        output_char(events->out, '\n');
    }
    return output_check(events->out, err);
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct events *events = context;
    struct output *out = events->out;

    (void)engine;
    (void)end_time;
    events->out = NULL;
    return output_close(out, err);
}

struct observer events_observer(struct events *events)
{
    return (struct observer){.context = events, .step = step, .end = end};
}
