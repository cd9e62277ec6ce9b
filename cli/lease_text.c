/* A lease in a daemon's answer, as people read it. */
#include "cli/lease_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "util/instant.h"
#include "util/memory.h"

bool lease_text_is_over(const json_t *lease)
{
    const char *phase = client_text(lease, "phase");

    return strcmp(phase, "ended") == 0 || strcmp(phase, "refused") == 0 ||
           strcmp(phase, "failed") == 0 || strcmp(phase, "missed") == 0;
}

/* Since when it has run without a pause: moves between hosts are none. INSTANT_NONE: it does not
 * run. */
static int64_t running_since(const json_t *lease, int64_t now)
{
    const json_t *stays = json_object_get(lease, "stays"), *stay;
    int64_t since = client_instant(lease, "since"), first = since, before = INSTANT_NEVER;
    int64_t has_run = now - client_integer(lease, "run"); /* its VMs may have begun earlier */
    size_t i;

    while (first < before) {
        before = first;
        json_array_foreach(stays, i, stay)
            if (client_instant(stay, "until") >= before)
                first = client_instant(stay, "from") < first ? client_instant(stay, "from") : first;
    }
    return since == INSTANT_NONE ? since : instant_later(first, has_run < since ? has_run : since);
}

int64_t lease_text_start_time(const json_t *lease, int64_t now)
{
    int64_t since = running_since(lease, now), expected = client_instant(lease, "expected");

    if (lease_text_is_over(lease))
        return client_instant(lease, "began");
    if (since != INSTANT_NONE)
        return since;
    if (strcmp(client_text(lease, "phase"), "ending") == 0) /* it does not start any more */
        return client_instant(lease, "began");
    if (expected == INSTANT_NONE)
        expected = client_instant(lease, "was_expected");
    return expected != INSTANT_NONE ? expected : client_instant(lease, "start");
}

void lease_text_time(int64_t instant, int64_t now, char local[TIME_TEXT_MAX],
                     char relative[TIME_TEXT_MAX])
{
    if (instant == INSTANT_NEVER) {
        strcpy(local, "unknown");
        strcpy(relative, "unknown");
        return;
    }
    time_text_local(instant, local, TIME_TEXT_MAX);
    time_text_relative(instant, now, relative, TIME_TEXT_MAX);
}

/* Is its start an estimate? */
static bool is_estimate(const json_t *lease)
{
    return client_instant(lease, "since") == INSTANT_NONE &&
           strcmp(client_text(lease, "promise"), "estimate") == 0;
}

void lease_text_start(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX])
{
    int64_t start = lease_text_start_time(lease, now);
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
    const char *mark = "";

    if (strcmp(client_text(lease, "phase"), "starting") == 0) {
        strcpy(text, "now");
        return;
    }
    if (client_instant(lease, "since") == INSTANT_NONE &&
        client_instant(lease, "was_expected") != INSTANT_NONE)
        mark = "due ";
    else if (is_estimate(lease) && start != INSTANT_NEVER)
        mark = "~";
    lease_text_time(start, now, local, relative);
    snprintf(text, TIME_TEXT_MAX, "%s%.35s", mark, relative);
}

bool lease_text_is_to_leave(const json_t *lease)
{
    return client_instant(lease, "preempted_at") != INSTANT_NONE &&
           client_instant(lease, "since") != INSTANT_NONE;
}

void lease_text_end(const json_t *lease, int64_t now, char text[TIME_TEXT_MAX])
{
    int64_t end = client_instant(lease, "end"), left = client_span(lease, "left"), start;
    char relative[TIME_TEXT_MAX];
    bool estimate = false;

    if (lease_text_is_to_leave(lease))
        end = INSTANT_NONE; /* that it would have without the preemption */
    else if (end == INSTANT_NONE && !lease_text_is_over(lease)) {
        start = client_instant(lease, "since");
        start = start != INSTANT_NONE ? now : lease_text_start_time(lease, now);
        if (instant_is_set(start) && start >= now && left != SPAN_NONE && left != SPAN_UNLIMITED) {
            end = start + left;
            estimate = is_estimate(lease);
        }
    }
    time_text_relative(end == INSTANT_NEVER ? INSTANT_NONE : end, now, relative, sizeof relative);
    snprintf(text, TIME_TEXT_MAX, "%s%.35s", estimate ? "~" : "", relative);
}

const char *lease_text_phase(const json_t *lease)
{
    const char *phase = client_text(lease, "phase");

    if (strcmp(phase, "running") == 0 &&
        strcmp(client_text(json_object_get(lease, "reason"), "id"), "unknown") == 0)
        return "unknown";
    return (strcmp(phase, "waiting") == 0 || strcmp(phase, "reserved") == 0) &&
                   client_span(lease, "run") > 0
               ? "suspended"
               : phase;
}

bool lease_text_is_contract(const json_t *lease)
{
    return strcmp(client_text(lease, "promise"), "contract") == 0;
}

void lease_text_name(const json_t *lease, char *text, size_t size)
{
    const char *name = client_text(lease, "name"), *user = client_text(lease, "user");

    snprintf(text, size, "%" PRId64 "%s%s%s%s%s", client_integer(lease, "lease"),
             *name || *user ? " (" : "", name, *name && *user ? " of " : "", user,
             *name || *user ? ")" : "");
}

static int phase_rank(const char *phase)
{
    static const char *const order[] = {"running",  "starting", "stopping",  "ending",
                                        "reserved", "waiting",  "gathering", "parked"};
    int n = sizeof order / sizeof *order;

    for (int i = 0; i < n; i++)
        if (strcmp(phase, order[i]) == 0)
            return i < 4 ? 0 : i;
    return n;
}

static int compare(int64_t one, int64_t two)
{
    return one < two ? -1 : one > two;
}

/* Leases that no host can hold have no place, and are last. */
static int64_t place_of(const json_t *lease)
{
    int64_t position = client_integer(lease, "position");

    return position > 0 ? position : INT64_MAX;
}

static int compare_leases(const void *one, const void *two)
{
    const json_t *a = *(const json_t *const *)one, *b = *(const json_t *const *)two;
    int rank = phase_rank(client_text(a, "phase"));
    int order = rank - phase_rank(client_text(b, "phase"));

    if (order)
        return order;
    switch (rank) {
    case 4: /* reserved */
        order = compare(lease_text_start_time(a, 0), lease_text_start_time(b, 0));
        break;
    case 5: /* waiting */
        order = compare(place_of(a), place_of(b));
        break;
    case 8: /* over */
        return compare(client_integer(b, "lease"), client_integer(a, "lease"));
    default:
        break;
    }
    return order ? order : compare(client_integer(a, "lease"), client_integer(b, "lease"));
}

json_t *lease_text_sorted(const json_t *leases)
{
    size_t n = json_array_size(leases);
    json_t **items = memory_new(n, sizeof *items), *sorted = json_array();

    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(leases, i);
    qsort(items, n, sizeof *items, compare_leases);
    for (size_t i = 0; i < n; i++)
        json_array_append(sorted, items[i]);
    free(items);
    return sorted;
}

void lease_text_alternative(const json_t *answer)
{
    const json_t *alternative = json_object_get(answer, "alternative");
    int64_t duration = client_integer(alternative, "duration");
    int64_t start = client_instant(alternative, "start");
    char text[TIME_TEXT_MAX];

    if (start != INSTANT_NONE) {
        time_text_local(start, text, sizeof text);
        printf("Next possible start: %s.\n", text);
    } else if (duration > 0) {
        time_text_span(duration, text, sizeof text);
        printf("Longest possible duration: %s.\n", text);
    }
}
