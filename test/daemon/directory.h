/* directory.h: a private directory for a test, removed with all that is in it. */
#pragma once

enum { DIRECTORY_NAME_MAX = 64 };

void directory_make(char name[DIRECTORY_NAME_MAX]);
void directory_remove(const char *name);
