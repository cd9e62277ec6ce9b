/* policy_text.h: what `galerna policy list` and `show` have in common. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "plugin/module.h"
#include "util/command_line.h"

/* Arguments of both. */
struct policy_arguments {
    bool json;
};

enum { POLICY_OPTIONS = 1 };
extern const struct command_option policy_options[POLICY_OPTIONS];

/* Print the names of the modules that can be loaded, for completion. */
void policy_offer(FILE *stream);

/* Everything about a module, its options included. NULL: out of memory. */
json_t *policy_json(const struct module *module);

/* The same for people, on standard output. */
void policy_print(const struct module *module);

/* Print a JSON document with its schema's name and version. Returns an exit code; Takes over the
 * document, which may be NULL. */
int policy_print_json(const char *command, const char *schema, json_t *document);
