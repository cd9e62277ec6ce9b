/* forge.h: forged records: several changes that fit each other, made to pass an overbooked or
 * unfair schedule for a sound one.
 */
#ifndef GALERNA_TEST_VERIFY_FORGE_H
#define GALERNA_TEST_VERIFY_FORGE_H

#include "test/verify/mutate.h"

/* Each forgery that the record has room for; the document is restored after each. */
void forge_each(json_t *record, mutate_visit *visit, void *context);

#endif
