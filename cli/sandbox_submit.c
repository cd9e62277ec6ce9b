/* galerna sandbox submit: VMs for the stand-in, without OpenNebula's tools. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/sandbox.h"
#include "cli/sandbox_client.h"
#include "sandbox/text.h"

enum { COUNT_MAX = 100000, ATTRIBUTES_MAX = 64 };

struct submission {
    struct sandbox_client client;
    const char *name, *cpu, *memory, *haizea, *galerna;
    const char *attributes[ATTRIBUTES_MAX];
    size_t attribute_count;
    long count;
    bool hold, json;
};

static const char command[] = "galerna sandbox submit";

static void print_help(void)
{
    printf("usage: galerna sandbox submit [OPTION]...\n\n"
           "Make VMs and print their ids, one a line.\n\n"
           "  --endpoint URL     the daemon; else as OpenNebula's own tools find it\n"
           "  --auth FILE        name:password; else as OpenNebula's own tools find it\n"
           "  --name NAME        with -0, -1... behind it when there are several\n"
           "  --cpu CORES        1\n"
           "  --memory MB        1024\n"
           "  --haizea TERMS     attribute HAIZEA, such as START=+00:01:00,DURATION=00:02:00\n"
           "  --galerna TERMS    attribute GALERNA, the same way\n"
           "  --attribute TEXT   a line of the template, such as RACK=\"r1\"; may be repeated\n"
           "  --count N          so many VMs of this kind; 1\n"
           "  --hold             they wait until they are released\n"
           "  --json             print a JSON array of the ids instead\n\n"
           "Exit code: 0 done, 1 a VM was refused, 64 wrong command line.\n");
}

static int take_count(struct submission *submission)
{
    char *end;

    errno = 0;
    submission->count = strtol(optarg, &end, 10);
    if (errno || end == optarg || *end || submission->count < 1 || submission->count > COUNT_MAX)
        return command_usage_error(command, "--count: '%.40s' is no number from 1 to %d", optarg,
                                   COUNT_MAX);
    return -1;
}

static const char **text_option(struct submission *submission, int option)
{
    switch (option) {
    case 'e':
        return &submission->client.endpoint;
    case 'a':
        return &submission->client.auth;
    case 'n':
        return &submission->name;
    case 'c':
        return &submission->cpu;
    case 'm':
        return &submission->memory;
    case 'H':
        return &submission->haizea;
    case 'G':
        return &submission->galerna;
    default:
        return NULL;
    }
}

static int take_option(struct submission *submission, int option)
{
    const char **text = text_option(submission, option);

    if (text) {
        *text = optarg;
        return -1;
    }
    switch (option) {
    case 'N':
        return take_count(submission);
    case 'A':
        if (submission->attribute_count == ATTRIBUTES_MAX)
            return command_usage_error(command, "more than %d attributes", ATTRIBUTES_MAX);
        submission->attributes[submission->attribute_count++] = optarg;
        return -1;
    case 'o':
        submission->hold = true;
        return -1;
    case 'j':
        submission->json = true;
        return -1;
    case 'h':
        print_help();
        return EXIT_DONE;
    default:
        return command_usage_hint(command); /* getopt has said what is wrong */
    }
}

static int parse(struct submission *submission, int argc, char **argv)
{
    static const struct option options[] = {
        {"endpoint", required_argument, NULL, 'e'},
        {"auth", required_argument, NULL, 'a'},
        {"name", required_argument, NULL, 'n'},
        {"cpu", required_argument, NULL, 'c'},
        {"memory", required_argument, NULL, 'm'},
        {"haizea", required_argument, NULL, 'H'},
        {"galerna", required_argument, NULL, 'G'},
        {"count", required_argument, NULL, 'N'},
        {"attribute", required_argument, NULL, 'A'},
        {"hold", no_argument, NULL, 'o'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option, code = -1;

    optind = 1;
    while (code < 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        code = take_option(submission, option);
    if (code < 0 && optind < argc)
        code = command_usage_error(command, "unexpected argument '%.60s'", argv[optind]);
    return code;
}

static void write_template(const struct submission *submission, long index,
                           struct oned_text *template)
{
    if (submission->name && submission->count > 1)
        oned_text_format(template, "NAME = \"%s-%ld\"\n", submission->name, index);
    else if (submission->name)
        oned_text_format(template, "NAME = \"%s\"\n", submission->name);
    oned_text_format(template, "CPU = \"%s\"\nMEMORY = \"%s\"\n", submission->cpu,
                     submission->memory);
    if (submission->haizea)
        oned_text_format(template, "HAIZEA = [ %s ]\n", submission->haizea);
    if (submission->galerna)
        oned_text_format(template, "GALERNA = [ %s ]\n", submission->galerna);
    for (size_t i = 0; i < submission->attribute_count; i++)
        oned_text_format(template, "%s\n", submission->attributes[i]);
}

static int submit_one(struct submission *submission, long index, int64_t *id, struct error *err)
{
    struct oned_text template = {0};
    struct rpc_argument arguments[2];
    int result;

    write_template(submission, index, &template);
    arguments[0] = RPC_TEXT(template.bytes);
    arguments[1] = RPC_BOOL(submission->hold);
    result =
        sandbox_client_call(&submission->client, "one.vm.allocate", arguments, 2, NULL, id, err);
    oned_text_finish(&template);
    return result;
}

/* Ids are printed as they come: what was made before an error is known. */
static int submit_all(struct submission *submission, struct error *err)
{
    json_t *ids = json_array();
    int64_t id;
    int result = 0;

    for (long i = 0; i < submission->count && result == 0; i++) {
        result = submit_one(submission, i, &id, err);
        if (result == 0 && submission->json)
            json_array_append_new(ids, json_integer(id));
        else if (result == 0)
            printf("%" PRId64 "\n", id);
    }
    if (submission->json) {
        json_dumpf(ids, stdout, JSON_COMPACT);
        putchar('\n');
    }
    json_decref(ids);
    return result;
}

int sandbox_submit(int argc, char **argv)
{
    struct submission submission = {.cpu = "1", .memory = "1024", .count = 1};
    struct error err = {0};
    int code = parse(&submission, argc, argv);

    if (code >= 0)
        return code;
    if (sandbox_client_open(&submission.client, &err))
        return command_failed(command, &err);
    code = submit_all(&submission, &err) ? command_failed(command, &err) : EXIT_DONE;
    sandbox_client_close(&submission.client);
    return code;
}
