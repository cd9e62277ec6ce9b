/* Reads and expires the history, and keeps small facts. */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/private.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/search.h"

enum { EXPIRE_AT_ONCE = 500 };

typedef void event_visitor(void *context, const struct store_event *event);

/* Pending events of a lease, or of all leases. */
static size_t count_pending(const struct store *store, int64_t lease, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < store->n_events; i++)
        if (all || store->events[i].lease == lease)
            n++;
    return n;
}

/* Checks a row of the history and passes it to the visitor. */
static int visit_written(const struct store *store, sqlite3_stmt *statement, event_visitor *visit,
                         void *context, struct error *err)
{
    if (sqlite3_column_int(statement, 4) != 1)
        return store_damaged(store, err, "table event, row %lld does not match its checksum",
                             (long long)sqlite3_column_int64(statement, 5));
    visit(context, &(struct store_event){
                       .lease = sqlite3_column_int64(statement, 0),
                       .at = sqlite3_column_int64(statement, 1),
                       .event = (const char *)sqlite3_column_text(statement, 2),
                       .text = (const char *)sqlite3_column_text(statement, 3),
                   });
    return 0;
}

static int each_written(const struct store *store, int64_t lease, size_t limit,
                        event_visitor *visit, void *context, struct error *err)
{
    sqlite3_stmt *statement =
        store->statements[lease < 0 ? STATEMENT_EVENTS : STATEMENT_EVENTS_OF_LEASE];
    int code = SQLITE_DONE, result = 0;

    sqlite3_bind_int64(statement, 1, limit > INT64_MAX ? -1 : (int64_t)limit);
    if (lease >= 0)
        sqlite3_bind_int64(statement, 2, lease);
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        result = visit_written(store, statement, visit, context, err);
    if (result == 0 && code != SQLITE_DONE)
        result = store_sqlite_error(store, "read the history", err);
    sqlite3_reset(statement);
    return result;
}

int store_next_events(struct store *store, int64_t *number, size_t limit, event_visitor *visit,
                      void *context, struct error *err)
{
    char *text = sqlite3_mprintf("SELECT lease, at, event, text, sum = %s, number FROM event"
                                 " WHERE number > ?1 ORDER BY number LIMIT ?2",
                                 store->sums[SUMMED_EVENT]);
    sqlite3_stmt *statement = store_prepare(store, text, err);
    int code = SQLITE_DONE, result = statement ? 0 : -1;
    size_t n = 0;

    sqlite3_free(text);
    if (!statement)
        return -1;
    sqlite3_bind_int64(statement, 1, *number);
    sqlite3_bind_int64(statement, 2, (int64_t)limit);
    for (; result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW; n++) {
        *number = sqlite3_column_int64(statement, 5);
        result = visit_written(store, statement, visit, context, err);
    }
    if (result == 0 && code != SQLITE_DONE)
        result = store_sqlite_error(store, "read the history", err);
    sqlite3_finalize(statement);
    if (result < 0 || n == limit)
        return result < 0 ? -1 : 1;
    for (size_t i = 0; i < store->n_events; i++) {
        const struct event_record *event = &store->events[i];

        visit(context, &(struct store_event){event->lease, event->at, event->event, event->text});
    }
    return 0;
}

int store_each_event(struct store *store, int64_t lease, size_t limit, event_visitor *visit,
                     void *context, struct error *err)
{
    bool all = lease == STORE_NO_LEASE;
    size_t pending = count_pending(store, lease, all);
    size_t skip = limit && pending > limit ? pending - limit : 0;

    if (limit == 0 || limit > pending)
        if (each_written(store, lease, limit ? limit - pending : SIZE_MAX, visit, context, err) < 0)
            return -1;
    for (size_t i = 0; i < store->n_events; i++) {
        const struct event_record *event = &store->events[i];

        if (!all && event->lease != lease)
            continue;
        if (skip > 0)
            skip--;
        else
            visit(context,
                  &(struct store_event){event->lease, event->at, event->event, event->text});
    }
    return 0;
}

