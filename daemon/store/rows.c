/* The tables of columns, and the conversion of records to rows and back. */
#include "daemon/store/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/change.h"
#include "daemon/store/private.h"
#include "daemon/store/stays.h"
#include "daemon/store/store.h"
#include "daemon/store/words.h"
#include "util/instant.h"
#include "util/memory.h"
#include "util/words.h"

enum { LIST_TEXT_MAX = 512 };

#define FIELD(record, member, kind)                                                                \
    {                                                                                              \
        .name = #member, .type = (kind), .offset = offsetof(struct record, member)                 \
    }
#define TEXT(record, member, room)                                                                 \
    {                                                                                              \
        .name = #member, .type = COLUMN_TEXT, .offset = offsetof(struct record, member),           \
        .count = (room)                                                                            \
    }
#define WORD(record, member, set, n)                                                               \
    {                                                                                              \
        .name = #member, .type = COLUMN_WORD, .offset = offsetof(struct record, member),           \
        .count = (n), .words = (set)                                                               \
    }
#define LIST(record, member, kind)                                                                 \
    {                                                                                              \
        .name = #member, .type = (kind), .offset = offsetof(struct record, member),                \
        .count = sizeof((struct record *)0)->member / sizeof *((struct record *)0)->member         \
    }

#define AVOIDED(column, member, kind)                                                              \
    {                                                                                              \
        .name = (column), .type = (kind), .offset = offsetof(struct avoided_hosts, member),        \
        .count = AVOIDED_MAX, .of_avoided = true                                                   \
    }

