/* Writes marked records and the history. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/store/change.h"
#include "daemon/store/private.h"
#include "daemon/store/rows.h"
#include "daemon/store/seal.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/printable.h"

static void tell(const struct store *store, const struct store_event *event)
{
    for (size_t i = 0; i < store->n_listeners; i++)
        store->listeners[i].told(store->listeners[i].context, event);
}

void store_history(struct store *store, int64_t lease, int64_t at, const char *event,
                   const char *format, ...)
{
    char text[STORE_TEXT_MAX];
    struct event_record *record;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mark_cut(text, sizeof text);
    store->changes++;
    MEMORY_GROW(store->events, store->events_allocated, store->n_events + 1);
    record = &store->events[store->n_events++];
    *record = (struct event_record){.lease = lease, .at = at, .event = event};
    store_put_text(&record->text, text, STORE_TEXT_MAX);
    tell(store, &(struct store_event){lease, at, event, text});
}

void store_listen(struct store *store,
                  void (*listener)(void *context, const struct store_event *event), void *context)
{
    assert(store->n_listeners < STORE_LISTENERS_MAX);
    store->listeners[store->n_listeners++] = (struct store_listener){listener, context};
}

void store_ignore(struct store *store, const void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < store->n_listeners; i++)
        if (store->listeners[i].context != context)
            store->listeners[kept++] = store->listeners[i];
    store->n_listeners = kept;
}

void store_tell(const struct store *store, int64_t lease, int64_t at, const char *event)
{
    tell(store, &(struct store_event){lease, at, event, ""});
}

bool store_has_changes(const struct store *store)
{
    return store->n_marked_leases || store->n_marked_vms || store->n_events ||
           store->n_marked_facts;
}

/* Ids mostly ascend: a row with a higher id than all others replaces no row. */
static const struct summed_put *put_or_new(const struct store *store, enum store_put put,
                                           enum store_put put_new, int64_t id, int64_t *last)
{
    if (id <= *last)
        return &store->puts[put];
    *last = id;
    return &store->puts[put_new];
}

static int put_lease(struct store *store, const struct lease_entry *record)
{
    const struct lease_record *lease = &record->lease;
    sqlite3_stmt *drop = store->statements[STATEMENT_DROP_VMS];
    const struct summed_put *put;

    if (record->fresh && lease->id <= store->last_lease) {
        sqlite3_bind_int64(drop, 1, lease->id);
        if (store_run(drop) != SQLITE_DONE)
            return -1;
    }
    put = put_or_new(store, PUT_LEASE, PUT_NEW_LEASE, lease->id, &store->last_lease);
    if (store_rows_bind(put, &store_lease_table, store->lease_order, lease) != SQLITE_OK)
        return -1;
    crash_point("store-lease");
    return store_run(put->statement) == SQLITE_DONE ? 0 : -1;
}

static int put_vm(struct store *store, const struct vm_record *vm)
{
    const struct summed_put *put = put_or_new(store, PUT_VM, PUT_NEW_VM, vm->id, &store->last_vm);

    if (store_rows_bind(put, &store_vm_table, store->vm_order, vm) != SQLITE_OK)
        return -1;
    crash_point("store-vm");
    return store_run(put->statement) == SQLITE_DONE ? 0 : -1;
}

static int bind_values(const struct summed_put *put, const char *table,
                       const struct stored_value *values, size_t n)
{
    struct summed_row row;

    summed_row_begin(&row, put, table);
    for (size_t i = 0; i < n; i++)
        summed_row_add(&row, (int)i + 1, &values[i]);
    return summed_row_end(&row);
}

static int put_event(const struct store *store, const struct event_record *event, int64_t number)
{
    const struct summed_put *put = &store->puts[PUT_EVENT];
    const struct stored_value values[] = {stored_number(number), stored_number(event->lease),
                                          stored_number(event->at), stored_text(event->event),
                                          stored_text(event->text)};

    if (bind_values(put, "event", values, sizeof values / sizeof *values) != SQLITE_OK)
        return -1;
    crash_point("store-event");
    return store_run(put->statement) == SQLITE_DONE ? 0 : -1;
}

