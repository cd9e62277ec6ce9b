/* Every lie about a record is found, by what can be computed from it or by its run, repeated. Only
 * another option that made no difference gives the record of another run.
 *
 * usage: test-verify-mutations N RECORD...
 *
 * Of each N lies one is tried; 1: all. mutations.sh makes the records.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify_repeat.h"
#include "test/verify/forge.h"
#include "test/verify/mutate.h"
#include "verify/read.h"
#include "verify/verify.h"

/* Percent of the lies that are found without repeating the run, those about its inputs aside. */
enum { FOUND_ALONE = 90 };

struct missed {
    char what[300];
    char example[400];
    unsigned n;
};

struct trial {
    json_t *record;
    json_t *pristine; /* a copy */
    const char *name;
    struct verify_options options;
    struct verification sound; /* of the record as it is */
    struct missed *missed;
    size_t n_missed;
    unsigned long sample, seen; /* every how many lies one is tried */
    unsigned long tried, of_inputs, found_alone, of_another_run, undetected;
};

/* By the run, repeated, or because it cannot be repeated. */
static bool is_found_by_run(json_t *record, struct verification *verification)
{
    struct error err;

    if (verify_repeat_recorded(record, "record", NULL, verification, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return verification->n_violations > 0;
}

/* By the checks that do not repeat the run. */
static bool is_found_alone(struct verification *verification, const struct verification *sound)
{
    return verification->n_violations > 0 || verification->haizea_1_0 != sound->haizea_1_0;
}

static bool is_found(struct trial *trial)
{
    struct verification verification;
    struct schedule schedule;
    struct error err;
    bool found;

    if (schedule_read_json(&schedule, trial->record, "record", &err) < 0) {
        trial->found_alone++;
        return true;
    }
    if (verify_schedule(&schedule, &trial->options, &verification, &err) < 0)
        abort();
    found = is_found_alone(&verification, &trial->sound);
    trial->found_alone += found;
    if (!found)
        found = is_found_by_run(trial->record, &verification);
    verification_finish(&verification);
    schedule_finish(&schedule);
    return found;
}

/* "leases/3/rrs/1/start" to "leases/N/rrs/N/start +1 (VM)". */
static void generalize(const char *path, const char *lie, const char *kind, char *what, size_t size)
{
    size_t n = 0;

    while (*path && n + 2 < size) {
        if (isdigit((unsigned char)*path)) {
            what[n++] = 'N';
            while (isdigit((unsigned char)*path))
                path++;
        } else {
            what[n++] = *path++;
        }
    }
    snprintf(what + n, size - n, " %s%s%s%s", lie, *kind ? " (" : "", kind, *kind ? ")" : "");
}

/* The kind of the reservation that the path leads to or through; "": none. */
static const char *kind_of(json_t *record, const char *path)
{
    const char *kind = NULL;
    size_t lease, r;

    if (sscanf(path, "leases/%zu/rrs/%zu", &lease, &r) == 2)
        kind = json_string_value(json_object_get(
            json_array_get(
                json_object_get(json_array_get(json_object_get(record, "leases"), lease), "rrs"),
                r),
            "type"));
    return kind ? kind : "";
}

static void note_missed(struct trial *trial, const char *path, const char *lie)
{
    char what[300];

    generalize(path, lie, kind_of(trial->pristine, path), what, sizeof what);
    for (size_t i = 0; i < trial->n_missed; i++)
        if (strcmp(trial->missed[i].what, what) == 0) {
            trial->missed[i].n++;
            return;
        }
    trial->missed = reallocarray(trial->missed, trial->n_missed + 1, sizeof *trial->missed);
    if (!trial->missed)
        abort();
    snprintf(trial->missed[trial->n_missed].what, sizeof trial->missed->what, "%s", what);
    snprintf(trial->missed[trial->n_missed].example, sizeof trial->missed->example, "%s: %s",
             trial->name, path);
    trial->missed[trial->n_missed++].n = 1;
}

static bool is_about(const char *path, const char *part)
{
    return strncmp(path, part, strlen(part)) == 0;
}

static void try_forgery(void *context, const char *path, const char *lie)
{
    struct trial *trial = context;

    trial->tried++;
    trial->of_inputs += is_about(path, "galerna/inputs");
    if (is_found(trial))
        return;
    if (is_about(path, "galerna/inputs/configuration/")) {
        trial->of_another_run++;
        return;
    }
    trial->undetected++;
    note_missed(trial, path, lie);
}

static void try_lie(void *context, const char *path, const char *lie)
{
    struct trial *trial = context;

    if (trial->sample > 1 && trial->seen++ % trial->sample)
        return;
    if (json_equal(trial->record, trial->pristine)) /* two equal values were exchanged */
        return;
    try_forgery(context, path, lie);
}

static int by_count(const void *a, const void *b)
{
    const struct missed *x = a, *y = b;

    return (x->n < y->n) - (x->n > y->n);
}

/* The record as it is: clean, and its run can be repeated. */
static bool look_at(struct trial *trial)
{
    struct verification *sound = &trial->sound;
    struct schedule schedule;
    struct error err = {0};

    if (schedule_read_json(&schedule, trial->record, trial->name, &err) < 0 ||
        verify_schedule(&schedule, &trial->options, sound, &err) < 0 ||
        verify_repeat_recorded(trial->record, trial->name, NULL, sound, &err) < 0) {
        printf("%s: %s\n", trial->name, err.text);
        return false;
    }
    schedule_finish(&schedule);
    if (sound->n_violations)
        printf("%s: %s\n", trial->name, sound->violations[0].text);
    verification_finish(sound);
    return sound->n_violations == 0;
}

int main(int argc, char **argv)
{
    struct trial trial = {.sample = argc > 1 ? strtoul(argv[1], NULL, 10) : 1};

    for (int i = 2; i < argc; i++) {
        json_error_t problem;

        trial.record = json_load_file(argv[i], 0, &problem);
        trial.name = argv[i];
        if (!trial.record) {
            fprintf(stderr, "%s: %s\n", argv[i], problem.text);
            return 1;
        }
        if (!look_at(&trial))
            return 1;
        trial.pristine = json_deep_copy(trial.record);
        mutate_each(trial.record, try_lie, &trial);
        forge_each(trial.record, try_forgery, &trial);
        json_decref(trial.pristine);
        json_decref(trial.record);
    }
    if (trial.n_missed)
        qsort(trial.missed, trial.n_missed, sizeof *trial.missed, by_count);
    for (size_t i = 0; i < trial.n_missed; i++)
        printf("%6u %-70s %s\n", trial.missed[i].n, trial.missed[i].what, trial.missed[i].example);
    printf("%lu lies, %lu missed, %lu of another run; %lu found without the run, of %lu not of "
           "inputs\n",
           trial.tried, trial.undetected, trial.of_another_run, trial.found_alone,
           trial.tried - trial.of_inputs);
    free(trial.missed);
    return trial.undetected > 0 ||
           trial.found_alone * 100 < (trial.tried - trial.of_inputs) * FOUND_ALONE;
}
