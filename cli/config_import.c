/* galerna config import: OpenNebula's scheduling settings as a configuration of galernad. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "configuration/import.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/words.h"

struct import_arguments {
    const char *output;
};

/* An option of the fragment, and where it comes from. */
struct fragment_option {
    struct imported imported;
    char *source; /* "sched.conf:12" */
};

struct fragment {
    struct fragment_option *options;
    size_t n, allocated;
    size_t n_invalid;
};

static char *source_of(const char *path, long line)
{
    return memory_format("%s:%ld", words_file_name(path), line);
}

/* A later setting of the same option replaces it, as in OpenNebula. */
static void keep(struct fragment *fragment, const struct imported *imported, char *source)
{
    struct fragment_option *kept = NULL;

    for (size_t i = 0; i < fragment->n; i++)
        if (fragment->options[i].imported.option == imported->option)
            kept = &fragment->options[i];
    if (kept) {
        fprintf(stderr, "%s: replaces %s = %s of %s\n", source, imported->option->name,
                kept->imported.value, kept->source);
        free(kept->source);
    } else {
        MEMORY_GROW(fragment->options, fragment->allocated, fragment->n + 1);
        kept = &fragment->options[fragment->n++];
    }
    *kept = (struct fragment_option){.imported = *imported, .source = source};
}

static void tell(const struct opennebula_setting *setting, const struct imported *imported,
                 const char *source)
{
    static const char *const words[] = {
        [IMPORT_OPTION] = "",
        [IMPORT_NOT_NEEDED] = "not needed: ",
        [IMPORT_UNSUPPORTED] = "not supported: ",
        [IMPORT_INVALID] = "invalid: ",
    };

    fprintf(stderr, "%s: %s%s%s = %.100s: %s", source, setting->name, setting->key ? "/" : "",
            setting->key ? setting->key : "", setting->value, words[imported->result]);
    if (imported->result == IMPORT_OPTION)
        fprintf(stderr, "%s: %s%s%s%s", imported->option->name, imported->value,
                imported->text[0] ? " (" : "", imported->text, imported->text[0] ? ")" : "");
    else
        fprintf(stderr, "%s", imported->text);
    fputc('\n', stderr);
}

static int import_file(const char *command, const char *path, struct fragment *fragment)
{
    struct opennebula_file file;
    struct error err = {0};
    size_t length, others = 0;
    char *text = file_read(path, OPENNEBULA_FILE_MAX, &length, &err);
    bool of_oned;

    if (!text)
        return command_failed(command, &err);
    if (opennebula_file_parse(&file, text, length, &err) < 0) {
        error_prefix(&err, "%s", path);
        free(text);
        return command_failed(command, &err);
    }
    free(text);
    of_oned = import_is_of_oned(&file);
    for (size_t i = 0; i < file.n; i++) {
        char *source = source_of(path, file.settings[i].line);
        struct imported imported;

        import_setting(&file.settings[i], of_oned, &imported);
        if (imported.result == IMPORT_OTHER)
            others++;
        else
            tell(&file.settings[i], &imported, source);
        fragment->n_invalid += imported.result == IMPORT_INVALID;
        if (imported.result == IMPORT_OPTION)
            keep(fragment, &imported, source);
        else
            free(source);
    }
    if (others)
        fprintf(stderr, "%s: %zu other setting%s not about scheduling\n", path, others,
                others == 1 ? " is" : "s are");
    opennebula_file_finish(&file);
    return EXIT_DONE;
}

static struct fragment_option *find(const struct fragment *fragment, const char *name)
{
    for (size_t i = 0; i < fragment->n; i++)
        if (strcmp(fragment->options[i].imported.option->name, name) == 0)
            return &fragment->options[i];
    return NULL;
}

/* OpenNebula ignores the RANK of a policy that is not custom; galernad refuses it. */
static void drop_unused_ranks(struct fragment *fragment)
{
    static const struct {
        const char *rank, *policy, *custom;
    } pairs[] = {
        {"rank", "host-policy", "3"},
        {"datastore-rank", "datastore-policy", "2"},
        {"network-rank", "network-policy", "2"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct fragment_option *policy = find(fragment, pairs[i].policy);
        struct fragment_option *rank = find(fragment, pairs[i].rank);

        if (!rank || (policy && strcmp(policy->imported.value, pairs[i].custom) == 0))
            continue;
        fprintf(stderr, "%s: %s is omitted: POLICY is not %s (custom)\n", rank->source,
                pairs[i].rank, pairs[i].custom);
        free(rank->source);
        fragment->n--;
        memmove(rank, rank + 1, (size_t)(fragment->options + fragment->n - rank) * sizeof *rank);
    }
}

static void write_section(FILE *stream, const struct fragment *fragment, const char *section)
{
    bool begun = false;

    for (size_t i = 0; i < fragment->n; i++) {
        const struct imported *imported = &fragment->options[i].imported;

        if (strcmp(imported->option->section, section) != 0)
            continue;
        if (!begun)
            fprintf(stream, "[%s]\n", section);
        begun = true;
        fprintf(stream, "# %s\n%s: %s\n", fragment->options[i].source, imported->option->name,
                imported->value);
    }
}

static int write_fragment(const struct call *call, const struct fragment *fragment)
{
    const struct import_arguments *arguments = call->arguments;
    FILE *stream = arguments->output ? fopen(arguments->output, "w") : stdout;
    struct error err = {0};
    bool failed = !stream;

    if (stream) {
        write_section(stream, fragment, "opennebula");
        write_section(stream, fragment, "daemon");
        failed = ferror(stream) || (arguments->output && fclose(stream) != 0);
    }
    if (!failed)
        return fragment->n_invalid ? EXIT_FAILED : EXIT_DONE;
    error_errno(&err, "%s", arguments->output ? arguments->output : "standard output");
    return command_failed(call->name, &err);
}

static const struct command_option import_options[] = {
    {"output", .letter = 'o', .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct import_arguments, output),
     .help = "Write the configuration to FILE instead of standard output"},
};

const struct command_line config_import_line = {
    .name = "galerna config import",
    .summary = "Convert OpenNebula's scheduling settings for galernad",
    .purpose = "Read the configuration of OpenNebula's schedulers (sched.conf of 6.x, rank.conf "
               "and the scheduling settings of oned.conf of 7.x) and write the same settings as a "
               "configuration of galernad.\n\nStandard error has one line for each setting: the "
               "equivalent option, why it is not needed, or why it is not supported.",
    .operands = "FILE...",
    .groups = {{.options = import_options, .n = 1}},
    .codes = {{EXIT_DONE, "All settings have been converted or explained"},
              {EXIT_FAILED, "A file cannot be read, or a setting has an invalid value; the other "
                            "settings are written"}},
    .size = sizeof(struct import_arguments),
};

int command_config_import(const struct call *call)
{
    struct fragment fragment = {0};
    int code = EXIT_DONE;

    for (int i = 0; i < call->n && code == EXIT_DONE; i++)
        code = import_file(call->name, call->operands[i], &fragment);
    if (fragment.options)
        drop_unused_ranks(&fragment);
    if (code == EXIT_DONE)
        code = write_fragment(call, &fragment);
    for (size_t i = 0; i < fragment.n; i++)
        free(fragment.options[i].source);
    free(fragment.options);
    return code;
}
