/* rpc_answer.h: decodes the body of an XML-RPC answer.
 *
 * oned answers with an array: true, value, 0 on success; false, text, code and more on failure. The
 * number of elements differs between versions and is ignored.
 */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_RPC_ANSWER_H
#define GALERNA_ADAPTERS_OPENNEBULA_RPC_ANSWER_H

#include "adapters/opennebula/rpc.h"

struct rpc_answer {
    enum rpc_outcome outcome; /* DONE, REFUSED, FAULT or UNKNOWN */
    int64_t code;
    char *text; /* DONE: `length` bytes and a 0, or NULL when the value is a number */
    size_t length;
    int64_t number;
    char *message; /* not DONE: what oned said, or what is wrong with the answer; not cut, it may
                      repeat the session */
};

/* Decodes a body. A malformed answer gives UNKNOWN. Bytes that XML does not allow, which a user's
 * template can bring in, become '?'. A DOCTYPE and deep nesting are refused. Linear in length. */
void rpc_answer_decode(struct rpc_answer *answer, const char *body, size_t length);
void rpc_answer_finish(struct rpc_answer *answer);

#endif
