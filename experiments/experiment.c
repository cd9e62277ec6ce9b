/* Published experiments, repeated: each is one function that fills findings. */
#include "experiments/experiment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/bench.h"
#include "util/decimal.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/workers.h"

static size_t option_place(const struct experiment *experiment, const char *name)
{
    size_t i = 0;

    while (i < experiment->n_options && strcmp(experiment->options[i].name, name) != 0)
        i++;
    return i;
}

const char *experiment_text(const struct experiment_bench *bench, const char *option)
{
    return bench->values[option_place(bench->experiment, option)];
}

double experiment_number(const struct experiment_bench *bench, const char *option)
{
    return strtod(experiment_text(bench, option), NULL);
}

bool experiment_chosen(const struct experiment_bench *bench, const char *option, const char *word)
{
    return strcmp(experiment_text(bench, option), word) == 0;
}

const char *experiment_logs(const struct experiment_bench *bench)
{
    return bench->request->logs;
}

bool experiment_is_quick(const struct experiment_bench *bench)
{
    return bench->request->quick;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);

    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
        if (strncmp(c, word, length) == 0 && (c[length] == '|' || !c[length]))
            return length > 0;
    return false;
}

static int check_value(const struct experiment_option *option, const char *value, struct error *err)
{
    double number;

    if (option->choices && *option->choices)
        return is_choice(option->choices, value)
                   ? 0
                   : error_set(err, EINVAL, "option %s is '%.40s', expected %s", option->name,
                               value, option->choices);
    if (decimal_parse_real(value, &number) < 0 || number < option->least || number > option->most)
        return error_set(err, EINVAL, "option %s is '%.40s', expected a number, %.15g to %.15g",
                         option->name, value, option->least, option->most);
    if (option->choices && number != floor(number))
        return error_set(err, EINVAL,
                         "option %s is '%.40s', expected a whole number, %.15g to %.15g",
                         option->name, value, option->least, option->most);
    return 0;
}

static int set_option(struct experiment_bench *bench, const char *pair, struct error *err)
{
    const struct experiment *experiment = bench->experiment;
    const char *value = strchr(pair, '=');
    struct suggestion suggestion;
    char name[64];
    size_t place;

    if (!value || (size_t)(value - pair) >= sizeof name)
        return error_set(err, EINVAL, "'%.60s': expected OPTION=VALUE", pair);
    snprintf(name, sizeof name, "%.*s", (int)(value - pair), pair);
    place = option_place(experiment, name);
    if (place == experiment->n_options) {
        suggestion_init(&suggestion, name);
        for (size_t i = 0; i < experiment->n_options; i++)
            suggestion_offer(&suggestion, experiment->options[i].name);
        return error_set(err, EINVAL, "experiment %s has no option '%s'%s", experiment->name, name,
                         suggestion_text(&suggestion));
    }
    bench->values[place] = value + 1;
    return check_value(&experiment->options[place], value + 1, err);
}

static int read_options(struct experiment_bench *bench, struct error *err)
{
    const struct experiment *experiment = bench->experiment;

    for (size_t i = 0; i < experiment->n_options; i++)
        bench->values[i] = experiment->options[i].value;
    for (size_t i = 0; i < bench->request->n_set; i++)
        if (set_option(bench, bench->request->set[i], err) < 0)
            return -1;
    return 0;
}

int experiment_check_options(const struct experiment *experiment, const char *const *set, size_t n,
                             struct error *err)
{
    const struct experiment_request request = {.set = set, .n_set = n};
    struct experiment_bench bench = {.experiment = experiment,
                                     .request = &request,
                                     .values =
                                         memory_new(experiment->n_options, sizeof(const char *))};
    int result = read_options(&bench, err);

    free(bench.values);
    return result;
}

static int make_folder(const char *path, struct error *err)
{
    char *part = memory_text(path);
    int result = 0;

    for (char *slash = part + 1; result == 0 && *slash; slash++)
        if (*slash == '/') {
            *slash = '\0';
            result = mkdir(part, 0777) < 0 && errno != EEXIST;
            *slash = '/';
        }
    if (result == 0)
        result = mkdir(part, 0777) < 0 && errno != EEXIST;
    if (result != 0)
        error_errno(err, "%s: cannot create the directory", path);
    free(part);
    return result == 0 ? 0 : -1;
}

/* An error is better found now than after minutes of work. */
static int try_folder(const char *path, struct error *err)
{
    char *name;
    int file;

    name = memory_format("%s/.galerna-XXXXXX", path);
    file = mkostemp(name, O_CLOEXEC);
    if (file < 0) {
        error_errno(err, "%s: cannot write", path);
    } else {
        close(file);
        unlink(name);
    }
    free(name);
    return file < 0 ? -1 : 0;
}

static int run_and_write(const struct experiment_bench *bench, struct findings *findings,
                         struct error *err)
{
    const struct experiment *experiment = bench->experiment;
    const struct findings_head head = {
        .name = experiment->name,
        .title = experiment->title,
        .paper = experiment->paper,
        .summary = experiment->summary,
        .quick = bench->request->quick ? "Only a small part of the experiment was run (--quick): "
                                         "the verdicts are meaningless."
                                       : NULL,
    };

    for (size_t i = 0; i < experiment->n_options; i++)
        findings_option(findings, experiment->options[i].name, bench->values[i],
                        experiment->options[i].value, experiment->options[i].description);
    if (experiment->run(bench, findings, err) < 0)
        return -1;
    return findings_write(findings, &head, bench->request->folder, err);
}

int experiment_perform(const struct experiment *experiment,
                       const struct experiment_request *request, size_t *verdicts,
                       struct error *err)
{
    struct experiment_bench bench = {.experiment = experiment,
                                     .request = request,
                                     .values =
                                         memory_new(experiment->n_options, sizeof(const char *)),
                                     .parallel = request->parallel};
    struct findings *findings = findings_create();
    int result = -1;

    if (bench.parallel < 1)
        bench.parallel = (long)workers_processors();
    if (read_options(&bench, err) == 0 && make_folder(request->folder, err) == 0 &&
        try_folder(request->folder, err) == 0)
        result = run_and_write(&bench, findings, err);
    for (int v = 0; verdicts && v < VERDICTS; v++)
        verdicts[v] = findings_count(findings, (enum verdict)v);
    findings_destroy(findings);
    free(bench.values);
    return result;
}
