/* Sends commands, messages and new VMs to OpenNebula, and makes the first contact. */
#include "adapters/opennebula/opennebula.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/known_hosts.h"
#include "adapters/opennebula/known_vms.h"
#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/setup.h"
#include "util/append.h"
#include "util/memory.h"

enum { MESSAGE_MAX = 2048 };

/* --- calls ------------------------------------------------------------------------------------ */

struct open_call {
    bool deploys, makes;
    cloud_done *done;
    void *context;
};

static void answered(void *context, const struct rpc_reply *reply)
{
    struct open_call *open = context;
    struct cloud_reply told = opennebula_reply(reply, open->deploys);

    if (open->makes && told.outcome == CLOUD_DONE)
        told.vm = (int32_t)reply->number;
    open->done(open->context, &told);
    free(open);
}

static void call(struct cloud *cloud, const struct open_call *open, struct rpc_request request)
{
    struct open_call *kept = memory_new(1, sizeof *kept);

    *kept = *open;
    request.done = answered;
    request.dropped = free;
    request.context = kept;
    rpc_call(((struct opennebula *)cloud)->rpc, &request);
}

/* The methods of commands: one.vm.action with a name, or a separate method. */
enum { RECOVER_RETRY = 2, RECOVER_DELETE = 3, RECOVER_RECREATE = 4 };
enum migration { MIGRATION_SAVES, MIGRATION_POWERS_OFF, MIGRATION_LIVE };
enum method { METHOD_ACTION, METHOD_DEPLOY, METHOD_MIGRATE, METHOD_RECOVER };

static const struct {
    enum method method;
    const char *action; /* METHOD_ACTION */
    int argument;       /* METHOD_MIGRATE: enum migration; METHOD_RECOVER: the operation */
} calls[COMMAND_KINDS] = {
    [COMMAND_DEPLOY] = {.method = METHOD_DEPLOY},
    [COMMAND_RESUME] = {.action = "resume"},
    [COMMAND_RELOCATE] = {.method = METHOD_MIGRATE},
    [COMMAND_MIGRATE] = {.method = METHOD_MIGRATE},
    [COMMAND_LIVE_MIGRATE] = {.method = METHOD_MIGRATE, .argument = MIGRATION_LIVE},
    [COMMAND_POWEROFF_MIGRATE] = {.method = METHOD_MIGRATE, .argument = MIGRATION_POWERS_OFF},
    [COMMAND_SUSPEND] = {.action = "suspend"},
    [COMMAND_STOP] = {.action = "stop"},
    [COMMAND_POWEROFF] = {.action = "poweroff"},
    [COMMAND_UNDEPLOY] = {.action = "undeploy"},
    [COMMAND_TERMINATE] = {.action = "terminate"},
    [COMMAND_TERMINATE_HARD] = {.action = "terminate-hard"},
    [COMMAND_DELETE] = {.method = METHOD_RECOVER, .argument = RECOVER_DELETE},
    [COMMAND_HOLD] = {.action = "hold"},
    [COMMAND_RELEASE] = {.action = "release"},
    [COMMAND_RETRY] = {.method = METHOD_RECOVER, .argument = RECOVER_RETRY},
    [COMMAND_RECREATE] = {.method = METHOD_RECOVER, .argument = RECOVER_RECREATE},
};

/* The networks of automatic NICs, as a template; to be freed. */
static char *network_template(const struct cloud_command *given)
{
    enum { NIC_TEXT_MAX = 96 };
    size_t size = (given->n_nics + 1) * NIC_TEXT_MAX, length = 0;
    char *text = memory_new(size, 1);

    for (size_t i = 0; i < given->n_nics; i++)
        length =
            append_text(text, size, length,
                        "NIC = [ NIC_ID = \"%d\", NETWORK_MODE = \"auto\", NETWORK_ID = \"%d\" ]\n",
                        given->nics[i].nic, given->nics[i].network);
    return text;
}

static void send_command(struct cloud *cloud, const struct cloud_command *given)
{
    char *networks = network_template(given);
    const struct rpc_argument vm = RPC_INT(given->vm), host = RPC_INT(given->host),
                              enforce = RPC_BOOL(given->enforce),
                              argument = RPC_INT(calls[given->command].argument);
    const struct rpc_argument deploy[] = {vm, host, enforce, RPC_INT(given->datastore),
                                          RPC_TEXT(networks)};
    bool live = argument.number == MIGRATION_LIVE;
    const struct rpc_argument migrate[] = {
        vm, host, RPC_BOOL(live), enforce, RPC_INT(-1), RPC_INT(live ? 0 : argument.number)};
    const struct rpc_argument recover[] = {vm, argument};
    const struct rpc_argument action[] = {RPC_TEXT(calls[given->command].action), vm};
    const struct rpc_request requests[] = {
        [METHOD_ACTION] = {.method = "one.vm.action", .arguments = action, .n_arguments = 2},
        [METHOD_DEPLOY] = {.method = "one.vm.deploy", .arguments = deploy, .n_arguments = 5},
        [METHOD_MIGRATE] = {.method = "one.vm.migrate", .arguments = migrate, .n_arguments = 6},
        [METHOD_RECOVER] = {.method = "one.vm.recover", .arguments = recover, .n_arguments = 2},
    };
    struct rpc_request request = requests[calls[given->command].method];

    request.urgent = true;
    request.send_by = given->send_by;
    call(cloud,
         &(struct open_call){.deploys = given->command == COMMAND_DEPLOY,
                             .done = given->done,
                             .context = given->context},
         request);
    free(networks);
}

