/* helper.h: programs installed together with galernad, in libexec/galerna/. */
#pragma once

enum { HELPER_PATH_MAX = 4096 };

/* The path of such a program: in libexec/galerna/ next to the bin/ or sbin/ of this program, in a
 * build or below the prefix of an installation; otherwise the configured installation path. */
void helper_find(const char *name, char path[HELPER_PATH_MAX]);
