/* Lines and tables about hosts, shared by commands. */
#include "cli/host_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/client.h"
#include "cli/table.h"
#include "util/append.h"
#include "util/instant.h"

const char *host_booking(const json_t *host)
{
    return client_text(json_array_get(json_object_get(host, "drains"), 0), "booking");
}

void host_drain_text(const json_t *host, int64_t now, char *text, size_t size)
{
    int64_t from = client_instant(host, "drain_from"), until = client_instant(host, "drain_until");
    const char *booking = host_booking(host);
    char begin[TIME_TEXT_MAX], end[TIME_TEXT_MAX];
    size_t length = 0;

    text[0] = '\0';
    if (from == INSTANT_NONE)
        return;
    time_text_relative(from, now, begin, sizeof begin);
    time_text_relative(until, now, end, sizeof end);
    if (*booking)
        length = append_text(text, size, 0, "for '%s', ", booking);
    if (from > now || until == INSTANT_NEVER)
        length = append_text(text, size, length, "%s %s%s", from > now ? "begins" : "began", begin,
                             until == INSTANT_NEVER ? "" : ", ");
    if (until != INSTANT_NEVER)
        append_text(text, size, length, "ends %s", end);
}

/* The first VM of the array whose reason ("why") is that of the VM at index; -1: that one is the
 * first. O(index). */
static int64_t same_reason(const json_t *vms, size_t index)
{
    const char *why = client_text(json_array_get(vms, index), "why");

    for (size_t i = 0; i < index; i++)
        if (strcmp(client_text(json_array_get(vms, i), "why"), why) == 0)
            return client_integer(json_array_get(vms, i), "vm");
    return -1;
}

/* Prints the other VMs that have the reason of the VM `first`: "; likewise VM 8, VM 9" */
static void print_likewise(const json_t *vms, int64_t first, FILE *stream)
{
    const char *before = "; likewise";
    const json_t *vm;
    size_t i;

    json_array_foreach(vms, i, vm) {
        if (same_reason(vms, i) != first)
            continue;
        fprintf(stream, "%s VM %" PRId64, before, client_integer(vm, "vm"));
        before = ",";
    }
}

void host_print_staying(const json_t *host, int indent, FILE *stream)
{
    const json_t *vms = json_object_get(host, "staying"), *vm;
    size_t i;

    json_array_foreach(vms, i, vm) {
        if (same_reason(vms, i) >= 0)
            continue;
        fprintf(stream, "%*sVM %" PRId64 " cannot leave host %" PRId64 ": ", indent, "",
                client_integer(vm, "vm"), client_integer(host, "host"));
        table_print_text(stream, client_text(vm, "why"));
        print_likewise(vms, client_integer(vm, "vm"), stream);
        fputc('\n', stream);
    }
}

/* "moves to host 3", "is suspended ...", ... */
static void print_vm_text(const json_t *vms, size_t index, char *text, size_t size)
{
    const json_t *vm = json_array_get(vms, index);
    const char *what = client_text(vm, "what");
    int64_t same = same_reason(vms, index);

    if (strcmp(what, "moves") == 0)
        snprintf(text, size, "moves to host %" PRId64 "%s%s", client_integer(vm, "to"),
                 *client_text(vm, "why") ? ", " : "", client_text(vm, "why"));
    else if (strcmp(what, "stays") == 0 && same >= 0)
        snprintf(text, size, "stays, for the same reason as VM %" PRId64, same);
    else if (strcmp(what, "stays") == 0)
        snprintf(text, size, "stays: %s", client_text(vm, "why"));
    else if (strcmp(what, "suspended") == 0)
        snprintf(text, size, "is suspended%s%s until there is room elsewhere",
                 *client_text(vm, "why") ? " " : "", client_text(vm, "why"));
    else
        snprintf(text, size, "its lease ends");
}

void host_print_fates(const json_t *vms)
{
    static const struct table_column columns[] = {{"HOST", TABLE_RIGHT, 0},
                                                  {"VM", TABLE_RIGHT, 0},
                                                  {"LEASE", TABLE_RIGHT, 2},
                                                  {"AT", TABLE_LEFT, 1},
                                                  {"WHAT", TABLE_SENTENCE, 0}};
    struct table *table = table_create(columns, 5);
    const json_t *vm;
    size_t i;

    json_array_foreach(vms, i, vm) {
        char host[24], id[24], lease[24], at[TIME_TEXT_MAX] = "", what[512];
        int64_t instant = client_instant(vm, "at");

        snprintf(host, sizeof host, "%" PRId64, client_integer(vm, "host"));
        snprintf(id, sizeof id, "%" PRId64, client_integer(vm, "vm"));
        snprintf(lease, sizeof lease, "%" PRId64, client_integer(vm, "lease"));
        if (instant != INSTANT_NONE)
            time_text_local(instant, at, sizeof at);
        print_vm_text(vms, i, what, sizeof what);
        table_add(table, (const char *[]){host, id, lease, at, what});
    }
    table_print(table, stdout, table_terminal_width());
    table_destroy(table);
}
