/* calls.h: calls by XML-RPC, document in, document out. */
#pragma once

#include "sandbox/pools.h"

struct oned_calls *oned_calls_create(struct oned *oned, struct error *err);
void oned_calls_destroy(struct oned_calls *calls);

/* Answer a document. The answer is freed with free(). *fault: how the transport is to treat it;
 * NULL: as usual. */
char *oned_calls_process(struct oned *oned, const char *request, size_t request_size, size_t *size,
                         const struct oned_fault **fault);
