/* galerna lease hold and galerna lease release. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"

static void print_held(const json_t *answer)
{
    printf("Lease %" PRId64 " is on hold.\n", client_integer(answer, "lease"));
}

static void print_released(const json_t *answer)
{
    int64_t id = client_integer(answer, "lease");

    if (json_is_true(json_object_get(answer, "accepted"))) {
        printf("Lease %" PRId64 " is released.\n", id);
        client_print_lines(answer, "victims");
        return;
    }
    printf("Lease %" PRId64 " stays on hold: ", id);
    table_print_text(stdout, client_text(answer, "text"));
    printf(".\n");
    lease_text_alternative(answer);
}

static int is_refused(const json_t *answer)
{
    return json_is_false(json_object_get(answer, "accepted")) ? EXIT_REFUSED : EXIT_DONE;
}

/* All numbers are checked before the first lease is touched. */
static int order_all(const struct call *call, const char *command,
                     void (*print)(const json_t *answer))
{
    struct client *client = call->arguments;
    int code = EXIT_DONE;
    int64_t id;

    client->command = call->name;
    for (int i = 0; i < call->n; i++) {
        int wrong = client_lease_number(client, call->operands[i], &id);

        if (wrong >= 0)
            return wrong;
    }
    for (int i = 0; i < call->n; i++) {
        json_t *answer;
        int failed;

        client_lease_number(client, call->operands[i], &id);
        answer = client_ask(client, command, json_pack("{s:I}", "lease", (json_int_t)id), &failed);
        if (answer) {
            failed = is_refused(answer);
            if (client_print(client, answer, print) != EXIT_DONE)
                failed = EXIT_FAILED;
        }
        code = failed ? failed : code;
    }
    return code;
}

const struct command_line lease_hold_line = {
    .name = "galerna lease hold",
    .summary = "Hold leases until they are released",
    .purpose = "Put waiting or reserved leases on hold: their VMs are held in OpenNebula, and the "
               "room planned for them is free for other leases. 'galerna lease release' and 'onevm "
               "release' put them back into the queue.",
    .operands = "LEASE...",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "All leases are on hold"},
              {EXIT_FAILED, "A lease could not be held, or galernad does not answer"}},
    .offer = client_offer_leases,
    .size = sizeof(struct client),
};

int command_lease_hold(const struct call *call)
{
    return order_all(call, "lease-hold", print_held);
}

const struct command_line lease_release_line = {
    .name = "galerna lease release",
    .summary = "Release leases that are on hold",
    .purpose = "Release leases that are on hold. A lease is checked like a new request: if it has "
               "a promised start or deadline that can no longer be kept without breaking another "
               "promise, it stays on hold.",
    .operands = "LEASE...",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "All leases are released"},
              {EXIT_FAILED, "A lease could not be released, or galernad does not answer"},
              {EXIT_REFUSED, "A lease no longer has room at its time, and stays on hold"}},
    .offer = client_offer_leases,
    .size = sizeof(struct client),
};

int command_lease_release(const struct call *call)
{
    return order_all(call, "lease-release", print_released);
}
