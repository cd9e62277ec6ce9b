/* helper.h: programs that are installed together with galernad, in libexec/galerna/. */
#pragma once

enum { HELPER_PATH_MAX = 4096 };

/* The path of such a program: in libexec/galerna/ beside the bin/ or sbin/ of this program, of a
 * build and below the prefix of an installation; else where it was to be installed. */
void helper_find(const char *name, char path[HELPER_PATH_MAX]);
