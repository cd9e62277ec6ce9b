/* Writes the inputs of a run as JSON for adapters/simulation/recorded.c. */
#include "report/record_inputs.h"

#include "configuration/run_options.h"

static void write_option(void *context, const char *section, const char *name, const char *value)
{
    struct json_writer *json = context;

    json_begin_array(json);
    json_write_string(json, section);
    json_write_string(json, name);
    json_write_string(json, value);
    json_end_array(json);
}

void record_inputs(struct json_writer *json, const struct run_inputs *inputs)
{
    const struct resource_types *types = &inputs->site->types;

    json_open_object(json, "inputs");
    json_put_integer(json, "steps", (int64_t)inputs->steps);
    json_open_array(json, "resources");
    for (int i = 0; i < types->count; i++)
        json_write_string(json, types->names[i]);
    json_end_array(json);
    json_open_array(json, "configuration");
    run_options_each(inputs->configuration, write_option, json);
    json_end_array(json);
    json_write_key(json, "requests");
    json_write_raw(json);
    output_char(json->out, '[');
    output_copy(json->out, inputs->requests, 0, output_position(inputs->requests));
    output_char(json->out, ']');
    json_end_object(json);
}
