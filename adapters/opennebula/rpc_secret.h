/* rpc_secret.h: the session secret, and its removal from texts. */
#pragma once

#include <stddef.h>

enum { RPC_SECRET_FORMS = 4 };

struct rpc_secret {
    char *session;
    char *forms[RPC_SECRET_FORMS]; /* texts that must not be shown, longest first: the session and
                                      the password, plain and escaped in XML */
};

void rpc_secret_init(struct rpc_secret *secret, const char *session);
void rpc_secret_finish(struct rpc_secret *secret); /* wipes it */

/* Writes `text` to `to` (size > 0 bytes) as one printable line with "***" in place of the secret;
 * truncated at a character boundary if too long. The two must not overlap. */
void rpc_secret_line(const struct rpc_secret *secret, const char *text, char *to, size_t size);
