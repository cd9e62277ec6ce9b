/* stays.h: on which hosts a VM has run, and when, as its record keeps it: in a text with the host
 * and the times of each stay, oldest first. Only the last stay may be open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STAYS_MAX = 8,         /* older ones are dropped */
    STORE_STAYS_MAX = 512, /* of the text, with its end */
};

struct stay {
    int32_t host;
    int64_t from, until; /* seconds since 1970; until: INSTANT_NONE: open */
};

/* Returns their number. What is no stay ends the list. */
size_t stays_read(const char *text, struct stay stays[STAYS_MAX]);
void stays_write(const struct stay *stays, size_t n, char text[STORE_STAYS_MAX]);

/* Has the VM left a host? */
bool stays_have_ended(const char *text);

/* The VM runs on the host since `from`: an open stay elsewhere ends then. Returns the new number;
 * the same list if the VM's open stay is on that host. */
size_t stays_begin(struct stay stays[STAYS_MAX], size_t n, int32_t host, int64_t from);

/* Its open stay; NULL: it does not run. */
struct stay *stays_open(struct stay *stays, size_t n);
