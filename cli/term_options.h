/* term_options.h: the terms of core/lease_terms.h as options of `galerna lease request` and
 * `change`.
 */
#pragma once

#include <jansson.h>

#include "core/lease_terms.h"
#include "util/command_line.h"

struct term_options {
    struct term_values values;
    unsigned given; /* bits 1 << enum term_id */
};

/* The i-th option, for struct option_group; its value goes to a struct term_options. False: there
 * is none. requested: a flag needs no argument, and the help names the default. */
bool term_option_requested(size_t i, struct command_option *option);
bool term_option_changed(size_t i, struct command_option *option);

/* Adds the given terms to a request. */
void term_options_put(const struct term_options *options, json_t *request);
