/* rpc_answer.h: decodes the body of an XML-RPC answer.
 *
 * oned answers with an array: true, value, 0 on success; false, text, code and more on failure. The
 * number of elements differs between versions and is ignored.
 */
#pragma once

#include "adapters/opennebula/rpc.h"

/* Decodes a body: DONE, REFUSED, FAULT or UNKNOWN (a malformed answer). The texts are the caller's,
 * until rpc_answer_finish(). The message is what oned said, or what is wrong with the answer: of
 * any length and with several lines, and it may repeat the session. Bytes that XML does not allow,
 * which a user's template can bring in, become '?'. A DOCTYPE and deep nesting are refused. Linear
 * in length. */
void rpc_answer_decode(struct rpc_reply *answer, const char *body, size_t length);
void rpc_answer_finish(struct rpc_reply *answer);
