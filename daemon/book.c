#include "daemon/book.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "daemon/book_private.h"
#include "daemon/book_rows.h"
#include "daemon/book_schema.h"
#include "daemon/book_state.h"
#include "util/memory.h"

static const char *const instance_fact = "instance";

static int prepare_statements(struct book *book, struct error *err)
{
    char *put_lease = book_rows_put_text(&book_lease_table);
    char *put_vm = book_rows_put_text(&book_vm_table);
    const char *texts[STATEMENTS] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        [STATEMENT_PUT_LEASE] = put_lease,
        [STATEMENT_PUT_VM] = put_vm,
        [STATEMENT_DROP_VMS] = "DELETE FROM vm WHERE lease = ?",
        [STATEMENT_PUT_EVENT] = "INSERT INTO event (lease, at, event, text) VALUES (?, ?, ?, ?)",
        [STATEMENT_PUT_FACT] = "INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)",
        [STATEMENT_DROP_FACT] = "DELETE FROM fact WHERE name = ?",
    };
    int code = SQLITE_OK;

    for (int i = 0; i < STATEMENTS && code == SQLITE_OK; i++)
        code = sqlite3_prepare_v3(book->database, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                  &book->statements[i], NULL);
    free(put_lease);
    free(put_vm);
    return code == SQLITE_OK ? 0 : book_sqlite_error(book, "prepare", err);
}

static int name_instance(struct book *book, struct error *err)
{
    uint64_t number;
    char name[32];

    if (book_fact(book, instance_fact))
        return 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_set(err, errno, "%s: no random number for its name: %s", book->path,
                         strerror(errno));
    snprintf(name, sizeof name, "%016" PRIx64, number);
    book_set_fact(book, instance_fact, name);
    return book_commit(book, err);
}

static int open_database(struct book *book, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;

    if (book_state_make_private(book->path, err) < 0)
        return -1;
    if (sqlite3_open_v2(book->path, &book->database, flags, NULL) != SQLITE_OK)
        return book_sqlite_error(book, "open", err);
    /* Somebody may look into the file with another program for a moment. */
    sqlite3_busy_timeout(book->database, 2000);
    if (book_schema_prepare(book, err) < 0 || prepare_statements(book, err) < 0 ||
        book_load(book, err) < 0)
        return -1;
    return name_instance(book, err);
}

struct book *book_open(const char *directory, struct error *err)
{
    struct book *book;
    int lock = book_state_lock(directory, err);
    size_t size = strlen(directory) + sizeof "/book.db";

    if (lock < 0)
        return NULL;
    book = memory_new(1, sizeof *book);
    book->lock = lock;
    book->path = memory_new(size, 1);
    snprintf(book->path, size, "%s/book.db", directory);
    book_index_init(&book->leases);
    book_index_init(&book->vms);
    if (open_database(book, err) < 0) {
        book_close(book);
        return NULL;
    }
    return book;
}

void book_lease_record_free(struct lease_record *record)
{
    for (size_t i = 0; i < record->n_vms; i++)
        free(record->vms[i]);
    free(record->vms);
    free(record);
}

static void free_records(struct book *book)
{
    for (size_t i = 0; i < book->leases.n; i++)
        book_lease_record_free(book->leases.records[i]);
    for (size_t i = 0; i < book->n_leaving; i++)
        book_lease_record_free(book->leaving[i]);
    for (size_t i = 0; i < book->n_events; i++) {
        free(book->events[i].event);
        free(book->events[i].text);
    }
    for (size_t i = 0; i < book->n_facts; i++) {
        free(book->facts[i].name);
        free(book->facts[i].value);
    }
    book_index_finish(&book->leases);
    book_index_finish(&book->vms);
    free(book->leaving);
    free(book->marked_leases);
    free(book->marked_vms);
    free(book->events);
    free(book->facts);
}

void book_close(struct book *book)
{
    int saved = errno;

    if (!book)
        return;
    free_records(book);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(book->statements[i]);
    sqlite3_close(book->database);
    close(book->lock);
    free(book->path);
    free(book);
    errno = saved;
}

const char *book_instance(const struct book *book)
{
    return book_fact(book, instance_fact);
}

struct book_lease *book_lease(const struct book *book, int64_t id)
{
    return book_index_find(&book->leases, id);
}

struct book_vm *book_vm(const struct book *book, int32_t id)
{
    return book_index_find(&book->vms, id);
}