#define TERM_COLUMN(type_in_c, member, ...)                                                        \
    {.name = #member,                                                                              \
     .type = COLUMN_TERM,                                                                          \
     .offset = offsetof(struct lease_record, term_values),                                         \
     .count = TERM_ID_##member},

static const struct store_column lease_columns[] = {
    FIELD(lease_record, id, COLUMN_INT64),
    WORD(lease_record, phase, store_phase_words, PHASES),
    WORD(lease_record, kind, lease_kind_words, LEASE_KINDS),
    FIELD(lease_record, plain, COLUMN_BOOL),
    FIELD(lease_record, submit, COLUMN_INSTANT),
    FIELD(lease_record, start, COLUMN_INSTANT),
    FIELD(lease_record, earliest, COLUMN_INSTANT),
    FIELD(lease_record, deadline, COLUMN_INSTANT),
    FIELD(lease_record, duration, COLUMN_INSTANT),
    FIELD(lease_record, end, COLUMN_INSTANT),
    FIELD(lease_record, accumulated, COLUMN_INT64),
    FIELD(lease_record, charged, COLUMN_INT64),
    FIELD(lease_record, since, COLUMN_INSTANT),
    FIELD(lease_record, expected, COLUMN_INSTANT),
    FIELD(lease_record, contract, COLUMN_BOOL),
    FIELD(lease_record, accepted, COLUMN_BOOL),
    FIELD(lease_record, warned, COLUMN_BOOL),
    FIELD(lease_record, late, COLUMN_BOOL),
    FIELD(lease_record, relative, COLUMN_UINT32),
    LEASE_TERMS(TERM_COLUMN) FIELD(lease_record, uid, COLUMN_INT32),
    FIELD(lease_record, gid, COLUMN_INT32),
    TEXT(lease_record, user, STORE_NAME_MAX),
    TEXT(lease_record, user_group, STORE_NAME_MAX),
    TEXT(lease_record, name, STORE_NAME_MAX),
    TEXT(lease_record, group, STORE_GROUP_MAX),
    FIELD(lease_record, group_size, COLUMN_UINT32),
    FIELD(lease_record, group_until, COLUMN_INSTANT),
    WORD(lease_record, reason_id, reason_names, REASONS),
    LIST(lease_record, reason_n, COLUMN_INT64_LIST),
    TEXT(lease_record, reason_word, STORE_GROUP_MAX),
    TEXT(lease_record, reason, STORE_TEXT_MAX),
    FIELD(lease_record, retry, COLUMN_INSTANT),
    FIELD(lease_record, changes, COLUMN_INT64),
    FIELD(lease_record, extended, COLUMN_INT64),
    TEXT(lease_record, change_refused, STORE_TEXT_MAX),
    FIELD(lease_record, unused_until, COLUMN_INSTANT),
    FIELD(lease_record, delayed_by, COLUMN_INT64),
    FIELD(lease_record, preempted_for, COLUMN_INT64),
    FIELD(lease_record, preempted_at, COLUMN_INT64),
};

static const struct store_column vm_columns[] = {
    FIELD(vm_record, id, COLUMN_INT32),
    FIELD(vm_record, lease, COLUMN_INT64),
    WORD(vm_record, goal, store_goal_words, GOALS),
    FIELD(vm_record, host, COLUMN_INT32),
    FIELD(vm_record, datastore, COLUMN_INT32),
    FIELD(vm_record, cpu, COLUMN_INT64),
    FIELD(vm_record, memory, COLUMN_INT64),
    FIELD(vm_record, created, COLUMN_INT64),
    FIELD(vm_record, suspended_by_us, COLUMN_BOOL),
    FIELD(vm_record, ran, COLUMN_BOOL),
    FIELD(vm_record, unlocked, COLUMN_BOOL),
    FIELD(vm_record, sequence, COLUMN_INT32),
    FIELD(vm_record, ran_for, COLUMN_INT64),
    FIELD(vm_record, skew, COLUMN_INT64),
    WORD(vm_record, command, command_words, COMMAND_KINDS),
    FIELD(vm_record, sent, COLUMN_INSTANT),
    FIELD(vm_record, attempts, COLUMN_INT32),
    FIELD(vm_record, next_try, COLUMN_INSTANT),
    FIELD(vm_record, failed_record, COLUMN_INT32),
    FIELD(vm_record, pause_until, COLUMN_INSTANT),
    AVOIDED("avoid", host, COLUMN_INT32_LIST),
    AVOIDED("avoid_until", until, COLUMN_INT64_LIST),
    TEXT(vm_record, message, STORE_TEXT_MAX),
    WORD(vm_record, message_kind, store_message_words, MESSAGE_KINDS),
    TEXT(vm_record, asked, STORE_ASKED_MAX),
    TEXT(vm_record, stays, STORE_STAYS_MAX),
    FIELD(vm_record, promise_number, COLUMN_INT64),
    FIELD(vm_record, promise_digest, COLUMN_INT64),
    FIELD(vm_record, promise_sent, COLUMN_INT64),
    FIELD(vm_record, gone, COLUMN_BOOL),
};

const struct store_table store_lease_table = {"lease", lease_columns,
                                              sizeof lease_columns / sizeof *lease_columns};
const struct store_table store_vm_table = {"vm", vm_columns,
                                           sizeof vm_columns / sizeof *vm_columns};

/* Appends the columns' names, each between `before` and `after`. */
static void append_names(char **text, const struct store_table *table, const char *before,
                         const char *after)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        char *longer = sqlite3_mprintf("%z%s%s%s%s", *text, i ? ", " : "", before,
                                       table->columns[i].name, after);

        *text = longer;
    }
}

static char *taken(char *text)
{
    char *copy = memory_text(text ? text : "");

    sqlite3_free(text);
    return copy;
}

char *store_rows_put_text(const struct store_table *table, const char *insert, const char *sum)
{
    char *text = sqlite3_mprintf("%s INTO %s (", insert, table->name);

    append_names(&text, table, "\"", "\"");
    text = sqlite3_mprintf("%z, sum) VALUES (", text);
    append_names(&text, table, ":", "");
    return taken(sqlite3_mprintf("%z, %s)", text, sum));
}

char *store_rows_get_text(const struct store_table *table, const char *sum, const char *condition)
{
    char *text = sqlite3_mprintf("SELECT ");

    append_names(&text, table, "\"", "\"");
    return taken(sqlite3_mprintf("%z, sum = %s FROM %s %s", text, sum, table->name, condition));
}

