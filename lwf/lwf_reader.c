/* Reads Haizea's lease workload format as a stream. */
#include "lwf/lwf_reader.h"

#include <stdlib.h>

#include "lwf/lwf_parser.h"
#include "util/memory.h"

enum { CHUNK = 16384 };

static const struct lwf_reader *reader_of(const struct trace *trace)
{
    return (const struct lwf_reader *)trace;
}

/* Feeds the parser one chunk, or the end of the document. */
static int feed(struct lwf_reader *reader, struct error *err)
{
    char chunk[CHUNK];
    ssize_t n = source_read(reader->source, chunk, sizeof chunk, err);

    if (n < 0)
        return -1;
    if (n == 0 && !reader->begun)
        lwf_complain_at(reader, (struct lwf_place){1, 1},
                        "the file is empty: expected <lease-workload>");
    reader->begun = true;
    xmlParseChunk(reader->parser, chunk, (int)n, n == 0);
    if (n == 0)
        reader->ended = true;
    return 0;
}

static int lwf_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct lwf_reader *reader = (struct lwf_reader *)trace;
    struct lwf_queue *queue = &reader->queue;
    const struct lwf_queued *item;

    while (queue->next == queue->n_items) {
        if (reader->failed)
            return error_set(err, reader->failure.code, "%s", reader->failure.text);
        if (reader->ended)
            return 0;
        lwf_queue_restart(reader);
        if (feed(reader, err) < 0)
            return -1;
    }
    item = &queue->items[queue->next++];
    *request = item->request;
    request->node_sets = queue->sets + item->first_set;
    request->image = item->image == SIZE_MAX ? NULL : queue->text + item->image;
    return 1;
}

static void lwf_destroy(struct trace *trace)
{
    struct lwf_reader *reader = (struct lwf_reader *)trace;

    lwf_parser_finish(reader);
    lwf_queue_finish(&reader->queue);
    site_finish(&reader->site);
    map_finish(&reader->ids);
    source_close(reader->source);
    free(reader);
}

static struct trace *lwf_again(struct source *source, const struct trace *trace, struct error *err);

static const struct trace_methods methods = {
    .next = lwf_next,
    .again = lwf_again,
    .destroy = lwf_destroy,
};

/* Reads until the site or a request has been found. */
static int read_to_site(struct lwf_reader *reader, struct error *err)
{
    while (!reader->trace.site && !reader->ended && reader->queue.n_items == 0)
        if (feed(reader, err) < 0)
            return -1;
    if (reader->failed && reader->queue.n_items == 0)
        return error_set(err, reader->failure.code, "%s", reader->failure.text);
    return 0;
}

/* The requests precede any site: reads the whole file for a site only, then starts over. */
static int search_site(struct lwf_reader *reader, struct error *err)
{
    struct lwf_options options = reader->options;

    reader->site_only = true;
    reader->options.report = NULL;
    reader->ended = false;
    if (source_rewind(reader->source, err) < 0 || lwf_parser_start(reader, err) < 0)
        return -1;
    while (!reader->ended)
        if (feed(reader, err) < 0)
            return -1;
    /* Errors after the requests are reported when the reader reaches them. */
    reader->failed = false;
    reader->ended = false;
    reader->site_only = false;
    reader->options = options;
    reader->site_searched = true;
    reader->requests_before_site = false;
    reader->repeats = true;
    if (source_rewind(reader->source, err) < 0)
        return -1;
    return lwf_parser_start(reader, err);
}

struct trace *lwf_open_source(struct source *source, const struct lwf_options *options,
                              struct error *err)
{
    struct lwf_reader *reader = memory_new(1, sizeof *reader);

    reader->trace.methods = &methods;
    reader->trace.source = reader->source = source;
    if (options)
        reader->options = *options;
    site_init(&reader->site);
    map_init_copying(&reader->ids, sizeof(long));
    resource_types_init(&reader->types);
    reader->request.image = SIZE_MAX;
    if (reader->options.types) {
        reader->types = *reader->options.types;
        reader->types_fixed = true;
    }
    xmlInitParser();
    if (lwf_parser_start(reader, err) < 0 || read_to_site(reader, err) < 0)
        goto error;
    if (reader->requests_before_site && search_site(reader, err) < 0)
        goto error;
    return &reader->trace;

error:
    trace_destroy(&reader->trace);
    return NULL;
}

const struct resource_types *lwf_types(const struct trace *trace)
{
    return &reader_of(trace)->types;
}

struct lwf_place lwf_request_place(const struct trace *trace)
{
    const struct lwf_queue *queue = &reader_of(trace)->queue;
    struct lwf_place nowhere = {0, 0};

    return queue->next > 0 ? queue->items[queue->next - 1].place : nowhere;
}

static struct trace *lwf_again(struct source *source, const struct trace *trace, struct error *err)
{
    struct lwf_options options = reader_of(trace)->options;

    options.report = NULL;
    return lwf_open_source(source, &options, err);
}
