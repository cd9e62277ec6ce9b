/* store_fixture.h: an open store in a directory of its own. */
#pragma once

#include "daemon/store/store.h"
#include "test/daemon/directory.h"

struct store_fixture {
    char directory[DIRECTORY_NAME_MAX];
    struct store *store;
};

/* For cmocka: *state is a struct store_fixture. */
int store_set_up(void **state);
int store_tear_down(void **state);

/* These fail the test when they fail. */
struct store *store_must_open(const char *directory);
void store_must_commit(struct store *store);
void store_reopen(struct store_fixture *fixture);

/* Every field gets a value of its own. */
void store_fill_lease(struct lease_record *lease);

/* The path of a file in the directory. */
void store_path_in(const struct store_fixture *fixture, const char *name, char path[128]);

/* Change the file behind the store's back; its checksums follow. */
void store_run_sql(const struct store_fixture *fixture, const char *text);
/* Its checksums do not. */
void store_break_row(const struct store_fixture *fixture, const char *text);
