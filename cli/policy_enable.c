/* galerna policy enable: returns a module to service. */
#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/policy_text.h"

static void print_answer(const json_t *answer)
{
    (void)answer;
    puts("The policy is in service again.");
}

const struct command_line policy_enable_line = {
    .name = "galerna policy enable",
    .summary = "Return a policy module to service",
    .purpose = "Return a policy module to service that galernad has taken out of service (see "
               "galerna status). All policy modules are reloaded from their files; if that fails, "
               "the module stays out of service.",
    .operands = "NAME",
    .groups = {CLIENT_GROUP},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "The module is not out of service, cannot be loaded, or galernad does "
                            "not answer"}},
    .offer = policy_offer,
    .size = sizeof(struct client),
};

int command_policy_enable(const struct call *call)
{
    struct client client = *(const struct client *)call->arguments;

    client.command = call->name;
    return client_show(&client, "enable-policy", json_pack("{s:s}", "policy", call->operands[0]),
                       print_answer);
}
