/* Checks the names of fields. */
#include "daemon/control/fields.h"

#include <errno.h>
#include <string.h>

#include "core/lease_terms.h"
#include "util/suggest.h"
#include "util/unqualified.h"

/* Is it the one, or else nearest to it? */
static bool is_field(struct suggestion *suggestion, const char *key, const char *field)
{
    suggestion_offer(suggestion, field);
    return strcmp(key, field) == 0;
}

static bool is_known(struct suggestion *suggestion, const char *key, const char *const known[],
                     bool terms)
{
    bool found = false;

    for (size_t i = 0; known[i]; i++)
        found = is_field(suggestion, key, known[i]) || found;
    for (size_t i = 0; terms && i < LEASE_TERM_COUNT; i++)
        found = is_field(suggestion, key, lease_terms[i].name) || found;
    return found;
}

int fields_check(const json_t *object, const char *const known[], bool terms, struct error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(unqualified(object), key, value)
    {
        struct suggestion suggestion;
        char near[80];

        suggestion_init(&suggestion, key);
        if (!is_known(&suggestion, key, known, terms))
            return error_set(err, EINVAL, "unknown field '%.60s'%s", key,
                             suggestion_text(&suggestion, near, sizeof near));
    }
    return 0;
}
