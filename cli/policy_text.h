/* policy_text.h: shared by `galerna policy list` and `show`. */
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

/* Prints the names of the loadable modules, for completion. */
void policy_offer(FILE *stream);

/* All properties of a module, including its options. NULL: out of memory. */
json_t *policy_json(const struct module *module);

/* Prints the properties as text on standard output. */
void policy_print(const struct module *module);

/* Prints a JSON document with its schema's name and version, and takes over the document, which may
 * be NULL. Returns an exit code. */
int policy_print_json(const char *command, const char *schema, json_t *document);
