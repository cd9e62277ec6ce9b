/* A scratch folder for sweeps. */
#include "test/sweep/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int folder_enter(void **state)
{
    char *path = strdup("/tmp/galerna-sweep-XXXXXX");

    if (!path || !mkdtemp(path) || chdir(path) < 0)
        return -1;
    *state = path;
    return 0;
}

int folder_leave(void **state)
{
    char command[100];
    int result;

    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    result = chdir("/") < 0 || system(command) != 0 ? -1 : 0;
    free(*state);
    return result;
}

void write_file(const char *name, const char *text)
{
    FILE *stream = fopen(name, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

char *read_file(const char *name)
{
    FILE *stream = fopen(name, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(stream);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, stream) > 0);
    fclose(stream);
    return text;
}

int64_t query_number(const char *database, const char *query)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *handle = NULL;
    int64_t number;

    assert_int_equal(sqlite3_open_v2(database, &handle, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(handle, query, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", query, sqlite3_errmsg(handle));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return number;
}
