/* Turns XML events into known elements with their attributes. */
#include "lwf/lwf_parser.h"

#include <errno.h>
#include <string.h>

#include <libxml/parserInternals.h>

/* Stopping the parser frees the text of names and values; therefore callbacks stop it last. */
static void callback_done(struct lwf_reader *reader)
{
    if (reader->ended && !reader->stopped) {
        reader->stopped = true;
        xmlStopParser(reader->parser);
    }
}

static enum lwf_element element_of(const struct lwf_reader *reader, const xmlChar *name)
{
    for (int i = 1; i < ELEMENTS; i++)
        if (reader->elements[i] == name)
            return i;
    return ELEMENT_UNKNOWN;
}

static enum lwf_attribute attribute_of(const struct lwf_reader *reader, const xmlChar *name)
{
    for (int i = 1; i < ATTRIBUTES; i++)
        if (reader->attributes[i] == name)
            return i;
    return ATTRIBUTE_UNKNOWN;
}

/* Skips the element. A known element in the wrong place is an error, but Haizea 1.0 ignores it. */
static void pass_over(struct lwf_reader *reader, enum lwf_element element, const xmlChar *name)
{
    reader->skipped = 1;
    if (element == ELEMENT_UNKNOWN)
        lwf_warn_at(reader, lwf_parser_place(reader, NULL), "unknown element <%.64s> ignored",
                    (const char *)name);
    else
        lwf_object(reader, NULL, "<%s> is not expected here; it belongs in %s",
                   lwf_rules[element].name, lwf_rules[element].parents_text);
}

static bool take_attributes(struct lwf_reader *reader, enum lwf_element element, int n,
                            const xmlChar **attributes)
{
    uint32_t known = lwf_rules[element].needed | lwf_rules[element].optional;
    uint32_t missing;

    reader->given = 0;
    for (int i = 0; i < n; i++, attributes += 5) {
        enum lwf_attribute attribute = attribute_of(reader, attributes[0]);

        if (!(known >> attribute & 1)) {
            if (reader->options.report)
                lwf_warn_at(reader, lwf_parser_place(reader, (const char *)attributes[3]),
                            "unknown attribute %.64s of <%s> ignored", (const char *)attributes[0],
                            lwf_rules[element].name);
            continue;
        }
        reader->values[attribute].text = (const char *)attributes[3];
        reader->values[attribute].end = (const char *)attributes[4];
        reader->given |= 1u << attribute;
    }
    missing = lwf_rules[element].needed & ~reader->given;
    if (missing) {
        lwf_complain(reader, NULL, "<%s> has no attribute %s", lwf_rules[element].name,
                     lwf_attribute_name(__builtin_ctz(missing)));
        return false;
    }
    return true;
}

static void begin_element(struct lwf_reader *reader, const xmlChar *name, int n_attributes,
                          const xmlChar **attributes)
{
    enum lwf_element element, parent;

    if (reader->depth + reader->skipped >= LWF_DEPTH_MAX) {
        lwf_complain(reader, NULL, "elements are nested more than %d deep", LWF_DEPTH_MAX);
        lwf_parser_stop(reader);
        return;
    }
    if (reader->skipped) {
        reader->skipped++;
        return;
    }
    parent = reader->stack[reader->depth];
    element = element_of(reader, name);
    if (reader->depth == 0 && element != ELEMENT_WORKLOAD) {
        lwf_complain(reader, NULL, "the root is <%.64s>, not <lease-workload>", (const char *)name);
        lwf_parser_stop(reader);
        return;
    }
    if (element == ELEMENT_UNKNOWN || !(lwf_rules[element].parents >> parent & 1)) {
        pass_over(reader, element, name);
        return;
    }
    if (!take_attributes(reader, element, n_attributes, attributes) && element != ELEMENT_REQUEST &&
        element != ELEMENT_LEASE) {
        reader->skipped = 1;
        return;
    }
    if (reader->ended)
        return;
    if (!lwf_builder_begin(reader, element, parent)) {
        reader->skipped = 1;
        return;
    }
    reader->stack[++reader->depth] = element;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct lwf_reader *reader = context;

    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    if (!reader->ended)
        begin_element(reader, name, n_attributes, attributes);
    callback_done(reader);
}

static void end_element(struct lwf_reader *reader)
{
    if (reader->skipped)
        reader->skipped--;
    else if (reader->depth > 0)
        lwf_builder_end(reader, reader->stack[reader->depth--]);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct lwf_reader *reader = context;

    (void)name, (void)prefix, (void)uri;
    if (!reader->ended)
        end_element(reader);
    callback_done(reader);
}

/* A trace needs no entities or other effects of a DOCTYPE. */
static void on_doctype(void *context, const xmlChar *name, const xmlChar *public_id,
                       const xmlChar *system_id)
{
    struct lwf_reader *reader = context;

    (void)name, (void)public_id, (void)system_id;
    lwf_complain(reader, NULL, "a DOCTYPE is not allowed; remove it");
    lwf_parser_stop(reader);
    callback_done(reader);
}

static void on_syntax_error(void *context, xmlErrorPtr syntax)
{
    struct lwf_reader *reader = context;
    const char *message = syntax->message ? syntax->message : "not well-formed";
    struct lwf_place place = {syntax->line, syntax->int2 > 0 ? syntax->int2 : 1};
    int length = (int)strcspn(message, "\n");

    if (syntax->level != XML_ERR_FATAL || reader->ended)
        return;
    if (place.line < 1)
        place.line = 1;
    if (syntax->code == XML_ERR_DOCUMENT_END && reader->depth > 0)
        lwf_complain_at(reader, place, "the file is cut off: it ends inside <%s>",
                        lwf_rules[reader->stack[reader->depth]].name);
    else
        lwf_complain_at(reader, place, "not well-formed XML: %.*s", length, message);
    lwf_parser_stop(reader);
}

int lwf_parser_start(struct lwf_reader *reader, struct error *err)
{
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = on_start,
        .endElementNs = on_end,
        .internalSubset = on_doctype,
        .serror = on_syntax_error,
    };

    lwf_parser_finish(reader);
    reader->depth = reader->skipped = 0;
    reader->stopped = false;
    reader->stack[0] = ELEMENT_DOCUMENT;
    reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    if (!reader->parser)
        return error_set(err, ENOMEM, "%s: out of memory", source_name(reader->source));
    xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET);
    for (int i = 1; i < ELEMENTS; i++) {
        reader->elements[i] =
            xmlDictLookup(reader->parser->dict, (const xmlChar *)lwf_rules[i].name, -1);
        if (!reader->elements[i])
            return error_set(err, ENOMEM, "%s: out of memory", source_name(reader->source));
    }
    for (int i = 1; i < ATTRIBUTES; i++) {
        reader->attributes[i] =
            xmlDictLookup(reader->parser->dict, (const xmlChar *)lwf_attribute_name(i), -1);
        if (!reader->attributes[i])
            return error_set(err, ENOMEM, "%s: out of memory", source_name(reader->source));
    }
    return 0;
}

void lwf_parser_finish(struct lwf_reader *reader)
{
    if (!reader->parser)
        return;
    if (reader->parser->myDoc)
        xmlFreeDoc(reader->parser->myDoc);
    xmlFreeParserCtxt(reader->parser);
    reader->parser = NULL;
}
