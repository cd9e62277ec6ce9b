/* Computes checksums of rows and totals of tables, and compares them with the file. */
#include "daemon/store/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/private.h"
#include "util/memory.h"

const struct summed_table summed_tables[SUMMED_TABLES] = {
    {"lease", "id"}, {"vm", "id"}, {"event", "number"}, {"fact", "name"}, {"migration", "version"},
};

/* The definitions of all tables, indexes and triggers, as one number. */
#define SCHEMA_SUM                                                                                 \
    "(SELECT row_sum(group_concat(type || name || tbl_name || coalesce(sql, '')))"                 \
    " FROM (SELECT * FROM sqlite_master ORDER BY name))"

static const uint64_t basis = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);

static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ byte[i]) * prime;
    return sum;
}

/* Mixes a number in one step, since byte by byte would take eight times as long. */
static uint64_t mix_number(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * prime;
    return sum ^ sum >> 29;
}

static uint32_t fold(uint64_t sum)
{
    return (uint32_t)(sum ^ sum >> 32);
}

uint32_t sum_of_bytes(const void *bytes, size_t n)
{
    return fold(mix(basis, bytes, n));
}

static uint64_t mix_value(uint64_t sum, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    const void *bytes;
    double number;
    uint64_t bits;

    sum = mix_number(sum, (uint64_t)type);
    switch (type) {
    case SQLITE_NULL:
        return sum;
    case SQLITE_INTEGER:
        return mix_number(sum, (uint64_t)sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        number = sqlite3_value_double(value);
        memcpy(&bits, &number, sizeof bits);
        return mix_number(sum, bits);
    default:
        bytes = type == SQLITE_TEXT ? (const void *)sqlite3_value_text(value)
                                    : sqlite3_value_blob(value);
        bits = bytes ? (uint64_t)sqlite3_value_bytes(value) : 0;
        return mix_number(mix(sum, bytes, bits), bits);
    }
}

static void row_sum(sqlite3_context *context, int n, sqlite3_value **values)
{
    uint64_t sum = basis;

    for (int i = 0; i < n; i++)
        sum = mix_value(sum, values[i]);
    sqlite3_result_int64(context, fold(sum));
}

struct stored_value stored_number(int64_t number)
{
    return (struct stored_value){.type = SQLITE_INTEGER, .number = number};
}

struct stored_value stored_text(const char *text)
{
    return (struct stored_value){.type = SQLITE_TEXT, .text = text, .length = strlen(text)};
}

static uint64_t mix_text(uint64_t sum, const char *text, size_t length)
{
    return mix_number(mix(mix_number(sum, SQLITE_TEXT), text, length), length);
}

static uint64_t mix_stored(uint64_t sum, const struct stored_value *value)
{
    if (value->type == SQLITE_TEXT)
        return mix_text(sum, value->text, value->length);
    sum = mix_number(sum, (uint64_t)value->type);
    return value->type == SQLITE_INTEGER ? mix_number(sum, (uint64_t)value->number) : sum;
}

/* SQLite reads a bound text when the statement runs: the same place and length are the same text.
 */
static bool is_bound(const struct stored_value *bound, const struct stored_value *value)
{
    return bound->type == value->type && !bound->is_temporary && !value->is_temporary &&
           bound->number == value->number && bound->text == value->text &&
           bound->length == value->length;
}

static int bind(sqlite3_stmt *statement, int parameter, const struct stored_value *value)
{
    switch (value->type) {
    case SQLITE_TEXT:
        return sqlite3_bind_text(statement, parameter, value->text, (int)value->length,
                                 value->is_temporary ? SQLITE_TRANSIENT : SQLITE_STATIC);
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, parameter, value->number);
    default:
        return sqlite3_bind_null(statement, parameter);
    }
}

void summed_row_begin(struct summed_row *row, const struct summed_put *put, const char *table)
{
    *row = (struct summed_row){
        .put = put, .sum = mix_text(basis, table, strlen(table)), .code = SQLITE_OK};
}

void summed_row_add(struct summed_row *row, int parameter, const struct stored_value *value)
{
    struct stored_value *bound = &row->put->bound[parameter];

    row->sum = mix_stored(row->sum, value);
    row->n++;
    if (row->code != SQLITE_OK || is_bound(bound, value))
        return;
    row->code = bind(row->put->statement, parameter, value);
    *bound = row->code == SQLITE_OK ? *value : (struct stored_value){0};
}

