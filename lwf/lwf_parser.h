/* lwf_parser.h: the inside of the LWF reader, shared by its files.
 *
 * lwf_reader.c feeds bytes to the XML parser and hands out requests, lwf_parser.c turns XML events
 * into known elements with their attributes, lwf_builder.c makes requests of them, lwf_nodes.c node
 * sets and the site.
 */
#pragma once

#include <libxml/parser.h>

#include "lwf/lwf_reader.h"
#include "lwf/lwf_words.h"
#include "lwf/trace_methods.h"

enum {
    LWF_DEPTH_MAX = 32,       /* of elements */
    LWF_ATTRIBUTE_MAX = 1024, /* bytes in a value that is kept */
};

struct lwf_value {
    const char *text, *end;
};

/* A finished request; its pointers are kept as indexes while the arrays still grow. */
struct lwf_queued {
    struct lease_request request;
    size_t first_set;
    size_t image; /* offset into text, or SIZE_MAX */
    struct lwf_place place;
};

/* Requests read but not yet handed out, with the data they point to. */
struct lwf_queue {
    struct lwf_queued *items;
    size_t n_items, allocated_items, next;
    struct node_set *sets;
    size_t n_sets, allocated_sets;
    char *text;
    size_t n_text, allocated_text;
};

/* The open <lease-request> as read so far. */
struct lwf_request {
    struct lease_request request;
    size_t first_set, n_vms;
    size_t image;
    uint32_t seen;             /* bits of the elements met inside */
    bool exact, now, earliest; /* what <start> says */
    bool sound;                /* nothing wrong so far */
    struct lwf_place place, lease_place;
};

struct lwf_reader {
    struct trace trace;
    struct source *source;
    struct lwf_options options;
    xmlParserCtxt *parser;
    const xmlChar *elements[ELEMENTS]; /* names as the parser's dictionary holds them */
    const xmlChar *attributes[ATTRIBUTES];

    enum lwf_element stack[LWF_DEPTH_MAX + 1];
    int depth;
    int skipped;    /* depth inside an element that is passed over */
    uint32_t given; /* attributes of the element that begins */
    struct lwf_value values[ATTRIBUTES];

    struct lwf_request request;
    struct node_set set; /* the open <node-set> */
    uint32_t set_types;  /* types it has named */
    int res_type;        /* of the open <res>; -1: not usable */
    bool res_amount;     /* its amount is known */
    struct lwf_queue queue;
    int64_t last_id;

    struct resource_types types; /* of the requests */
    bool types_fixed;
    struct site site;
    bool in_site, has_site;
    uint32_t site_listed, site_used; /* types */
    bool site_only;                  /* looking for a site that follows the requests */
    bool site_searched;
    bool requests_before_site; /* stopped to look for it */

    bool has_requests;
    bool ended;   /* nothing more is taken from the source */
    bool stopped; /* the parser knows it, too */
    bool begun;   /* the source is not empty */
    bool failed;
    struct error failure;
};

/* Start reading from the source's present position. */
int lwf_parser_start(struct lwf_reader *reader, struct error *err);
void lwf_parser_finish(struct lwf_reader *reader);

/* Take nothing more; the parser stops when it is back from its callback. */
void lwf_parser_stop(struct lwf_reader *reader);

/* The position in the file of `where`, a byte of the element that begins or ends. NULL: of the
 * element itself. */
struct lwf_place lwf_parser_place(const struct lwf_reader *reader, const char *where);

/* Something is wrong with the input: the open request is not sound. Reports it, or ends the reading
 * with it. */
void lwf_complain(struct lwf_reader *reader, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lwf_complain_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A remark; only if reports are requested. */
void lwf_warn_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lwf_builder.c: an element begins (its attributes are in reader->values) or ends; parent is the
 * element around it. lwf_builder_begin() returns false to pass over the whole element. */
bool lwf_builder_begin(struct lwf_reader *reader, enum lwf_element element,
                       enum lwf_element parent);
void lwf_builder_end(struct lwf_reader *reader, enum lwf_element element);

/* lwf_nodes.c: the elements of a site, and node sets of both site and leases. */
bool lwf_site_begin(struct lwf_reader *reader); /* false: pass over it */
void lwf_site_end(struct lwf_reader *reader);
void lwf_resource_types_begin(struct lwf_reader *reader);
void lwf_node_set_begin(struct lwf_reader *reader);
void lwf_node_set_end(struct lwf_reader *reader);
void lwf_res_begin(struct lwf_reader *reader);
void lwf_res_end(struct lwf_reader *reader);
void lwf_instance_begin(struct lwf_reader *reader);

/* Drops the requests already handed out; keeps the contents of the open one. */
void lwf_queue_restart(struct lwf_reader *reader);
void lwf_queue_finish(struct lwf_queue *queue);
