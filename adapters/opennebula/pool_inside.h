/* pool_inside.h: the state of the reader of documents; internal. */
#pragma once

#include "adapters/opennebula/pool_names.h"
#include "adapters/opennebula/xml_read.h"

struct id_list {
    int32_t *items;
    size_t n, allocated;
};

struct pool_reader {
    const struct pool_format *format;
    struct pool_items items;
    struct pool_names names;
    struct error problem;
    size_t fed;     /* bytes of the document since the last batch */
    bool is_broken; /* not well-formed XML, possibly because of bytes that XML does not allow */

    /* The parser's position. */
    const struct element *elements[POOL_DEPTH_MAX];
    bool has_children[POOL_DEPTH_MAX];
    size_t depth;
    size_t object_depth; /* of the object's own element: 1, or 0 if it is the root */
    bool in_object;

    /* The current object, stored after the last of the items. */
    bool rejected, has_id;
    void *scratch;
    struct attributes lists[POOL_LISTS];
    struct id_list ids;
    char *text;
    size_t length, allocated_text;

    pool_batch *batch; /* NULL: all objects at once */
    void *context;
    struct xml_reading *xml;
    char what_is_wrong[XML_PROBLEM_MAX];
};
