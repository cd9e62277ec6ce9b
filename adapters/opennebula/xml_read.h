/* xml_read.h: a document through libxml2's parser: no network, no DOCTYPE, no tree. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_XML_READ_H
#define GALERNA_ADAPTERS_OPENNEBULA_XML_READ_H

#include <stdbool.h>
#include <stddef.h>

/* What to do with what is found. The first argument is the caller's context. The reading ends when
 * `start` returns false. Names come from the parser: the same name has the same address. */
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

/* The same in pieces, in the order of the document. `problem` must live until the end. Feeding ends
 * nothing: what is wrong is told by the end, which frees the reading. */
struct xml_reading;
struct xml_reading *xml_reading_begin(const struct xml_visitor *visitor, void *context,
                                      char problem[XML_PROBLEM_MAX]);
void xml_reading_feed(struct xml_reading *self, const char *text, size_t length);
enum xml_result xml_reading_end(struct xml_reading *self);

#endif
