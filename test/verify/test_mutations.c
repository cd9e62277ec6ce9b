/* Every lie about a record is found, or is listed here as harmless with the reason why.
 *
 * usage: test-verify-mutations RECORD...
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/verify/mutate.h"
#include "verify/read.h"
#include "verify/verify.h"

/* Patterns of fnmatch(3) for path and lie. */
static const struct {
    const char *path, *lie, *why;
} harmless[] = {
    {"galerna/leases/*/explanation", "*", "a sentence for people; the reason's id is checked"},
};

struct missed {
    char what[300];
    char example[400];
    unsigned n;
};

struct trial {
    json_t *record;
    const char *name;
    struct verify_options options;
    struct missed *missed;
    size_t n_missed;
    unsigned long tried, harmless, undetected;
};

static bool is_found(json_t *record, const struct verify_options *options)
{
    struct verification verification;
    struct schedule schedule;
    struct error err;
    bool found;

    if (schedule_read_json(&schedule, record, "record", &err) < 0)
        return true;
    if (verify_schedule(&schedule, options, &verification, &err) < 0)
        abort();
    found = verification.n_violations > 0;
    verification_finish(&verification);
    schedule_finish(&schedule);
    return found;
}

static bool is_harmless(const char *path, const char *lie)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (fnmatch(harmless[i].path, path, 0) == 0 && fnmatch(harmless[i].lie, lie, 0) == 0)
            return true;
    return false;
}

/* "leases/3/rrs/1/start" to "leases/N/rrs/N/start". */
static void generalise(const char *path, const char *lie, char *what, size_t size)
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
    snprintf(what + n, size - n, " %s", lie);
}

static void note_missed(struct trial *trial, const char *path, const char *lie)
{
    char what[300];

    generalise(path, lie, what, sizeof what);
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

    if (is_harmless(path, lie)) {
        trial->harmless++;
        return;
    }
    trial->tried++;
    if (is_found(trial->record, &trial->options))
        return;
    trial->undetected++;
    note_missed(trial, path, lie);
}

static int by_count(const void *a, const void *b)
{
    const struct missed *x = a, *y = b;

    return (x->n < y->n) - (x->n > y->n);
}

int main(int argc, char **argv)
{
    struct trial trial = {.options = {.complete = false}};

    for (int i = 1; i < argc; i++) {
        json_error_t problem;

        trial.record = json_load_file(argv[i], 0, &problem);
        trial.name = argv[i];
        if (!trial.record) {
            fprintf(stderr, "%s: %s\n", argv[i], problem.text);
            return 1;
        }
        if (is_found(trial.record, &trial.options))
            printf("%s: not clean as it is\n", argv[i]);
        mutate_each(trial.record, try_lie, &trial);
        json_decref(trial.record);
    }
    qsort(trial.missed, trial.n_missed, sizeof *trial.missed, by_count);
    for (size_t i = 0; i < trial.n_missed; i++)
        printf("%6u %-70s %s\n", trial.missed[i].n, trial.missed[i].what, trial.missed[i].example);
    printf("%lu lies, %lu missed; %lu harmless\n", trial.tried, trial.undetected, trial.harmless);
    free(trial.missed);
    return trial.undetected > 0;
}
