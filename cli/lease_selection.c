/* Selects leases by options. */
#include "cli/lease_selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "cli/client.h"
#include "cli/host_text.h"
#include "cli/lease_text.h"

#define AT(member) offsetof(struct lease_selection, member)
#define PHASES                                                                                     \
    "gathering|waiting|reserved|starting|running|stopping|parked|ending|ended|refused|failed|"     \
    "missed|suspended|unknown|late"

enum { PHASES_OF_SHOWN = 7 };

/* Phases that are only shown, and the phases in which such leases are. */
static const struct {
    const char *shown, *phases[PHASES_OF_SHOWN];
} shown_phases[] = {
    {"suspended", {"waiting", "reserved"}},
    {"unknown", {"running"}},
    {"late", {"waiting", "reserved", "starting", "running", "stopping", "parked", "ending"}}};

/* An empty name, of a shell's variable that is not set, would select all leases without a name. */
static int take_name(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    (void)option;
    *(const char **)value = text;
    return *text ? 0 : error_set(err, EINVAL, "expected a name");
}

const struct command_option lease_selection_options[LEASE_SELECTION_OPTIONS] = {
    {"phase", .type = ARGUMENT_LIST, .argument = "PHASE", .offset = AT(phases), .words = PHASES,
     .help =
         "Only leases in this phase: gathering, waiting, reserved, starting, running, "
         "stopping, parked, ending, ended, refused, failed or missed; suspended: begun, waiting to "
         "resume; unknown: running, but OpenNebula cannot monitor a VM; late: not "
         "started when promised, or later than that. Several are separated by commas"},
    {"state", .type = ARGUMENT_LIST, .argument = "PHASE", .offset = AT(phases), .words = PHASES,
     .help = "The same as --phase"},
    {"user", .type = ARGUMENT_OWN, .argument = "NAME", .offset = AT(user), .take = take_name,
     .help = "Only leases of this user"},
    {"series", .type = ARGUMENT_OWN, .argument = "NAME", .offset = AT(series), .take = take_name,
     .help = "Only occurrences of this series"},
    {"name", .type = ARGUMENT_OWN, .argument = "NAME", .offset = AT(name), .take = take_name,
     .help = "Only leases with this name; '*' stands for any text: 'web-*'"},
    {"host", .type = ARGUMENT_OWN, .argument = "HOST", .offset = AT(host), .take = take_name,
     .help = "Only leases with VMs on this host: a number or a name"},
};

bool lease_selection_is_given(const struct lease_selection *selection)
{
    return selection->phases.n || selection->user || selection->series || selection->name ||
           selection->host;
}

/* Splits the values of --phase at their commas. */
static json_t *words_of(const struct text_list *list)
{
    json_t *words = json_array();

    for (size_t i = 0; i < list->n; i++)
        for (const char *at = list->items[i]; at; at = strchr(at, ',')) {
            at += *at == ',';
            json_array_append_new(words, json_stringn(at, strcspn(at, ",")));
        }
    return words;
}

static void add_phases_of(json_t *phases, json_t *word)
{
    for (size_t i = 0; i < sizeof shown_phases / sizeof *shown_phases; i++)
        if (strcmp(json_string_value(word), shown_phases[i].shown) == 0) {
            for (size_t k = 0; k < PHASES_OF_SHOWN && shown_phases[i].phases[k]; k++)
                json_array_append_new(phases, json_string(shown_phases[i].phases[k]));
            return;
        }
    json_array_append(phases, word);
}

void lease_selection_put(const struct lease_selection *selection, json_t *request)
{
    json_t *words = words_of(&selection->phases), *phases = json_array(), *word;
    size_t i;

    json_array_foreach(words, i, word)
        add_phases_of(phases, word);
    json_decref(words);
    if (selection->phases.n)
        json_object_set(request, "phase", phases);
    json_decref(phases);
    if (selection->user)
        json_object_set_new(request, "user", json_string(selection->user));
    if (selection->series)
        json_object_set_new(request, "series", json_string(selection->series));
    if (selection->host)
        json_object_set_new(request, "host", host_operand(selection->host));
}

/* Is the lease in one of the selected phases, as galernad names them or as tables show them? */
static bool is_in_phase(const struct text_list *selected, const json_t *lease)
{
    json_t *words = words_of(selected), *word;
    bool found = selected->n == 0;
    size_t i;

    json_array_foreach(words, i, word)
        found = found || strcmp(json_string_value(word), client_text(lease, "phase")) == 0 ||
                strcmp(json_string_value(word), lease_text_phase(lease)) == 0 ||
                (strcmp(json_string_value(word), "late") == 0 &&
                 json_is_true(json_object_get(lease, "late")));
    json_decref(words);
    return found;
}

bool lease_selection_has(const struct lease_selection *selection, const json_t *lease)
{
    return is_in_phase(&selection->phases, lease) &&
           (!selection->name || fnmatch(selection->name, client_text(lease, "name"), 0) == 0);
}
