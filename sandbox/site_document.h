/* site_document.h: documents of a site's objects, and of its configuration. */
#pragma once

#include "sandbox/pools.h"

/* The document of an object. alone: as its info method has it; else as a pool has it. The pool's
 * documents of VMs are not here, see vm.h. */
void oned_object_document(const struct oned *oned, enum oned_kind kind, const void *object,
                          bool alone, struct oned_text *text);

/* DEFAULT_..._QUOTAS at the end of users and groups, and of their pools; nothing for other kinds.
 */
void oned_default_quotas(enum oned_kind kind, struct oned_text *text);

/* The whole answer of one.system.config. */
void oned_configuration_document(const struct oned *oned, struct oned_text *text);
