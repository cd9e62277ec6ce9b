/* History, its end, and small facts. */
#include <stdlib.h>
#include <string.h>

#include "daemon/book_private.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/search.h"

enum { EXPIRE_AT_ONCE = 500 };

typedef void event_visitor(void *context, const struct book_event *event);

/* Events in memory that the caller wants; all of them when lease is 0. */
static size_t count_pending(const struct book *book, int64_t lease, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < book->n_events; i++)
        if (all || book->events[i].lease == lease)
            n++;
    return n;
}

static int each_written(const struct book *book, int64_t lease, size_t limit, event_visitor *visit,
                        void *context, struct error *err)
{
    sqlite3_stmt *statement =
        book_prepare(book,
                     lease < 0 ? "SELECT * FROM (SELECT number, lease, at, event, text FROM event"
                                 " ORDER BY number DESC LIMIT ?2) ORDER BY number"
                               : "SELECT * FROM (SELECT number, lease, at, event, text FROM event"
                                 " WHERE lease = ?1 ORDER BY number DESC LIMIT ?2) ORDER BY number",
                     err);
    int code, result = 0;

    if (!statement)
        return -1;
    if (lease >= 0)
        sqlite3_bind_int64(statement, 1, lease);
    sqlite3_bind_int64(statement, 2, limit > INT64_MAX ? -1 : (int64_t)limit);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        visit(context, &(struct book_event){
                           .lease = sqlite3_column_int64(statement, 1),
                           .at = sqlite3_column_int64(statement, 2),
                           .event = (const char *)sqlite3_column_text(statement, 3),
                           .text = (const char *)sqlite3_column_text(statement, 4),
                       });
    if (code != SQLITE_DONE)
        result = book_sqlite_error(book, "read the history", err);
    sqlite3_finalize(statement);
    return result;
}

int book_each_event(struct book *book, int64_t lease, size_t limit, event_visitor *visit,
                    void *context, struct error *err)
{
    bool all = lease == BOOK_NO_LEASE;
    size_t pending = count_pending(book, lease, all);
    size_t skip = limit && pending > limit ? pending - limit : 0;

    if (limit == 0 || limit > pending)
        if (each_written(book, lease, limit ? limit - pending : SIZE_MAX, visit, context, err) < 0)
            return -1;
    for (size_t i = 0; i < book->n_events; i++) {
        const struct event_record *event = &book->events[i];

        if (!all && event->lease != lease)
            continue;
        if (skip > 0)
            skip--;
        else
            visit(context,
                  &(struct book_event){event->lease, event->at, event->event, event->text});
    }
    return 0;
}

/* Delete from a table what belongs to a lease. */
static int delete_of(struct book *book, const char *text, int64_t lease)
{
    sqlite3_stmt *statement;
    int code;

    if (sqlite3_prepare_v2(book->database, text, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_int64(statement, 1, lease);
    code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

static int delete_lease(struct book *book, int64_t lease)
{
    static const char *const texts[] = {
        "DELETE FROM vm WHERE lease = ?",
        "DELETE FROM event WHERE lease = ?",
        "DELETE FROM lease WHERE id = ?",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (delete_of(book, texts[i], lease) < 0)
            return -1;
    return 0;
}

/* The ids of some finished leases without an event since `before`; to be freed. NULL: an SQLite
 * error.
 */
static int64_t *find_expired(const struct book *book, int64_t before, size_t *n)
{
    static const char text[] =
        "SELECT id FROM lease WHERE phase IN ('ended', 'refused', 'failed') AND"
        " coalesce((SELECT max(at) FROM event WHERE event.lease = lease.id), submit, 0) < ?";
    int64_t *ids = memory_new(1, sizeof *ids);
    size_t allocated = 1;
    sqlite3_stmt *statement;
    int code = SQLITE_DONE;

    *n = 0;
    if (sqlite3_prepare_v2(book->database, text, -1, &statement, NULL) != SQLITE_OK) {
        free(ids);
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, before);
    while (*n < EXPIRE_AT_ONCE && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);

        if (book_lease(book, id))
            continue;
        ids = memory_grow(ids, &allocated, *n + 1, sizeof *ids);
        ids[(*n)++] = id;
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE || code == SQLITE_ROW)
        return ids;
    free(ids);
    return NULL;
}

static int expire_all(struct book *book, int64_t before)
{
    size_t n;
    int64_t *ids = find_expired(book, before, &n);
    int result = ids ? 0 : -1;

    for (size_t i = 0; i < n && result == 0; i++)
        result = delete_lease(book, ids[i]);
    free(ids);
    /* The daemon's own lines have no lease: -1. */
    return result == 0 ? delete_of(book, "DELETE FROM event WHERE lease = -1 AND at < ?", before)
                       : -1;
}

int book_expire(struct book *book, int64_t before, struct error *err)
{
    if (book_run(book->statements[STATEMENT_BEGIN]) != SQLITE_DONE)
        return book_sqlite_error(book, "begin to write", err);
    crash_point("book-expire");
    if (expire_all(book, before) == 0 &&
        book_run(book->statements[STATEMENT_COMMIT]) == SQLITE_DONE) {
        crash_point("book-expired");
        return 0;
    }
    book_sqlite_error(book, "delete old leases", err);
    if (!sqlite3_get_autocommit(book->database))
        book_run(book->statements[STATEMENT_ROLLBACK]);
    return -1;
}

static int order_of_facts(const void *name, const void *fact)
{
    return strcmp(name, ((const struct fact_record *)fact)->name);
}

static size_t fact_place(const struct book *book, const char *name, bool *found)
{
    size_t place =
        search_place(name, book->facts, book->n_facts, sizeof *book->facts, order_of_facts);

    *found = place < book->n_facts && strcmp(book->facts[place].name, name) == 0;
    return place;
}

const char *book_fact(const struct book *book, const char *name)
{
    bool found;
    size_t place = fact_place(book, name, &found);

    return found ? book->facts[place].value : NULL;
}

void book_set_fact(struct book *book, const char *name, const char *value)
{
    bool found;
    size_t place = fact_place(book, name, &found);
    struct fact_record *fact;

    if (!found && !value)
        return;
    if (!found) {
        book->facts = memory_grow(book->facts, &book->facts_allocated, book->n_facts + 1,
                                  sizeof *book->facts);
        memmove(book->facts + place + 1, book->facts + place,
                (book->n_facts - place) * sizeof *book->facts);
        book->facts[place] = (struct fact_record){.name = memory_text(name)};
        book->n_facts++;
    }
    fact = &book->facts[place];
    if (found && fact->value && value && strcmp(fact->value, value) == 0)
        return;
    free(fact->value);
    fact->value = memory_text(value);
    if (!fact->marked)
        book->n_marked_facts++;
    fact->marked = true;
}
