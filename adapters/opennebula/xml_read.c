#include "adapters/opennebula/xml_read.h"

#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

#include "adapters/opennebula/printable.h"

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

static void on_start(void *parser, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct reading *reading = reading_of(parser);

    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces;
    (void)n_attributes, (void)n_defaulted, (void)attributes;
    if (reading->result == XML_READ_WHOLE &&
        !reading->visitor->start(reading->context, (const char *)name))
        stop(parser, XML_READ_STOPPED, NULL);
}

static void on_end(void *parser, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct reading *reading = reading_of(parser);

    (void)name, (void)prefix, (void)uri;
    if (reading->result == XML_READ_WHOLE)
        reading->visitor->end(reading->context);
}

static void on_text(void *parser, const xmlChar *text, int length)
{
    struct reading *reading = reading_of(parser);

    if (reading->result == XML_READ_WHOLE)
        reading->visitor->text(reading->context, (const char *)text, (size_t)length);
}

/* Without declarations there are no entities that could grow or name a file. */
static void on_doctype(void *parser, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop(parser, XML_READ_BROKEN, "a DOCTYPE, which OpenNebula does without");
}

#if LIBXML_VERSION >= 21200
static void on_error(void *parser, const xmlError *problem)
#else
static void on_error(void *parser, xmlErrorPtr problem)
#endif
{
    /* Namespaces have no meaning here: a colon in a name is a character like any other. */
    if (problem->level >= XML_ERR_ERROR && problem->domain != XML_FROM_NAMESPACE) {
        problem->message[strcspn(problem->message, "\n")] = '\0';
        stop(parser, XML_READ_BROKEN, problem->message);
    }
}

static const xmlSAXHandler handler = {
    .initialized = XML_SAX2_MAGIC,
    .internalSubset = on_doctype,
    .startElementNs = on_start,
    .endElementNs = on_end,
    .characters = on_text,
    .ignorableWhitespace = on_text,
    .cdataBlock = on_text,
    .serror = on_error,
};

enum xml_result xml_read(const struct xml_visitor *visitor, void *context, const char *document,
                         size_t length, char problem[XML_PROBLEM_MAX])
{
    struct reading reading = {.visitor = visitor, .context = context, .problem = problem};
    xmlParserCtxtPtr parser = length > 0 ? xmlCreateMemoryParserCtxt(document, (int)length) : NULL;

    if (!parser) {
        snprintf(problem, XML_PROBLEM_MAX, "it is empty");
        return XML_READ_BROKEN;
    }
    parser->_private = &reading;
    *parser->sax = handler;
    /* The size is the caller's to limit; libxml2's own limits are for trees. */
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_HUGE);
    xmlParseDocument(parser);
    if (!parser->wellFormed)
        stop(parser, XML_READ_BROKEN, "it ends too early");
    xmlFreeDoc(parser->myDoc);
    xmlFreeParserCtxt(parser);
    return reading.result;
}
