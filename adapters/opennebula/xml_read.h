/* xml_read.h: parses documents with libxml2, without network, DOCTYPE and tree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Callbacks, whose first argument is the caller's context. The reading ends if `start` returns
 * false. Names belong to the parser; equal names have the same address. */
struct xml_visitor {
    bool (*start)(void *context, const char *name);
    void (*end)(void *context);
    void (*text)(void *context, const char *text, size_t length);
};

enum { XML_PROBLEM_MAX = 160 };

enum xml_result {
    XML_READ_WHOLE,
    XML_READ_STOPPED, /* by the visitor */
    XML_READ_BROKEN,  /* not well-formed XML, or with a DOCTYPE: see problem */
};

/* Reads `length` bytes, at most INT_MAX. problem: "byte N: ERROR", in printable characters. */
enum xml_result xml_read(const struct xml_visitor *visitor, void *context, const char *document,
                         size_t length, char problem[XML_PROBLEM_MAX]);

/* Read a document in pieces, in order. `problem` must stay valid until the end. xml_reading_end()
 * reports all errors and frees the reader. */
struct xml_reading;
struct xml_reading *xml_reading_begin(const struct xml_visitor *visitor, void *context,
                                      char problem[XML_PROBLEM_MAX]);
void xml_reading_feed(struct xml_reading *self, const char *text, size_t length);
enum xml_result xml_reading_end(struct xml_reading *self);
