/* Reads databases of results of runs and sweeps for the page. */
#include <errno.h>

#include "report/page_private.h"
#include "report/results.h"

enum { SWEEP_APPLICATION_ID = 0x47616c73, SWEEP_VERSION = 2 }; /* doc/results-schema.md */

int page_input_error(const struct page_input *input, struct error *err)
{
    int code = sqlite3_errcode(input->database);

    if (code == SQLITE_NOTADB)
        return error_set(err, EINVAL,
                         "%s: not a database of results; 'galerna replay --results FILE' and "
                         "'galerna sweep' write them ('--record' writes a JSON document for "
                         "'galerna verify')",
                         input->path);
    if (code == SQLITE_INTERRUPT)
        return distrust_error(input->path, err);
    return error_set(err,
                     code == SQLITE_NOMEM                              ? ENOMEM
                     : code == SQLITE_CANTOPEN || code == SQLITE_IOERR ? EIO
                                                                       : EINVAL,
                     "%s: cannot be read as results of a replay or sweep: %s", input->path,
                     sqlite3_errmsg(input->database));
}

int page_input_execute(struct page_input *input, const char *text, struct error *err)
{
    if (sqlite3_exec(input->database, text, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return page_input_error(input, err);
}

sqlite3_stmt *page_input_query(struct page_input *input, const char *text, struct error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(input->database, text, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    page_input_error(input, err);
    return NULL;
}

bool page_input_has(const struct page_input *input, const char *table)
{
    return sqlite3_table_column_metadata(input->database, "main", table, NULL, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

static int pragma(struct page_input *input, const char *text, int64_t *value, struct error *err)
{
    sqlite3_stmt *statement = page_input_query(input, text, err);
    int code;

    if (!statement)
        return -1;
    code = sqlite3_step(statement);
    *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 0 : page_input_error(input, err);
}

static int recognize(struct page_input *input, struct error *err)
{
    int64_t application, version;

    if (pragma(input, "PRAGMA application_id", &application, err) < 0 ||
        pragma(input, "PRAGMA user_version", &version, err) < 0)
        return -1;
    input->is_sweep = application == SWEEP_APPLICATION_ID;
    if (!input->is_sweep && application != RESULTS_APPLICATION_ID)
        return error_set(err, EINVAL,
                         "%s: contains no results; 'galerna replay --results FILE' and 'galerna "
                         "sweep' write them",
                         input->path);
    if (version != (input->is_sweep ? SWEEP_VERSION : RESULTS_VERSION))
        return error_set(
            err, EINVAL,
            "%s: contains results of another version of Galerna; run the replay or sweep again",
            input->path);
    return 0;
}

/* Creates views that show one cell of a sweep, `shown`, under the names of the tables of a run.
 * `kept`: leases with bars in the page. */
static int create_views(struct page_input *input, struct error *err)
{
    static const char *const tables[] = {"hosts", "leases", "reservations", "reservation_hosts",
                                         "counters"};
    int result = page_input_execute(input,
                                    "CREATE TEMP TABLE kept (lease INTEGER PRIMARY KEY);CREATE "
                                    "TEMP TABLE shown (cell INTEGER);INSERT INTO shown VALUES (0)",
                                    err);

    for (size_t i = 0; input->is_sweep && result == 0 && i < sizeof tables / sizeof *tables; i++) {
        char text[256];

        if (!page_input_has(input, tables[i]))
            continue;
        sqlite3_snprintf(sizeof text, text,
                         "CREATE TEMP VIEW %s AS SELECT * FROM main.%s WHERE cell = "
                         "(SELECT cell FROM shown)",
                         tables[i], tables[i]);
        result = page_input_execute(input, text, err);
    }
    return result;
}

int page_input_open(struct page_input *input, const char *path, struct error *err)
{
    static const char names[] = "run cells hosts leases reservations reservation_hosts counters";
    int other;

    *input = (struct page_input){.path = path};
    if (sqlite3_open_v2(path, &input->database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return page_input_error(input, err);
    distrust_programs(input->database);
    distrust_work(&input->distrust, input->database, path);
    if (recognize(input, err) < 0)
        return -1;
    other = distrust_names(input->database, path, names, err);
    if (other)
        return other < 0 ? page_input_error(input, err) : -1;
    return create_views(input, err);
}

void page_input_close(struct page_input *input)
{
    sqlite3_close(input->database);
    *input = (struct page_input){0};
}
