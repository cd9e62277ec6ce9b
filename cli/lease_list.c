/* galerna lease list, galerna queue. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_selection.h"
#include "cli/lease_text.h"
#include "cli/listing.h"
#include "cli/table.h"
#include "core/lease_terms.h"
#include "util/append.h"
#include "util/instant.h"

struct list_arguments {
    struct listing listing;
    struct lease_selection selection;
    int64_t limit, since;
    bool all, start;
};

#define AT(member) offsetof(struct list_arguments, member)

static const struct command_option list_options[] = {
    {"all", .type = ARGUMENT_FLAG, .offset = AT(all), .help = "Also show leases that have ended"},
    {"limit", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(limit), .otherwise = "1000",
     .least = 0, .most = 10000, .help = "With --all: show only the newest N archived leases"},
    {"since", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(since),
     .take = client_take_past,
     .help = "Also show leases that ended after TIME; -2d: two days ago. At most the newest 10000"},
    {"start", .type = ARGUMENT_FLAG, .offset = AT(start),
     .help = "Show the start of each lease, and whether it is a contract or an estimate"},
};

/* "3", "0-3,7": the hosts of a lease, as numbers. */
static void hosts_text(const json_t *lease, char *text, size_t size)
{
    const json_t *hosts = json_object_get(lease, "hosts");
    size_t n = json_array_size(hosts), length = 0;

    *text = '\0';
    for (size_t i = 0, last; i < n; i = last + 1) {
        int64_t first = json_integer_value(json_array_get(hosts, i)), host = first;

        for (last = i;
             last + 1 < n && json_integer_value(json_array_get(hosts, last + 1)) == host + 1;
             last++)
            host++;
        length = append_text(text, size, length, "%s%" PRId64, i ? "," : "", first);
        if (host > first)
            length = append_text(text, size, length, "-%" PRId64, host);
    }
}

static void add_lease(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], vms[24] = "", start[TIME_TEXT_MAX], end[TIME_TEXT_MAX], left[TIME_TEXT_MAX] = "";
    char hosts[256];

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    if (json_is_integer(json_object_get(lease, "vms")))
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
    lease_text_start(lease, now, start);
    lease_text_end(lease, now, end);
    if (!lease_text_is_over(lease))
        time_text_span(client_span(lease, "left"), left, sizeof left);
    hosts_text(lease, hosts, sizeof hosts);
    table_add(table, (const char *[]){id, client_text(lease, "name"), client_text(lease, "user"),
                                      client_text(lease, "kind"), lease_text_phase(lease), vms,
                                      start, end, left, hosts, client_text(lease, "activity"),
                                      client_text(lease, "series")});
}

static void add_start(struct table *table, const json_t *lease, int64_t now)
{
    char id[24], start[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];
    int64_t at = lease_text_start_time(lease, now);
    const char *promise = client_text(lease, "promise");

    snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
    lease_text_time(at, now, start, relative);
    if (client_instant(lease, "since") != INSTANT_NONE)
        promise = "started";
    else if (client_instant(lease, "was_expected") != INSTANT_NONE)
        promise = lease_text_is_contract(lease) ? "overdue" : "estimate, overdue";
    table_add(table, (const char *[]){id, client_text(lease, "name"), lease_text_phase(lease),
                                      start, relative, promise});
}

static bool has_series(const json_t *answer)
{
    const json_t *lease;
    size_t i;

    json_array_foreach(json_object_get(answer, "leases"), i, lease)
        if (*client_text(lease, "series"))
            return true;
    return false;
}

static void print_list(const json_t *answer, size_t width, const void *given)
{
    const struct list_arguments *arguments = given;
    bool start = arguments->start;
    static const struct table_column columns[] = {
        {"LEASE", TABLE_RIGHT, 0},   {"NAME", TABLE_ELASTIC, 0},      {"USER", TABLE_ELASTIC, 5},
        {"KIND", TABLE_LEFT, 7},     {"PHASE", TABLE_LEFT, 0},        {"VMS", TABLE_RIGHT, 6},
        {"START", TABLE_LEFT, 1},    {"END", TABLE_LEFT, 2},          {"LEFT", TABLE_LEFT, 3},
        {"HOSTS", TABLE_ELASTIC, 4}, {"ACTIVITY", TABLE_SENTENCE, 8}, {"SERIES", TABLE_LEFT, 4},
    };
    static const struct table_column start_columns[] = {
        {"LEASE", TABLE_RIGHT, 0}, {"NAME", TABLE_ELASTIC, 1}, {"PHASE", TABLE_LEFT, 3},
        {"START", TABLE_LEFT, 0},  {"IN", TABLE_LEFT, 2},      {"PROMISE", TABLE_LEFT, 0},
    };
    struct table *table = start ? table_create(start_columns, 6)
                                : table_create(columns, has_series(answer) ? 12 : 11);
    const json_t *leases = json_object_get(answer, "leases"), *lease;
    int64_t now = client_instant(answer, "now");
    size_t i;

    json_array_foreach(leases, i, lease)
        (start ? add_start : add_lease)(table, lease, now);
    table_show(table, width, "No leases found.");
}

static void begin_arguments(void *arguments)
{
    ((struct list_arguments *)arguments)->since = INSTANT_NONE;
}

