/* galerna sandbox submit: VMs for the stand-in, without OpenNebula's tools. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "adapters/opennebula/session.h"
#include "cli/command.h"
#include "cli/sandbox_client.h"
#include "sandbox/text.h"

static void write_template(const struct sandbox_submit_arguments *submission, int64_t index,
                           struct oned_text *template)
{
    if (submission->name && submission->count > 1)
        oned_text_format(template, "NAME = \"%s-%" PRId64 "\"\n", submission->name, index);
    else if (submission->name)
        oned_text_format(template, "NAME = \"%s\"\n", submission->name);
    oned_text_format(template, "CPU = \"%s\"\nMEMORY = \"%s\"\n", submission->cpu,
                     submission->memory);
    if (submission->haizea)
        oned_text_format(template, "HAIZEA = [ %s ]\n", submission->haizea);
    if (submission->galerna)
        oned_text_format(template, "GALERNA = [ %s ]\n", submission->galerna);
    for (size_t i = 0; i < submission->attributes.n; i++)
        oned_text_format(template, "%s\n", submission->attributes.items[i]);
}

static int submit_one(const struct sandbox_submit_arguments *submission, int64_t index, int64_t *id,
                      struct error *err)
{
    struct oned_text template = {0};
    int result;

    write_template(submission, index, &template);
    result = session_create_vm(submission->client.rpc, template.bytes, submission->hold, id, err);
    oned_text_finish(&template);
    return result;
}

/* Ids are printed immediately: VMs created before an error are known. */
static int submit_all(const struct call *call, struct error *err)
{
    const struct sandbox_submit_arguments *submission = call->arguments;
    json_t *ids = json_array();
    int64_t id;
    int result = 0;

    for (int64_t i = 0; i < submission->count && result == 0; i++) {
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

int command_sandbox_submit(const struct call *call)
{
    return sandbox_client_run(call, submit_all);
}
