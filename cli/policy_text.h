/* policy_text.h: what `galerna policy list` and `show` have in common, and say of a module. */
#ifndef GALERNA_CLI_POLICY_TEXT_H
#define GALERNA_CLI_POLICY_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "plugin/module.h"

/* Parse a command line whose options are --json and --help; operands begin at optind. -1: go on,
 * else the exit code. */
int policy_parse(int argc, char **argv, void (*help)(void), bool *json);

/* Everything about a module, its options included. NULL: out of memory. */
json_t *policy_json(const struct module *module);

/* The same for people, on standard output. */
void policy_print(const struct module *module);

/* Print a JSON document with its schema's name and version. Returns an exit code; document is
 * given away and may be NULL. */
int policy_print_json(const char *command, const char *schema, json_t *document);

#endif
