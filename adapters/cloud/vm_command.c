/* The table of commands. */
#include "adapters/cloud/vm_command.h"

#define COMMAND_KIND(name, word, effect, load, frees) {effect, load, frees},
#define COMMAND_WORD(name, word, effect, load, frees) word,

const struct command_kind command_kinds[COMMAND_KINDS] = {COMMAND_ROWS(COMMAND_KIND)};
const char *const command_words[COMMAND_KINDS] = {COMMAND_ROWS(COMMAND_WORD)};
