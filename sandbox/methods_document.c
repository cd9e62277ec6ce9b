/* Documents: templates with a type, which programs use as they like. */
#include "sandbox/method.h"
#include "sandbox/site_document.h"

static bool is_listed(const struct oned_call *call, const struct oned_thing *document)
{
    int64_t filter = call->argument[1].number, type = call->argument[4].number;

    if (document->type != type || (filter == -4 && document->owner.gid != call->user->gid) ||
        (filter == -3 && document->owner.uid != call->user->id))
        return false;
    return oned_may(call->user, &document->owner, RIGHT_USE);
}

/* Arguments: filter, start, end, type. */
static xmlrpc_value *pool_info(struct oned_call *call)
{
    struct oned_text text = {0};

    oned_text_put(&text, "<DOCUMENT_POOL>");
    for (int id = call->oned->pools[KIND_DOCUMENT].count - 1; id >= 0; id--) {
        const struct oned_thing *document = oned_pool_get(call->oned, KIND_DOCUMENT, id);

        if (document && is_listed(call, document))
            oned_object_document(call->oned, KIND_DOCUMENT, document, false, &text);
    }
    oned_text_put(&text, "</DOCUMENT_POOL>");
    return oned_answer_document(call, &text);
}

const struct oned_method oned_document_methods[] = {
    {"one.document.allocate", "A:ssi", .run = oned_answer_allocate, .kind = KIND_DOCUMENT},
    {"one.document.update", "A:sisi", .run = oned_answer_update, .object = 1, .kind = KIND_DOCUMENT,
     .right = RIGHT_MANAGE},
    {"one.document.delete", "A:si", .run = oned_answer_delete, .object = 1, .kind = KIND_DOCUMENT,
     .right = RIGHT_MANAGE},
    {"one.documentpool.info", "A:siiii", .run = pool_info},
    {.name = NULL},
};
