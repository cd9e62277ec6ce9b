/* Derives the runs of a replay from its arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/replay.h"
#include "configuration/site_text.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/words.h"

static const char *const output_endings[REPLAY_OUTPUTS] = {
    [REPLAY_RECORD] = ".json", [REPLAY_JOBS] = ".csv",  [REPLAY_EVENTS] = ".jsonl",
    [REPLAY_RESULTS] = ".db",  [REPLAY_GANTT] = ".svg",
};

static bool name_is_taken(const struct replay_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n_runs; i++)
        if (plan->runs[i].name && !strcmp(plan->runs[i].name, name))
            return true;
    return false;
}

static void add_run(struct replay_plan *plan, struct configuration *configuration, char *name)
{
    struct replay_run run = {.configuration = configuration, .title = memory_text(name)};
    char *distinct = name;

    for (int number = 2; name_is_taken(plan, distinct); number++) {
        if (distinct != name)
            free(distinct);
        distinct = memory_format("%s-%d", name, number);
    }
    if (distinct != name)
        free(name);
    run.name = distinct;
    MEMORY_GROW(plan->runs, plan->allocated, plan->n_runs + 1);
    plan->runs[plan->n_runs++] = run;
}

/* Slashes and control characters in a profile's name must not change the path. */
static char *safe_name(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ')
            *c = '_';
    return name;
}

static struct configuration_overrides overrides_of(const struct replay_options *options,
                                                   const char *trace)
{
    return (struct configuration_overrides){
        .set = (const char *const *)options->set.items,
        .n_set = options->set.n,
        .compatibility = options->compatibility,
        .site = options->site,
        .trace = trace,
    };
}

bool replay_plan_is_misused(const struct replay_options *options)
{
    struct configuration_overrides overrides = overrides_of(options, "-");
    struct configuration_list list = {0};
    struct error err = {0};
    struct site site;

    if (options->site && site_text_parse(options->site, &site, &err) < 0)
        return true;
    if (options->site)
        site_finish(&site);
    if (configuration_read(NULL, &overrides, &list, &err) < 0)
        return true;
    configuration_list_finish(&list);
    return false;
}

static int add_file(struct replay_plan *plan, const char *file, const char *trace,
                    const struct replay_options *options, struct error *err)
{
    struct configuration_overrides overrides = overrides_of(options, trace);
    const char *input = trace && strcmp(trace, "-") == 0 ? "standard-input" : trace;
    struct configuration_list *list;

    MEMORY_GROW(plan->lists, plan->lists_allocated, plan->n_lists + 1);
    list = &plan->lists[plan->n_lists];
    if (configuration_read(file, &overrides, list, err) < 0)
        return -1;
    plan->n_lists++;
    for (size_t i = 0; i < list->n_items; i++) {
        struct configuration *configuration = list->items[i];
        char *base = trace ? words_file_stem(input) : NULL, *name;

        if (configuration->mode == MODE_OPENNEBULA)
            return error_set(err, EINVAL,
                             "%s: general.mode is opennebula: this configuration is for a live "
                             "cloud; to replay a trace, add --set general.mode=simulated",
                             file ? file : "--set");
        if (!configuration->tracefile)
            return error_set(
                err, EINVAL,
                "%s: no trace; specify one on the command line or set tracefile.tracefile",
                file ? file : "replay");
        if (!file)
            name = memory_text(base);
        else if (base)
            name = memory_format("%s_%s", configuration->name, base);
        else
            name = memory_text(configuration->name);
        free(base);
        add_run(plan, configuration, safe_name(name));
    }
    return 0;
}

/* The path of a run's output. %s is replaced by the run's name; a folder gets a file with that
 * name; with several runs, other file names get the run's name before their extension. */
static char *output_path(const char *given, const struct replay_run *run, enum replay_output kind,
                         bool several)
{
    const char *mark = strstr(given, "%s"), *slash = strrchr(given, '/'), *dot;
    struct stat status;

    if (!strcmp(given, "-"))
        return memory_text(given);
    if (mark)
        return memory_format("%.*s%s%s", (int)(mark - given), given, run->name, mark + 2);
    if (given[0] &&
        (given[strlen(given) - 1] == '/' || (stat(given, &status) == 0 && S_ISDIR(status.st_mode))))
        return memory_format("%s%s%s%s", given, given[strlen(given) - 1] == '/' ? "" : "/",
                             run->name, output_endings[kind]);
    if (!several)
        return memory_text(given);
    dot = strrchr(slash ? slash : given, '.');
    if (!dot || dot == given || dot[-1] == '/')
        return memory_format("%s-%s", given, run->name);
    return memory_format("%.*s-%s%s", (int)(dot - given), given, run->name, dot);
}