int summed_row_end(struct summed_row *row)
{
    return row->code == SQLITE_OK
               ? sqlite3_bind_int64(row->put->statement, row->n + 1, fold(row->sum))
               : row->code;
}

static struct sums_total *total_of(sqlite3_context *context, sqlite3_value *name)
{
    struct store *store = sqlite3_user_data(context);
    const char *text = (const char *)sqlite3_value_text(name);
    int table = SUMMED_LEASE;

    while (table < SUMMED_TABLES - 1 && strcmp(text, summed_tables[table].name) != 0)
        table++;
    return &store->totals[table];
}

/* put_sum(table, checksum, checksum of the replaced row or NULL): returns the checksum. */
static void put_sum(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct sums_total *total = total_of(context, values[0]);

    (void)n;
    total->n += sqlite3_value_type(values[2]) == SQLITE_NULL;
    total->total += sqlite3_value_int64(values[1]) - sqlite3_value_int64(values[2]);
    sqlite3_result_value(context, values[1]);
}

static void drop_sum(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct sums_total *total = total_of(context, values[0]);

    (void)n;
    total->n--;
    total->total -= sqlite3_value_int64(values[1]);
}

int sums_define(struct store *store)
{
    static const struct {
        const char *name;
        int arguments, flags;
        void (*function)(sqlite3_context *context, int n, sqlite3_value **values);
    } functions[] = {
        {"row_sum", -1, SQLITE_DETERMINISTIC, row_sum},
        {"put_sum", 3, 0, put_sum},
        {"drop_sum", 2, 0, drop_sum},
    };
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
        code =
            sqlite3_create_function_v2(store->database, functions[i].name, functions[i].arguments,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY | functions[i].flags, store,
                                       functions[i].function, NULL, NULL, NULL);
    return code;
}

/* The first value of the first row as text, to be freed; "" without a value. NULL with err. */
static char *ask_text(const struct store *store, const char *text, struct error *err)
{
    sqlite3_stmt *statement = store_prepare(store, text, err);
    const char *value = NULL;
    char *answer = NULL;
    int code;

    if (!statement)
        return NULL;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        value = (const char *)sqlite3_column_text(statement, 0);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        answer = memory_text(value ? value : "");
    else
        store_sqlite_error(store, "read", err);
    sqlite3_finalize(statement);
    return answer;
}

char *sums_expression(const struct store *store, const struct summed_table *table,
                      struct error *err)
{
    char *text = sqlite3_mprintf(
        "SELECT 'row_sum(''%s'', ' || group_concat('\"' || name || '\"', ', ') || ')'"
        " FROM (SELECT name FROM pragma_table_info('%s') WHERE name <> 'sum' ORDER BY cid)",
        table->name, table->name);
    char *sum = ask_text(store, text, err);

    sqlite3_free(text);
    if (!sum || sum[0])
        return sum;
    free(sum);
    store_damaged(store, err, "table %s is missing", table->name);
    return NULL;
}

char *sums_of_inserted(const struct summed_table *table, bool replaces)
{
    return replaces ? memory_format("put_sum('%s', :sum, (SELECT sum FROM %s WHERE %s = :%s))",
                                    table->name, table->name, table->key, table->key)
                    : memory_format("put_sum('%s', :sum, NULL)", table->name);
}

static int read_total(const struct store *store, const struct summed_table *table,
                      struct sums_total *total, struct error *err)
{
    char text[80], *sealed;

    snprintf(text, sizeof text, "SELECT n || ' ' || total FROM seal WHERE name = '%s'",
             table->name);
    sealed = ask_text(store, text, err);
    if (!sealed)
        return -1;
    *total = (struct sums_total){-1, -1}; /* also for a table without a total */
    sscanf(sealed, "%" SCNd64 " %" SCNd64, &total->n, &total->total);
    free(sealed);
    return 0;
}

int sums_begin(struct store *store, struct error *err)
{
    for (int i = 0; i < SUMMED_TABLES; i++)
        if (!(store->sums[i] = sums_expression(store, &summed_tables[i], err)) ||
            read_total(store, &summed_tables[i], &store->sealed[i], err) < 0)
            return -1;
    sums_settle(store, false);
    return 0;
}

void sums_settle(struct store *store, bool committed)
{
    if (committed)
        memcpy(store->sealed, store->totals, sizeof store->sealed);
    else
        memcpy(store->totals, store->sealed, sizeof store->totals);
}

