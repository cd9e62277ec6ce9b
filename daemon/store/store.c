/* Opening, closing, and records in memory. */
#include "daemon/store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "daemon/store/awake.h"
#include "daemon/store/change.h"
#include "daemon/store/private.h"
#include "daemon/store/rows.h"
#include "daemon/store/schema.h"
#include "daemon/store/state_directory.h"
#include "util/memory.h"

static const char *const instance_fact = "instance";

static int prepare(struct store *store, enum store_statement place, const char *text,
                   struct error *err)
{
    if (sqlite3_prepare_v3(store->database, text, -1, SQLITE_PREPARE_PERSISTENT,
                           &store->statements[place], NULL) == SQLITE_OK)
        return 0;
    return store_sqlite_error(store, "prepare", err);
}

/* The INSERT statement of a table, with the row's checksum. */
static char *put_text(int table, const char *sum)
{
    if (table == SUMMED_LEASE || table == SUMMED_VM)
        return store_rows_put_text(table == SUMMED_LEASE ? &store_lease_table : &store_vm_table,
                                   sum);
    return memory_format(table == SUMMED_EVENT
                             ? "INSERT INTO event (number, lease, at, event, text, sum)"
                               " VALUES (:number, :lease, :at, :event, :text, %s)"
                             : "INSERT OR REPLACE INTO fact (name, value, sum)"
                               " VALUES (:name, :value, %s)",
                         sum);
}

static int prepare_puts(struct store *store, struct error *err)
{
    static const enum store_statement places[] = {
        [SUMMED_LEASE] = STATEMENT_PUT_LEASE,
        [SUMMED_VM] = STATEMENT_PUT_VM,
        [SUMMED_EVENT] = STATEMENT_PUT_EVENT,
        [SUMMED_FACT] = STATEMENT_PUT_FACT,
    };
    int result = 0;

    for (int i = SUMMED_LEASE; i <= SUMMED_FACT && result == 0; i++) {
        char *sum = sums_of_inserted(store, &summed_tables[i], err);
        char *text = sum ? put_text(i, sum) : NULL;

        result = sum ? prepare(store, places[i], text, err) : -1;
        free(text);
        free(sum);
    }
    return result;
}

static int prepare_history(struct store *store, enum store_statement place, const char *which,
                           struct error *err)
{
    char *text = sqlite3_mprintf(
        "SELECT lease, at, event, text, sum = %s, number FROM (SELECT * FROM event %s"
        " ORDER BY number DESC LIMIT ?1) ORDER BY number",
        store->sums[SUMMED_EVENT], which);
    int result = prepare(store, place, text, err);

    sqlite3_free(text);
    return result;
}

static int prepare_statements(struct store *store, struct error *err)
{
    static const char *const texts[STATEMENTS] = {
        [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
        [STATEMENT_COMMIT] = "COMMIT",
        [STATEMENT_ROLLBACK] = "ROLLBACK",
        [STATEMENT_DROP_VMS] = "DELETE FROM vm WHERE lease = ? RETURNING drop_sum('vm', sum)",
        [STATEMENT_DROP_FACT] = "DELETE FROM fact WHERE name = ? RETURNING drop_sum('fact', sum)",
        [STATEMENT_SEAL] = "UPDATE seal SET n = ?, total = ? WHERE name = ?",
    };

    for (int i = 0; i < STATEMENTS; i++)
        if (texts[i] && prepare(store, (enum store_statement)i, texts[i], err) < 0)
            return -1;
    if (prepare_history(store, STATEMENT_EVENTS, "", err) < 0 ||
        prepare_history(store, STATEMENT_EVENTS_OF_LEASE, "WHERE lease = ?2", err) < 0)
        return -1;
    return prepare_puts(store, err);
}

static int name_instance(struct store *store, struct error *err)
{
    uint64_t number;
    char name[32];

    if (store_fact(store, instance_fact))
        return 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_set(err, errno, "%s: cannot get random bytes for its name: %s", store->path,
                         strerror(errno));
    snprintf(name, sizeof name, "%016" PRIx64, number);
    store_set_fact(store, instance_fact, name);
    return store_commit(store, err);
}

/* A store that is refused keeps its log: closing would otherwise write it into the database. */
static int keep_log(struct store *store, bool keep)
{
    return sqlite3_db_config(store->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)keep, NULL);
}

static int open_database(struct store *store, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;

    if (store_state_make_private(store->path, err) < 0)
        return -1;
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
        return store_sqlite_error(store, "open", err);
    /* Another program may have the file open for a moment. */
    sqlite3_busy_timeout(store->database, 2000);
    if (keep_log(store, true) != SQLITE_OK || sums_define(store) != SQLITE_OK)
        return store_sqlite_error(store, "open", err);
    if (store_schema_prepare(store, err) < 0 || prepare_statements(store, err) < 0 ||
        store_load(store, err) < 0 || name_instance(store, err) < 0)
        return -1;
    keep_log(store, false);
    return 0;
}