int64_t book_promised_start(const struct book_lease *lease)
{
    if (lease->kind == LEASE_RESERVATION)
        return lease->start;
    return lease->kind == LEASE_IMMEDIATE && lease->accepted && lease->expected != INSTANT_NEVER
               ? lease->expected
               : INSTANT_NONE;
}

struct book_lease *book_add_lease(struct book *book, int64_t id)
{
    struct lease_record *record;

    if (id < 0 || book_lease(book, id)) {
        errno = id < 0 ? EINVAL : EEXIST;
        return NULL;
    }
    record = memory_new(1, sizeof *record);
    record->fresh = true;
    record->lease = (struct book_lease){
        .id = id,
        .submit = INSTANT_NONE,
        .start = INSTANT_NONE,
        .earliest = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration = SPAN_UNLIMITED,
        .end = INSTANT_NONE,
        .since = INSTANT_NONE,
        .expected = INSTANT_NONE,
        .retry = INSTANT_NONE,
        .uid = -1,
        .gid = -1,
        .group_until = INSTANT_NEVER,
    };
    book_index_add(&book->leases, id, record);
    book_mark_lease(book, &record->lease);
    return &record->lease;
}

void book_attach_vm(struct lease_record *record, struct book_vm *vm)
{
    size_t place = record->n_vms;

    record->vms =
        memory_grow(record->vms, &record->vms_allocated, record->n_vms + 1, sizeof *record->vms);
    for (; place > 0 && record->vms[place - 1]->id > vm->id; place--)
        record->vms[place] = record->vms[place - 1];
    record->vms[place] = vm;
    record->n_vms++;
}

struct book_vm *book_add_vm(struct book *book, int32_t id, int64_t lease)
{
    struct lease_record *record = book_index_find(&book->leases, lease);
    struct book_vm *vm;

    if (id < 0 || !record || book_vm(book, id)) {
        errno = id < 0 ? EINVAL : record ? EEXIST : ENOENT;
        return NULL;
    }
    vm = memory_new(1, sizeof *vm);
    *vm = (struct book_vm){
        .id = id,
        .lease = lease,
        .host = -1,
        .datastore = -1,
        .sequence = -1,
        .sent = INSTANT_NONE,
        .next_try = INSTANT_NONE,
        .failed_record = -1,
        .pause_until = INSTANT_NONE,
    };
    for (size_t i = 0; i < sizeof vm->avoid / sizeof *vm->avoid; i++)
        vm->avoid[i] = -1;
    book_attach_vm(record, vm);
    book_index_add(&book->vms, id, vm);
    book_mark_vm(book, vm);
    return vm;
}

int book_move_vm(struct book *book, struct book_vm *vm, int64_t lease)
{
    struct lease_record *from = book_index_find(&book->leases, vm->lease);
    struct lease_record *to = book_index_find(&book->leases, lease);
    size_t kept = 0;

    if (!to) {
        errno = ENOENT;
        return -1;
    }
    for (size_t i = 0; i < from->n_vms; i++)
        if (from->vms[i] != vm)
            from->vms[kept++] = from->vms[i];
    from->n_vms = kept;
    vm->lease = lease;
    book_attach_vm(to, vm);
    book_mark_vm(book, vm);
    return 0;
}

struct book_vm *const *book_vms_of(const struct book *book, int64_t lease, size_t *n)
{
    const struct lease_record *record = book_index_find(&book->leases, lease);

    *n = record ? record->n_vms : 0;
    return record ? record->vms : NULL;
}

struct book_lease *const *book_leases(const struct book *book, size_t *n)
{
    *n = book->leases.n;
    return (struct book_lease *const *)book->leases.records;
}

struct book_vm *const *book_vms(const struct book *book, size_t *n)
{
    *n = book->vms.n;
    return (struct book_vm *const *)book->vms.records;
}

static bool is_marked(const struct lease_record *record)
{
    if (record->lease.marked)
        return true;
    for (size_t i = 0; i < record->n_vms; i++)
        if (record->vms[i]->marked)
            return true;
    return false;
}

void book_forget_lease(struct book *book, int64_t id)
{
    struct lease_record *record = book_index_find(&book->leases, id);

    if (!record)
        return;
    book_index_remove(&book->leases, id);
    for (size_t i = 0; i < record->n_vms; i++)
        book_index_remove(&book->vms, record->vms[i]->id);
    if (!is_marked(record)) {
        book_lease_record_free(record);
        return;
    }
    book->leaving = memory_grow(book->leaving, &book->leaving_allocated, book->n_leaving + 1,
                                sizeof *book->leaving);
    book->leaving[book->n_leaving++] = record;
}