int sums_seal(const struct store *store)
{
    sqlite3_stmt *seal = store->statements[STATEMENT_SEAL];

    for (int i = 0; i < SUMMED_TABLES; i++) {
        const struct sums_total *total = &store->totals[i];

        if (memcmp(total, &store->sealed[i], sizeof *total) == 0)
            continue;
        sqlite3_bind_int64(seal, 1, total->n);
        sqlite3_bind_int64(seal, 2, total->total);
        sqlite3_bind_text(seal, 3, summed_tables[i].name, -1, SQLITE_STATIC);
        if (store_run(seal) != SQLITE_DONE)
            return -1;
    }
    return 0;
}

int sums_exist(const struct store *store, struct error *err)
{
    char *n = ask_text(store, "SELECT count(*) FROM sqlite_master WHERE name = 'seal'", err);
    int exist = n ? strcmp(n, "0") != 0 : -1;

    free(n);
    return exist;
}

static int run(const struct store *store, const char *text, struct error *err)
{
    if (sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK)
        return store_sqlite_error(store, "write checksums to", err);
    return 0;
}

static int renew_table(const struct store *store, const struct summed_table *table,
                       struct error *err)
{
    char *sum = sums_expression(store, table, err), *text;
    int result;

    if (!sum)
        return -1;
    text = sqlite3_mprintf("UPDATE %s SET sum = %s;"
                           "INSERT OR REPLACE INTO seal"
                           " SELECT '%s', count(*), coalesce(sum(sum), 0) FROM %s",
                           table->name, sum, table->name, table->name);
    result = run(store, text, err);
    sqlite3_free(text);
    free(sum);
    return result;
}

int sums_renew(const struct store *store, struct error *err)
{
    if (run(store, "INSERT OR REPLACE INTO fact (name, value) VALUES ('schema', " SCHEMA_SUM ")",
            err) < 0)
        return -1;
    for (int i = 0; i < SUMMED_TABLES; i++)
        if (renew_table(store, &summed_tables[i], err) < 0)
            return -1;
    return 0;
}

static int read_row(const struct store *store, const struct summed_table *table,
                    sqlite3_stmt *statement, struct sums_total *total, struct error *err)
{
    const char *key;

    total->n++;
    total->total += sqlite3_column_int64(statement, 1);
    if (sqlite3_column_int(statement, 2) == 1)
        return 0;
    key = (const char *)sqlite3_column_text(statement, 0);
    return store_damaged(store, err, "table %s, row %.80s does not match its checksum", table->name,
                         key ? key : "without a key");
}

static int read_table(const struct store *store, const struct summed_table *table,
                      struct sums_total *total, struct error *err)
{
    char *sum = sums_expression(store, table, err), *text;
    sqlite3_stmt *statement;
    int code = SQLITE_DONE, result = 0;

    if (!sum)
        return -1;
    text = sqlite3_mprintf("SELECT \"%s\", sum, sum = %s FROM %s NOT INDEXED", table->key, sum,
                           table->name);
    statement = store_prepare(store, text, err);
    sqlite3_free(text);
    free(sum);
    if (!statement)
        return -1;
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        result = read_row(store, table, statement, total, err);
    if (result == 0 && code != SQLITE_DONE)
        result = store_damaged(store, err, "table %s cannot be read after row %" PRId64 ": %.80s",
                               table->name, total->n, sqlite3_errmsg(store->database));
    sqlite3_finalize(statement);
    return result;
}

int sums_check_table(const struct store *store, const struct summed_table *table, struct error *err)
{
    struct sums_total total = {0}, sealed;

    if (read_table(store, table, &total, err) < 0 || read_total(store, table, &sealed, err) < 0)
        return -1;
    if (total.n != sealed.n)
        return store_damaged(store, err, "table %s: rows found: %" PRId64 ", written: %" PRId64,
                             table->name, total.n, sealed.n);
    if (total.total != sealed.total)
        return store_damaged(store, err, "table %s has older rows than were written", table->name);
    return 0;
}

static int check_schema(const struct store *store, struct error *err)
{
    char *same =
        ask_text(store, "SELECT value = '' || " SCHEMA_SUM " FROM fact WHERE name = 'schema'", err);
    int result = 0;

    if (!same)
        return -1;
    if (strcmp(same, "1") != 0)
        result = store_damaged(store, err,
                               "table sqlite_master: the definitions of the tables have changed");
    free(same);
    return result;
}

int sums_check(const struct store *store, struct error *err)
{
    for (int i = 0; i < SUMMED_TABLES; i++)
        if (sums_check_table(store, &summed_tables[i], err) < 0)
            return -1;
    return check_schema(store, err);
}
