/* known_vms.h: recognizes VMs whose text equals the previous listing.
 *
 * A site's VMs are listed every few seconds, and few of them change. VMs' texts are compared by a
 * keyed sum without LAST_POLL; known short forms are reported without parsing, and without decoding
 * if they arrive in one piece. Only plain elements, as written by oned, are recognized: <NAME>,
 * </NAME>, <NAME/> and CDATA; from the first other markup on, all text is parsed.
 *
 * Memory: about 250 bytes for each VM. Costs: O(length) for a listing, a tenth of parsing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "adapters/cloud/objects.h"

struct known_vms; /* opaque */

struct known_vms *known_vms_create(void);
void known_vms_destroy(struct known_vms *known); /* NULL is allowed */

struct known_vms_told {
    /* Gets the text to be parsed, in the order of the document, without known VMs. */
    void (*parse)(void *context, const char *text, size_t length);
    /* Gets a known VM in the short form, without texts. */
    void (*again)(void *context, const struct vm *vm);
    void *context;
};

/* Begins a listing. False: another one has not ended. */
bool known_vms_begin(struct known_vms *known, const struct known_vms_told *told);
/* Adds a piece of the document, in UTF-8 that XML allows. */
void known_vms_feed(struct known_vms *known, const char *text, size_t length);
/* Examines text before decoding, with "&lt;" and "&gt;". Returns the length of its first part.
 * *is_known: the part is a known VM, which has been reported and must not be fed; otherwise the
 * part must be decoded and fed before the next call. */
size_t known_vms_part(struct known_vms *known, const char *text, size_t length, bool *is_known);
/* Adds VMs parsed from the text. VMs in the short form without an error become known. */
void known_vms_learn(struct known_vms *known, const struct vm_pool *pool);
/* Ends the listing: forgets VMs that were not in it. May pass on text to be parsed. */
void known_vms_end(struct known_vms *known);
