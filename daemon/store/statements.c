/* Runs SQLite statements, and translates their errors for operators. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "daemon/store/private.h"

int store_damaged(const struct store *store, struct error *err, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(
        err, EBADMSG,
        "%s is damaged: %s; run 'galernad --repair' with the same options: it keeps intact rows "
        "and reports the losses; at its next start galernad adopts the VMs that run in OpenNebula",
        store->path, text);
}

int store_sqlite_error(const struct store *store, const char *doing, struct error *err)
{
    int code = store->database ? sqlite3_errcode(store->database) : SQLITE_NOMEM;
    const char *text = store->database ? sqlite3_errmsg(store->database) : "out of memory";

    switch (code) {
    case SQLITE_FULL:
        return error_set(err, ENOSPC, "%s: cannot %s: the disk is full; free some space",
                         store->path, doing);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    /* Galerna's statements are valid, so they fail only on foreign tables or impossible rows. */
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        return store_damaged(store, err, "cannot %s: %.120s", doing, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(
            err, EBUSY, "%s: cannot %s: another program has it open for writing; stop that program",
            store->path, doing);
    case SQLITE_READONLY:
        return error_set(err, EROFS, "%s: cannot %s: it cannot be written to: %.120s", store->path,
                         doing, text);
    default:
        return error_set(err, EIO, "%s: cannot %s: %.120s", store->path, doing, text);
    }
}

sqlite3_stmt *store_prepare(const struct store *store, const char *text, struct error *err)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(store->database, text, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    store_sqlite_error(store, "read", err);
    return NULL;
}

int store_run(sqlite3_stmt *statement)
{
    int code;

    do
        code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    sqlite3_reset(statement);
    return code;
}
