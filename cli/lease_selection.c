/* Selects leases by options. */
#include "cli/lease_selection.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "cli/client.h"

#define AT(member) offsetof(struct lease_selection, member)
#define PHASES                                                                                     \
    "gathering|waiting|reserved|starting|running|stopping|parked|ending|ended|refused|failed"

const struct command_option lease_selection_options[LEASE_SELECTION_OPTIONS] = {
    {"phase", .type = ARGUMENT_LIST, .argument = "PHASE", .offset = AT(phases), .words = PHASES,
     .help = "Only leases in this phase: gathering, waiting, reserved, starting, running, "
             "stopping, parked, ending, ended, refused or failed. Several are separated by commas"},
    {"state", .type = ARGUMENT_LIST, .argument = "PHASE", .offset = AT(phases), .words = PHASES,
     .help = "The same as --phase"},
    {"user", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(user),
     .help = "Only leases of this user"},
    {"series", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(series),
     .help = "Only occurrences of this series"},
    {"name", .type = ARGUMENT_TEXT, .argument = "NAME", .offset = AT(name),
     .help = "Only leases with this name; '*' stands for any text: 'web-*'"},
    {"host", .type = ARGUMENT_INTEGER, .argument = "HOST", .offset = AT(host), .unset = "-1",
     .least = -1, .most = INT32_MAX, .help = "Only leases with VMs on the host with this number"},
};

bool lease_selection_is_given(const struct lease_selection *selection)
{
    return selection->phases.n || selection->user || selection->series || selection->name ||
           selection->host >= 0;
}

void lease_selection_put(const struct lease_selection *selection, json_t *request)
{
    json_t *phases = json_array();

    for (size_t i = 0; i < selection->phases.n; i++)
        for (const char *at = selection->phases.items[i]; at; at = strchr(at, ',')) {
            at += *at == ',';
            json_array_append_new(phases, json_stringn(at, strcspn(at, ",")));
        }
    if (selection->phases.n)
        json_object_set(request, "phase", phases);
    json_decref(phases);
    if (selection->user)
        json_object_set_new(request, "user", json_string(selection->user));
    if (selection->series)
        json_object_set_new(request, "series", json_string(selection->series));
}

bool lease_selection_has(const struct lease_selection *selection, const json_t *lease)
{
    const json_t *hosts = json_object_get(lease, "hosts"), *host;
    bool there = selection->host < 0;
    size_t i;

    json_array_foreach(hosts, i, host) there = there || json_integer_value(host) == selection->host;
    return there &&
           (!selection->name || fnmatch(selection->name, client_text(lease, "name"), 0) == 0);
}
