/* Requests to the HTTP API, from arbitrary bytes: a method, a path, a parameter and its value on a
 * line each, then a body. What is asked of galernad has its command from the table, and no caller.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "web/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *next_line(char **rest)
{
    const char *line = strsep(rest, "\n");

    return line ? line : "";
}

static void ask(const struct route *route, const char *captured, char *text,
                const char *const *pair)
{
    const struct route_request request = {route->method, "", text, text ? strlen(text) : 0};
    struct error err;
    json_t *asked = route_ask(route, &request, captured, &err);

    if (!asked)
        return;
    route_take_query(route, asked, pair[0], pair[1], &err);
    if (strcmp(json_string_value(json_object_get(asked, "command")), route->command) != 0 ||
        json_object_get(asked, "caller"))
        abort();
    json_decref(asked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = memory_new(size + 1, 1), *rest = copy, allow[64];
    const char *method, *path, *pair[2], *captured;
    const struct route *route;
    struct error err;

    memcpy(copy, data, size);
    method = next_line(&rest);
    path = next_line(&rest);
    pair[0] = next_line(&rest);
    pair[1] = next_line(&rest);
    route = route_find(method, path, &captured, allow, sizeof allow, &err);
    if (route)
        ask(route, captured, rest, pair);
    free(copy);
    return 0;
}
