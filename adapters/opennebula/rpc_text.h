/* rpc_text.h: decodes the document in an answer while the answer arrives.
 *
 * Documents are megabytes of escaped markup. The first text of a successful answer is decoded and
 * passed on in pieces; the rest of the answer is stored and, once complete, decoded like a whole
 * answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef void rpc_piece(void *context, const char *text, size_t length);
/* Returns the length of the first part of a text before decoding. *is_known: the part is left out;
 * otherwise it is decoded and passed on before the next part is examined. */
typedef size_t rpc_part(void *context, const char *text, size_t length, bool *is_known);

enum { RPC_TEXT_TAIL = 16 };

struct rpc_text {
    rpc_piece *piece;
    rpc_part *part; /* NULL: the whole text is decoded */
    void *context;
    enum { TEXT_BEFORE, TEXT_INSIDE, TEXT_AFTER } where;
    char *around; /* the answer without the text */
    size_t n_around, allocated;
    char tail[RPC_TEXT_TAIL]; /* an incomplete reference or character */
    size_t n_tail;
    bool broken; /* the text cannot be decoded */
};

void rpc_text_init(struct rpc_text *text, rpc_piece *piece, rpc_part *part, void *context);
/* Adds bytes of the answer, in order. */
void rpc_text_take(struct rpc_text *text, const char *bytes, size_t length);
void rpc_text_finish(struct rpc_text *text);
