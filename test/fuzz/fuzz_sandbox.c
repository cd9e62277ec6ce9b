/* Any bytes as calls to the stand-in for OpenNebula: one a line, or a whole document. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test/sandbox/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct oned_options options;
    struct error err = {0};
    struct oned *oned;
    const uint8_t *at = data, *end = data + size;

    oned_options_init(&options);
    options.version = size > 0 && data[0] % 2 ? ONED_7_4 : ONED_6_10;
    options.user = "u";
    options.password = "p";
    options.hosts = 2;
    options.clock_rate = 0;
    options.seed = 42;
    oned = oned_create(&options, &err);
    if (!oned)
        abort();
    while (at < end) {
        const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
        size_t length = line ? (size_t)(line - at) : (size_t)(end - at), n = 0;
        char *answer = oned_call(oned, (const char *)at, length, &n);

        if (!answer || n == 0)
            abort();
        free(answer);
        at += length + 1;
    }
    oned_destroy(oned);
    return 0;
}
