/* Reads databases that others may have made. */
#include "report/distrust.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

/* Instructions of one query, in thousands: a row takes at least a few bytes and at most some
 * hundred instructions. */
enum { WORK_ALWAYS = 20000, BYTES_PER_WORK = 10, LENGTH_MAX = 64 << 20 };

void distrust_programs(sqlite3 *database)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

static int count(void *context)
{
    struct distrust *distrust = context;

    return --distrust->left < 0;
}

/* Another query begins. */
static int renew(unsigned type, void *context, void *statement, void *text)
{
    struct distrust *distrust = context;

    (void)type;
    (void)statement;
    (void)text;
    distrust->left = distrust->at_most;
    return 0;
}

void distrust_work(struct distrust *distrust, sqlite3 *database, const char *path)
{
    distrust->at_most = WORK_ALWAYS;
    distrust_more(distrust, path);
    distrust->left = distrust->at_most;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    sqlite3_progress_handler(database, 1000, count, distrust);
    sqlite3_trace_v2(database, SQLITE_TRACE_STMT, renew, distrust);
}

void distrust_more(struct distrust *distrust, const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0)
        distrust->at_most += status.st_size / BYTES_PER_WORK;
}

int distrust_error(const char *path, struct error *err)
{
    return error_set(err, EINVAL,
                     "%s: takes much longer to read than a database of its size does: it is "
                     "damaged, or not written by Galerna",
                     path);
}

int distrust_names(sqlite3 *database, const char *path, const char *names, struct error *err)
{
    static const char query[] =
        "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'table' AND "
        "instr(' ' || ?1 || ' ', ' ' || lower(name) || ' ')";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, query, -1, &statement, NULL), result = 0;

    sqlite3_bind_text(statement, 1, names, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        result = -error_set(err, EINVAL, "%s: \"%s\" must be a table, but its type is \"%s\"", path,
                            (const char *)sqlite3_column_text(statement, 0),
                            (const char *)sqlite3_column_text(statement, 1));
    else if (code != SQLITE_DONE)
        result = -1;
    sqlite3_finalize(statement);
    return result;
}
