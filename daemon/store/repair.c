/* Repairs a damaged store: copies its valid rows to a new file. */
#include "daemon/store/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/private.h"
#include "daemon/store/schema.h"
#include "daemon/store/seal.h"
#include "daemon/store/state_directory.h"
#include "util/memory.h"

enum { PAGE = 4096, GAP_MAX = 100000, REPORTED_MAX = 20 };

struct repair {
    const char *directory;
    char *work; /* a subdirectory for a copy of the old store and for the new one */
    repair_report *report;
    void *context;
    struct store fresh; /* the new store, with the old one attached as `old` */
    int version;        /* of both */
    int64_t sealed;
    int64_t kept[SUMMED_TABLES], lost[SUMMED_TABLES];
};

__attribute__((format(printf, 2, 3))) static void tell(const struct repair *repair,
                                                       const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    repair->report(repair->context, text);
}

static char *path_of(const char *directory, const char *name)
{
    return memory_format("%s/%s", directory, name);
}

static bool has_sums(const struct repair *repair)
{
    return repair->version >= STORE_SUMMED_VERSION;
}

/* --- files ------------------------------------------------------------------------------------ */

static int copy_bytes(FILE *from, FILE *to)
{
    char bytes[PAGE];
    size_t n;

    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, n, to) != n)
            return -1;
    return ferror(from) || fflush(to) ? -1 : 0;
}

/* A missing file is skipped. */
static int copy_file(const struct repair *repair, const char *name, const char *copy,
                     struct error *err)
{
    char *from_path = path_of(repair->directory, name), *to_path = path_of(repair->work, copy);
    FILE *from = fopen(from_path, "re"), *to = from ? fopen(to_path, "we") : NULL;
    int result = 0;

    if (!from && errno != ENOENT)
        result = error_errno(err, "%s: cannot read", from_path);
    else if (from && (!to || copy_bytes(from, to) < 0))
        result = error_errno(err, "%s: cannot copy the damaged store", to_path);
    if (to)
        fclose(to);
    if (from)
        fclose(from);
    free(from_path);
    free(to_path);
    return result;
}

static void clear_work(const struct repair *repair)
{
    static const char *const names[] = {"store.db", "store.db-journal", "old.db", "old.db-wal",
                                        "old.db-shm"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_of(repair->work, names[i]);

        unlink(path);
        free(path);
    }
}

/* All stores of a version have the same header and table definitions, in the first page. */
static int replace_first_page(const struct repair *repair)
{
    char *from_path = path_of(repair->work, "store.db"), *to_path = path_of(repair->work, "old.db");
    FILE *from = fopen(from_path, "re"), *to = fopen(to_path, "r+e");
    char page[PAGE];
    int result = -1;

    if (from && to && fread(page, 1, sizeof page, from) == sizeof page) {
        page[92] ^= 1; /* version-valid-for: SQLite uses the file's size, not the header's */
        result = fwrite(page, 1, sizeof page, to) == sizeof page ? 0 : -1;
    }
    if (to && fclose(to) != 0)
        result = -1;
    if (from)
        fclose(from);
    free(from_path);
    free(to_path);
    return result;
}

/* --- databases -------------------------------------------------------------------------------- */