static int name_outputs(struct replay_plan *plan, const struct replay_options *options,
                        struct error *err)
{
    bool several = plan->n_runs > 1;

    for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++) {
        const char *given = options->outputs[kind];

        if (!given)
            continue;
        if (kind == REPLAY_RESULTS && !strcmp(given, "-"))
            return error_set(err, EINVAL,
                             "--results: a database cannot be written to standard "
                             "output; specify a file");
        if (several && !strcmp(given, "-"))
            return error_set(err, EINVAL,
                             "%zu runs cannot all write to standard output; specify a directory, "
                             "or a file with %%s for the name of the run",
                             plan->n_runs);
        for (size_t i = 0; i < plan->n_runs; i++)
            plan->runs[i].outputs[kind] =
                output_path(given, &plan->runs[i], (enum replay_output)kind, several);
    }
    return 0;
}

/* Several runs would share what arrives. */
static int check_standard_input(const struct replay_plan *plan, struct error *err)
{
    size_t readers = 0;

    for (size_t i = 0; i < plan->n_runs; i++)
        readers += !strcmp(plan->runs[i].configuration->tracefile, "-");
    if (readers > 1)
        return error_set(err, EINVAL,
                         "%zu runs cannot all read standard input; save the trace in a file",
                         readers);
    return 0;
}

/* No output replaces a file that the run reads. */
static int check_inputs(const struct replay_run *run, const struct replay_options *options,
                        struct error *err)
{
    const struct configuration *configuration = run->configuration;

    for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++) {
        const char *path = run->outputs[kind];

        if (file_keep_input(path, configuration->tracefile, err) < 0 ||
            file_keep_input(path, configuration->imagefile, err) < 0 ||
            file_keep_input(path, configuration->injectionfile, err) < 0)
            return -1;
        for (size_t i = 0; i < options->configurations.n; i++)
            if (file_keep_input(path, options->configurations.items[i], err) < 0)
                return -1;
    }
    return 0;
}

/* Two runs must not write the same file. */
static int check_outputs(const struct replay_run *run, struct error *err)
{
    for (size_t a = 0; a < REPLAY_OUTPUTS; a++)
        for (size_t b = a + 1; b < REPLAY_OUTPUTS; b++)
            if (run->outputs[a] && run->outputs[b] && !strcmp(run->outputs[a], run->outputs[b]))
                return error_set(err, EINVAL, "%s: cannot be used for two outputs",
                                 strcmp(run->outputs[a], "-") ? run->outputs[a]
                                                              : "standard output");
    return 0;
}

int replay_plan_make(struct replay_plan *plan, const struct replay_options *options,
                     struct error *err)
{
    size_t n_files = options->configurations.n, n_traces = options->n_traces;

    *plan = (struct replay_plan){0};
    for (size_t f = 0; f < (n_files ? n_files : 1); f++) {
        const char *file = n_files ? options->configurations.items[f] : NULL;

        for (size_t t = 0; t < (n_traces ? n_traces : 1); t++)
            if (add_file(plan, file, n_traces ? options->traces[t] : NULL, options, err) < 0)
                return -1;
    }
    if (check_standard_input(plan, err) < 0 || name_outputs(plan, options, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->n_runs; i++)
        if (check_outputs(&plan->runs[i], err) < 0 ||
            check_inputs(&plan->runs[i], options, err) < 0)
            return -1;
    return 0;
}

void replay_plan_finish(struct replay_plan *plan)
{
    for (size_t i = 0; i < plan->n_runs; i++) {
        free(plan->runs[i].name);
        free(plan->runs[i].title);
        for (size_t kind = 0; kind < REPLAY_OUTPUTS; kind++)
            free(plan->runs[i].outputs[kind]);
    }
    for (size_t i = 0; i < plan->n_lists; i++)
        configuration_list_finish(&plan->lists[i]);
    free(plan->runs);
    free(plan->lists);
    *plan = (struct replay_plan){0};
}
