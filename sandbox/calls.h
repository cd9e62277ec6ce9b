/* calls.h: XML-RPC calls: a document in, a document out. */
#pragma once

#include "sandbox/pools.h"

struct oned_calls *oned_calls_create(struct oned *oned, struct error *err);
void oned_calls_destroy(struct oned_calls *calls);

/* Answer a document. The answer is freed with free(). *fault: what the transport does to the
 * answer; NULL: nothing. */
char *oned_calls_process(struct oned *oned, const char *request, size_t request_size, size_t *size,
                         const struct oned_fault **fault);
