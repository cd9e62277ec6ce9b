/* lease_selection.h: options that select leases: --phase, --user, --series, --name, --host. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "util/command_line.h"

struct lease_selection {
    struct text_list phases;
    const char *user, *series, *name, *host;
};

enum { LEASE_SELECTION_OPTIONS = 6 };
extern const struct command_option lease_selection_options[LEASE_SELECTION_OPTIONS];
#define LEASE_SELECTION_GROUP(at)                                                                  \
    {                                                                                              \
        .options = lease_selection_options, .n = LEASE_SELECTION_OPTIONS, .offset = (at)           \
    }

/* Is anything selected? */
bool lease_selection_is_given(const struct lease_selection *selection);

/* Adds the options handled by galernad to a request for lease-list. */
void lease_selection_put(const struct lease_selection *selection, json_t *request);

/* Does the lease match the other options? */
bool lease_selection_has(const struct lease_selection *selection, const json_t *lease);
