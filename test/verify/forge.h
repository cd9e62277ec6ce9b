/* forge.h: forged records: several changes that fit each other, made to pass an overbooked or
 * unfair schedule for a sound one.
 */
#pragma once

#include "test/verify/mutate.h"

/* Each forgery that the record has room for; the document is restored after each. */
void forge_each(json_t *record, mutate_visit *visit, void *context);
