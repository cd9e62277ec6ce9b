/* galerna lease cancel. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_selection.h"
#include "util/memory.h"

struct cancel_arguments {
    struct client client;
    struct lease_selection selection;
    bool dry_run;
};

static const struct command_option cancel_options[] = {
    {"dry-run", .type = ARGUMENT_FLAG, .offset = offsetof(struct cancel_arguments, dry_run),
     .help = "Only show which leases would be cancelled"},
};

static int cancel_one(const struct client *client, int64_t id)
{
    int code;
    json_t *answer =
        client_ask(client, "lease-cancel", json_pack("{s:I}", "lease", (json_int_t)id), &code);

    if (!answer)
        return code;
    code = EXIT_DONE;
    if (client->json)
        code = client_print_json(client, answer);
    else
        printf("Lease %" PRId64 " is cancelled%s%s.\n", id,
               *client_text(answer, "phase") ? "; it is now " : "", client_text(answer, "phase"));
    json_decref(answer);
    return code;
}

const struct command_line lease_cancel_line = {
    .name = "galerna lease cancel",
    .summary = "Cancel leases",
    .purpose =
        "Cancel leases: waiting leases leave the queue, running leases are ended, and the VMs of "
        "refused, failed or missed leases, which are on hold, are terminated. Leases are given by "
        "number, or selected by options from the unfinished ones; a selected lease meets all "
        "options.",
    .operands = "[LEASE]...",
    .groups = {LEASE_SELECTION_GROUP(offsetof(struct cancel_arguments, selection)),
               OPTION_GROUP(cancel_options), CLIENT_GROUP},
    .codes = {{EXIT_DONE, "All leases are cancelled"},
              {EXIT_FAILED,
               "A lease could not be cancelled, none is selected, or galernad does not answer"}},
    .offer = client_offer_leases,
    .size = sizeof(struct cancel_arguments),
};

/* A lease that is over is not cancelled. */
static int check_one(const struct client *client, int64_t id)
{
    int code;
    json_t *answer =
        client_ask(client, "lease-show", json_pack("{s:I}", "lease", (json_int_t)id), &code);
    const char *phase = client_text(json_object_get(answer, "lease"), "phase");

    if (!answer)
        return code;
    code = strcmp(phase, "ended") == 0 || strcmp(phase, "ending") == 0 ? EXIT_FAILED : EXIT_DONE;
    if (code)
        fprintf(stderr, "%s: lease %" PRId64 " is already %s\n", client->command, id, phase);
    json_decref(answer);
    return code;
}

static int show_one(const struct client *client, int64_t id)
{
    int code = check_one(client, id);

    if (code)
        return code;
    if (client->json)
        printf("{\"lease\": %" PRId64 ", \"dry_run\": true}\n", id);
    else
        printf("Lease %" PRId64 " would be cancelled.\n", id);
    return EXIT_DONE;
}

/* The leases that the options select. -1: *n in *ids, to be freed; else the exit code. */
static int select_leases(const struct cancel_arguments *arguments, int64_t **ids, size_t *n)
{
    json_t *request = json_object(), *answer;
    const json_t *leases, *lease;
    size_t i;
    int code;

    lease_selection_put(&arguments->selection, request);
    answer = client_ask(&arguments->client, "lease-list", request, &code);
    if (!answer)
        return code;
    leases = json_object_get(answer, "leases");
    *ids = memory_new(json_array_size(leases), sizeof **ids);
    json_array_foreach(leases, i, lease) {
        if (lease_selection_has(&arguments->selection, lease) &&
            strcmp(client_text(lease, "phase"), "ending") != 0)
            (*ids)[(*n)++] = client_integer(lease, "lease");
    }
    json_decref(answer);
    if (*n)
        return -1;
    free(*ids);
    fprintf(stderr, "%s: no lease is selected\n", arguments->client.command);
    return EXIT_FAILED;
}

/* All numbers are checked before the first lease is cancelled. */
static int named_leases(const struct call *call, int64_t **ids, size_t *n)
{
    struct cancel_arguments *arguments = call->arguments;

    *ids = memory_new((size_t)call->n, sizeof **ids);
    for (int i = 0; i < call->n; i++) {
        int wrong = client_lease_number(&arguments->client, call->operands[i], &(*ids)[i]);

        if (wrong >= 0) {
            free(*ids);
            return wrong;
        }
    }
    *n = (size_t)call->n;
    return -1;
}

int command_lease_cancel(const struct call *call)
{
    struct cancel_arguments *arguments = call->arguments;
    bool selects = lease_selection_is_given(&arguments->selection);
    int64_t *ids = NULL;
    size_t n = 0;
    int code;

    arguments->client.command = call->name;
    if (selects == (call->n > 0))
        return command_usage_error(
            call->name, selects ? "give lease numbers or options that select leases, not both"
                                : "give lease numbers, or options that select leases");
    code = selects ? select_leases(arguments, &ids, &n) : named_leases(call, &ids, &n);
    if (code >= 0)
        return code;
    code = EXIT_DONE;
    for (size_t i = 0; i < n; i++) {
        int failed = arguments->dry_run ? show_one(&arguments->client, ids[i])
                                        : cancel_one(&arguments->client, ids[i]);

        code = failed ? failed : code;
    }
    free(ids);
    return code;
}
