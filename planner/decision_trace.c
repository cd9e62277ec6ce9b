/* Encodes and decodes traces. */
#include "planner/decision_trace.h"

#include "util/memory.h"

static const struct wire_field call_fields[] = {
    WIRE_FIELD(struct traced_call, question, 0, POLICY_CALLS - 1),
    WIRE_FIELD(struct traced_call, about, INT64_MIN, INT64_MAX),
    WIRE_FIELD(struct traced_call, asked, 0, INT64_MAX),
    WIRE_FIELD(struct traced_call, taken, 0, INT64_MAX),
    WIRE_FIELD(struct traced_call, best, -1, INT64_MAX),
    WIRE_FIELD(struct traced_call, answer, -1, INT64_MAX),
    WIRE_FIELD(struct traced_call, spent, 0, INT64_MAX),
};

static int64_t n_named(const struct found_hosts *hosts)
{
    return hosts->n < TRACE_HOSTS ? hosts->n : TRACE_HOSTS;
}

void wire_put_trace(struct wire_writer *writer, const struct plan_trace *trace)
{
    wire_put(writer, trace->n_calls);
    for (int64_t i = 0; i < trace->n_calls; i++)
        wire_put_fields(writer, call_fields, WIRE_TABLE_SIZE(call_fields), &trace->calls[i]);
    wire_put(writer, trace->n_left_out);
    wire_put(writer, trace->at);
    for (int finding = 0; finding < FINDINGS; finding++) {
        wire_put(writer, trace->hosts[finding].n);
        for (int64_t i = 0; i < n_named(&trace->hosts[finding]); i++)
            wire_put(writer, trace->hosts[finding].places[i]);
    }
}

struct plan_trace *wire_get_trace(struct wire_reader *reader, uint32_t n_hosts)
{
    struct plan_trace *trace = memory_new(1, sizeof *trace);

    trace->n_calls = wire_get(reader, 0, TRACE_CALLS);
    for (int64_t i = 0; i < trace->n_calls; i++) {
        wire_get_fields(reader, call_fields, WIRE_TABLE_SIZE(call_fields), &trace->calls[i]);
        wire_check_number(reader, trace->calls[i].about);
    }
    trace->n_left_out = wire_get(reader, 0, INT64_MAX);
    trace->at = wire_get(reader, INT64_MIN, INT64_MAX);
    wire_check_number(reader, trace->at);
    for (int finding = 0; finding < FINDINGS; finding++) {
        trace->hosts[finding].n = wire_get(reader, 0, n_hosts);
        for (int64_t i = 0; i < n_named(&trace->hosts[finding]); i++)
            trace->hosts[finding].places[i] =
                (uint32_t)wire_get(reader, 0, n_hosts ? (int64_t)n_hosts - 1 : 0);
    }
    return trace;
}