struct store *store_open(const char *directory, struct error *err)
{
    struct store *store;
    int lock = store_state_lock(directory, err);

    if (lock < 0)
        return NULL;
    store = memory_new(1, sizeof *store);
    store->lock = lock;
    store->seal = -1;
    store->path = memory_format("%s/store.db", directory);
    store->seal_path = memory_format("%s/store.seal", directory);
    store_index_init(&store->leases);
    store_index_init(&store->vms);
    store->awake.next = INSTANT_NEVER;
    if (store_state_take_over(directory, err) < 0 || open_database(store, err) < 0) {
        store_close(store);
        return NULL;
    }
    return store;
}

void store_put_text(const char **place, const char *text, size_t most)
{
    char *copy = *text && most ? memory_format("%.*s", (int)most, text) : NULL;

    if (*place && **place)
        memory_free(*place);
    *place = copy ? copy : "";
}

void store_vm_free(struct vm_record *vm)
{
    store_put_text(&vm->message, "", 0);
    store_put_text(&vm->asked, "", 0);
    free(vm);
}

void store_lease_finish(struct lease_record *lease)
{
    store_put_text(&lease->user, "", 0);
    store_put_text(&lease->user_group, "", 0);
    store_put_text(&lease->name, "", 0);
    store_put_text(&lease->reason, "", 0);
    store_put_text(&lease->change_refused, "", 0);
}

void store_lease_entry_free(struct lease_entry *record)
{
    store_lease_finish(&record->lease);
    for (size_t i = 0; i < record->n_vms; i++)
        store_vm_free(record->vms[i]);
    free(record->vms);
    free(record);
}

static void free_records(struct store *store)
{
    for (size_t i = 0; i < store->leases.n; i++)
        store_lease_entry_free(store->leases.records[i]);
    for (size_t i = 0; i < store->n_leaving; i++)
        store_lease_entry_free(store->leaving[i]);
    for (size_t i = 0; i < store->n_events; i++) {
        free(store->events[i].event);
        free(store->events[i].text);
    }
    for (size_t i = 0; i < store->n_facts; i++) {
        free(store->facts[i].name);
        free(store->facts[i].value);
    }
    store_lease_finish(&store->past);
    store_index_finish(&store->leases);
    store_index_finish(&store->vms);
    store_awake_finish(&store->awake);
    free(store->leaving);
    free(store->marked_leases);
    free(store->marked_vms);
    free(store->events);
    free(store->facts);
}

void store_close(struct store *store)
{
    int saved = errno;

    if (!store)
        return;
    free_records(store);
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
    for (int i = 0; i < SUMMED_TABLES; i++)
        free(store->sums[i]);
    if (store->seal >= 0)
        close(store->seal);
    close(store->lock);
    free(store->path);
    free(store->seal_path);
    free(store);
    errno = saved;
}

const char *store_instance(const struct store *store)
{
    return store_fact(store, instance_fact);
}

int64_t store_commits(const struct store *store)
{
    return store->commits;
}

uint64_t store_changes(const struct store *store)
{
    return store->changes;
}

const struct lease_record *store_lease(const struct store *store, int64_t id)
{
    return store_index_find(&store->leases, id);
}

const struct vm_record *store_vm(const struct store *store, int32_t id)
{
    return store_index_find(&store->vms, id);
}

struct lease_record *store_note_lease(struct store *store, const struct lease_record *lease)
{
    struct lease_entry *entry = store_index_find(&store->leases, lease->id);

    store_note_entry(store, entry);
    return &entry->lease;
}

struct lease_record *store_change_lease(struct store *store, const struct lease_record *lease)
{
    struct lease_record *record = store_note_lease(store, lease);

    store_mark_lease(store, record);
    return record;
}

struct vm_record *store_note_vm(struct store *store, const struct vm_record *vm)
{
    struct lease_entry *entry = store_index_find(&store->leases, vm->lease);

    if (entry)
        store_note_entry(store, entry);
    return store_index_find(&store->vms, vm->id);
}

struct vm_record *store_change_vm(struct store *store, const struct vm_record *vm)
{
    struct vm_record *record = store_note_vm(store, vm);

    store_mark_vm(store, record);
    return record;
}

int64_t store_promised_start(const struct lease_record *lease)
{
    if (lease->accumulated > 0) /* it ran, and was preempted: its resumption is an estimate */
        return INSTANT_NONE;
    return lease->kind == LEASE_RESERVATION || (lease->kind == LEASE_IMMEDIATE && lease->accepted)
               ? instant_later(lease->start, lease->submit)
               : INSTANT_NONE;
}

