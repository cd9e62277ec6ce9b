/* book_fixture.h: an open book in a directory of its own. */
#ifndef GALERNA_TEST_DAEMON_BOOK_FIXTURE_H
#define GALERNA_TEST_DAEMON_BOOK_FIXTURE_H

#include "daemon/book.h"
#include "test/daemon/directory.h"

struct book_fixture {
    char directory[DIRECTORY_NAME_MAX];
    struct book *book;
};

/* For cmocka: *state is a struct book_fixture. */
int book_set_up(void **state);
int book_tear_down(void **state);

/* These fail the test when they fail. */
struct book *book_must_open(const char *directory);
void book_must_commit(struct book *book);
void book_reopen(struct book_fixture *fixture);

/* Every field gets a value of its own. */
void book_fill_lease(struct book_lease *lease);

/* The path of a file in the directory. */
void book_path_in(const struct book_fixture *fixture, const char *name, char path[128]);

/* Change the file behind the book's back. */
void book_run_sql(const struct book_fixture *fixture, const char *text);

#endif
