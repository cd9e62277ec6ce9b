/* Lines about hosts, shared by commands. */
#include "cli/host_text.h"

#include <inttypes.h>

#include "cli/client.h"
#include "cli/table.h"
#include "util/instant.h"

void host_drain_text(const json_t *host, int64_t now, char *text, size_t size)
{
    int64_t from = client_instant(host, "drain_from"), until = client_instant(host, "drain_until");
    const char *booking =
        client_text(json_array_get(json_object_get(host, "drains"), 0), "booking");
    char begin[TIME_TEXT_MAX], end[TIME_TEXT_MAX];
    size_t length = 0;

    text[0] = '\0';
    if (from == INSTANT_NONE)
        return;
    time_text_relative(from, now, begin, sizeof begin);
    time_text_relative(until, now, end, sizeof end);
    if (*booking)
        length = (size_t)snprintf(text, size, "for '%s', ", booking);
    if (from > now || until == INSTANT_NEVER)
        length += (size_t)snprintf(text + length, size - length, "%s %s%s",
                                   from > now ? "begins" : "began", begin,
                                   until == INSTANT_NEVER ? "" : ", ");
    if (until != INSTANT_NEVER)
        snprintf(text + length, size - length, "ends %s", end);
}

void host_print_staying(const json_t *host, int indent, FILE *stream)
{
    const json_t *vm;
    size_t i;

    json_array_foreach(json_object_get(host, "staying"), i, vm)
    {
        fprintf(stream, "%*sVM %" PRId64 " cannot leave host %" PRId64 ": ", indent, "",
                client_integer(vm, "vm"), client_integer(host, "host"));
        table_print_text(stream, client_text(vm, "why"));
        fputc('\n', stream);
    }
}
