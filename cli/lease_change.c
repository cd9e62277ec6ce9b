/* galerna lease change. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/size_options.h"
#include "cli/table.h"
#include "cli/term_options.h"
#include "util/instant.h"
#include "util/time_parse.h"

struct change_arguments {
    struct client client;
    int64_t duration, extend, shorten, shift; /* 0: not given */
    int64_t start, deadline;                  /* 0: not given */
    const char *kind;
    double cpu;     /* of each VM; 0: not given */
    int64_t memory; /* MB; 0 */
    struct term_options terms;
    bool dry_run;
};

static int take_duration(const struct command_option *option, void *value, const char *text,
                         struct error *err)
{
    const char *wrong = time_parse_duration(text, value);

    (void)option;
    return wrong ? error_set(err, EINVAL, "%s", wrong) : 0;
}

static int take_span(const struct command_option *option, void *value, const char *text,
                     struct error *err)
{
    int64_t *span = value;
    bool back = strcmp(option->name, "shift") == 0 && *text == '-';
    const char *wrong = time_parse_span(text + (back || *text == '+'), span);

    if (wrong || *span == 0)
        return error_set(err, EINVAL, "%s", wrong ? wrong : "must be at least one second");
    *span = back ? -*span : *span;
    return 0;
}

static int take_cpu(const struct command_option *option, void *value, const char *text,
                    struct error *err)
{
    (void)option;
    return size_read_cpu(text, value, err);
}

static int take_memory(const struct command_option *option, void *value, const char *text,
                       struct error *err)
{
    (void)option;
    return size_read_memory(text, value, err);
}

#define AT(member) offsetof(struct change_arguments, member)

static const struct command_option change_options[] = {
    {"duration", .type = ARGUMENT_OWN, .argument = "DURATION", .offset = AT(duration),
     .take = take_duration, .help = "Total duration of the lease, or unlimited"},
    {"extend", .type = ARGUMENT_OWN, .argument = "DURATION", .offset = AT(extend),
     .take = take_span, .help = "Extend the duration by this much"},
    {"shorten", .type = ARGUMENT_OWN, .argument = "DURATION", .offset = AT(shorten),
     .take = take_span, .help = "Shorten the duration by this much"},
    {"start", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(start),
     .take = client_take_time,
     .help = "New start of a reservation; new earliest start of other leases"},
    {"shift", .type = ARGUMENT_OWN, .argument = "DURATION", .offset = AT(shift), .take = take_span,
     .help = "Delay the start by this much; a negative value advances it: --shift=-1h"},
    {"deadline", .type = ARGUMENT_OWN, .argument = "TIME", .offset = AT(deadline),
     .take = client_take_time, .help = "New deadline of a deadline lease"},
    {"kind", .type = ARGUMENT_TEXT, .argument = "KIND", .offset = AT(kind),
     .words = "best-effort|reservation|deadline",
     .help = "Turn a lease that has not started into a reservation (at --start, or else at its "
             "expected start), a deadline lease (--deadline), or a best-effort lease"},
    {"cpu", .type = ARGUMENT_OWN, .argument = "N", .offset = AT(cpu), .take = take_cpu,
     .help = "Processors of each VM"},
    {"memory", .type = ARGUMENT_OWN, .argument = "SIZE", .offset = AT(memory), .take = take_memory,
     .help = "Memory of each VM: MB, or 512M, 2G"},
    {"dry-run", .type = ARGUMENT_FLAG, .offset = AT(dry_run),
     .help = "Only show whether the change would be accepted"},
};

static void put_span(json_t *request, const char *field, int64_t span)
{
    if (span)
        json_object_set_new(request, field,
                            span == SPAN_UNLIMITED ? json_string("unlimited") : json_integer(span));
}

static json_t *request_of(const struct change_arguments *arguments, int64_t id)
{
    json_t *request = json_pack("{s:I}", "lease", (json_int_t)id);

    put_span(request, "duration", arguments->duration);
    put_span(request, "extend", arguments->extend);
    put_span(request, "shorten", arguments->shorten);
    put_span(request, "shift", arguments->shift);
    client_put_time(request, "start", arguments->start);
    client_put_time(request, "deadline", arguments->deadline);
    if (arguments->kind)
        json_object_set_new(request, "kind", json_string(arguments->kind));
    if (arguments->cpu > 0)
        json_object_set_new(request, "cpu", json_real(arguments->cpu));
    if (arguments->memory)
        json_object_set_new(request, "memory", json_integer(arguments->memory));
    term_options_put(&arguments->terms, request);
    if (arguments->dry_run)
        json_object_set_new(request, "dry_run", json_true());
    return request;
}

static void print_change(const json_t *answer)
{
    bool accepted = json_is_true(json_object_get(answer, "accepted"));
    bool dry_run = json_is_true(json_object_get(answer, "dry_run"));

    printf("Lease %" PRId64 " %s: ", client_integer(answer, "lease"),
           accepted  ? dry_run ? "would be changed" : "is changed"
           : dry_run ? "would stay as it is"
                     : "stays as it is");
    table_print_text(stdout, client_text(answer, "text"));
    printf(".\n");
    client_print_lines(answer, "victims");
    if (!accepted)
        lease_text_alternative(answer);
}

const struct command_line lease_change_line = {
    .name = "galerna lease change",
    .summary = "Change the times, the size, the kind or the terms of a lease",
    .purpose =
        "Extend, shorten, shift or resize a waiting, reserved or running lease, turn it into a "
        "reservation or back, or change its terms. The change is checked like a new request: it "
        "is accepted as a whole if it breaks no promise to another lease. Otherwise the lease is "
        "not changed, and the command prints the reason, the conflicting lease, and the nearest "
        "alternative.",
    .operands = "LEASE",
    .groups = {OPTION_GROUP(change_options),
               {.row = term_option_changed, .offset = AT(terms)},
               CLIENT_GROUP},
    .codes = {{EXIT_DONE, "The lease is changed"},
              {EXIT_FAILED, "galernad does not answer or reports an error"},
              {EXIT_REFUSED, "The change was refused; the lease was not changed"}},
    .offer = client_offer_leases,
    .size = sizeof(struct change_arguments),
};

int command_lease_change(const struct call *call)
{
    struct change_arguments *arguments = call->arguments;
    json_t *answer;
    int64_t id;
    int code;

    arguments->client.command = call->name;
    code = client_lease_number(&arguments->client, call->operands[0], &id);
    if (code >= 0)
        return code;
    answer = client_ask(&arguments->client, "lease-change", request_of(arguments, id), &code);
    if (!answer)
        return code;
    code = json_is_true(json_object_get(answer, "accepted")) ? EXIT_DONE : EXIT_REFUSED;
    if (!arguments->client.json)
        print_change(answer);
    else if (client_print_json(&arguments->client, answer) != EXIT_DONE)
        code = EXIT_FAILED;
    json_decref(answer);
    return code;
}
