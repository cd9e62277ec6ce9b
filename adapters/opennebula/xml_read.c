/* Reads a document without network, DOCTYPE and tree. */
#include "adapters/opennebula/xml_read.h"

#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/printable.h"

struct reading {
    const struct xml_visitor *visitor;
    void *context;
    char *problem;
    enum xml_result result;
};

static struct reading *reading_of(void *parser)
{
    return ((xmlParserCtxtPtr)parser)->_private;
}

static void stop(xmlParserCtxtPtr parser, enum xml_result result, const char *what)
{
    struct reading *reading = parser->_private;
    char shown[XML_PROBLEM_MAX - 40];

    if (reading->result != XML_READ_WHOLE)
        return;
    reading->result = result;
    if (result == XML_READ_BROKEN)
        snprintf(reading->problem, XML_PROBLEM_MAX, "byte %ld: %s", xmlByteConsumed(parser),
                 printable(shown, sizeof shown, what));
    xmlStopParser(parser);
}

static void on_start(void *parser, const xmlChar *name, const xmlChar **attributes)
{
    struct reading *reading = reading_of(parser);

    (void)attributes;
    if (reading->result == XML_READ_WHOLE &&
        !reading->visitor->start(reading->context, (const char *)name))
        stop(parser, XML_READ_STOPPED, NULL);
}

static void on_end(void *parser, const xmlChar *name)
{
    struct reading *reading = reading_of(parser);

    (void)name;
    if (reading->result == XML_READ_WHOLE)
        reading->visitor->end(reading->context);
}

static void on_text(void *parser, const xmlChar *text, int length)
{
    struct reading *reading = reading_of(parser);

    if (reading->result == XML_READ_WHOLE)
        reading->visitor->text(reading->context, (const char *)text, (size_t)length);
}

/* Without declarations no entity can expand or name a file. */
static void on_doctype(void *parser, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop(parser, XML_READ_BROKEN, "unexpected DOCTYPE");
}

static void on_error(void *parser, const char *format, ...)
{
    const xmlError *problem = xmlCtxtGetLastError(parser);

    (void)format;
    /* Namespaces have no meaning here: a colon in a name is a character like any other. */
    if (problem->domain != XML_FROM_NAMESPACE) {
        problem->message[strcspn(problem->message, "\n")] = '\0';
        stop(parser, XML_READ_BROKEN, problem->message);
    }
}

/* SAX1, which knows no namespaces, takes a tenth less time than SAX2. */
static const xmlSAXHandler handler = {
    .initialized = 1,
    .internalSubset = on_doctype,
    .startElement = on_start,
    .endElement = on_end,
    .characters = on_text,
    .ignorableWhitespace = on_text,
    .cdataBlock = on_text,
    .error = on_error,
};

enum { PIECE = 64 * 1024 };

struct xml_reading {
    struct reading reading;
    xmlParserCtxtPtr parser;
    size_t fed;
};

struct xml_reading *xml_reading_begin(const struct xml_visitor *visitor, void *context,
                                      char problem[XML_PROBLEM_MAX])
{
    struct xml_reading *self = memory_new(1, sizeof *self);

    self->reading = (struct reading){.visitor = visitor, .context = context, .problem = problem};
    self->parser = xmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL);
    if (!self->parser)
        abort();
    self->parser->_private = &self->reading;
    *self->parser->sax = handler;
    /* The caller limits the size; libxml2's own limits are for trees. */
    xmlCtxtUseOptions(self->parser, XML_PARSE_NONET | XML_PARSE_HUGE);
    return self;
}

void xml_reading_feed(struct xml_reading *self, const char *text, size_t length)
{
    self->fed += length;
    for (size_t n; length > 0 && self->reading.result == XML_READ_WHOLE; text += n, length -= n) {
        n = length < PIECE ? length : PIECE;
        xmlParseChunk(self->parser, text, (int)n, 0);
    }
}

enum xml_result xml_reading_end(struct xml_reading *self)
{
    enum xml_result result;

    if (self->fed == 0) {
        snprintf(self->reading.problem, XML_PROBLEM_MAX, "it is empty");
        self->reading.result = XML_READ_BROKEN;
    } else if (self->reading.result == XML_READ_WHOLE) {
        xmlParseChunk(self->parser, NULL, 0, 1);
        if (!self->parser->wellFormed)
            stop(self->parser, XML_READ_BROKEN, "unexpected end of the document");
    }
    result = self->reading.result;
    xmlFreeDoc(self->parser->myDoc);
    xmlFreeParserCtxt(self->parser);
    free(self);
    return result;
}

enum xml_result xml_read(const struct xml_visitor *visitor, void *context, const char *document,
                         size_t length, char problem[XML_PROBLEM_MAX])
{
    struct xml_reading *reading = xml_reading_begin(visitor, context, problem);

    xml_reading_feed(reading, document, length);
    return xml_reading_end(reading);
}