/* Writes the list to the end of the room. */
static struct stored_value value_of_list(const struct store_column *column, const void *field,
                                         char room[LIST_TEXT_MAX])
{
    char *at = room + LIST_TEXT_MAX - 1;

    /* From the end: snprintf() took half of the time to bind a row. */
    *at = '\0';
    for (size_t i = column->count; i-- > 0;) {
        int64_t value = column->type == COLUMN_INT32_LIST ? ((const int32_t *)field)[i]
                                                          : ((const int64_t *)field)[i];
        uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

        do
            *--at = (char)('0' + rest % 10);
        while (rest /= 10);
        if (value < 0)
            *--at = '-';
        if (i)
            *--at = ' ';
    }
    return (struct stored_value){.type = SQLITE_TEXT,
                                 .is_temporary = true,
                                 .text = at,
                                 .length = (size_t)(room + LIST_TEXT_MAX - 1 - at)};
}

static struct stored_value value_of_term(const struct lease_term *term,
                                         const struct term_values *values)
{
    return term->type == TERM_WORD || term->type == TERM_TEXT
               ? stored_text(term_word(term, values))
               : stored_number(term_number(term, values));
}

static struct stored_value value_of(const struct store_column *column, const void *field,
                                    char room[LIST_TEXT_MAX])
{
    switch (column->type) {
    case COLUMN_INSTANT:
        if (*(const int64_t *)field == INSTANT_NONE)
            return (struct stored_value){.type = SQLITE_NULL};
        return stored_number(*(const int64_t *)field);
    case COLUMN_INT64:
        return stored_number(*(const int64_t *)field);
    case COLUMN_INT32:
        return stored_number(*(const int32_t *)field);
    case COLUMN_UINT32:
        return stored_number(*(const uint32_t *)field);
    case COLUMN_BOOL:
        return stored_number(*(const bool *)field);
    case COLUMN_WORD:
        return stored_text(column->words[*(const unsigned *)field]);
    case COLUMN_TEXT:
        return stored_text(*(const char *const *)field);
    case COLUMN_TERM:
        return value_of_term(&lease_terms[column->count], field);
    default:
        return value_of_list(column, field, room);
    }
}

static const struct avoided_hosts avoids_none = {.host = {-1, -1, -1, -1, -1, -1, -1, -1}};

struct avoided_hosts *store_avoided(struct vm_record *vm)
{
    if (!vm->avoided)
        vm->avoided = memory_copy(&avoids_none, sizeof avoids_none);
    return vm->avoided;
}

/* After reading: most VMs avoid no hosts. */
static void drop_if_none(struct vm_record *vm)
{
    if (memcmp(vm->avoided, &avoids_none, sizeof avoids_none) != 0)
        return;
    free(vm->avoided);
    vm->avoided = NULL;
}

const void *store_rows_field(const struct store_column *column, const void *record)
{
    const struct vm_record *vm = record;

    if (column->of_avoided)
        record = vm->avoided ? vm->avoided : &avoids_none;
    return (const char *)record + column->offset;
}

static size_t column_named(const struct store_table *table, const char *name)
{
    size_t i = 0;

    while (i < table->n_columns && strcmp(table->columns[i].name, name) != 0)
        i++;
    return i;
}

size_t *store_rows_order(const struct store *store, const struct store_table *table,
                         struct error *err)
{
    char *text = memory_format(
        "SELECT name FROM pragma_table_info('%s') WHERE name <> 'sum' ORDER BY cid", table->name);
    sqlite3_stmt *statement = store_prepare(store, text, err);
    size_t *order = memory_new(table->n_columns, sizeof *order), n = 0;

    free(text);
    while (statement && n < table->n_columns && sqlite3_step(statement) == SQLITE_ROW) {
        order[n] = column_named(table, (const char *)sqlite3_column_text(statement, 0));
        n += order[n] < table->n_columns;
    }
    sqlite3_finalize(statement);
    if (statement && n == table->n_columns)
        return order;
    if (statement)
        store_damaged(store, err, "table %s lacks columns", table->name);
    free(order);
    return NULL;
}

