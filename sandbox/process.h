/* process.h: programs run beside the daemon, as OpenNebula runs drivers and hooks. */
#pragma once

#include <stdbool.h>

#include "sandbox/text.h"
#include "util/error.h"

struct oned_process;

/* Start a program with one argument (NULL: none) and a text as its standard input. NULL with err
 * when it cannot be started. */
struct oned_process *oned_process_start(const char *program, const char *argument,
                                        const struct oned_text *input, struct error *err);

/* Has the process ended? If so, its exit code (128 + n after signal n) and its output. */
bool oned_process_ended(struct oned_process *process, int *code, struct oned_text *output,
                        struct oned_text *errors);

/* Free it; it is killed if it still runs. NULL is allowed. */
void oned_process_destroy(struct oned_process *process);

/* The text in base64. */
void oned_base64(const struct oned_text *text, struct oned_text *encoded);
