/* Decodes the document in an answer while the answer arrives. */
#include "adapters/opennebula/rpc_text.h"

#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/xml_bytes.h"
#include "adapters/opennebula/xml_read.h"
#include "util/memory.h"

enum { BEFORE_MOST = 4096 /* most bytes before the text in an answer */ };

void rpc_text_init(struct rpc_text *text, rpc_piece *piece, rpc_part *part, void *context)
{
    *text = (struct rpc_text){.piece = piece, .part = part, .context = context};
}

void rpc_text_finish(struct rpc_text *text)
{
    free(text->around);
    *text = (struct rpc_text){0};
}

static void keep(struct rpc_text *text, const char *bytes, size_t length)
{
    text->around = memory_grow(text->around, &text->allocated, text->n_around + length + 1, 1);
    memcpy(text->around + text->n_around, bytes, length);
    text->n_around += length;
}

/* --- decoding --------------------------------------------------------------------------------- */

static bool on_start(void *context, const char *name)
{
    (void)context, (void)name;
    return true;
}

static void on_end(void *context)
{
    (void)context;
}

static void on_text(void *context, const char *bytes, size_t length)
{
    struct rpc_text *text = context;

    text->piece(text->context, bytes, length);
}

/* Decodes text that needs an XML parser: other references, carriage returns. */
static void parse(struct rpc_text *text, const char *bytes, size_t length)
{
    static const struct xml_visitor visitor = {on_start, on_end, on_text};
    char problem[XML_PROBLEM_MAX];
    struct xml_reading *reading = xml_reading_begin(&visitor, text, problem);

    xml_reading_feed(reading, "<s>", strlen("<s>"));
    xml_reading_feed(reading, bytes, length);
    xml_reading_feed(reading, "</s>", strlen("</s>"));
    text->broken = xml_reading_end(reading) != XML_READ_WHOLE;
}

static void decode(struct rpc_text *text, const char *bytes, size_t length)
{
    size_t decoded;
    char *whole = xml_text_decoded(bytes, length, &decoded);
    char *mended = whole ? NULL : xml_bytes_mended(bytes, length);

    if (mended)
        whole = xml_text_decoded(mended, length, &decoded);
    if (whole)
        text->piece(text->context, whole, decoded);
    else
        parse(text, mended ? mended : bytes, length);
    free(mended);
    free(whole);
}

static void take_parts(struct rpc_text *text, const char *bytes, size_t length)
{
    while (length > 0 && !text->broken) {
        bool is_known = false;
        size_t n = text->part ? text->part(text->context, bytes, length, &is_known) : length;

        if (!is_known)
            decode(text, bytes, n);
        bytes += n;
        length -= n;
    }
}

/* The number of last bytes that may be an incomplete reference or character. */
static size_t unfinished(const char *bytes, size_t length)
{
    for (size_t n = 1; n <= length && n < RPC_TEXT_TAIL; n++) {
        unsigned char c = (unsigned char)bytes[length - n];

        if (c == ';')
            return 0;
        if (c == '&')
            return n;
        if (c >= 0xC0)
            return n < (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) ? n : 0;
    }
    return 0;
}

static void take_inside(struct rpc_text *text, const char *bytes, size_t length, bool last)
{
    char *joined = NULL;
    size_t tail;

    if (text->n_tail) {
        joined = memory_new(text->n_tail + length + 1, 1);
        memcpy(joined, text->tail, text->n_tail);
        memcpy(joined + text->n_tail, bytes, length);
        bytes = joined;
        length += text->n_tail;
    }
    tail = last ? 0 : unfinished(bytes, length);
    text->n_tail = tail;
    memcpy(text->tail, bytes + length - tail, tail);
    take_parts(text, bytes, length - tail);
    free(joined);
}

/* --- finding it ------------------------------------------------------------------------------- */

/* The position after the tag that begins the text of a successful answer. */
static size_t begin_of_text(const struct rpc_text *text)
{
    static const char yes[] = "<boolean>1</boolean>", tag[] = "<string>";
    const char *found, *end = text->around + text->n_around;

    if (text->n_around > BEFORE_MOST)
        return 0;
    found = memmem(text->around, text->n_around, yes, sizeof yes - 1);
    found = found ? memmem(found, (size_t)(end - found), tag, sizeof tag - 1) : NULL;
    return found ? (size_t)(found - text->around) + sizeof tag - 1 : 0;
}

static void take_before(struct rpc_text *text, const char *bytes, size_t length)
{
    size_t first = length < BEFORE_MOST ? length : BEFORE_MOST, old = text->n_around, begin;

    if (old >= BEFORE_MOST) {
        keep(text, bytes, length);
        return;
    }
    keep(text, bytes, first);
    begin = begin_of_text(text);
    if (!begin) {
        keep(text, bytes + first, length - first);
        return;
    }
    text->n_around = begin;
    text->where = TEXT_INSIDE;
    rpc_text_take(text, bytes + (begin - old), length - (begin - old));
}

void rpc_text_take(struct rpc_text *text, const char *bytes, size_t length)
{
    const char *markup;

    switch (text->where) {
    case TEXT_BEFORE:
        take_before(text, bytes, length);
        break;
    case TEXT_INSIDE:
        markup = memchr(bytes, '<', length);
        take_inside(text, bytes, markup ? (size_t)(markup - bytes) : length, markup != NULL);
        if (markup) {
            text->where = TEXT_AFTER;
            keep(text, markup, length - (size_t)(markup - bytes));
        }
        break;
    case TEXT_AFTER:
        keep(text, bytes, length);
        break;
    }
}