struct unlocking {
    struct cloud *cloud;
    struct cloud_command command; /* for the unlocked VM; not a deployment, because its list of
                                     networks is not copied */
};

/* If galernad may not remove the lock, the VM remains locked. */
static void unlocked(void *context, const struct rpc_reply *reply)
{
    struct unlocking *unlocking = context;
    struct cloud_reply told = opennebula_reply(reply, false);

    if (told.refusal == CLOUD_NO_PERMISSION || told.refusal == CLOUD_NO_VM)
        told.refusal = CLOUD_NO_OWNER;
    if (told.outcome == CLOUD_DONE)
        send_command(unlocking->cloud, &unlocking->command);
    else
        unlocking->command.done(unlocking->command.context, &told);
    free(unlocking);
}

static void command(struct cloud *cloud, const struct cloud_command *given)
{
    const struct rpc_argument vm = RPC_INT(given->vm);

    if (!given->unlock) {
        send_command(cloud, given);
        return;
    }
    rpc_call(((struct opennebula *)cloud)->rpc,
             &(struct rpc_request){.method = "one.vm.unlock",
                                   .arguments = &vm,
                                   .n_arguments = 1,
                                   .urgent = true,
                                   .send_by = given->send_by,
                                   .done = unlocked,
                                   .dropped = free,
                                   .context = memory_copy(&(struct unlocking){cloud, *given},
                                                          sizeof(struct unlocking))});
}

static void add(char text[MESSAGE_MAX], const char *name, const char *value)
{
    size_t length = strlen(text);

    if (value)
        snprintf(text + length, MESSAGE_MAX - length, "%s=\"%s\"\n", name, value);
}

static void message(struct cloud *cloud, int32_t vm, const struct cloud_message *shown,
                    cloud_done *done, void *context)
{
    enum { MERGE = 1 };
    char attributes[MESSAGE_MAX] = "";
    const struct rpc_argument arguments[] = {RPC_INT(vm), RPC_TEXT(attributes), RPC_INT(MERGE)};

    add(attributes, "SCHED_MESSAGE", shown->text);
    add(attributes, "GALERNA_MESSAGE", shown->kind);
    add(attributes, "GALERNA_PROMISE", shown->promise);
    call(cloud, &(struct open_call){.done = done, .context = context},
         (struct rpc_request){.method = "one.vm.update",
                              .arguments = arguments,
                              .n_arguments = 3,
                              .send_by = shown->send_by});
}

static void note(struct cloud *cloud, const struct cloud_host_note *note)
{
    enum { MERGE = 1 };
    const struct rpc_argument arguments[] = {RPC_INT(note->host), RPC_TEXT(note->text),
                                             RPC_INT(MERGE)};

    call(cloud, &(struct open_call){.done = note->done, .context = note->context},
         (struct rpc_request){.method = "one.host.update",
                              .arguments = arguments,
                              .n_arguments = 3,
                              .send_by = note->send_by});
}

static void create(struct cloud *cloud, const struct cloud_order *order)
{
    const struct rpc_argument plain[] = {RPC_TEXT(order->text), RPC_BOOL(false)};
    const struct rpc_argument from_template[] = {RPC_INT(order->template), RPC_TEXT(order->name),
                                                 RPC_BOOL(false), RPC_TEXT(order->text),
                                                 RPC_BOOL(false)};
    struct rpc_request request = {.urgent = true,
                                  .session = order->session,
                                  .method = "one.template.instantiate",
                                  .arguments = from_template,
                                  .n_arguments = 5};

    if (order->template == -1) {
        request.method = "one.vm.allocate";
        request.arguments = plain;
        request.n_arguments = 2;
    }
    call(cloud, &(struct open_call){.makes = true, .done = order->done, .context = order->context},
         request);
}

static void resize(struct cloud *cloud, const struct cloud_resizing *resizing)
{
    char size[96];
    const struct rpc_argument arguments[] = {RPC_INT(resizing->vm), RPC_TEXT(size), RPC_BOOL(true)};

    snprintf(size, sizeof size, "CPU = \"%" PRId64 ".%02" PRId64 "\"\nMEMORY = \"%" PRId64 "\"",
             resizing->cpu / 100, resizing->cpu % 100, resizing->memory);
    call(cloud, &(struct open_call){.done = resizing->done, .context = resizing->context},
         (struct rpc_request){
             .method = "one.vm.resize", .arguments = arguments, .n_arguments = 3, .urgent = true});
}

/* --- first contact ---------------------------------------------------------------------------- */

