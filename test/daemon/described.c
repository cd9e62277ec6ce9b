/* Compares answers with their description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/daemon/described.h"
#include "util/unqualified.h"
#include "util/words.h"

static const struct {
    const char *schema, *component;
} answers[] = {
    {"galerna-lease-list/1", "Leases"},       {"galerna-queue/1", "Leases"},
    {"galerna-lease/1", "OneLease"},          {"galerna-lease-why/1", "Explanation"},
    {"galerna-lease-history/1", "Events"},    {"galerna-usage/1", "Usage"},
    {"galerna-dry-run/1", "Trial"},           {"galerna-lease-change/1", "Changed"},
    {"galerna-lease-cancel/1", "LeasePhase"}, {"galerna-lease-hold/1", "LeasePhase"},
    {"galerna-host-list/1", "Hosts"},         {"galerna-host-timeline/1", "Timeline"},
};

/* The schema of what is not null. */
static const json_t *resolved(const json_t *file, const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    const json_t *one, *choices = json_object_get(schema, "oneOf");
    char path[128], *rest = path, *part;
    size_t i;

    json_array_foreach(choices, i, one)
        if (!json_object_get(one, "type"))
            return resolved(file, one);
    if (!reference)
        return schema;
    snprintf(path, sizeof path, "%s", reference + strlen("#/"));
    for (schema = file; (part = strsep(&rest, "/"));)
        schema = json_object_get(schema, part);
    return resolved(file, schema);
}

/* The described members of an object, to be given back. */
static json_t *members_of(const json_t *file, const json_t *schema)
{
    const json_t *one, *parts = json_object_get(schema, "allOf");
    json_t *members = json_object();
    size_t i;

    json_object_update(members, unqualified(json_object_get(schema, "properties")));
    json_array_foreach(parts, i, one) {
        json_t *more = members_of(file, resolved(file, one));

        json_object_update(members, more);
        json_decref(more);
    }
    return members;
}

static size_t compare(const json_t *file, const json_t *schema, const json_t *sent,
                      const char *where);

static size_t compare_object(const json_t *file, const json_t *schema, const json_t *sent,
                             const char *where)
{
    static const char *const of_some[] = {
        "used",       "shares",   "group_used", "group_shares", "position", "why",   "user",
        "user_group", "outdated", "trace",      "since",        "gone",     "queue", "revision"};
    json_t *members = members_of(file, schema), *member;
    const char *name;
    size_t n = 0;

    json_object_foreach(unqualified(sent), name, member) {
        const json_t *described = json_object_get(members, name);

        if (!described) {
            print_error("%s: '%s' is not described\n", where, name);
            n++;
        }
        n += described ? compare(file, described, member, name) : 0;
    }
    json_object_foreach(members, name, member) {
        if (!json_object_get(sent, name) && !WORDS_HAVE(of_some, name)) {
            print_error("%s: '%s' is described, but not sent\n", where, name);
            n++;
        }
    }
    json_decref(members);
    return n;
}

/* Returns the number of differences. */
static size_t compare(const json_t *file, const json_t *schema, const json_t *sent,
                      const char *where)
{
    const json_t *one;
    size_t i, n = 0;

    schema = resolved(file, schema);
    json_array_foreach(sent, i, one)
        n += compare(file, json_object_get(schema, "items"), one, where);
    return json_is_object(sent) ? compare_object(file, schema, sent, where) : n;
}

void expect_described(const json_t *answer)
{
    const char *schema = json_string_value(json_object_get(answer, "schema"));
    size_t n = 0;
    json_error_t error;
    json_t *file = json_load_file(DESCRIPTION, 0, &error);
    const json_t *schemas = json_object_get(json_object_get(file, "components"), "schemas");

    assert_non_null(schemas);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(answers[i].schema, schema) == 0)
            n += compare(file, json_object_get(schemas, answers[i].component), answer, schema);
    json_decref(file);
    assert_int_equal(n, 0);
}
