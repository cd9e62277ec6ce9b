/* digest.h: a number that distinguishes inputs: 64-bit FNV-1a. Not safe against forged inputs. */
#pragma once

#include <stdint.h>

#include "util/error.h"

struct digest {
    uint64_t value;
};

void digest_init(struct digest *digest);
void digest_number(struct digest *digest, uint64_t number);
/* With its end, so that "ab", "c" differs from "a", "bc"; NULL differs from "". */
void digest_text(struct digest *digest, const char *text);
/* The contents of a file. Errors: errno of reading it, with its name. */
int digest_file(struct digest *digest, const char *path, struct error *err);