static int64_t ask(const struct repair *repair, const char *text, int64_t otherwise)
{
    sqlite3_stmt *statement = NULL;
    int64_t answer = otherwise;

    if (sqlite3_prepare_v2(repair->fresh.database, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static int run(const struct repair *repair, const char *text)
{
    return sqlite3_exec(repair->fresh.database, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static int attach(const struct repair *repair)
{
    char *path = path_of(repair->work, "old.db");
    char *text = sqlite3_mprintf("ATTACH %Q AS old", path);
    int result = run(repair, text);

    for (int i = SUMMED_LEASE; i <= SUMMED_FACT && result == 0; i++) {
        sqlite3_free(text);
        text = sqlite3_mprintf("SELECT %s FROM old.%s WHERE %s IS NULL", summed_tables[i].key,
                               summed_tables[i].name, summed_tables[i].key);
        result = run(repair, text);
    }
    sqlite3_free(text);
    free(path);
    return result;
}

static void close_fresh(struct repair *repair)
{
    sqlite3_close(repair->fresh.database);
    repair->fresh.database = NULL;
}

static int make_fresh(struct repair *repair, int version, struct error *err)
{
    struct store *fresh = &repair->fresh;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

    close_fresh(repair);
    unlink(fresh->path);
    if (store_state_make_private(fresh->path, err) < 0)
        return -1;
    if (sqlite3_open_v2(fresh->path, &fresh->database, flags, NULL) != SQLITE_OK ||
        sums_define(fresh) != SQLITE_OK || run(repair, "PRAGMA journal_mode = MEMORY") < 0 ||
        run(repair, "PRAGMA synchronous = OFF") < 0)
        return store_sqlite_error(fresh, "open", err);
    repair->version = version;
    return store_schema_create(fresh, version, err);
}

/* Do the tables of the old store have the columns of the new one? A damaged definition may still be
 * valid SQL. */
static bool has_same_columns(const struct repair *repair)
{
    bool same = true;

    for (int i = SUMMED_LEASE; i <= SUMMED_FACT && same; i++) {
        const char *name = summed_tables[i].name;
        char *text = sqlite3_mprintf("SELECT (SELECT group_concat(name) FROM pragma_table_info(%Q, "
                                     "'old')) IS (SELECT group_concat(name) FROM "
                                     "pragma_table_info(%Q, 'main'))",
                                     name, name);

        same = ask(repair, text, 0) == 1;
        sqlite3_free(text);
    }
    return same;
}

/* Gives the copy of the old store the definitions of the new one. */
static int replace_definitions(const struct repair *repair)
{
    if (run(repair, "PRAGMA writable_schema = ON") < 0 ||
        run(repair, "UPDATE old.sqlite_master AS old SET sql = (SELECT sql FROM main.sqlite_master"
                    " AS new WHERE new.name = old.name) WHERE name IN (SELECT name FROM"
                    " main.sqlite_master) AND sql IS NOT NULL") < 0 ||
        run(repair, "PRAGMA writable_schema = RESET") < 0 || run(repair, "DETACH old") < 0 ||
        attach(repair) < 0)
        return -1;
    return has_same_columns(repair) ? 0 : -1;
}

/* Attaches the old store to a new one of its version, replacing the old one's first page or the
 * definitions of its tables if necessary. 0: the old store is unreadable. */
static int open_both(struct repair *repair, struct error *err)
{
    int64_t version;

    if (make_fresh(repair, store_schema_version, err) < 0)
        return -1;
    if (attach(repair) < 0) {
        if (make_fresh(repair, store_schema_version, err) < 0)
            return -1;
        if (replace_first_page(repair) < 0 || attach(repair) < 0)
            return 0;
        tell(repair, "the first page of store.db was damaged and has been replaced");
    }
    version = ask(repair, "SELECT max(version) FROM old.migration", store_schema_version);
    /* A sealed store has sums, so the version is damaged, or the store was still being created. */
    if (repair->sealed > 0 && version < STORE_SUMMED_VERSION)
        version = store_schema_version;
    if (version > 0 && version < store_schema_version &&
        (make_fresh(repair, (int)version, err) < 0 || attach(repair) < 0))
        return -1;
    if (has_same_columns(repair))
        return 1;
    if (replace_definitions(repair) < 0)
        return 0;
    tell(repair, "the definition of a table in store.db was damaged and has been replaced");
    return 1;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* State of copying one table. */
struct copying {
    struct repair *repair;
    int table;
    sqlite3_stmt *copy, *find; /* for the row with a key; in the new store */
    int64_t last, first;       /* keys next to the unreadable part */
};

/* 1: copied; 0: missing or invalid. */
static int copy_row(const struct copying *copying, sqlite3_value *key, int64_t number)
{
    sqlite3 *database = copying->repair->fresh.database;
    int before = sqlite3_total_changes(database);

    if (key)
        sqlite3_bind_value(copying->copy, 1, key);
    else
        sqlite3_bind_int64(copying->copy, 1, number);
    store_run(copying->copy);
    if (sqlite3_total_changes(database) == before)
        return 0;
    copying->repair->kept[copying->table]++;
    return 1;
}

static bool is_there(const struct copying *copying, sqlite3_value *key)
{
    bool there;

    sqlite3_bind_value(copying->find, 1, key);
    there = sqlite3_step(copying->find) == SQLITE_ROW;
    sqlite3_reset(copying->find);
    return there;
}

static void tell_lost(struct repair *repair, int table, const char *key)
{
    repair->lost[table]++;
    if (repair->lost[table] <= REPORTED_MAX)
        tell(repair, "table %s: row %.100s is lost: it does not match its checksum",
             summed_tables[table].name, key ? key : "without a key");
}

/* Copies rows from one end of the table. 1: reached the other end, or (downwards) a copied row; 0:
 * reached an unreadable part. */
static int walk(struct copying *copying, bool down)
{
    const struct summed_table *table = &summed_tables[copying->table];
    char *text = sqlite3_mprintf("SELECT %s FROM old.%s NOT INDEXED ORDER BY %s %s", table->key,
                                 table->name, table->key, down ? "DESC" : "");
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(copying->repair->fresh.database, text, -1, &statement, NULL);
    int64_t *border = down ? &copying->first : &copying->last;

    sqlite3_free(text);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        sqlite3_value *key = sqlite3_column_value(statement, 0);

        code = SQLITE_OK;
        if (down && is_there(copying, key))
            break;
        *border = sqlite3_column_int64(statement, 0);
        if (!copy_row(copying, key, 0))
            tell_lost(copying->repair, copying->table,
                      (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK || code == SQLITE_DONE;
}

static int prepare_copying(struct copying *copying, struct error *err)
{
    const struct repair *repair = copying->repair;
    const struct summed_table *table = &summed_tables[copying->table];
    char *sum = sums_expression(&repair->fresh, table, err), *copy, *find;

    if (!sum)
        return -1;
    copy = sqlite3_mprintf("INSERT OR REPLACE INTO main.%s SELECT * FROM old.%s NOT INDEXED"
                           " WHERE %s = ?1 %s%s",
                           table->name, table->name, table->key,
                           has_sums(repair) ? "AND sum = " : "", has_sums(repair) ? sum : "");
    find = sqlite3_mprintf("SELECT 1 FROM main.%s WHERE %s = ?1", table->name, table->key);
    copying->copy = store_prepare(&repair->fresh, copy, err);
    copying->find = copying->copy ? store_prepare(&repair->fresh, find, err) : NULL;
    sqlite3_free(copy);
    sqlite3_free(find);
    free(sum);
    return copying->find ? 0 : -1;
}

/* Copies every readable row: from the front, from the back, and then by key in between. */
static int copy_table(struct repair *repair, int table, struct error *err)
{
    struct copying copying = {.repair = repair, .table = table, .last = -1, .first = -1};
    char text[96];
    int64_t written, missing;

    if (prepare_copying(&copying, err) < 0) {
        sqlite3_finalize(copying.copy);
        return -1;
    }
    if (!walk(&copying, false)) {
        walk(&copying, true);
        if (table != SUMMED_FACT)
            for (int64_t key = copying.last + 1, n = 0; key < copying.first && n < GAP_MAX;
                 key++, n++)
                copy_row(&copying, NULL, key);
    }
    sqlite3_finalize(copying.copy);
    sqlite3_finalize(copying.find);
    snprintf(text, sizeof text, "SELECT n FROM old.seal WHERE name = '%s'",
             summed_tables[table].name);
    written = ask(repair, text, -1);
    missing = written - repair->kept[table];
    if (missing > 0)
        tell(repair, "table %s: rows are lost (%" PRId64 " of %" PRId64 ")",
             summed_tables[table].name, missing, written);
    repair->lost[table] = missing > repair->lost[table] ? missing : repair->lost[table];
    return 0;
}

/* --- leases ----------------------------------------------------------------------------------- */

/* Reports each row that the query finds. */
static void tell_each(const struct repair *repair, const char *query, const char *what,
                      const char *why)
{
    sqlite3_stmt *statement = NULL;

    sqlite3_prepare_v2(repair->fresh.database, query, -1, &statement, NULL);
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
        tell(repair, "%s %" PRId64 " is left out: %s %" PRId64 " is lost", what,
             (int64_t)sqlite3_column_int64(statement, 0), why,
             (int64_t)sqlite3_column_int64(statement, 1));
    sqlite3_finalize(statement);
}

/* Keeps a lease together with all its VMs, or neither: galernad adopts VMs without a lease. */
static int settle_leases(const struct repair *repair)
{
#define PARTIAL                                                                                    \
    " FROM lease WHERE phase NOT IN " STORE_FINAL_PHASES " AND"                                    \
    " (NOT EXISTS (SELECT 1 FROM vm WHERE vm.id = lease.id AND vm.lease = lease.id) OR"            \
    " phase <> 'gathering' AND (SELECT count(*) FROM vm WHERE vm.lease = lease.id) < group_size)"
#define STRAY " FROM vm WHERE lease NOT IN (SELECT id FROM lease)"
    if (repair->lost[SUMMED_VM] > 0) {
        tell_each(repair, "SELECT id, id" PARTIAL, "lease", "a VM of lease");
        if (run(repair, "DELETE" PARTIAL) < 0)
            return -1;
    }
    tell_each(repair, "SELECT id, lease" STRAY, "VM", "its lease");
    return run(repair, "DELETE" STRAY);
#undef PARTIAL
#undef STRAY
}

static int settle_commits(const struct repair *repair)
{
    int64_t there = ask(repair, "SELECT value FROM fact WHERE name = 'commits'", 0);
    int64_t last = ask(repair, "SELECT max(at) FROM event", INSTANT_NONE);
    char at[32] = "", text[96];

    if (repair->sealed > there) {
        if (last != INSTANT_NONE)
            lease_time_text(last, at, sizeof at);
        tell(repair,
             "the last commits are lost (%" PRId64 " of %" PRId64
             ")%s%s: later changes are missing",
             repair->sealed - there, repair->sealed, at[0] ? "; the last event left is of " : "",
             at);
        there = repair->sealed;
    }
    snprintf(text, sizeof text,
             "INSERT OR REPLACE INTO fact (name, value) VALUES ('commits', '%" PRId64 "')", there);
    return has_sums(repair) ? run(repair, text) : 0;
}

static int fill_fresh(struct repair *repair, struct error *err)
{
    int readable = open_both(repair, err);

    if (readable < 0)
        return -1;
    if (!readable)
        tell(repair, "nothing in store.db can be read: all leases and the history are lost");
    for (int i = SUMMED_LEASE; i <= SUMMED_FACT && readable; i++)
        if (copy_table(repair, i, err) < 0)
            return -1;
    if (settle_leases(repair) < 0 || settle_commits(repair) < 0 ||
        (has_sums(repair) && sums_renew(&repair->fresh, err) < 0))
        return store_sqlite_error(&repair->fresh, "write", err);
    close_fresh(repair);
    return 0;
}

/* --- the whole repair ------------------------------------------------------------------------- */

static int sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int result = fd < 0 || fsync(fd) < 0 ? -1 : 0;

    if (fd >= 0)
        close(fd);
    return result;
}

/* Moves the log first, since SQLite must not use it for the new store. */
static int put_in_place(const struct repair *repair, struct error *err)
{
    char *store = path_of(repair->directory, "store.db");
    char *log = path_of(repair->directory, "store.db-wal"), *damaged = NULL, *damaged_log = NULL;
    struct stat status;
    int result = -1;

    for (int i = 1; !damaged || lstat(damaged, &status) == 0; i++) {
        free(damaged);
        damaged = memory_format("%s.damaged-%d", store, i);
    }
    damaged_log = memory_format("%s-wal", damaged);
    if (sync_file(repair->fresh.path) < 0 || (link(store, damaged) < 0 && errno != ENOENT) ||
        (rename(log, damaged_log) < 0 && errno != ENOENT) ||
        rename(repair->fresh.path, store) < 0 || sync_file(repair->directory) < 0) {
        error_errno(err, "%s: cannot put the repaired store in place", store);
    } else {
        tell(repair, "the damaged store is kept as %s", damaged);
        result = 0;
    }
    free(store);
    free(log);
    free(damaged);
    free(damaged_log);
    return result;
}

static int renew_seal(const struct repair *repair, struct error *err)
{
    char *path = path_of(repair->directory, "store.seal");
    int64_t sealed = repair->sealed > 0 ? repair->sealed : 0;
    int fd = seal_open(path, err), result = fd < 0 ? -1 : seal_write(fd, sealed, path, err);

    if (fd >= 0)
        close(fd);
    free(path);
    return result;
}

static int repair_locked(struct repair *repair, struct error *err)
{
    char *seal = path_of(repair->directory, "store.seal");
    int result;

    repair->sealed = seal_read(seal, err);
    free(seal);
    if (repair->sealed == SEAL_FAILED)
        return -1;
    if (repair->sealed < 0)
        tell(repair, "store.seal is %s: commits at the end may be lost without notice",
             repair->sealed == SEAL_NONE ? "missing" : "damaged");
    if (mkdir(repair->work, S_IRWXU) < 0 && errno != EEXIST)
        return error_errno(err, "%s: cannot create the directory", repair->work);
    clear_work(repair);
    result = copy_file(repair, "store.db", "old.db", err) < 0 ||
                     copy_file(repair, "store.db-wal", "old.db-wal", err) < 0 ||
                     fill_fresh(repair, err) < 0 || put_in_place(repair, err) < 0 ||
                     renew_seal(repair, err) < 0
                 ? -1
                 : 0;
    close_fresh(repair);
    clear_work(repair);
    rmdir(repair->work);
    return result;
}

int store_repair(const char *directory, repair_report *report, void *context, struct error *err)
{
    struct error why = {0};
    struct store *store = store_open(directory, &why);
    struct repair repair = {.directory = directory, .report = report, .context = context};
    int lock, result;

    if (!store && why.code != EBADMSG)
        return error_set(err, why.code, "%s", why.text);
    store_close(store);
    if (store)
        return 0;
    lock = store_state_lock(directory, err);
    if (lock < 0)
        return -1;
    repair.work = path_of(directory, "repair");
    repair.fresh = (struct store){.path = path_of(repair.work, "store.db")};
    result = repair_locked(&repair, err);
    free(repair.fresh.path);
    free(repair.work);
    close(lock);
    if (result == 0) { /* open it as galernad will; also migrates an older version */
        store = store_open(directory, err);
        result = store ? 0 : -1;
        store_close(store);
    }
    return result;
}
