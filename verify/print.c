/* Prints the outcome of a verification. */
#include "verify/print.h"

#include <inttypes.h>

static void print_number(FILE *out, const char *word, int64_t number)
{
    if (number != SCHEDULE_UNSET)
        fprintf(out, " %s %" PRId64, word, number);
}

/* "capacity: lease 3 host 1 at 60", or "record". */
static void print_place(const struct violation *violation, FILE *out)
{
    bool somewhere = violation->lease != SCHEDULE_UNSET || violation->host != SCHEDULE_UNSET ||
                     violation->time != SCHEDULE_UNSET;

    fprintf(out, "  %s%s", verify_check_name(violation->check), somewhere ? ":" : "");
    print_number(out, "lease", violation->lease);
    print_number(out, "host", violation->host);
    print_number(out, "at", violation->time);
}

static size_t checks_made(const struct verification *verification)
{
    size_t n = 0;

    for (int i = 0; i < CHECKS; i++)
        n += verification->examined[i];
    return n;
}

static void print_tolerated(const struct verification *verification, FILE *out)
{
    const char *separator = "  as Haizea 1.0 does:";

    for (int i = 0; i < ODDITIES; i++) {
        if (!verification->tolerated[i])
            continue;
        fprintf(out, "%s %s (%zu)", separator, verify_oddity_name((enum verify_oddity)i),
                verification->tolerated[i]);
        separator = ",";
    }
    if (*separator == ',')
        fputc('\n', out);
}

static void print_not_checked(const struct verification *verification, FILE *out)
{
    for (int i = 0; i < GAPS; i++)
        if (verification->not_checked[i] && i != GAP_TRACE && i != GAP_CHOICES)
            fprintf(out, "  not checked: %s%s%s\n", verify_gap_name((enum verify_gap)i),
                    i >= GAP_COUNTER ? " (the record does not contain this counter)" : "",
                    i == GAP_REPEATED ? verification->not_repeated : "");
}

void verification_print(const struct verification *verification, const char *record, size_t limit,
                        FILE *out)
{
    size_t shown = verification->n_kept < limit ? verification->n_kept : limit;

    if (verification->n_violations == 0)
        fprintf(out, "%s: clean (%zu checks)\n", record, checks_made(verification));
    else
        fprintf(out, "%s: %zu violation%s (%zu checks)\n", record, verification->n_violations,
                verification->n_violations == 1 ? "" : "s", checks_made(verification));
    for (size_t i = 0; i < shown; i++) {
        const struct violation *violation = &verification->violations[i];

        print_place(violation, out);
        fprintf(out, ": %s\n", violation->text);
    }
    if (shown < verification->n_violations)
        fprintf(out, "  ... and %zu more\n", verification->n_violations - shown);
    print_tolerated(verification, out);
    print_not_checked(verification, out);
}

static json_t *number_or_null(int64_t number)
{
    return number == SCHEDULE_UNSET ? json_null() : json_integer(number);
}

static json_t *violations_json(const struct verification *verification)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < verification->n_kept; i++) {
        const struct violation *violation = &verification->violations[i];
        json_t *item = json_pack(
            "{s:s, s:o, s:o, s:o, s:s}", "check", verify_check_name(violation->check), "lease",
            number_or_null(violation->lease), "host", number_or_null(violation->host), "time",
            number_or_null(violation->time), "text", violation->text);

        if (!item || json_array_append_new(list, item) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *checks_json(const struct verification *verification)
{
    json_t *checks = json_object();

    for (int i = 0; checks && i < CHECKS; i++) {
        enum verify_check check = (enum verify_check)i;
        json_t *item = json_pack("{s:s, s:I, s:I}", "promise", verify_check_promise(check),
                                 "examined", (json_int_t)verification->examined[i], "violations",
                                 (json_int_t)verification->violated[i]);

        if (!item || json_object_set_new(checks, verify_check_name(check), item) < 0) {
            json_decref(checks);
            return NULL;
        }
    }
    return checks;
}

static json_t *not_checked_json(const struct verification *verification)
{
    json_t *list = json_array();

    for (int i = 0; list && i < GAPS; i++)
        if (verification->not_checked[i] &&
            json_array_append_new(
                list, json_sprintf("%s%s", verify_gap_name((enum verify_gap)i),
                                   i == GAP_REPEATED ? verification->not_repeated : "")) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *tolerated_json(const struct verification *verification)
{
    json_t *tolerated = json_object();

    for (int i = 0; tolerated && i < ODDITIES; i++)
        if (verification->tolerated[i] &&
            json_object_set_new(tolerated, verify_oddity_name((enum verify_oddity)i),
                                json_integer((json_int_t)verification->tolerated[i])) < 0) {
            json_decref(tolerated);
            return NULL;
        }
    return tolerated;
}

json_t *verification_json(const struct verification *verification, const char *record)
{
    return json_pack("{s:s, s:b, s:s, s:I, s:o, s:o, s:o, s:o}", "record", record, "clean",
                     verification->n_violations == 0, "rules",
                     verification->haizea_1_0 ? "haizea-1.0" : "default", "n_violations",
                     (json_int_t)verification->n_violations, "violations",
                     violations_json(verification), "checks", checks_json(verification),
                     "tolerated", tolerated_json(verification), "not_checked",
                     not_checked_json(verification));
}
