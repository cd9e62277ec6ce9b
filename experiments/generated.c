#include "experiments/generated.h"

#include <stdlib.h>

#include "lwf/generate.h"
#include "util/memory.h"

struct trace *generated_open(const char *const *streams, size_t n, uint64_t seed,
                             const struct site *site, struct error *err)
{
    struct generate_stream *parsed = memory_new(n, sizeof *parsed);
    const struct generate_settings settings = {
        .seed = seed, .site = site, .streams = parsed, .n_streams = n};
    struct trace *trace = NULL;
    size_t good = 0;

    while (good < n && generate_stream_parse(&parsed[good], streams[good], err) == 0)
        good++;
    if (good == n)
        trace = generate_open(&settings, err);
    else
        error_prefix(err, "%s", streams[good]);
    free(parsed);
    return trace;
}
