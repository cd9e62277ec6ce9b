/* The file in which simulated VMs are kept. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

enum { APPLICATION_ID = 0x47534d31 /* "GSM1" */, AGAIN = 1000 /* milliseconds */ };

#define COLUMNS                                                                                    \
    "id, state, next, due, host, cpu, memory, created, sequence, started, ended, "                 \
    "ran_for, recreated, name, text, message, units"

static const char schema[] =
    "CREATE TABLE site (hosts INTEGER NOT NULL);"
    "CREATE TABLE vm (id INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL,"
    " next TEXT NOT NULL, due INTEGER NOT NULL, host INTEGER NOT NULL,"
    " cpu INTEGER NOT NULL, memory INTEGER NOT NULL,"
    " created INTEGER NOT NULL, sequence INTEGER NOT NULL, started INTEGER NOT NULL,"
    " ended INTEGER NOT NULL, ran_for INTEGER NOT NULL, recreated INTEGER NOT NULL,"
    " name TEXT NOT NULL, text TEXT NOT NULL, message TEXT, units BLOB);";

static int failed(const struct simulated *self, const char *file, struct error *err)
{
    return error_set(err, EIO, "%s: %s", file, sqlite3_errmsg(self->database));
}

static int ask_number(const struct simulated *self, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(self->database, sql, -1, &statement, NULL);

    if (code != SQLITE_OK)
        return -1;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : -1;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum vm_state state_of(const unsigned char *word)
{
    for (int i = 0; word && i < VM_STATES; i++)
        if (strcmp(vm_state_traits[i].word, (const char *)word) == 0)
            return (enum vm_state)i;
    return VM_OTHER;
}

static char *text_of(sqlite3_stmt *row, int column)
{
    const unsigned char *text = sqlite3_column_text(row, column);

    return text ? memory_text((const char *)text) : NULL;
}

static int read_vm(struct simulated *self, sqlite3_stmt *row, struct error *err)
{
    struct simulated_vm *vm = simulated_append(self, sqlite3_column_int(row, 0));
    char *name, *text;

    vm->state = state_of(sqlite3_column_text(row, 1));
    vm->next = state_of(sqlite3_column_text(row, 2));
    vm->due = sqlite3_column_int64(row, 3);
    vm->host = sqlite3_column_int(row, 4);
    vm->cpu = sqlite3_column_int64(row, 5);
    vm->memory = sqlite3_column_int64(row, 6);
    vm->created = sqlite3_column_int64(row, 7);
    vm->sequence = sqlite3_column_int(row, 8);
    vm->started = sqlite3_column_int64(row, 9);
    vm->ended = sqlite3_column_int64(row, 10);
    vm->ran_for = sqlite3_column_int64(row, 11);
    vm->recreated = sqlite3_column_int(row, 12);
    name = text_of(row, 13);
    text = text_of(row, 14);
    vm->name = name ? name : memory_text("");
    vm->text = text ? text : memory_text("");
    vm->message = text_of(row, 15);
    if (vm->due < self->next_due)
        self->next_due = vm->due;
    if (vm->host >= (int64_t)self->site.n_hosts)
        vm->host = -1;
    if (simulated_read_demand(vm->text, vm->memory, &vm->demand, err) < 0)
        return -1;
    simulated_hold_again(self, vm, sqlite3_column_blob(row, 16),
                         (size_t)sqlite3_column_bytes(row, 16));
    return 0;
}

static int read_vms(struct simulated *self, const char *file, struct error *err)
{
    int64_t last = -1;
    sqlite3_stmt *row;
    int code;

    if (sqlite3_prepare_v2(self->database, "SELECT " COLUMNS " FROM vm ORDER BY id", -1, &row,
                           NULL) != SQLITE_OK)
        return failed(self, file, err);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        if (read_vm(self, row, err) < 0)
            break;
    sqlite3_finalize(row);
    if (code == SQLITE_ROW) {
        error_prefix(err, "%s", file);
        return -1;
    }
    if (code != SQLITE_DONE ||
        ask_number(self, "SELECT seq FROM sqlite_sequence WHERE name = 'vm'", &last) < 0)
        return failed(self, file, err);
    if (last >= self->next_id && last < INT32_MAX)
        self->next_id = (int32_t)last + 1;
    return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int make_tables(struct simulated *self, const char *file, struct error *err)
{
    char sql[128];

    snprintf(sql, sizeof sql, "INSERT INTO site VALUES (%zu); PRAGMA application_id = %d",
             self->site.n_hosts, APPLICATION_ID);
    if (sqlite3_exec(self->database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(self->database, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(self->database, sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(self->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return failed(self, file, err);
    return 0;
}

static int check_tables(const struct simulated *self, const char *file, struct error *err)
{
    int64_t id = 0, hosts = 0;

    if (ask_number(self, "PRAGMA application_id", &id) < 0)
        return failed(self, file, err);
    if (id != APPLICATION_ID || ask_number(self, "SELECT hosts FROM site", &hosts) < 0)
        return error_set(err, EPROTO,
                         "%s is not a file of simulated VMs that this galernad can read: use "
                         "another --state-dir",
                         file);
    if (hosts != (int64_t)self->site.n_hosts)
        return error_set(err, EEXIST,
                         "%s has %lld hosts, but simulation.resources has %zu: for new hosts, use "
                         "another --state-dir",
                         file, (long long)hosts, self->site.n_hosts);
    return 0;
}

/* Files of before there were devices and NUMA nodes have no such column. */
static int add_units(const struct simulated *self)
{
    int64_t columns = 0;

    if (ask_number(self, "SELECT count(*) FROM pragma_table_info('vm') WHERE name = 'units'",
                   &columns) < 0)
        return -1;
    return columns || sqlite3_exec(self->database, "ALTER TABLE vm ADD COLUMN units BLOB", NULL,
                                   NULL, NULL) == SQLITE_OK
               ? 0
               : -1;
}

/* A file of an attempt that failed before there were tables counts as none. */
static int prepare_tables(struct simulated *self, const char *file, struct error *err)
{
    int64_t tables = 0;

    if (ask_number(self, "SELECT count(*) FROM sqlite_master", &tables) < 0)
        return failed(self, file, err);
    if (!tables && make_tables(self, file, err) < 0)
        return -1;
    if (check_tables(self, file, err) < 0)
        return -1;
    return add_units(self) < 0 ? failed(self, file, err) : 0;
}

static int open_database(struct simulated *self, const char *file, struct error *err)
{
    int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return error_errno(err, "%s", file);
    close(fd);
    if (sqlite3_open_v2(file, &self->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(self->database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL,
                     NULL, NULL) != SQLITE_OK)
        return failed(self, file, err);
    return 0;
}

int simulated_open(struct simulated *self, const struct simulated_settings *settings, bool *resumed,
                   struct error *err)
{
    static const char put[] =
        "INSERT OR REPLACE INTO vm (" COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    const char *file = settings->file;

    *resumed = access(file, F_OK) == 0;
    self->next_due = INT64_MAX;
    if (settings->must_exist && !*resumed)
        return error_set(
            err, EINVAL,
            "%s is missing, but the store has leases of its VMs: use another --state-dir", file);
    if (open_database(self, file, err) < 0 || prepare_tables(self, file, err) < 0)
        return -1;
    if (read_vms(self, file, err) < 0)
        return -1;
    if (sqlite3_prepare_v2(self->database, put, -1, &self->put, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(self->database, "DELETE FROM vm WHERE id = ?", -1, &self->remove,
                           NULL) != SQLITE_OK)
        return failed(self, file, err);
    return 0;
}

void simulated_close(struct simulated *self)
{
    sqlite3_finalize(self->put);
    sqlite3_finalize(self->remove);
    sqlite3_close(self->database);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int run(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

static int put_vm(const struct simulated *self, const struct simulated_vm *vm)
{
    const int64_t numbers[] = {vm->due,      vm->host,    vm->cpu,   vm->memory,  vm->created,
                               vm->sequence, vm->started, vm->ended, vm->ran_for, vm->recreated};
    sqlite3_stmt *put = self->put;
    int column = 4;

    sqlite3_bind_int(put, 1, vm->id);
    sqlite3_bind_text(put, 2, vm_state_traits[vm->state].word, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 3, vm_state_traits[vm->next].word, -1, SQLITE_STATIC);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sqlite3_bind_int64(put, column++, numbers[i]);
    sqlite3_bind_text(put, column++, vm->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, column++, vm->text, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, column++, vm->message, -1, SQLITE_STATIC);
    if (vm->held)
        sqlite3_bind_blob(put, column, held_threads(vm->held), (int)simulated_units_size(vm->held),
                          SQLITE_STATIC);
    else
        sqlite3_bind_null(put, column);
    return run(put);
}

static int write_vms(const struct simulated *self)
{
    for (size_t i = 0; i < self->n_vms; i++) {
        const struct simulated_vm *vm = &self->vms[i];

        if (!vm->dirty)
            continue;
        if (vm->state == VM_DONE) {
            sqlite3_bind_int(self->remove, 1, vm->id);
            if (run(self->remove) < 0)
                return -1;
        } else if (put_vm(self, vm) < 0) {
            return -1;
        }
    }
    return 0;
}

static void tell_failure(struct simulated *self)
{
    char text[256];

    snprintf(text, sizeof text,
             "cannot write the simulated VMs (%s): continuing in memory; will retry",
             sqlite3_errmsg(self->database));
    if (!self->complained && self->complain)
        self->complain(self->context, text);
    self->complained = true;
}

void simulated_write(struct simulated *self)
{
    if (!self->dirty || simulated_now() < self->next_write)
        return;
    if (sqlite3_exec(self->database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK ||
        write_vms(self) < 0 ||
        sqlite3_exec(self->database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        tell_failure(self);
        sqlite3_exec(self->database, "ROLLBACK", NULL, NULL, NULL);
        self->next_write = simulated_now() + AGAIN;
        return;
    }
    for (size_t i = 0; i < self->n_vms; i++)
        self->vms[i].dirty = false;
    self->dirty = self->complained = false;
    self->next_write = 0;
    simulated_forget(self);
}
