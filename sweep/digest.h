/* digest.h: 64-bit FNV-1a digests to distinguish inputs. Not safe against forged inputs. */
#pragma once

#include <stdint.h>

#include "util/error.h"

struct digest {
    uint64_t value;
};

void digest_init(struct digest *digest);
void digest_number(struct digest *digest, uint64_t number);
/* Includes the end of the text, to distinguish "ab", "c" from "a", "bc"; NULL differs from "". */
void digest_text(struct digest *digest, const char *text);
/* Adds the contents of a file. Errors: errno of reading, with the file's name. */
int digest_file(struct digest *digest, const char *path, struct error *err);