struct lease_record *store_add_lease(struct store *store, int64_t id)
{
    struct lease_entry *record;

    if (id < 0 || store_lease(store, id)) {
        errno = id < 0 ? EINVAL : EEXIST;
        return NULL;
    }
    record = memory_new(1, sizeof *record);
    record->fresh = true;
    record->lease = (struct lease_record){
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
        .unused_until = INSTANT_NONE,
        .uid = -1,
        .gid = -1,
        .user = "",
        .user_group = "",
        .name = "",
        .group_until = INSTANT_NEVER,
        .reason = "",
        .change_refused = "",
    };
    store_index_add(&store->leases, id, record);
    store_note_entry(store, record);
    store_mark_lease(store, &record->lease);
    return &record->lease;
}

void store_attach_vm(struct store *store, struct lease_entry *record, struct vm_record *vm)
{
    size_t place = record->n_vms;

    record->vms =
        memory_grow(record->vms, &record->vms_allocated, record->n_vms + 1, sizeof *record->vms);
    for (; place > 0 && record->vms[place - 1]->id > vm->id; place--)
        record->vms[place] = record->vms[place - 1];
    record->vms[place] = vm;
    record->n_vms++;
    store_note_entry(store, record);
    store->awake.is_listed = false;
}

struct vm_record *store_add_vm(struct store *store, int32_t id, int64_t lease)
{
    struct lease_entry *record = store_index_find(&store->leases, lease);
    struct vm_record *vm;

    if (id < 0 || !record || store_vm(store, id)) {
        errno = id < 0 ? EINVAL : record ? EEXIST : ENOENT;
        return NULL;
    }
    vm = memory_new(1, sizeof *vm);
    *vm = (struct vm_record){
        .id = id,
        .lease = lease,
        .host = -1,
        .datastore = -1,
        .sequence = -1,
        .sent = INSTANT_NONE,
        .next_try = INSTANT_NONE,
        .failed_record = -1,
        .pause_until = INSTANT_NONE,
        .message = "",
        .asked = "",
    };
    for (size_t i = 0; i < sizeof vm->avoid / sizeof *vm->avoid; i++)
        vm->avoid[i] = -1;
    store_attach_vm(store, record, vm);
    store_index_add(&store->vms, id, vm);
    store_mark_vm(store, vm);
    return vm;
}

int store_move_vm(struct store *store, const struct vm_record *moved, int64_t lease)
{
    struct lease_entry *from = store_index_find(&store->leases, moved->lease);
    struct lease_entry *to = store_index_find(&store->leases, lease);
    struct vm_record *vm;
    size_t kept = 0;

    if (!to) {
        errno = ENOENT;
        return -1;
    }
    vm = store_change_vm(store, moved);
    for (size_t i = 0; i < from->n_vms; i++)
        if (from->vms[i] != vm)
            from->vms[kept++] = from->vms[i];
    from->n_vms = kept;
    vm->lease = lease;
    store_attach_vm(store, to, vm);
    return 0;
}

const struct vm_record *const *store_vms_of(const struct store *store, int64_t lease, size_t *n)
{
    const struct lease_entry *record = store_index_find(&store->leases, lease);

    *n = record ? record->n_vms : 0;
    return record ? (const struct vm_record *const *)record->vms : NULL;
}

const struct lease_record *const *store_leases(const struct store *store, size_t *n)
{
    *n = store->leases.n;
    return (const struct lease_record *const *)store->leases.records;
}

const struct vm_record *const *store_vms(const struct store *store, size_t *n)
{
    *n = store->vms.n;
    return (const struct vm_record *const *)store->vms.records;
}

static bool is_marked(const struct lease_entry *record)
{
    if (record->lease.marked)
        return true;
    for (size_t i = 0; i < record->n_vms; i++)
        if (record->vms[i]->marked)
            return true;
    return false;
}

void store_forget_lease(struct store *store, int64_t id)
{
    struct lease_entry *record = store_index_find(&store->leases, id);

    if (!record)
        return;
    store->changes++;
    store_drop_awake(store, record);
    store_index_remove(&store->leases, id);
    for (size_t i = 0; i < record->n_vms; i++)
        store_index_remove(&store->vms, record->vms[i]->id);
    if (!is_marked(record)) {
        store_lease_entry_free(record);
        return;
    }
    store->leaving = memory_grow(store->leaving, &store->leaving_allocated, store->n_leaving + 1,
                                 sizeof *store->leaving);
    store->leaving[store->n_leaving++] = record;
}
