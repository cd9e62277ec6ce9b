/* private.h: internals of the store, only for daemon/store/. */
#pragma once

#include <sqlite3.h>

#include "daemon/store/index.h"
#include "daemon/store/store.h"
#include "daemon/store/sums.h"

/* In SQL: the phases for which phase_is_final() holds. */
#define STORE_FINAL_PHASES "('ended', 'refused', 'failed', 'missed')"

struct lease_entry {
    struct lease_record lease; /* first: a lease_record of the store is a lease_entry */
    struct vm_record **vms;    /* ascending */
    size_t n_vms, vms_allocated;
    bool fresh;       /* added and not yet written: it replaces any row with its id in the file */
    size_t awake_at;  /* its place among the awake leases, from 1; 0: asleep ... */
    int64_t until;    /* ... until this time */
    uint64_t stirred; /* as store_stirred() */
    uint64_t noted;   /* as store_noted() */
};

/* The leases that are awake: awake.h. */
struct awake {
    struct lease_entry **entries;
    size_t n, allocated;
    uint64_t stirs;
    int64_t next; /* no sleeping lease wakes before this time */
    /* Sorted lists of the awake leases. */
    bool is_listed; /* the lists match `entries` */
    const struct lease_record **leases;
    const struct vm_record **vms;
    size_t n_vms, leases_allocated, vms_allocated;
};

struct event_record {
    int64_t lease, at;
    const char *event; /* a constant */
    const char *text;  /* store_put_text() */
};

struct fact_record {
    char *name, *value; /* value NULL: deleted */
    bool marked;
};

enum store_statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_DROP_VMS, /* of a lease */
    STATEMENT_DROP_FACT,
    STATEMENT_SEAL,
    STATEMENT_EVENTS, /* the newest ?1 lines */
    STATEMENT_EVENTS_OF_LEASE,
    STATEMENTS
};

enum store_put {
    PUT_LEASE,
    PUT_NEW_LEASE, /* a row of its id is not in the file */
    PUT_VM,
    PUT_NEW_VM,
    PUT_EVENT,
    PUT_FACT,
    STORE_PUTS
};

struct store_listener {
    void (*told)(void *context, const struct store_event *event);
    void *context;
};

struct store {
    char *path, *seal_path; /* of the database; of the file that counts the commits */
    int lock, seal;
    bool seal_behind; /* the last write of the seal failed */
    int64_t commits, last_event;
    int64_t last_lease;             /* no lease in the file, and no VM's, has a higher id */
    int64_t last_vm;                /* no VM in the file has */
    char *sums[SUMMED_TABLES];      /* "row_sum(...)" of the columns */
    size_t *lease_order, *vm_order; /* store_rows_order() */
    struct sums_total totals[SUMMED_TABLES], sealed[SUMMED_TABLES]; /* as last committed */
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    struct summed_put puts[STORE_PUTS];
    struct store_index leases, vms;
    struct awake awake;

    /* Written by the next commit, in this order. */
    struct lease_entry **marked_leases;
    struct vm_record **marked_vms;
    struct event_record *events;
    size_t n_marked_leases, n_marked_vms, n_events;
    size_t marked_leases_allocated, marked_vms_allocated, events_allocated;

    struct store_listener listeners[STORE_LISTENERS_MAX];
    size_t n_listeners;

    struct fact_record *facts; /* ascending by name */
    size_t n_facts, facts_allocated, n_marked_facts;

    struct lease_record past; /* the last result of store_past_lease() */

    uint64_t changes;             /* of leases and VMs */
    struct lease_entry **leaving; /* forgotten by the daemon, to be written one last time */
    size_t n_leaving, leaving_allocated;
};

/* SQLite's message with the file's name, and advice if the file is damaged or the disk is full.
 * Returns -1. */
int store_sqlite_error(const struct store *store, const char *doing, struct error *err);

/* "FILE is damaged: ...: run 'galernad --repair' ..." with the code EBADMSG. Returns -1. */
int store_damaged(const struct store *store, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Write in a transaction, which counts as one commit. -1: nothing was written. */
typedef int store_writer(struct store *store, void *context); /* -1: an SQLite error */
int store_write(struct store *store, store_writer *write, void *context, struct error *err);

/* Run a prepared statement to its end and reset it; parameters keep their values. Returns an SQLite
 * code: SQLITE_DONE on success. */
int store_run(sqlite3_stmt *statement);

/* Prepare a statement for one use. NULL with err. */
sqlite3_stmt *store_prepare(const struct store *store, const char *text, struct error *err);

/* Load an open file: unfinished leases, leases with existing VMs, and the facts. */
int store_load(struct store *store, struct error *err);

/* The lease wakes because its record or a record of one of its VMs changes. */
void store_note_entry(struct store *store, struct lease_entry *entry);
/* The lease goes to sleep, or is about to be forgotten. */
void store_drop_awake(struct store *store, struct lease_entry *entry);
void store_awake_finish(struct awake *awake);

void store_vm_free(struct vm_record *vm);
void store_lease_finish(struct lease_record *lease); /* frees its texts */
void store_lease_entry_free(struct lease_entry *record);
/* Add a VM to its lease, and wake the lease. */
void store_attach_vm(struct store *store, struct lease_entry *record, struct vm_record *vm);
