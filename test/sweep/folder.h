/* folder.h: a scratch folder to sweep in. */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

/* Make a folder and go there; setup and teardown of cmocka. */
int folder_enter(void **state);
int folder_leave(void **state);

/* Write a file there. */
void write_file(const char *name, const char *text);

/* The file's contents, to be freed. */
char *read_file(const char *name);

/* The first column of the first row. */
int64_t query_number(const char *database, const char *query);
