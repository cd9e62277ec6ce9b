/* Reads the documents of a zone that administrators have made. */
#include <stdlib.h>

#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool_reader.h"

enum { ADMINISTRATORS = 0 };

struct document {
    int32_t id, gid;
    struct attributes attributes;
};

static void read_value(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct document *document = object;

    switch (given->elements[0]->word) {
    case WORD_ID:
        pool_read_int(reader, given, 0, &document->id);
        break;
    case WORD_GID:
        pool_read_int(reader, given, -1, &document->gid);
        break;
    case WORD_TEMPLATE:
        if (given->n == 2)
            pool_add_attribute(reader, 0, given, 1);
        break;
    default:
        break;
    }
}

static void end_document(struct pool_reader *reader, void *object)
{
    pool_take_attributes(reader, 0, 0, &((struct document *)object)->attributes);
}

int opennebula_each_document(const char *text, size_t length, document_visit *visit, void *context,
                             struct error *err)
{
    static const struct pool_format format = {
        .pool = "DOCUMENT_POOL",
        .object = "DOCUMENT",
        .size = sizeof(struct document),
        .value = read_value,
        .end = end_document,
    };
    const struct document *documents;
    struct pool_items items;

    if (pool_read(&items, &format, text, length, err) < 0)
        return error_prefix(err, "one.documentpool.info");
    documents = items.items;
    for (size_t i = 0; i < items.n; i++)
        if (documents[i].gid == ADMINISTRATORS)
            visit(context, documents[i].id, &documents[i].attributes);
    free(items.items);
    pool_memory_destroy(items.memory);
    return 0;
}
