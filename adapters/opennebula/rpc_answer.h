/* rpc_answer.h: decodes the body of an XML-RPC answer.
 *
 * oned answers with an array: true, value, 0 on success; false, text, code and more on failure. The
 * number of elements differs between versions and is ignored.
 */
#pragma once

#include "adapters/opennebula/rpc.h"

/* Decodes a body: DONE, REFUSED, FAULT or UNKNOWN (a malformed answer). The texts are valid until
 * rpc_answer_finish(). The message is oned's text or an error of the answer, of any length,
 * possibly with several lines and with the session. Bytes that XML does not allow, which can come
 * from users' templates, become '?'. A DOCTYPE and deep nesting are rejected. O(length). */
void rpc_answer_decode(struct rpc_reply *answer, const char *body, size_t length);
void rpc_answer_finish(struct rpc_reply *answer);
