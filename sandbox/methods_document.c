/* Documents: templates with a type, which programs use as they like. */
#include <stdlib.h>

#include "sandbox/method.h"
#include "sandbox/site_document.h"
#include "util/memory.h"

/* The document of argument 1, if the user may manage it. NULL: *answer is the error. */
static struct oned_thing *get_managed(struct oned_call *call, xmlrpc_value **answer)
{
    struct oned_thing *document;
    int64_t id;

    *answer = NULL;
    if (!oned_argument_int(call, 1, &id))
        return NULL;
    document = oned_pool_get(call->oned, KIND_DOCUMENT, id);
    if (!document) {
        *answer = oned_answer_missing(call, "document", id);
    } else if (!oned_may(call->user, &document->owner, RIGHT_MANAGE)) {
        *answer = oned_answer_forbidden(call, "MANAGE", "DOCUMENT", id);
        document = NULL;
    }
    return document;
}

static xmlrpc_value *allocate(struct oned_call *call)
{
    struct oned_thing *document;
    struct error err = {0};
    const char *name;
    char *template;
    int64_t type;

    if (!oned_argument_int(call, 2, &type) || !oned_argument_text(call, 1, &template))
        return NULL;
    document = memory_new(1, sizeof *document);
    if (oned_attributes_parse(&document->template, template, &err)) {
        oned_object_free(KIND_DOCUMENT, document);
        free(template);
        return oned_answer_failure(call, 0x4000, "%.300s", err.text);
    }
    free(template);
    name = oned_attributes_get(&document->template, "NAME");
    document->name = memory_text(name ? name : "");
    oned_attributes_remove(&document->template, "NAME");
    document->type = type;
    document->owner = (struct oned_owner){.uid = call->user->id,
                                          .gid = call->user->gid,
                                          .rights = {[OWNER_U] = true, [OWNER_M] = true}};
    document->id = oned_pool_add(call->oned, KIND_DOCUMENT, document, -1);
    oned_touch(call->oned, KIND_DOCUMENT, document->id);
    return oned_answer_int(call, document->id);
}

static xmlrpc_value *update(struct oned_call *call)
{
    xmlrpc_value *answer;
    struct oned_thing *document = get_managed(call, &answer);

    return document ? oned_update_template(call, KIND_DOCUMENT, document->id, &document->template)
                    : answer;
}

static xmlrpc_value *remove_document(struct oned_call *call)
{
    xmlrpc_value *answer;
    const struct oned_thing *document = get_managed(call, &answer);
    int id;

    if (!document)
        return answer;
    id = document->id;
    oned_pool_remove(call->oned, KIND_DOCUMENT, id);
    return oned_answer_int(call, id);
}

static bool is_listed(const struct oned_call *call, const struct oned_thing *document,
                      int64_t filter)
{
    if (filter == -4 && document->owner.gid != call->user->gid)
        return false;
    if (filter == -3 && document->owner.uid != call->user->id)
        return false;
    return oned_may(call->user, &document->owner, RIGHT_USE);
}

/* Arguments: filter, start, end, type. */
static xmlrpc_value *pool_info(struct oned_call *call)
{
    int64_t filter, start, end, type;
    struct oned_text text = {0};

    if (!oned_argument_int(call, 1, &filter) || !oned_argument_int(call, 2, &start) ||
        !oned_argument_int(call, 3, &end) || !oned_argument_int(call, 4, &type))
        return NULL;
    oned_text_put(&text, "<DOCUMENT_POOL>");
    for (int id = call->oned->pools[KIND_DOCUMENT].count - 1; id >= 0; id--) {
        const struct oned_thing *document = oned_pool_get(call->oned, KIND_DOCUMENT, id);

        if (document && document->type == type && is_listed(call, document, filter))
            oned_document_document(call->oned, document, &text);
    }
    oned_text_put(&text, "</DOCUMENT_POOL>");
    return oned_answer_document(call, &text);
}

const struct oned_method oned_document_methods[] = {
    {"one.document.allocate", "A:ssi", allocate, ONED_6_10},
    {"one.document.update", "A:sisi", update, ONED_6_10},
    {"one.document.delete", "A:si", remove_document, ONED_6_10},
    {"one.documentpool.info", "A:siiii", pool_info, ONED_6_10},
    {NULL, NULL, NULL, ONED_6_10},
};
