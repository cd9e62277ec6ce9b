/* An open store in a directory of its own. */
#include "test/daemon/store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/store/private.h"
#include "test/daemon/change_records.h"

struct store *store_must_open(const char *directory)
{
    struct error err = {0};
    struct store *store = store_open(directory, &err);

    if (!store)
        fail_msg("%s", err.text);
    return store;
}

void store_must_commit(struct store *store)
{
    struct error err = {0};

    if (store_commit(store, &err) < 0)
        fail_msg("%s", err.text);
}

int store_set_up(void **state)
{
    struct store_fixture *fixture = calloc(1, sizeof *fixture);

    directory_make(fixture->directory);
    fixture->store = store_must_open(fixture->directory);
    *state = fixture;
    return 0;
}

int store_tear_down(void **state)
{
    struct store_fixture *fixture = *state;

    store_close(fixture->store);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

void store_reopen(struct store_fixture *fixture)
{
    store_close(fixture->store);
    fixture->store = store_must_open(fixture->directory);
}

void store_path_in(const struct store_fixture *fixture, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", fixture->directory, name);
}

static void run_sql(const struct store_fixture *fixture, const char *text, bool renew)
{
    char path[128];
    struct store store = {.path = path};

    store_path_in(fixture, "store.db", path);
    assert_int_equal(sqlite3_open(path, &store.database), SQLITE_OK);
    assert_int_equal(sums_define(&store), SQLITE_OK);
    assert_int_equal(sqlite3_exec(store.database, text, NULL, NULL, NULL), SQLITE_OK);
    if (renew && sums_exist(&store, NULL))
        assert_int_equal(sums_renew(&store, NULL), 0);
    sqlite3_close(store.database);
}

void store_run_sql(const struct store_fixture *fixture, const char *text)
{
    run_sql(fixture, text, true);
}

void store_break_row(const struct store_fixture *fixture, const char *text)
{
    run_sql(fixture, text, false);
}

void store_fill_lease(struct lease_record *lease)
{
    char long_text[STORE_TEXT_MAX] = "";

    lease->phase = PHASE_STOPPING;
    lease->kind = LEASE_DEADLINE;
    lease->plain = true;
    lease->submit = 1001;
    lease->start = 1002;
    lease->earliest = 1003;
    lease->deadline = 1004;
    lease->duration = 1005;
    lease->end = INSTANT_NEVER;
    lease->accumulated = 1006;
    lease->charged = 1000;
    lease->since = 1007;
    lease->expected = 1008;
    lease->contract = lease->accepted = lease->warned = lease->late = lease->preemptible = true;
    lease->terms = TERMS_RESTARTABLE;
    lease->origin = ORIGIN_EXTERNAL;
    lease->priority = -7;
    lease->uid = 17;
    lease->gid = 18;
    store_put_text(&lease->user, "anna", STORE_NAME_MAX);
    store_put_text(&lease->user_group, "physics", STORE_NAME_MAX);
    store_put_text(&lease->name, "it's \"quoted\"; DROP TABLE lease", STORE_NAME_MAX);
    store_put_text(&lease->group, "g1", STORE_GROUP_MAX);
    lease->group_size = UINT32_MAX;
    lease->group_until = 1009;
    lease->reason_id = REASON_MOVED;
    for (int i = 0; i < REASON_NUMBERS; i++)
        lease->reason_n[i] = i - 2;
    store_put_text(&lease->reason_word, "no-room-now", STORE_GROUP_MAX);
    lease->retry = 1010;
    memset(long_text, 'x', sizeof long_text - 1);
    store_put_text(&lease->reason, long_text, sizeof long_text);
}
