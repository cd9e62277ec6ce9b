/* rpc_text.h: the document in an answer, while the answer arrives.
 *
 * Documents are megabytes of escaped markup. The first text of a successful answer is decoded and
 * handed on piece by piece; the rest of the answer is kept, and decoded as an answer of its own
 * when complete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef void rpc_piece(void *context, const char *text, size_t length);
/* The length of the first part of a text that is not decoded yet. *is_known: it is left out, and
 * not told; else it is decoded and told before the next part is asked for. */
typedef size_t rpc_part(void *context, const char *text, size_t length, bool *is_known);

enum { RPC_TEXT_TAIL = 16 };

struct rpc_text {
    rpc_piece *piece;
    rpc_part *part; /* NULL: all of it is decoded */
    void *context;
    enum { TEXT_BEFORE, TEXT_INSIDE, TEXT_AFTER } where;
    char *around; /* the answer without the text */
    size_t n_around, allocated;
    char tail[RPC_TEXT_TAIL]; /* a reference or character that is not whole yet */
    size_t n_tail;
    bool broken; /* the text cannot be decoded */
};

void rpc_text_init(struct rpc_text *text, rpc_piece *piece, rpc_part *part, void *context);
/* Bytes of the answer, in order. */
void rpc_text_take(struct rpc_text *text, const char *bytes, size_t length);
void rpc_text_finish(struct rpc_text *text);
