/* Lists: sorted by a key, as a table, JSON, CSV or names, once or every few seconds. */
#include "cli/listing.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/table.h"
#include "util/append.h"
#include "util/memory.h"
#include "util/printable.h"

#define AT(member) offsetof(struct listing, member)

const struct command_option listing_options[LISTING_OPTIONS] = {
    {"output", 'o', .type = ARGUMENT_CHOICE, .argument = "FORM", .offset = AT(output),
     .otherwise = "table", .words = "table|wide|json|csv|name",
     .help =
         "table: as wide as the terminal; wide: all columns; json: the answer of galernad; csv: "
         "its fields, for spreadsheets; name: one number a line, for scripts"},
    {"sort", .type = ARGUMENT_TEXT, .argument = "FIELD", .offset = AT(sort),
     .help = "Sort by a field of --output csv, such as user; -FIELD: descending"},
    {"watch", .type = ARGUMENT_INTEGER, .argument = "SECONDS", .offset = AT(watch), .least = 1,
     .most = 86400, .help = "Print the list again every SECONDS seconds, until Ctrl-C"},
};

/* --- sorting --- */

struct sorted {
    json_t *item;
    const json_t *value;
    size_t at; /* its former place: equal items keep their order */
    bool descending;
};

static bool has_value(const json_t *value)
{
    return value && !json_is_null(value);
}

static int compare_values(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double one = json_number_value(a), other = json_number_value(b);

        return (one > other) - (one < other);
    }
    if (json_is_string(a) && json_is_string(b))
        return strcmp(json_string_value(a), json_string_value(b));
    return (json_typeof(a) > json_typeof(b)) - (json_typeof(a) < json_typeof(b));
}

/* Items without the value come last. */
static int compare_items(const void *one, const void *two)
{
    const struct sorted *a = one, *b = two;
    int order = has_value(b->value) - has_value(a->value);

    if (!order && has_value(a->value)) {
        order = compare_values(a->value, b->value);
        if (a->descending)
            order = -order;
    }
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* A new reference. */
static json_t *sorted_by(const json_t *list, const char *key, bool descending)
{
    size_t n = json_array_size(list);
    struct sorted *items = memory_new(n, sizeof *items);
    json_t *sorted = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *item = json_array_get(list, i), *value = json_object_get(item, key);

        if (json_is_array(value))
            value = json_array_get(value, 0);
        items[i] = (struct sorted){item, value, i, descending};
    }
    qsort(items, n, sizeof *items, compare_items);
    for (size_t i = 0; i < n; i++)
        json_array_append(sorted, items[i].item);
    free(items);
    return sorted;
}

/* The fields that items can have, in their order, also those of a newer galernad. A new reference.
 */
static json_t *fields_of(const struct listing_kind *kind, const json_t *list)
{
    json_t *fields = json_object(), *item;
    size_t i, length;

    for (const char *at = kind->fields; *at; at += length, at += *at == ',') {
        length = strcspn(at, ",");
        json_object_setn_new(fields, at, length, json_null());
    }
    json_array_foreach(list, i, item)
        json_object_update_missing(fields, item);
    return fields;
}

/* "lease, name, user" */
static void field_names(json_t *fields, char *text, size_t size)
{
    json_t *value;
    const char *key;
    size_t length = 0;

    *text = '\0';
    json_object_foreach(fields, key, value) {
        length = append_text(text, size, length, "%s%s", length ? ", " : "", key);
    }
}

/* Sorts the list as requested. Returns -1, else the exit code. */
static int sort(const struct listing *listing, const struct listing_kind *kind, json_t *answer)
{
    const json_t *items = json_object_get(answer, kind->list);
    bool descending = *listing->sort == '-';
    const char *key = listing->sort + descending;
    json_t *fields = fields_of(kind, items);
    int code = -1;
    char names[1024];

    if (!json_object_get(fields, key)) {
        field_names(fields, names, sizeof names);
        code = command_usage_error(listing->client.command,
                                   "--sort: unknown field '%.60s'; the fields are %s", key, names);
    } else {
        json_object_set_new(answer, kind->list, sorted_by(items, key, descending));
    }
    json_decref(fields);
    return code;
}

/* --- CSV --- */

static void print_csv_text(const char *text)
{
    char *copy = memory_text(text);

    mask_controls(copy, '?');
    if (*copy && strchr("=+-@", *copy))
        putchar('\'');
    for (const char *at = copy; *at; at++) {
        if (*at == '"')
            putchar('"');
        putchar(*at);
    }
    free(copy);
}