static int put_fact(const struct store *store, const char *name, const char *value)
{
    sqlite3_stmt *statement =
        value ? store->puts[PUT_FACT].statement : store->statements[STATEMENT_DROP_FACT];
    const struct stored_value values[] = {stored_text(name), stored_text(value ? value : "")};

    if (value ? bind_values(&store->puts[PUT_FACT], "fact", values,
                            sizeof values / sizeof *values) != SQLITE_OK
              : sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
        return -1;
    crash_point("store-fact");
    return store_run(statement) == SQLITE_DONE ? 0 : -1;
}

static int put_all(struct store *store, void *context)
{
    (void)context;
    for (size_t i = 0; i < store->n_marked_leases; i++)
        if (put_lease(store, store->marked_leases[i]) < 0)
            return -1;
    for (size_t i = 0; i < store->n_marked_vms; i++)
        if (put_vm(store, store->marked_vms[i]) < 0)
            return -1;
    for (size_t i = 0; i < store->n_events; i++)
        if (put_event(store, &store->events[i], store->last_event + 1 + (int64_t)i) < 0)
            return -1;
    for (size_t i = 0; i < store->n_facts; i++)
        if (store->facts[i].marked &&
            put_fact(store, store->facts[i].name, store->facts[i].value) < 0)
            return -1;
    return 0;
}

static void clear_facts(struct store *store)
{
    size_t kept = 0;

    for (size_t i = 0; i < store->n_facts; i++) {
        struct fact_record *fact = &store->facts[i];

        fact->marked = false;
        if (fact->value)
            store->facts[kept++] = *fact;
        else
            free(fact->name);
    }
    store->n_facts = kept;
    store->n_marked_facts = 0;
}

static void clear_marks(struct store *store)
{
    for (size_t i = 0; i < store->n_marked_leases; i++) {
        store->marked_leases[i]->lease.marked = false;
        store->marked_leases[i]->fresh = false;
    }
    for (size_t i = 0; i < store->n_marked_vms; i++)
        store->marked_vms[i]->marked = false;
    for (size_t i = 0; i < store->n_events; i++)
        store_put_text(&store->events[i].text, "", 0);
    free(store->events);
    store->events = NULL;
    store->events_allocated = 0;
    for (size_t i = 0; i < store->n_leaving; i++)
        store_lease_entry_free(store->leaving[i]);
    if (store->n_marked_facts)
        clear_facts(store);
    store->n_marked_leases = store->n_marked_vms = store->n_events = store->n_leaving = 0;
}

/* Counts the commit in progress. */
static int count_commit(const struct store *store)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, store->commits + 1);
    return put_fact(store, "commits", text);
}

/* A failed write of the seal does not undo the commit: the next commit retries it first. */
static int catch_up_seal(struct store *store, struct error *err)
{
    int result =
        store->seal_behind ? seal_write(store->seal, store->commits, store->seal_path, err) : 0;

    store->seal_behind = result < 0;
    return result;
}

int store_write(struct store *store, store_writer *write, void *context, struct error *err)
{
    if (catch_up_seal(store, err) < 0)
        return -1;
    if (store_run(store->statements[STATEMENT_BEGIN]) != SQLITE_DONE)
        return store_sqlite_error(store, "begin to write", err);
    if (write(store, context) < 0 || count_commit(store) < 0 || sums_seal(store) < 0)
        goto rollback;
    crash_point("store-commit");
    if (store_run(store->statements[STATEMENT_COMMIT]) != SQLITE_DONE)
        goto rollback;
    crash_point("store-committed");
    sums_settle(store, true);
    store->commits++;
    store->seal_behind = true;
    catch_up_seal(store, NULL);
    crash_point("store-sealed");
    return 0;

rollback:
    store_sqlite_error(store, "write", err);
    sums_settle(store, false);
    /* After some errors SQLite has already rolled back. */
    if (!sqlite3_get_autocommit(store->database))
        store_run(store->statements[STATEMENT_ROLLBACK]);
    return -1;
}

int store_commit(struct store *store, struct error *err)
{
    if (!store_has_changes(store))
        return 0;
    crash_point("store-begin");
    if (store_write(store, put_all, NULL, err) < 0)
        return -1;
    store->last_event += (int64_t)store->n_events;
    clear_marks(store);
    return 0;
}