static enum cloud_outcome ask_now(struct opennebula *self, const struct rpc_request *request,
                                  char **text, enum cloud_refusal *refusal, struct error *err)
{
    struct rpc_reply reply = {0};
    struct cloud_reply told;

    *text = NULL;
    if (rpc_call_now(self->rpc, request, text, &reply, err) == 0)
        return CLOUD_DONE;
    if (reply.outcome == RPC_DONE) /* waiting itself failed */
        return CLOUD_NOT_SENT;
    reply.message = err->text;
    told = opennebula_reply(&reply, false);
    *refusal = told.refusal;
    return told.outcome;
}

/* Access rules may be for one zone of a federation. For a user who may not read the configuration,
 * a single zone is assumed. */
static int32_t find_zone(struct opennebula *self)
{
    const struct rpc_request request = {.method = "one.system.config"};
    struct setup_facts facts;
    enum cloud_refusal refusal;
    struct error err = {0};
    char *document;
    int32_t zone = 0;

    setup_facts_init(&facts);
    if (ask_now(self, &request, &document, &refusal, &err) == CLOUD_DONE && document &&
        setup_read_config(&facts, document, strlen(document), &err) == 0 && facts.zone > 0)
        zone = facts.zone;
    free(document);
    return zone;
}

/* Without an answer, another front-end may be the leader. */
static void find_leadership(struct opennebula *self, struct cloud_greeting *greeting)
{
    const struct rpc_request request = {.method = "one.zone.raftstatus"};
    struct cloud_leadership *leadership = &greeting->leadership;
    enum cloud_refusal refusal;
    struct error err = {0};
    char *document = NULL;

    *leadership = (struct cloud_leadership){.leads = !self->check_leader, .server = -1};
    if (self->check_leader &&
        (ask_now(self, &request, &document, &refusal, &err) != CLOUD_DONE || !document ||
         raft_status_parse(leadership, document, strlen(document), &err) < 0))
        snprintf(leadership->role, sizeof leadership->role, "not known");
    free(document);
}

/* Makes a call that checks the credentials, because the version is available without them. */
static enum cloud_outcome greet(struct cloud *cloud, struct cloud_greeting *greeting,
                                enum cloud_refusal *refusal, struct error *err)
{
    struct opennebula *self = (struct opennebula *)cloud;
    const struct rpc_argument own = RPC_INT(-1);
    const struct rpc_request version = {.method = "one.system.version"};
    const struct rpc_request user = {
        .method = "one.user.info", .arguments = &own, .n_arguments = 1};
    enum cloud_outcome outcome;
    char *text;

    *greeting = (struct cloud_greeting){0};
    outcome = ask_now(self, &version, &text, refusal, err);
    snprintf(greeting->version, sizeof greeting->version, "%s", text ? text : "");
    free(text);
    if (outcome != CLOUD_DONE)
        return outcome;
    outcome = ask_now(self, &user, &text, refusal, err);
    free(text);
    if (outcome == CLOUD_REFUSED && *refusal == CLOUD_NO_CREDENTIALS)
        return outcome;
    greeting->zone = find_zone(self);
    find_leadership(self, greeting);
    return CLOUD_DONE;
}

/* --- the rest --------------------------------------------------------------------------------- */

static void destroy(struct cloud *cloud)
{
    struct opennebula *self = (struct opennebula *)cloud;

    rpc_destroy(self->rpc); /* ends listings */
    known_vms_destroy(self->known_vms);
    known_hosts_destroy(self->known_hosts);
    free(self);
}

static int wait_for(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                    struct error *err)
{
    return rpc_wait(((struct opennebula *)cloud)->rpc, fds, n, timeout, err);
}

static size_t pending(const struct cloud *cloud)
{
    return rpc_pending(((const struct opennebula *)cloud)->rpc);
}

static bool date(const struct cloud *cloud, int64_t *date, int64_t *at)
{
    return rpc_date(((const struct opennebula *)cloud)->rpc, date, at);
}

static const struct cloud_operations operations = {
    .destroy = destroy,
    .wait = wait_for,
    .pending = pending,
    .date = date,
    .greet = greet,
    .ask = opennebula_ask,
    .command = command,
    .message = message,
    .create = create,
    .note = note,
    .resize = resize,
    .read_mark = opennebula_read_mark,
    .write_mark = opennebula_write_mark,
    .publish = opennebula_publish,
};

struct cloud *opennebula_create(const struct rpc_settings *settings, bool check_leader,
                                struct error *err)
{
    struct rpc *rpc = rpc_create(settings, err);
    struct opennebula *self;

    if (!rpc)
        return NULL;
    self = memory_new(1, sizeof *self);
    *self = (struct opennebula){.cloud = {&operations},
                                .rpc = rpc,
                                .known_vms = known_vms_create(),
                                .known_hosts = known_hosts_create(),
                                .budget = settings->budget,
                                .page_size = PAGE_MAX,
                                .check_leader = check_leader,
                                .document = DOCUMENT_NONE,
                                .front_end = DOCUMENT_NONE};
    return &self->cloud;
}