const struct command_line lease_list_line = {
    .name = "galerna lease list",
    .summary = "List leases and when they start",
    .purpose =
        "List leases: running leases first, then reservations by start, then the queue in order. "
        "In the columns START and END, '~' marks an estimate, and 'due' an expected start that has "
        "passed. HOSTS shows host numbers. The phase 'suspended' marks waiting or reserved leases "
        "that have begun and wait to resume; 'unknown' marks running leases with a VM that "
        "OpenNebula cannot monitor. A narrow terminal shows fewer columns.",
    .groups = {OPTION_GROUP(list_options), LEASE_SELECTION_GROUP(AT(selection)), LISTING_GROUP,
               CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct list_arguments),
    .init = begin_arguments,
};

static json_t *list_request(const struct list_arguments *arguments)
{
    enum { LIMIT_MOST = 10000 };
    bool since = arguments->since != INSTANT_NONE;
    json_t *request =
        json_pack("{s:I}", "limit", since ? (json_int_t)LIMIT_MOST : (json_int_t)arguments->limit);

    lease_selection_put(&arguments->selection, request);
    if (arguments->all || since)
        json_object_set_new(request, "all", json_true());
    return request;
}

/* Of leases refused by an earlier version, only the submission is known. */
static int64_t over_since(const json_t *lease)
{
    int64_t end = client_instant(lease, "end");

    return end == INSTANT_NONE ? client_instant(lease, "submitted") : end;
}

static json_t *arrange_leases(const json_t *leases, const void *given)
{
    const struct list_arguments *arguments = given;
    json_t *kept = json_array(), *lease, *sorted;
    size_t i;

    json_array_foreach(leases, i, lease) {
        if (lease_selection_has(&arguments->selection, lease) &&
            (arguments->since == INSTANT_NONE || !lease_text_is_over(lease) ||
             over_since(lease) >= arguments->since))
            json_array_append(kept, lease);
    }
    sorted = lease_text_sorted(kept);
    json_decref(kept);
    return sorted;
}

#define TERM_FIELD(type, name, ...) #name ","

static const char lease_fields[] =
    "lease,name,kind,phase,user,user_group,uid,gid,vms,cpu,memory,group,group_size,hosts,stays,"
    "submitted,start,earliest,deadline,duration,since,end,expected,was_expected,promise,run,left,"
    "began,plain," LEASE_TERMS(TERM_FIELD) "accepted,late,unused_until,activity,preempted_for,"
                                           "preempted_at,reason,why,position";

int command_lease_list(const struct call *call)
{
    static const struct listing_kind kind = {"lease-list", "leases",       "lease",
                                             lease_fields, arrange_leases, print_list};

    return listing_run(call, &kind, list_request(call->arguments));
}

/* "12.30/2": CPU-hours that count for fair share, and the shares if they are not 1. */
static void share_text(const json_t *lease, char *text, size_t size)
{
    int64_t shares = client_integer(lease, "shares");
    size_t length =
        append_text(text, size, 0, "%.2f", json_number_value(json_object_get(lease, "used")));

    if (shares > 1)
        append_text(text, size, length, "/%" PRId64, shares);
}

static void print_queue(const json_t *answer, size_t width, const void *arguments)
{
    static const struct table_column columns[] = {
        {"PLACE", TABLE_RIGHT, 0},  {"LEASE", TABLE_RIGHT, 0}, {"USER", TABLE_ELASTIC, 1},
        {"VMS", TABLE_RIGHT, 2},    {"PRIO", TABLE_RIGHT, 3},  {"START", TABLE_LEFT, 0},
        {"WHY", TABLE_SENTENCE, 4}, {"USED", TABLE_RIGHT, 3},
    };
    bool fair = json_object_get(json_array_get(json_object_get(answer, "leases"), 0), "used");
    struct table *table = table_create(columns, fair ? 8 : 7);
    int64_t now = client_instant(answer, "now");
    const json_t *lease;
    size_t i;

    (void)arguments;
    json_array_foreach(json_object_get(answer, "leases"), i, lease) {
        char place[24] = "", id[24], vms[24], priority[24], used[48], start[TIME_TEXT_MAX];

        if (json_is_integer(json_object_get(lease, "position")))
            snprintf(place, sizeof place, "%" PRId64, client_integer(lease, "position"));
        snprintf(id, sizeof id, "%" PRId64, client_integer(lease, "lease"));
        snprintf(vms, sizeof vms, "%" PRId64, client_integer(lease, "vms"));
        snprintf(priority, sizeof priority, "%.10g",
                 json_number_value(json_object_get(lease, "priority")));
        share_text(lease, used, sizeof used);
        lease_text_start(lease, now, start);
        table_add(table, (const char *[]){place, id, client_text(lease, "user"), vms, priority,
                                          start, client_text(lease, "why"), used});
    }
    table_show(table, width, "The queue is empty.");
}

const struct command_line queue_line = {
    .name = "galerna queue",
    .summary = "List waiting leases in the order of the queue",
    .purpose = "List the waiting leases in the order in which they are considered, and the reason "
               "why each is waiting. 'galerna lease why' explains one lease in detail.",
    .groups = {LISTING_GROUP, CLIENT_GROUP},
    .codes = {CLIENT_CODES},
    .size = sizeof(struct listing),
};

int command_queue(const struct call *call)
{
    static const struct listing_kind kind = {"queue",      "leases", "lease",
                                             lease_fields, NULL,     print_queue};

    return listing_run(call, &kind, json_object());
}
