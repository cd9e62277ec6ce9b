/* Every lie about a record is found, or is listed here as harmless with the reason why.
 *
 * usage: test-verify-mutations N RECORD...
 *
 * Of each N lies one is tried; 1: all. mutations.sh makes the records.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/verify/forge.h"
#include "test/verify/harmless.h"
#include "test/verify/mutate.h"
#include "verify/read.h"
#include "verify/verify.h"

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
    unsigned long tried, harmless, undetected;
};

/* Found, or said not to be checked. */
static bool is_found(json_t *record, const struct verify_options *options,
                     const struct verification *sound)
{
    struct verification verification;
    struct schedule schedule;
    struct error err;
    bool found;

    if (schedule_read_json(&schedule, record, "record", &err) < 0)
        return true;
    if (verify_schedule(&schedule, options, &verification, &err) < 0)
        abort();
    /* A record does not contain the plans that were never carried out: verify says of the record
     * that a suspension as planned may have had no reason. */
    found = verification.n_violations > 0 || verification.haizea_1_0 != sound->haizea_1_0 ||
            (verification.not_checked[GAP_SUSPENSIONS] && !sound->not_checked[GAP_SUSPENSIONS]);
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

static void note_missed(struct trial *trial, const char *path, const char *lie)
{
    char what[300];

    generalize(path, lie, lie_kind_of(trial->pristine, path), what, sizeof what);
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

static void try_lie(void *context, const char *path, const char *lie)
{
    struct trial *trial = context;

    if (trial->sample > 1 && trial->seen++ % trial->sample)
        return;
    trial->tried++;
    if (is_found(trial->record, &trial->options, &trial->sound))
        return;
    if (lie_is_harmless(trial->pristine, path, lie)) {
        trial->harmless++;
        return;
    }
    trial->undetected++;
    note_missed(trial, path, lie);
}

/* What a forger would do: several changes that fit each other. None is harmless. */
static void try_forgery(void *context, const char *path, const char *lie)
{
    struct trial *trial = context;

    trial->tried++;
    if (is_found(trial->record, &trial->options, &trial->sound))
        return;
    trial->undetected++;
    note_missed(trial, path, lie);
}

static int by_count(const void *a, const void *b)
{
    const struct missed *x = a, *y = b;

    return (x->n < y->n) - (x->n > y->n);
}

/* The record as it is: clean. */
static bool look_at(struct trial *trial)
{
    struct schedule schedule;
    struct error err = {0};

    if (schedule_read_json(&schedule, trial->record, trial->name, &err) < 0 ||
        verify_schedule(&schedule, &trial->options, &trial->sound, &err) < 0) {
        printf("%s: %s\n", trial->name, err.text);
        return false;
    }
    schedule_finish(&schedule);
    if (trial->sound.n_violations)
        printf("%s: %s\n", trial->name, trial->sound.violations[0].text);
    verification_finish(&trial->sound);
    return trial->sound.n_violations == 0;
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
    printf("%lu lies, %lu missed; %lu harmless\n", trial.tried, trial.undetected, trial.harmless);
    free(trial.missed);
    return trial.undetected > 0;
}