static void print_csv_scalar(const json_t *value)
{
    if (json_is_string(value))
        print_csv_text(json_string_value(value));
    else if (json_is_integer(value))
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        printf("%.10g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", stdout);
}

/* A list's parts are separated by blanks, an object's by slashes. */
static void print_csv_parts(json_t *value)
{
    json_t *part;
    const char *key, *slash = "";
    size_t i;

    json_array_foreach(value, i, part) {
        if (i)
            putchar(' ');
        print_csv_parts(part);
    }
    json_object_foreach(value, key, part) {
        fputs(slash, stdout);
        print_csv_parts(part);
        slash = "/";
    }
    print_csv_scalar(value);
}

static void print_csv_value(json_t *value)
{
    bool quoted = json_is_string(value) || json_is_array(value) || json_is_object(value);

    if (quoted)
        putchar('"');
    print_csv_parts(value);
    if (quoted)
        putchar('"');
}

static void print_csv(const struct listing_kind *kind, const json_t *list)
{
    json_t *fields = fields_of(kind, list), *field;
    const json_t *item;
    const char *key, *comma = "";
    size_t i;

    json_object_foreach(fields, key, field) {
        printf("%s%s", comma, key);
        comma = ",";
    }
    fputs("\r\n", stdout);
    json_array_foreach(list, i, item) {
        comma = "";
        json_object_foreach(fields, key, field) {
            fputs(comma, stdout);
            print_csv_value(json_object_get(item, key));
            comma = ",";
        }
        fputs("\r\n", stdout);
    }
    json_decref(fields);
}

/* --- all of it --- */

static void print_names(const json_t *list, const char *key)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item) {
        print_csv_scalar(json_object_get(item, key));
        putchar('\n');
    }
}

static int print(const struct listing *listing, const struct listing_kind *kind,
                 const json_t *answer)
{
    const json_t *list = json_object_get(answer, kind->list);

    if (listing->client.json || listing->output == LISTING_JSON)
        return client_print_json(&listing->client, answer);
    if (listing->output == LISTING_CSV)
        print_csv(kind, list);
    else if (listing->output == LISTING_NAME)
        print_names(list, kind->name);
    else
        kind->print(answer, listing->output == LISTING_WIDE ? 0 : table_terminal_width(), listing);
    return EXIT_DONE;
}

static int list_once(const struct listing *listing, const struct listing_kind *kind,
                     json_t *request)
{
    int code;
    json_t *answer = client_ask(&listing->client, kind->command, request, &code);

    if (!answer)
        return code;
    if (kind->arrange)
        json_object_set_new(answer, kind->list,
                            kind->arrange(json_object_get(answer, kind->list), listing));
    code = listing->sort ? sort(listing, kind, answer) : -1;
    if (code < 0)
        code = print(listing, kind, answer);
    json_decref(answer);
    return code;
}

/* A new list replaces the one on the terminal at once, and does not scroll its own head away. */
static void show_on_terminal(const char *text)
{
    struct winsize size = {0};
    size_t lines = 0, rows = SIZE_MAX, shown = 0;

    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 2)
        rows = size.ws_row - 1U; /* the cursor is below */
    fputs("\033[H\033[2J", stdout);
    for (; *text && (lines <= rows || shown + 1 < rows); shown++) {
        size_t length = strcspn(text, "\n") + 1;

        fwrite(text, 1, length, stdout);
        text += length;
    }
    if (shown < lines)
        printf("(%zu more lines)\n", lines - shown);
}

static int list_on_terminal(const struct listing *listing, const struct listing_kind *kind,
                            json_t *request)
{
    FILE *terminal = stdout;
    char *text;
    size_t size;
    int code;

    stdout = open_memstream(&text, &size);
    if (!stdout)
        abort();
    code = list_once(listing, kind, request);
    fclose(stdout);
    stdout = terminal;
    if (size) /* otherwise the error is on the terminal */
        show_on_terminal(text);
    free(text);
    return code;
}

int listing_run(const struct call *call, const struct listing_kind *kind, json_t *request)
{
    struct listing *listing = call->arguments;
    int code;

    listing->client.command = call->name;
    if (listing->client.json && listing->output != LISTING_TABLE &&
        listing->output != LISTING_JSON) {
        json_decref(request);
        return command_usage_error(call->name, "--json cannot be combined with another --output");
    }
    if (!listing->watch)
        return list_once(listing, kind, request);
    do {
        code = (isatty(STDOUT_FILENO) ? list_on_terminal : list_once)(listing, kind,
                                                                      json_copy(request));
        fflush(stdout);
    } while (code != EXIT_USAGE && !ferror(stdout) && sleep((unsigned)listing->watch) == 0);
    json_decref(request);
    return code;
}
