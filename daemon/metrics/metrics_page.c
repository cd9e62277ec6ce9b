/* The pages of the HTTP server: metrics and readiness. */
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/http/http.h"
#include "daemon/metrics/exposition.h"
#include "daemon/metrics/metrics_inside.h"
#include "util/output.h"

enum { TEXT_FRESH = 1000 /* milliseconds */, OK = 200, NOT_FOUND = 404, UNAVAILABLE = 503 };

/* O(leases in memory); repeated calls within a second write the same text. */
static void write_all(struct metrics *metrics, bool open, struct output *output)
{
    struct exposition exposition = {.open = open};
    int64_t now = clock_monotonic();
    const char *text;
    size_t n;

    if (!metrics->texts[open] || now - metrics->written[open] >= TEXT_FRESH) {
        output_destroy(metrics->texts[open]);
        exposition.output = metrics->texts[open] = output_create_memory();
        metrics->written[open] = now;
        metrics_write_all(metrics, &exposition);
        exposition_end(&exposition);
    }
    text = output_held(metrics->texts[open], &n);
    output_bytes(output, text, n);
}

static unsigned tell_readiness(const struct daemon *daemon, struct output *body)
{
    char reason[ERROR_TEXT_MAX + 64];
    bool ready = metrics_ready(daemon, reason, sizeof reason);

    output_format(body, "%s\n", ready ? "ready" : reason);
    return ready ? OK : UNAVAILABLE;
}

unsigned metrics_handle(void *context, const struct http_request *request, struct output *body,
                        const char **type)
{
    struct metrics *metrics = context;
    bool open = strstr(request->accept, "application/openmetrics-text") != NULL;

    if (strcmp(request->path, "/metrics") == 0) {
        *type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                     : "text/plain; version=0.0.4; charset=utf-8";
        write_all(metrics, open, body);
        return OK;
    }
    if (strcmp(request->path, "/readyz") == 0)
        return tell_readiness(metrics->daemon, body);
    if (strcmp(request->path, "/healthz") == 0) {
        output_text(body, "ok\n"); /* the loop that answers is the one that schedules */
        return OK;
    }
    output_text(body, "Not found. Available: /metrics, /healthz, /readyz.\n");
    return NOT_FOUND;
}
