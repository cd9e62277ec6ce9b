/* Any bytes as LWF: read in both modes and checked; what was read is written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lwf/lwf_reader.h"
#include "lwf/lwf_writer.h"
#include "lwf/trace_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct trace *open_bytes(const void *bytes, size_t size, bool haizea_1_0)
{
    struct lwf_options options = {.quirks = haizea_1_0 ? LWF_QUIRKS_OF_HAIZEA_1_0
                                                       : (struct lwf_quirks){false}};
    struct error err;
    struct source *source = source_open_memory("fuzz", bytes, size);

    return source ? lwf_open_source(source, &options, &err) : NULL;
}

static void read_back(const char *text, size_t size, int64_t written)
{
    struct trace *trace = open_bytes(text, size, false);
    struct lease_request request;
    struct error err;

    if (!trace)
        abort();
    while (trace_next(trace, &request, &err) > 0)
        written--;
    if (written != 0)
        abort();
    trace_destroy(trace);
}

static void read_and_write(const uint8_t *data, size_t size)
{
    struct trace *trace = open_bytes(data, size, false);
    struct lwf_description description = {0};
    struct lease_request request;
    struct lwf_writer *writer;
    struct error err;
    int64_t written = 0;
    char *text = NULL;
    size_t text_size = 0;
    FILE *file;

    if (!trace)
        return;
    description.site = trace_site(trace);
    description.types = lwf_types(trace);
    file = open_memstream(&text, &text_size);
    writer = file ? lwf_writer_create(file, &description, &err) : NULL;
    if (!writer)
        abort();
    while (trace_next(trace, &request, &err) > 0)
        written += lwf_writer_request(writer, &request, &err) == 0;
    lwf_writer_end(writer, &err);
    lwf_writer_destroy(writer);
    fclose(file);
    trace_destroy(trace);
    read_back(text, text_size, written);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *trace = open_bytes(data, size, true);
    struct lease_request request;
    struct trace_check check;
    struct error err;
    struct source *source;

    while (trace && trace_next(trace, &request, &err) > 0)
        continue;
    trace_destroy(trace);
    read_and_write(data, size);
    source = source_open_memory("fuzz", data, size);
    if (source && trace_check_source(&check, source, NULL, 50, &err) == 0)
        trace_check_finish(&check);
    return 0;
}