/* Deletes a lease's rows from a table. */
static int delete_of(struct store *store, const char *text, int64_t lease)
{
    sqlite3_stmt *statement;
    int code;

    if (sqlite3_prepare_v2(store->database, text, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_int64(statement, 1, lease);
    code = store_run(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

static int delete_lease(struct store *store, int64_t lease)
{
    static const char *const texts[] = {
        "DELETE FROM vm WHERE lease = ? RETURNING drop_sum('vm', sum)",
        "DELETE FROM event WHERE lease = ? RETURNING drop_sum('event', sum)",
        "DELETE FROM lease WHERE id = ? RETURNING drop_sum('lease', sum)",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (delete_of(store, texts[i], lease) < 0)
            return -1;
    return 0;
}

/* The ids of some finished leases without an event since `before`; to be freed. NULL: an SQLite
 * error. */
static int64_t *find_expired(const struct store *store, int64_t before, size_t *n)
{
    static const char text[] =
        "SELECT id FROM lease WHERE phase IN " STORE_FINAL_PHASES " AND"
        " coalesce((SELECT max(at) FROM event WHERE event.lease = lease.id), submit, 0) < ?";
    int64_t *ids = memory_new(1, sizeof *ids);
    size_t allocated = 1;
    sqlite3_stmt *statement;
    int code = SQLITE_DONE;

    *n = 0;
    if (sqlite3_prepare_v2(store->database, text, -1, &statement, NULL) != SQLITE_OK) {
        free(ids);
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, before);
    while (*n < EXPIRE_AT_ONCE && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);

        if (store_lease(store, id))
            continue;
        MEMORY_GROW(ids, allocated, *n + 1);
        ids[(*n)++] = id;
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE || code == SQLITE_ROW)
        return ids;
    free(ids);
    return NULL;
}

static int expire_all(struct store *store, void *context)
{
    int64_t before = *(const int64_t *)context;
    size_t n;
    int64_t *ids = find_expired(store, before, &n);
    int result = ids ? 0 : -1;

    crash_point("store-expire");
    for (size_t i = 0; i < n && result == 0; i++)
        result = delete_lease(store, ids[i]);
    free(ids);
    /* The daemon's own lines have lease -1. */
    return result == 0 ? delete_of(store,
                                   "DELETE FROM event WHERE lease = -1 AND at < ?"
                                   " RETURNING drop_sum('event', sum)",
                                   before)
                       : -1;
}

int store_expire(struct store *store, int64_t before, struct error *err)
{
    return store_write(store, expire_all, &before, err);
}

static int order_of_facts(const void *name, const void *fact)
{
    return strcmp(name, ((const struct fact_record *)fact)->name);
}

static size_t fact_place(const struct store *store, const char *name, bool *found)
{
    size_t place =
        search_place(name, store->facts, store->n_facts, sizeof *store->facts, order_of_facts);

    *found = place < store->n_facts && strcmp(store->facts[place].name, name) == 0;
    return place;
}

const char *store_fact(const struct store *store, const char *name)
{
    bool found;
    size_t place = fact_place(store, name, &found);

    return found ? store->facts[place].value : NULL;
}

void store_each_fact(const struct store *store, const char *beginning,
                     void (*visit)(void *context, const char *name, const char *value),
                     void *context)
{
    for (size_t i = 0; i < store->n_facts; i++)
        if (store->facts[i].value &&
            strncmp(store->facts[i].name, beginning, strlen(beginning)) == 0)
            visit(context, store->facts[i].name, store->facts[i].value);
}

void store_set_fact(struct store *store, const char *name, const char *value)
{
    bool found;
    size_t place = fact_place(store, name, &found);
    struct fact_record *fact;

    if (!found && !value)
        return;
    if (!found) {
        MEMORY_GROW(store->facts, store->facts_allocated, store->n_facts + 1);
        memmove(store->facts + place + 1, store->facts + place,
                (store->n_facts - place) * sizeof *store->facts);
        store->facts[place] = (struct fact_record){.name = memory_text(name)};
        store->n_facts++;
    }
    fact = &store->facts[place];
    if (found && fact->value && value && strcmp(fact->value, value) == 0)
        return;
    free(fact->value);
    fact->value = memory_text(value);
    if (!fact->marked)
        store->n_marked_facts++;
    fact->marked = true;
}
