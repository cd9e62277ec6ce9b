#include "test/daemon/book_fixture.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct book *book_must_open(const char *directory)
{
    struct error err = {0};
    struct book *book = book_open(directory, &err);

    if (!book)
        fail_msg("%s", err.text);
    return book;
}

void book_must_commit(struct book *book)
{
    struct error err = {0};

    if (book_commit(book, &err) < 0)
        fail_msg("%s", err.text);
}

int book_set_up(void **state)
{
    struct book_fixture *fixture = calloc(1, sizeof *fixture);

    directory_make(fixture->directory);
    fixture->book = book_must_open(fixture->directory);
    *state = fixture;
    return 0;
}

int book_tear_down(void **state)
{
    struct book_fixture *fixture = *state;

    book_close(fixture->book);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

void book_reopen(struct book_fixture *fixture)
{
    book_close(fixture->book);
    fixture->book = book_must_open(fixture->directory);
}

void book_path_in(const struct book_fixture *fixture, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", fixture->directory, name);
}

void book_run_sql(const struct book_fixture *fixture, const char *text)
{
    char path[128];
    sqlite3 *database;

    book_path_in(fixture, "book.db", path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

void book_fill_lease(struct book_lease *lease)
{
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
    lease->since = 1007;
    lease->expected = 1008;
    lease->contract = lease->accepted = lease->warned = lease->late = lease->preemptible = true;
    lease->terms = TERMS_RESTARTABLE;
    lease->origin = ORIGIN_EXTERNAL;
    lease->priority = -7;
    lease->uid = 17;
    lease->gid = 18;
    strcpy(lease->user, "anna");
    strcpy(lease->user_group, "physics");
    strcpy(lease->name, "it's \"quoted\"; DROP TABLE lease");
    strcpy(lease->group, "g1");
    lease->group_size = UINT32_MAX;
    lease->group_until = 1009;
    strcpy(lease->reason_word, "no-room-now");
    lease->retry = 1010;
    memset(lease->reason, 'x', sizeof lease->reason - 1);
}
