/* known_vms.h: VMs of a listing whose text is the same as in the listing before.
 *
 * A site's VMs are listed every few seconds, and few of them change. A VM's text is compared by a
 * keyed sum, LAST_POLL left out, and its short form is told again without parsing, and without
 * decoding if it comes in one piece. Text is taken apart only as far as every element is plain:
 * <NAME>, </NAME>, <NAME/> and CDATA, as oned writes them; from the first byte that is anything
 * else, all of it is parsed.
 *
 * Memory: some 250 bytes for each VM. Costs: O(length) for a listing, a tenth of parsing it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "adapters/cloud/objects.h"

struct known_vms; /* opaque */

struct known_vms *known_vms_create(void);
void known_vms_destroy(struct known_vms *known); /* NULL is allowed */

struct known_vms_told {
    /* Text to be parsed, in the order of the document: with the VMs that are known left out. */
    void (*parse)(void *context, const char *text, size_t length);
    /* A known VM, in the short form, without texts. */
    void (*again)(void *context, const struct vm *vm);
    void *context;
};

/* Begin a listing. False: another one has not ended. */
bool known_vms_begin(struct known_vms *known, const struct known_vms_told *told);
/* A piece of the document, in UTF-8 that XML allows. */
void known_vms_feed(struct known_vms *known, const char *text, size_t length);
/* The same before it is decoded, with "&lt;" and "&gt;": the length of the first part. *is_known:
 * it is a known VM, which was told again, and is not fed; else it is to be decoded and fed before
 * the next call. */
size_t known_vms_part(struct known_vms *known, const char *text, size_t length, bool *is_known);
/* VMs that the text to be parsed had. Those in the short form, without an error, become known. */
void known_vms_learn(struct known_vms *known, const struct vm_pool *pool);
/* The listing is over: VMs that it did not have are forgotten. May tell text to be parsed. */
void known_vms_end(struct known_vms *known);
