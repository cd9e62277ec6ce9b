/* Compares two records value by value. */
#include "verify/compare.h"

#include <stdio.h>
#include <string.h>

#include "verify/checker.h"

struct comparison {
    struct checker checker;
    char path[120]; /* "leases[3].nodes.1", cut where it is too long */
};

static void compare(struct comparison *comparison, json_t *told, json_t *right);

/* The start of a value as JSON. */
static void describe(const json_t *value, char *text, size_t size)
{
    size_t n = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

    if (json_is_array(value))
        snprintf(text, size, "a list of %zu", json_array_size(value));
    else if (json_is_object(value))
        snprintf(text, size, "an object of %zu members", json_object_size(value));
    else if (n >= size || json_dumpb(value, text, size, JSON_COMPACT | JSON_ENCODE_ANY) == 0)
        snprintf(text, size, "another text");
    else
        text[n] = '\0';
}

static void differs(struct comparison *comparison, json_t *told, json_t *right)
{
    struct finding finding = {CHECK_REPEATED, SCHEDULE_UNSET, SCHEDULE_UNSET, SCHEDULE_UNSET};
    char told_text[40] = "nothing", right_text[40] = "nothing";

    if (told)
        describe(told, told_text, sizeof told_text);
    if (right)
        describe(right, right_text, sizeof right_text);
    checker_violation(&comparison->checker, &finding, "%s: the record has %s, the repeated run %s",
                      comparison->path[0] ? comparison->path : "the document", told_text,
                      right_text);
}

/* Compare what has the name in both: NULL, when one lacks it. */
static void compare_member(struct comparison *comparison, const char *name, json_t *told,
                           json_t *right)
{
    size_t length = strlen(comparison->path);

    snprintf(comparison->path + length, sizeof comparison->path - length, "%s",
             name + (*name == '.' && length == 0));
    compare(comparison, told, right);
    comparison->path[length] = '\0';
}

static void compare_objects(struct comparison *comparison, json_t *told, json_t *right)
{
    char name[100];
    const char *key;
    json_t *value;

    json_object_foreach(told, key, value)
    {
        snprintf(name, sizeof name, ".%s", key);
        compare_member(comparison, name, value, json_object_get(right, key));
    }
    json_object_foreach(right, key, value)
    {
        snprintf(name, sizeof name, ".%s", key);
        if (!json_object_get(told, key))
            compare_member(comparison, name, NULL, value);
    }
}

static void compare_arrays(struct comparison *comparison, json_t *told, json_t *right)
{
    size_t n = json_array_size(told);

    if (json_array_size(right) != n) {
        differs(comparison, told, right);
        n = json_array_size(right) < n ? json_array_size(right) : n;
    }
    for (size_t i = 0; i < n; i++) {
        char name[30];

        snprintf(name, sizeof name, "[%zu]", i);
        compare_member(comparison, name, json_array_get(told, i), json_array_get(right, i));
    }
}

static void compare(struct comparison *comparison, json_t *told, json_t *right)
{
    checker_examined(&comparison->checker, CHECK_REPEATED);
    if (json_is_object(told) && json_is_object(right))
        compare_objects(comparison, told, right);
    else if (json_is_array(told) && json_is_array(right))
        compare_arrays(comparison, told, right);
    else if (!json_equal(told, right))
        differs(comparison, told, right);
}

void verify_compare(json_t *record, json_t *repeated, struct verification *verification)
{
    struct comparison comparison = {.checker.result = verification};

    compare(&comparison, record, repeated);
    if (verification->violated[CHECK_REPEATED] == 0)
        memset(verification->not_checked, 0, sizeof verification->not_checked);
}
