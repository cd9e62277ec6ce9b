/* Updates the clusters in OpenNebula's automatic requirements, which are the clusters of a VM's
 * images and networks at its creation. A waiting VM can then use clusters that its datastores and
 * networks have joined, and does not wait for clusters they have left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/append.h"
#include "util/memory.h"

const struct datastore *eligibility_datastore_of(const struct eligibility *eligibility, int32_t id)
{
    return eligibility->datastores ? datastore_pool_find(eligibility->datastores, id) : NULL;
}

enum { CLUSTERS_MAX = 256 };

/* The common clusters of all images and networks of a VM. */
struct common {
    int32_t ids[CLUSTERS_MAX];
    size_t n;
    bool any;   /* the VM has an image or network */
    bool known; /* all of them are known */
};

static bool is_among(int32_t id, const int32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void keep_common(struct common *common, const int32_t *ids, size_t n)
{
    size_t kept = 0;

    if (!common->any) {
        common->known = n <= CLUSTERS_MAX;
        common->n = common->known ? n : 0;
        for (size_t i = 0; i < common->n; i++)
            common->ids[i] = ids[i];
    } else {
        for (size_t i = 0; i < common->n; i++)
            if (is_among(common->ids[i], ids, n))
                common->ids[kept++] = common->ids[i];
        common->n = kept;
    }
    common->any = true;
}

static void read_common(const struct eligibility *eligibility, const struct vm *vm,
                        struct common *common)
{
    const struct network_pool *networks = eligibility->networks;

    *common = (struct common){.known = eligibility->datastores && networks && !vm->has_os_files};
    for (size_t i = 0; common->known && i < vm->n_images; i++) {
        const struct datastore *found =
            eligibility_datastore_of(eligibility, vm->images[i].datastore);

        if (found)
            keep_common(common, found->clusters, found->n_clusters);
        else
            common->known = false;
    }
    for (size_t i = 0; common->known && i < vm->n_networks; i++) {
        size_t k = 0;

        while (k < networks->n && networks->items[k].id != vm->networks[i])
            k++;
        if (k < networks->n)
            keep_common(common, networks->items[k].clusters, networks->items[k].n_clusters);
        else
            common->known = false;
    }
}

/* The clusters in parentheses, followed by the rest of the text from the closing parenthesis; to be
 * freed. */
static char *with_clusters(const char *test, const struct common *common, const char *rest)
{
    size_t room = strlen(rest) + common->n * (strlen(test) + 16) + 3, length = 0;
    char *mended = memory_new(room, 1);

    for (size_t i = 0; i < common->n; i++)
        length = append_text(mended, room, length, "%s%s%d", i ? " | " : "(", test, common->ids[i]);
    append_text(mended, room, length, "%s", rest);
    return mended;
}

/* Adds clusters for a VM whose automatic NICs got networks after OpenNebula wrote the text: oned
 * only moves it to clusters with these networks. */
static char *with_added_clusters(const char *test, const struct common *common, const char *text)
{
    size_t room = (text ? strlen(text) : 0) + 8;
    char *rest = memory_new(room, 1), *mended;

    if (text && *text)
        snprintf(rest, room, ") & (%s)", text);
    else
        snprintf(rest, room, ")");
    mended = with_clusters(test, common, rest);
    free(rest);
    return mended;
}

const char *eligibility_automatic(struct eligibility *eligibility, const struct vm *vm,
                                  const char *name)
{
    static const char *const tests[] = {"CLUSTER_ID = ", "\"CLUSTERS/ID\" @> "};
    const char *text = attributes_find(&vm->template, name), *test = NULL;
    bool of_hosts = strcmp(name, "AUTOMATIC_REQUIREMENTS") == 0;
    struct common common;
    char *mended;
    uint32_t number;

    for (size_t i = 0; text && i < sizeof tests / sizeof *tests; i++)
        if (text[0] == '(' && strncmp(text + 1, tests[i], strlen(tests[i])) == 0 &&
            strchr(text, ')'))
            test = tests[i];
    if (!test && (!of_hosts || vm->n_networks == 0))
        return text;
    read_common(eligibility, vm, &common);
    if (!common.known || !common.any || common.n == 0)
        return text;
    mended = test ? with_clusters(test, &common, strchr(text, ')'))
                  : with_added_clusters(tests[0], &common, text);
    number = map_add_text(&eligibility->automatic_texts, mended);
    free(mended);
    return map_key_bytes(&eligibility->automatic_texts, number);
}
