/* Templates from XML. */
#include <ctype.h>
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "sandbox/attributes.h"
#include "util/memory.h"

enum { DEPTH_MAX = 16 };

static bool has_elements(const xmlNode *node)
{
    for (const xmlNode *child = node->children; child; child = child->next)
        if (child->type == XML_ELEMENT_NODE)
            return true;
    return false;
}

static void add_children(struct oned_attributes *list, const xmlNode *parent, int depth)
{
    for (xmlNode *node = parent->children; node && depth < DEPTH_MAX; node = node->next) {
        char *name;

        if (node->type != XML_ELEMENT_NODE)
            continue;
        name = memory_text((const char *)node->name);
        for (char *c = name; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        if (has_elements(node)) {
            add_children(oned_attributes_add_vector(list, name), node, depth + 1);
        } else {
            xmlChar *value = xmlNodeGetContent(node);

            oned_attributes_add(list, name, (const char *)value);
            xmlFree(value);
        }
        free(name);
    }
}

int oned_attributes_parse_xml(struct oned_attributes *list, const char *text, struct error *err)
{
    xmlDoc *document = xmlReadMemory(text, (int)strlen(text), NULL, NULL,
                                     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);

    if (!document || document->intSubset) {
        xmlFreeDoc(document);
        return error_set(err, EINVAL, "the template begins with '<' but is not XML");
    }
    add_children(list, xmlDocGetRootElement(document), 0);
    xmlFreeDoc(document);
    return 0;
}
