/* Checks the names of fields. */
#include "daemon/control/fields.h"

#include <errno.h>
#include <string.h>

#include "core/lease_terms.h"
#include "util/suggest.h"
#include "util/unqualified.h"

static bool is_known(const char *key, const char *const known[], bool terms)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(key, known[i]) == 0)
            return true;
    for (size_t i = 0; terms && i < LEASE_TERM_COUNT; i++)
        if (strcmp(key, lease_terms[i].name) == 0)
            return true;
    return false;
}

static int unknown(const char *key, const char *const known[], bool terms, struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, key);
    for (size_t i = 0; known[i]; i++)
        suggestion_offer(&suggestion, known[i]);
    for (size_t i = 0; terms && i < LEASE_TERM_COUNT; i++)
        suggestion_offer(&suggestion, lease_terms[i].name);
    return error_set(err, EINVAL, "unknown field '%.60s'%s", key, suggestion_text(&suggestion));
}

int fields_check(const json_t *object, const char *const known[], bool terms, struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(unqualified(object), key, value) {
        if (!is_known(key, known, terms))
            return unknown(key, known, terms, err);
    }
    return 0;
}
