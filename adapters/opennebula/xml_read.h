/* xml_read.h: a document through libxml2's parser: no network, no DOCTYPE, no tree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Callbacks of a reading; the first argument is the caller's context. The reading ends when `start`
 * returns false. Names come from the parser: the same name has the same address. */
struct xml_visitor {
    bool (*start)(void *context, const char *name);
    void (*end)(void *context);
    void (*text)(void *context, const char *text, size_t length);
};

enum { XML_PROBLEM_MAX = 160 };

enum xml_result {
    XML_READ_WHOLE,
    XML_READ_STOPPED, /* by the visitor */
    XML_READ_BROKEN,  /* no well-formed XML, or with a DOCTYPE: see problem */
};

/* Read `length` bytes, at most INT_MAX. problem: "byte N: what is wrong", in printable characters.
 */
enum xml_result xml_read(const struct xml_visitor *visitor, void *context, const char *document,
                         size_t length, char problem[XML_PROBLEM_MAX]);

/* The same in pieces, in document order. `problem` must live until the end. Feeding never fails:
 * errors are reported when the reading is ended, which also frees it. */
struct xml_reading;
struct xml_reading *xml_reading_begin(const struct xml_visitor *visitor, void *context,
                                      char problem[XML_PROBLEM_MAX]);
void xml_reading_feed(struct xml_reading *self, const char *text, size_t length);
enum xml_result xml_reading_end(struct xml_reading *self);
