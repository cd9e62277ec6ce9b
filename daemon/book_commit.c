/* What is marked, and writing it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/book_private.h"
#include "daemon/book_rows.h"
#include "util/crash_point.h"
#include "util/memory.h"

int book_sqlite_error(const struct book *book, const char *doing, struct error *err)
{
    int code = book->database ? sqlite3_errcode(book->database) : SQLITE_NOMEM;
    const char *text = book->database ? sqlite3_errmsg(book->database) : "out of memory";

    switch (code) {
    case SQLITE_FULL:
        return error_set(err, ENOSPC, "%s: cannot %s: no room on the disk: make room", book->path,
                         doing);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return error_set(err, EPROTO,
                         "%s is damaged (%.120s): move it away and start again; what runs in "
                         "OpenNebula is adopted, promises of reservations are lost",
                         book->path, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, EBUSY,
                         "%s: cannot %s: another program has it open for writing: end that one",
                         book->path, doing);
    case SQLITE_READONLY:
        return error_set(err, EROFS, "%s: cannot %s: it cannot be written to: %.120s", book->path,
                         doing, text);
    default:
        return error_set(err, EIO, "%s: cannot %s: %.120s", book->path, doing, text);
    }
}

sqlite3_stmt *book_prepare(const struct book *book, const char *text, struct error *err)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(book->database, text, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    book_sqlite_error(book, "read", err);
    return NULL;
}

int book_run(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

void book_mark_lease(struct book *book, struct book_lease *lease)
{
    if (lease->marked)
        return;
    lease->marked = true;
    book->marked_leases = memory_grow(book->marked_leases, &book->marked_leases_allocated,
                                      book->n_marked_leases + 1, sizeof *book->marked_leases);
    book->marked_leases[book->n_marked_leases++] = (struct lease_record *)lease;
}

void book_mark_vm(struct book *book, struct book_vm *vm)
{
    if (vm->marked)
        return;
    vm->marked = true;
    book->marked_vms = memory_grow(book->marked_vms, &book->marked_vms_allocated,
                                   book->n_marked_vms + 1, sizeof *book->marked_vms);
    book->marked_vms[book->n_marked_vms++] = vm;
}

void book_history(struct book *book, int64_t lease, int64_t at, const char *event,
                  const char *format, ...)
{
    char text[BOOK_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    book->events = memory_grow(book->events, &book->events_allocated, book->n_events + 1,
                               sizeof *book->events);
    book->events[book->n_events++] = (struct event_record){
        .lease = lease,
        .at = at,
        .event = memory_text(event),
        .text = memory_text(text),
    };
    if (book->listener)
        book->listener(book->listener_context, &(struct book_event){lease, at, event, text});
}

void book_listen(struct book *book, void (*listener)(void *context, const struct book_event *event),
                 void *context)
{
    book->listener = listener;
    book->listener_context = context;
}

void book_tell(const struct book *book, int64_t lease, int64_t at, const char *event)
{
    if (book->listener)
        book->listener(book->listener_context, &(struct book_event){lease, at, event, ""});
}

bool book_has_changes(const struct book *book)
{
    return book->n_marked_leases || book->n_marked_vms || book->n_events || book->n_marked_facts;
}

static int put_lease(const struct book *book, const struct lease_record *record)
{
    sqlite3_stmt *put = book->statements[STATEMENT_PUT_LEASE];
    sqlite3_stmt *drop = book->statements[STATEMENT_DROP_VMS];

    if (record->fresh) {
        sqlite3_bind_int64(drop, 1, record->lease.id);
        if (book_run(drop) != SQLITE_DONE)
            return -1;
    }
    if (book_rows_bind(put, &book_lease_table, &record->lease) != SQLITE_OK)
        return -1;
    crash_point("book-lease");
    return book_run(put) == SQLITE_DONE ? 0 : -1;
}

static int put_vm(const struct book *book, const struct book_vm *vm)
{
    sqlite3_stmt *put = book->statements[STATEMENT_PUT_VM];

    if (book_rows_bind(put, &book_vm_table, vm) != SQLITE_OK)
        return -1;
    crash_point("book-vm");
    return book_run(put) == SQLITE_DONE ? 0 : -1;
}

static int put_event(const struct book *book, const struct event_record *event)
{
    sqlite3_stmt *put = book->statements[STATEMENT_PUT_EVENT];

    sqlite3_bind_int64(put, 1, event->lease);
    sqlite3_bind_int64(put, 2, event->at);
    sqlite3_bind_text(put, 3, event->event, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 4, event->text, -1, SQLITE_STATIC);
    crash_point("book-event");
    return book_run(put) == SQLITE_DONE ? 0 : -1;
}

static int put_fact(const struct book *book, const struct fact_record *fact)
{
    sqlite3_stmt *put = book->statements[fact->value ? STATEMENT_PUT_FACT : STATEMENT_DROP_FACT];

    sqlite3_bind_text(put, 1, fact->name, -1, SQLITE_STATIC);
    if (fact->value)
        sqlite3_bind_text(put, 2, fact->value, -1, SQLITE_STATIC);
    crash_point("book-fact");
    return book_run(put) == SQLITE_DONE ? 0 : -1;
}

static int put_all(const struct book *book)
{
    for (size_t i = 0; i < book->n_marked_leases; i++)
        if (put_lease(book, book->marked_leases[i]) < 0)
            return -1;
    for (size_t i = 0; i < book->n_marked_vms; i++)
        if (put_vm(book, book->marked_vms[i]) < 0)
            return -1;
    for (size_t i = 0; i < book->n_events; i++)
        if (put_event(book, &book->events[i]) < 0)
            return -1;
    for (size_t i = 0; i < book->n_facts; i++)
        if (book->facts[i].marked && put_fact(book, &book->facts[i]) < 0)
            return -1;
    return 0;
}

static void clear_facts(struct book *book)
{
    size_t kept = 0;

    for (size_t i = 0; i < book->n_facts; i++) {
        struct fact_record *fact = &book->facts[i];

        fact->marked = false;
        if (fact->value)
            book->facts[kept++] = *fact;
        else
            free(fact->name);
    }
    book->n_facts = kept;
    book->n_marked_facts = 0;
}

static void clear_marks(struct book *book)
{
    for (size_t i = 0; i < book->n_marked_leases; i++) {
        book->marked_leases[i]->lease.marked = false;
        book->marked_leases[i]->fresh = false;
    }
    for (size_t i = 0; i < book->n_marked_vms; i++)
        book->marked_vms[i]->marked = false;
    for (size_t i = 0; i < book->n_events; i++) {
        free(book->events[i].event);
        free(book->events[i].text);
    }
    for (size_t i = 0; i < book->n_leaving; i++)
        book_lease_record_free(book->leaving[i]);
    if (book->n_marked_facts)
        clear_facts(book);
    book->n_marked_leases = book->n_marked_vms = book->n_events = book->n_leaving = 0;
}

int book_commit(struct book *book, struct error *err)
{
    if (!book_has_changes(book))
        return 0;
    crash_point("book-begin");
    if (book_run(book->statements[STATEMENT_BEGIN]) != SQLITE_DONE)
        return book_sqlite_error(book, "begin to write", err);
    if (put_all(book) < 0) {
        book_sqlite_error(book, "write", err);
        goto rollback;
    }
    crash_point("book-commit");
    if (book_run(book->statements[STATEMENT_COMMIT]) != SQLITE_DONE) {
        book_sqlite_error(book, "write", err);
        goto rollback;
    }
    crash_point("book-committed");
    clear_marks(book);
    return 0;

rollback:
    /* SQLite has rolled back by itself after some errors. */
    if (!sqlite3_get_autocommit(book->database))
        book_run(book->statements[STATEMENT_ROLLBACK]);
    return -1;
}