int store_rows_bind(const struct summed_put *put, const struct store_table *table,
                    const size_t *order, const void *record)
{
    char room[LIST_TEXT_MAX];
    struct summed_row row;

    summed_row_begin(&row, put, table->name);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct store_column *column = &table->columns[order[i]];
        const struct stored_value value = value_of(column, store_rows_field(column, record), room);

        summed_row_add(&row, (int)order[i] + 1, &value);
    }
    return summed_row_end(&row);
}

static bool read_list(const char *text, const struct store_column *column, void *field)
{
    char *end;

    for (size_t i = 0; i < column->count; i++, text = end) {
        long long value = strtoll(text, &end, 10);

        if (end == text)
            return false;
        if (column->type == COLUMN_INT32_LIST) {
            if (value < INT32_MIN || value > INT32_MAX)
                return false;
            ((int32_t *)field)[i] = (int32_t)value;
        } else {
            ((int64_t *)field)[i] = value;
        }
    }
    return true;
}

static bool read_word(const char *text, const struct store_column *column, void *field)
{
    int word = words_find(column->words, column->count, text);

    if (word >= 0)
        *(unsigned *)field = (unsigned)word;
    return word >= 0;
}

/* Limits on requests do not apply, since the row was granted when it was written. */
static bool read_term(sqlite3_stmt *statement, int place, const struct lease_term *term,
                      struct term_values *values)
{
    const char *text = (const char *)sqlite3_column_text(statement, place);
    char expected[TERM_EXPECTED_MAX];
    int64_t number;

    if (!text)
        return false;
    if (term->type == TERM_WORD || term->type == TERM_TEXT)
        return term_read(term, text, values, expected) == 0;
    number = sqlite3_column_int64(statement, place);
    term_set_number(term, values, number);
    return term_number(term, values) == number;
}

static bool read_field(sqlite3_stmt *statement, int place, const struct store_column *column,
                       void *field)
{
    bool is_null = sqlite3_column_type(statement, place) == SQLITE_NULL;
    int64_t value = sqlite3_column_int64(statement, place);
    const char *text;

    switch (column->type) {
    case COLUMN_INSTANT:
        *(int64_t *)field = is_null ? INSTANT_NONE : value;
        return true;
    case COLUMN_INT64:
        *(int64_t *)field = value;
        return true;
    case COLUMN_INT32:
        *(int32_t *)field = (int32_t)value;
        return value >= INT32_MIN && value <= INT32_MAX;
    case COLUMN_UINT32:
        *(uint32_t *)field = (uint32_t)value;
        return value >= 0 && value <= UINT32_MAX;
    case COLUMN_BOOL:
        *(bool *)field = value != 0;
        return value == 0 || value == 1;
    default:
        break;
    }
    if (column->type == COLUMN_TERM)
        return read_term(statement, place, &lease_terms[column->count], field);
    text = (const char *)sqlite3_column_text(statement, place);
    if (!text)
        return false;
    if (column->type == COLUMN_WORD)
        return read_word(text, column, field);
    if (column->type == COLUMN_TEXT)
        store_put_text(field, text, column->count - 1);
    else
        return read_list(text, column, field);
    return true;
}

int store_rows_read(sqlite3_stmt *statement, const struct store_table *table, void *record,
                    struct error *err)
{
    if (sqlite3_column_int(statement, (int)table->n_columns) != 1)
        return error_set(err, EBADMSG, "table %s, row %lld does not match its checksum",
                         table->name, (long long)sqlite3_column_int64(statement, 0));
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct store_column *column = &table->columns[i];
        char *whole = column->of_avoided ? (char *)store_avoided(record) : record;
        const char *text;

        if (read_field(statement, (int)i, column, whole + column->offset))
            continue;
        text = (const char *)sqlite3_column_text(statement, (int)i);
        return error_set(err, EBADMSG,
                         "table %s, row %lld: '%s' is %.60s, which is not a valid value",
                         table->name, (long long)sqlite3_column_int64(statement, 0), column->name,
                         text ? text : "missing");
    }
    if (table == &store_vm_table)
        drop_if_none(record);
    return 0;
}
