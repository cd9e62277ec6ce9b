/* helper.h: programs installed together with galernad, in libexec/galerna/. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"

/* Starts such a program: from libexec/galerna/ next to the bin/ or sbin/ of this program, in a
 * build or below the prefix of an installation; otherwise from the configured installation path. It
 * gets a process group of its own, which includes its children, no blocked or caught signals, an
 * environment with PATH and TZ, and n descriptors: descriptors[i] as i, or /dev/null if that is
 * negative. They are not smaller than n. Returns its process id, or 0 with err. */
pid_t helper_start(const char *name, const int *descriptors, size_t n, struct error *err);
