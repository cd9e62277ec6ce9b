/* Shows the choices of a start for a reservation. */
#include "cli/lease_when.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/table.h"
#include "core/lease.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/time_text.h"
#include "util/unqualified.h"

enum { TRIED_MOST = 40, MINUTE = 60 };

struct when {
    const struct client *client;
    int64_t starts[TRIED_MOST];
    size_t n;
    json_t *choices;
    char refusal[320]; /* of the last start of the whole request that was refused */
    bool has_whole;    /* a choice of the whole request was found */
    bool is_smaller;   /* smaller requests are being tried */
};

/* A time in whole minutes, which users can write down. */
static int64_t next_minute(int64_t at)
{
    return (at / MINUTE + 1) * MINUTE;
}

static int by_time(const void *one, const void *other)
{
    const int64_t *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

/* Candidates for a start: now, and the ends of leases, when room becomes free. -1: fine, else the
 * exit code. */
static int collect(struct when *when, int64_t earliest)
{
    const json_t *leases, *lease;
    size_t i, n = 0, n_ends = 1;
    int64_t *ends, from;
    int code;
    json_t *answer = client_ask(when->client, "lease-list", json_object(), &code);

    if (!answer)
        return code;
    from = earliest > client_instant(answer, "now") ? earliest : client_instant(answer, "now");
    leases = json_object_get(answer, "leases");
    ends = memory_new(json_array_size(leases) + 1, sizeof *ends);
    ends[0] = from;
    json_array_foreach(leases, i, lease) {
        int64_t end = client_instant(lease, "end"), start = client_instant(lease, "expected");
        int64_t duration = client_integer(lease, "duration");

        if (end == INSTANT_NONE && start != INSTANT_NONE && duration > 0)
            end = instant_add(start, duration);
        if (end > from && end != INSTANT_NEVER)
            ends[n_ends++] = end;
    }
    qsort(ends, n_ends, sizeof *ends, by_time);
    for (i = 0; i < n_ends && n < TRIED_MOST; i++)
        if (n == 0 || next_minute(ends[i]) != when->starts[n - 1])
            when->starts[n++] = next_minute(ends[i]);
    when->n = n;
    free(ends);
    json_decref(answer);
    return -1;
}

/* A dry run of that reservation: how many leases would make room; -1: refused, or an error with
 * *code. */
static int64_t try_start(struct when *when, const json_t *request, int64_t start, json_t **choice,
                         int *code)
{
    char text[TIME_TEXT_MAX];
    json_t *asked = json_copy(unqualified(request)), *answer;
    int64_t victims = -1;

    *code = -1;
    time_text_utc(start, text, sizeof text);
    json_object_set_new(asked, "kind", json_string("reservation"));
    json_object_set_new(asked, "start", json_string(text));
    json_object_set_new(asked, "dry_run", json_true());
    json_object_del(asked, "earliest");
    answer = client_ask(when->client, "lease-request", asked, code);
    if (!answer)
        return -1;
    *code = -1;
    if (json_is_true(json_object_get(answer, "accepted"))) {
        victims = client_integer(answer, "preempts");
        *choice = json_pack("{s:s, s:I, s:s}", "start", text, "victims", (json_int_t)victims,
                            "text", client_text(answer, "text"));
        json_object_set(*choice, "count", json_object_get(request, "count"));
        json_object_set(*choice, "also", json_object_get(request, "also"));
        json_object_set(*choice, "duration", json_object_get(request, "duration"));
    } else if (!when->is_smaller) {
        snprintf(when->refusal, sizeof when->refusal, "%s", client_text(answer, "text"));
    }
    json_decref(answer);
    return victims;
}

/* Adds the earliest start for each number of leases that make room, fewer each time, among the
 * starts before `until`. none: only one without any. -1: fine, else the exit code. */
static int choose(struct when *when, const json_t *request, int64_t until, bool none)
{
    int64_t fewest = INT64_MAX;

    for (size_t i = 0; i < when->n && when->starts[i] < until && fewest > 0; i++) {
        json_t *choice = NULL;
        int code;
        int64_t victims = try_start(when, request, when->starts[i], &choice, &code);

        if (code >= 0)
            return code;
        if (victims >= 0 && victims < fewest && (!none || victims == 0)) {
            json_array_append(when->choices, choice);
            fewest = victims;
        }
        json_decref(choice);
    }
    return -1;
}

/* Tries a smaller request and shows it if it starts earlier without preempting leases. Takes over
 * the request. */
static int choose_smaller(struct when *when, json_t *smaller)
{
    size_t n = json_array_size(when->choices);
    const json_t *last = n ? json_array_get(when->choices, n - 1) : NULL;
    bool is_free = last && client_integer(last, "victims") == 0;
    int64_t until = is_free ? client_instant(last, "start") : INSTANT_NEVER;
    int code = choose(when, smaller, until, true);

    json_decref(smaller);
    return code;
}

/* At least one stays. */
static bool halve(json_t *object, const char *field)
{
    int64_t size = client_integer(object, field);

    if (size > 1)
        json_object_set_new(object, field, json_integer(size / 2));
    return size > 1;
}

/* With half of the VMs of each size. */
static int choose_fewer_vms(struct when *when, const json_t *request)
{
    json_t *fewer = json_deep_copy(request), *size;
    bool halved = halve(fewer, "count");
    size_t i;

    json_array_foreach(json_object_get(fewer, "also"), i, size) {
        halved = halve(size, "count") || halved;
    }
    if (halved)
        return choose_smaller(when, fewer);
    json_decref(fewer);
    return -1;
}

static int choose_shorter(struct when *when, const json_t *request)
{
    json_t *shorter = json_copy(unqualified(request));

    if (halve(shorter, "duration"))
        return choose_smaller(when, shorter);
    json_decref(shorter);
    return -1;
}

/* 0: not given, which is one VM. */
static int64_t vms_of(const json_t *request)
{
    int64_t n = client_integer(request, "count");
    const json_t *also = json_object_get(request, "also"), *size;
    size_t i;

    if (also && n == 0)
        n = 1;
    json_array_foreach(also, i, size) {
        n += client_integer(size, "count");
    }
    return n;
}

static void print_choice(const json_t *choice, int64_t count)
{
    char start[TIME_TEXT_MAX], span[TIME_TEXT_MAX];
    int64_t victims = client_integer(choice, "victims");
    int64_t vms = vms_of(choice), duration = client_integer(choice, "duration");

    time_text_local(client_instant(choice, "start"), start, sizeof start);
    printf("%s", start);
    if (vms > 0 && vms != count)
        printf(", %" PRId64 " VM%s", vms, vms == 1 ? "" : "s");
    if (duration > 0) {
        time_text_span(duration, span, sizeof span);
        printf(", for %s", span);
    }
    if (victims)
        printf(", if %" PRId64 " %s room", victims, victims == 1 ? "lease makes" : "leases make");
    printf(":\n");
    client_print_lines(choice, "text");
}

static void print_refusal(const struct when *when, const char *of)
{
    printf("No start%s is possible before the end of all known leases: ", of);
    table_print_text(stdout, when->refusal);
    printf(".\n");
}

static int report(const struct when *when, const json_t *request)
{
    bool any = json_array_size(when->choices) > 0;
    const json_t *choice;
    size_t i;
    int code = EXIT_DONE;

    if (when->client->json) {
        json_t *document =
            json_pack("{s:b, s:s, s:O, s:s*}", "ok", 1, "schema", "galerna-lease-when/1", "choices",
                      when->choices, "refusal", when->has_whole ? NULL : when->refusal);

        code = client_print_json(when->client, document);
        json_decref(document);
    } else if (!any) {
        print_refusal(when, "");
    } else {
        if (!when->has_whole)
            print_refusal(when, " of the whole request");
        json_array_foreach(when->choices, i, choice)
            print_choice(choice, vms_of(request));
    }
    return code == EXIT_DONE && !any ? EXIT_REFUSED : code;
}

int lease_when(const struct client *client, const json_t *request, int64_t earliest)
{
    struct when when = {.client = client, .choices = json_array()};
    int code = collect(&when, earliest);

    if (code < 0)
        code = choose(&when, request, INSTANT_NEVER, false);
    when.has_whole = json_array_size(when.choices) > 0;
    when.is_smaller = true;
    if (code < 0)
        code = choose_fewer_vms(&when, request);
    if (code < 0)
        code = choose_shorter(&when, request);
    if (code < 0)
        code = report(&when, request);
    json_decref(when.choices);
    return code;
}
