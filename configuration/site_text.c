/* Parses a site in one line. */
#include "configuration/site_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/suggest.h"

enum { AMPLE = 1000000 };
#define AMOUNT_MOST INT64_C(1000000000000)

static const char separators[] = " \t,";

static int expected(const char *at, const char *what, struct error *err)
{
    return error_set(err, EINVAL, "expected %s at '%.40s', as in 144,cpu=100,memory=1024", what,
                     at);
}

static int read_number(const char **at, int64_t most, const char *what, int64_t *value,
                       struct error *err)
{
    char *end;

    errno = 0;
    if (!isdigit((unsigned char)**at))
        return expected(*at, what, err);
    *value = strtoll(*at, &end, 10);
    if (errno || *value > most)
        return error_set(err, EINVAL, "%.*s is too many, at most %lld are allowed",
                         (int)strspn(*at, "0123456789"), *at, (long long)most);
    if (*end && !strchr(" \t,+:=", *end))
        return expected(*at, what, err);
    *at = end;
    return 0;
}

/* The index of a type. Case is ignored in the names of the fixed types. */
static int place_of(struct resource_types *types, const char *name, struct error *err)
{
    for (int i = 0; i < RESOURCE_TYPES_FIXED; i++)
        if (!strcasecmp(types->names[i], name))
            return i;
    return resource_types_add(types, name, err);
}

/* given: a bit for each type with an amount in this group of hosts */
static int read_amount(const char **at, struct site *site, struct amounts *amounts, unsigned *given,
                       struct error *err)
{
    char name[RESOURCE_NAME_MAX];
    size_t length = strcspn(*at, " \t,+:=");
    int place;

    if (length == 0 || length >= sizeof name || ((*at)[length] != ':' && (*at)[length] != '='))
        return expected(*at, "TYPE=AMOUNT", err);
    memcpy(name, *at, length);
    name[length] = '\0';
    place = place_of(&site->types, name, err);
    if (place < 0)
        return -1;
    if (*given & 1U << place)
        return error_set(err, EINVAL, "%s is given twice; join different hosts with '+'", name);
    *given |= 1U << place;
    *at += length + 1;
    return read_number(at, AMOUNT_MOST, "an amount", &amounts->of[place], err);
}

/* Unknown resource types are accepted as new ones; a mistyped type is therefore only noticed as a
 * missing one. */
static int lacks(const struct resource_types *types, int missing, struct error *err)
{
    const char *name = missing == RESOURCE_CPU ? "cpu" : "memory";

    for (int i = RESOURCE_TYPES_FIXED; i < types->count; i++) {
        struct suggestion suggestion;

        suggestion_init(&suggestion, types->names[i]);
        suggestion_offer(&suggestion, name);
        if (suggestion.best)
            return error_set(err, EINVAL, "hosts have no %s; is '%s' a misspelling of it?", name,
                             types->names[i]);
    }
    return error_set(err, EINVAL, "hosts have no %s, as in 144,cpu=100,memory=1024", name);
}

static int read_group(const char **at, struct site *site, struct error *err)
{
    struct amounts amounts = {0};
    unsigned given = 0;
    int64_t count;

    for (int i = 0; i < RESOURCE_TYPES_FIXED; i++)
        amounts.of[i] = i == RESOURCE_CPU || i == RESOURCE_MEMORY ? 0 : AMPLE;
    *at += strspn(*at, separators);
    if (read_number(at, SITE_TEXT_HOSTS_MAX, "a number of hosts", &count, err) < 0)
        return -1;
    for (*at += strspn(*at, separators); **at && **at != '+'; *at += strspn(*at, separators))
        if (read_amount(at, site, &amounts, &given, err) < 0)
            return -1;
    if (count < 1 || (int64_t)site->n_hosts + count > SITE_TEXT_HOSTS_MAX)
        return error_set(err, EINVAL, "%lld hosts, expected 1 to %d", (long long)count,
                         SITE_TEXT_HOSTS_MAX);
    for (int i = RESOURCE_CPU; i <= RESOURCE_MEMORY; i++)
        if (amounts.of[i] < 1)
            return lacks(&site->types, i, err);
    return site_add_hosts(site, (size_t)count, &amounts, err);
}

int site_text_parse(const char *text, struct site *site, struct error *err)
{
    const char *at = text;

    site_init(site);
    for (;;) {
        if (read_group(&at, site, err) < 0) {
            site_finish(site);
            return -1;
        }
        if (*at != '+')
            return 0;
        at++;
    }
}
