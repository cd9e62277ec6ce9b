/* lwf_parser.h: shared by the files of the LWF reader; internal.
 *
 * lwf_reader.c feeds bytes to the XML parser and returns requests, lwf_parser.c turns XML events
 * into known elements with their attributes, lwf_builder.c builds requests from them, lwf_nodes.c
 * node sets and the site, lwf_report.c reports errors.
 */
#pragma once

#include <libxml/parser.h>

#include "lwf/lwf_reader.h"
#include "lwf/lwf_words.h"
#include "lwf/trace_methods.h"
#include "util/map.h"

enum {
    LWF_DEPTH_MAX = 32,       /* of elements */
    LWF_ATTRIBUTE_MAX = 1024, /* bytes of a stored value */
};

struct lwf_value {
    const char *text, *end;
};

/* A finished request, with indexes instead of pointers while the arrays may still grow. */
struct lwf_queued {
    struct lease_request request;
    size_t first_set;
    size_t image; /* offset into text, or SIZE_MAX */
    struct lwf_place place;
};

/* Requests not yet returned, with the data they point to. */
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
    uint32_t seen;             /* bits of the elements found inside */
    bool exact, now, earliest; /* contents of <start> */
    bool sound;                /* no error so far */
    struct lwf_place place, lease_place;
};

struct lwf_reader {
    struct trace trace;
    struct source *source;
    struct lwf_options options;
    xmlParserCtxt *parser;
    const xmlChar *elements[ELEMENTS]; /* names in the parser's dictionary */
    const xmlChar *attributes[ATTRIBUTES];

    enum lwf_element stack[LWF_DEPTH_MAX + 1];
    int depth;
    int skipped;    /* depth inside a skipped element */
    uint32_t given; /* attributes of the current start tag */
    struct lwf_value values[ATTRIBUTES];

    struct lwf_request request;
    struct node_set set; /* the open <node-set> */
    uint32_t set_types;  /* types with a <res> in it */
    int res_type;        /* of the open <res>; -1: not usable */
    bool res_amount;     /* the open <res> has an amount */
    struct lwf_queue queue;
    int64_t last_id;

    struct resource_types types; /* of the requests */
    bool types_fixed;
    struct site site;
    bool in_site;
    uint32_t site_listed, site_used; /* types */
    bool site_only;                  /* searching for a site that follows the requests */
    bool site_searched;
    bool requests_before_site; /* stopped to search for a site */
    bool repeats;              /* reads again what was reported before that search */
    struct map ids;            /* of leases, with their lines; only if reports are requested */

    bool has_requests;
    bool ended;   /* no more bytes are read from the source */
    bool stopped; /* the parser has been stopped, too */
    bool begun;   /* the source is not empty */
    bool failed;
    struct error failure;
};

/* Starts reading at the source's current position. */
int lwf_parser_start(struct lwf_reader *reader, struct error *err);
void lwf_parser_finish(struct lwf_reader *reader);

/* --- lwf_report.c --- */
/* Ends the reading; the parser stops after its callback has returned. */
void lwf_parser_stop(struct lwf_reader *reader);

/* The position in the file of `where`, a byte of the current tag. NULL: of the tag itself. */
struct lwf_place lwf_parser_place(const struct lwf_reader *reader, const char *where);

/* Reports an error in the input, or ends the reading with it. The open request is then unsound. */
void lwf_complain(struct lwf_reader *reader, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lwf_complain_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As lwf_complain(), but a warning if Haizea 1.0 ignores it and its way of reading is requested. */
void lwf_object(struct lwf_reader *reader, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A warning, given only if reports are requested. */
void lwf_warn_at(struct lwf_reader *reader, struct lwf_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lwf_builder.c: called when an element begins (with its attributes in reader->values) or ends.
 * lwf_builder_begin() returns false to skip the whole element. */
bool lwf_builder_begin(struct lwf_reader *reader, enum lwf_element element,
                       enum lwf_element parent);
void lwf_builder_end(struct lwf_reader *reader, enum lwf_element element);

/* lwf_nodes.c: the elements of a site, and node sets of both site and leases. */
bool lwf_site_begin(struct lwf_reader *reader); /* false: skip the site */
void lwf_site_end(struct lwf_reader *reader);
void lwf_resource_types_begin(struct lwf_reader *reader);
void lwf_node_set_begin(struct lwf_reader *reader);
void lwf_node_set_end(struct lwf_reader *reader);
void lwf_res_begin(struct lwf_reader *reader);
void lwf_res_end(struct lwf_reader *reader);
void lwf_instance_begin(struct lwf_reader *reader);

/* Drops the requests already returned; keeps the contents of the open one. */
void lwf_queue_restart(struct lwf_reader *reader);
void lwf_queue_finish(struct lwf_queue *queue);
