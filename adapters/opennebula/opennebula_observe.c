/* Queries OpenNebula, and converts its documents to answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/cloud/pool_memory.h"
#include "adapters/opennebula/known_hosts.h"
#include "adapters/opennebula/opennebula_inside.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/pool_reader.h"
#include "adapters/opennebula/pool_states.h"
#include "util/append.h"
#include "util/memory.h"

#define MONITORING "one.hostpool.monitoring"

enum {
    ALL = -1,
    EVERYBODYS = -2,
    ERROR_TEXT = 512,
    VM_SIZE = 1024,     /* bytes stored for a VM in the short form, known and observed */
    USES_SECONDS = 120, /* VMs are measured every 30 s, unless configured otherwise */
    /* A page repeats the last VMs of the page before: others may have left the list meanwhile. */
    REPEATED_SHARE = 20,
    /* Owners determine the size of VMs: a page that could not be made is tried again, smaller, and
     * the next ones grow while they have fewer bytes than this. */
    PAGE_SHRINKS = 4,
    PAGE_GROWS_BELOW = 16 << 20,
};

/* The calls that are answered with a whole document. */
static const struct {
    const char *method, *what;
    size_t n_arguments;
} documents[] = {
    [CLOUD_LEADERSHIP] = {"one.zone.raftstatus", "one.zone.raftstatus", 0},
    [CLOUD_HOSTS] = {"one.hostpool.info", "the host pool", 0},
    [CLOUD_USES] = {"one.vmpool.monitoring", "one.vmpool.monitoring", 2},
    [CLOUD_DATASTORES] = {"one.datastorepool.info", "datastores", 0},
    [CLOUD_NETWORKS] = {"one.vnpool.info", "virtual networks", 3},
    [CLOUD_CLUSTERS] = {"one.clusterpool.info", "clusters", 0},
    [CLOUD_USERS] = {"one.userpool.info", "users", 0},
    [CLOUD_RULES] = {"one.acl.info", "access rules", 0},
    [CLOUD_VMGROUPS] = {"one.vmgrouppool.info", "VM groups", 3},
};

/* An open question. */
struct pool_asking {
    enum cloud_subject subject;
    cloud_told *told;
    void *context;
    struct opennebula *self; /* outlives the question */
    const char *method;
    size_t n_vms;   /* reported so far */
    size_t n_paged; /* the same, with those that cannot be read, in this page */
    int64_t page;   /* the position of its first VM */
    int32_t page_size;
    size_t page_bytes;
    int32_t *ids; /* CLOUD_SOME: read in pages, too */
    int64_t n_ids;
    size_t n_bytes; /* fed since the last report, or of the document */
    char *document; /* as decoded so far, for a subject other than VMs; NULL: none */
    size_t document_allocated;
    /* CLOUD_HOSTS takes two calls. */
    unsigned open;
    struct cloud_answer answer;
    struct host_monitoring_pool monitoring;
    struct vm_batches
        batches; /* VMs are reported as they arrive, because owners determine their size */
    char error[ERROR_TEXT];
};

static void failed(struct pool_asking *asking, const char *what, const char *why)
{
    if (asking->answer.error)
        return;
    snprintf(asking->error, sizeof asking->error, "%s%s%.250s", what, *what ? ": " : "", why);
    asking->answer.error = asking->error;
}

static void does_not_fit(struct pool_asking *asking, const char *method, size_t bytes)
{
    char text[MEMORY_BUDGET_TEXT];

    failed(asking, method, memory_budget_explain(asking->self->budget, bytes, text));
}

#define COUNTED(pool) (pool).memory, (pool).n * sizeof *(pool).items

static void count(struct pool_asking *asking, const char *method, struct pool_memory *memory,
                  size_t items)
{
    if (memory && !asking->answer.error &&
        !pool_memory_count(memory, asking->self->budget, method, items))
        does_not_fit(asking, method, pool_memory_size(memory) + items);
}

/* Counts all pools, of which only the subject's is not empty. */
static void count_answer(struct pool_asking *asking)
{
    const struct cloud_answer *answer = &asking->answer;

    count(asking, asking->method, COUNTED(answer->hosts));
    count(asking, asking->method, COUNTED(answer->datastores));
    count(asking, asking->method, COUNTED(answer->networks));
    count(asking, asking->method, COUNTED(answer->clusters));
    count(asking, asking->method, COUNTED(answer->users));
    count(asking, asking->method, COUNTED(answer->vmgroups));
    count(asking, asking->method, COUNTED(answer->uses));
    count(asking, asking->method, answer->acl.memory, answer->acl.n * sizeof *answer->acl.rules);
}

/* Counts only the last listing, because listings have the same VMs. */
static void count_short_forms(struct pool_asking *asking)
{
    struct opennebula *self = asking->self;
    size_t bytes = asking->n_vms * VM_SIZE;

    if (bytes > self->vms_counted &&
        !memory_budget_take(self->budget, asking->method, bytes - self->vms_counted))
        does_not_fit(asking, asking->method, bytes);
    else
        self->vms_counted = bytes > self->vms_counted ? bytes : self->vms_counted;
}

static void count_listing(struct pool_asking *asking)
{
    struct opennebula *self = asking->self;
    size_t bytes = asking->n_vms * VM_SIZE;

    if (asking->subject != CLOUD_VMS || asking->answer.error)
        return;
    memory_budget_give_back(self->budget, asking->method, self->vms_counted - bytes);
    self->vms_counted = bytes;
}

/* May a document of that length be parsed? It may be copied, to replace bytes. */
static bool may_parse(struct pool_asking *asking, const char *method, size_t length)
{
    if (memory_budget_fits(asking->self->budget, (POOL_GROWTH_MAX + 1) * length))
        return true;
    does_not_fit(asking, method, length);
    return false;
}

static void drop_document(struct pool_asking *asking)
{
    if (asking->document)
        memory_budget_give_back(asking->self->budget, asking->method, asking->n_bytes);
    free(asking->document);
    asking->document = NULL;
}

static void release(struct pool_asking *asking)
{
    drop_document(asking);
    host_monitoring_finish(&asking->monitoring);
    cloud_answer_finish(&asking->answer);
    free(asking->ids);
    free(asking);
}

static void finish(struct pool_asking *asking)
{
    if (--asking->open > 0)
        return;
    if (asking->subject == CLOUD_HOSTS && !asking->answer.error) {
        host_monitoring_merge(&asking->answer.hosts, &asking->monitoring);
        count_answer(asking);
    }
    if (asking->answer.error)
        cloud_answer_finish(&asking->answer);
    asking->told(asking->context, &asking->answer);
    release(asking);
}

static void dropped(void *context)
{
    struct pool_asking *asking = context;

    if (--asking->open == 0)
        release(asking);
}

static void ask_for_page(struct opennebula *self, struct pool_asking *asking);

static bool has_pages(const struct pool_asking *asking)
{
    return (asking->subject == CLOUD_WAITING || asking->subject == CLOUD_SOME ||
            (asking->subject == CLOUD_VMS && asking->self->lists_in_pages)) &&
           !asking->answer.error;
}

/* Is the page to be asked for again, because oned or its library could not make the document? */
static bool shrinks(const struct pool_asking *asking, const struct rpc_reply *reply)
{
    if (reply->outcome != RPC_UNKNOWN || reply->timed_out || asking->answer.error)
        return false;
    if (asking->subject == CLOUD_VMS && !asking->self->lists_in_pages) {
        asking->self->lists_in_pages = true;
        return true;
    }
    if (!has_pages(asking) || asking->page_size == 1)
        return false;
    asking->self->page_size = (asking->page_size + PAGE_SHRINKS - 1) / PAGE_SHRINKS;
    return true;
}

/* Is another page to be asked for? */
static bool turn_page(struct pool_asking *asking)
{
    struct opennebula *self = asking->self;
    bool more;

    if (!has_pages(asking))
        return false;
    if (asking->page_bytes < PAGE_GROWS_BELOW && self->page_size < PAGE_MAX)
        self->page_size = self->page_size < PAGE_MAX / 2 ? self->page_size * 2 : PAGE_MAX;
    asking->page += asking->page_size;
    if (asking->subject == CLOUD_SOME)
        return asking->page < asking->n_ids;
    more = asking->n_paged == (size_t)asking->page_size;
    if (asking->subject == CLOUD_VMS && !more)
        self->lists_in_pages = asking->page > asking->page_size;
    asking->page -= asking->page_size / REPEATED_SHARE;
    return more;
}

static bool has_document(struct pool_asking *asking, const struct rpc_reply *reply)
{
    if (reply->outcome == RPC_DONE && reply->text)
        return true;
    asking->answer.no_vm = asking->subject == CLOUD_HISTORY && reply->outcome == RPC_REFUSED &&
                           reply->code == RPC_CODE_NO_EXISTS;
    failed(asking, "",
           reply->outcome == RPC_DONE ? "the answer is not an XML document" : reply->message);
    return false;
}

/* Adds the rejected objects to those of the hosts. */
static void monitoring_in(void *context, const struct rpc_reply *reply)
{
    struct pool_asking *asking = context;
    struct pool_errors *errors = &asking->answer.hosts.errors;
    struct error err = {0};

    if (has_document(asking, reply) && may_parse(asking, MONITORING, reply->length)) {
        if (host_monitoring_parse(&asking->monitoring, reply->text, reply->length, &err) < 0)
            failed(asking, "the hosts' figures", err.text);
        else if (asking->monitoring.errors.n && !errors->n)
            *errors = asking->monitoring.errors;
        count(asking, MONITORING, COUNTED(asking->monitoring));
    }
    finish(asking);
}

static int parse(struct pool_asking *asking, const char *text, size_t length, struct error *err)
{
    struct cloud_answer *answer = &asking->answer;

    switch (asking->subject) {
    case CLOUD_LEADERSHIP:
        return raft_status_parse(&answer->leadership, text, length, err);
    case CLOUD_HOSTS:
        return known_hosts_parse(asking->self->known_hosts, &answer->hosts, text, length, err);
    case CLOUD_DATASTORES:
        return datastore_pool_parse(&answer->datastores, text, length, err);
    case CLOUD_NETWORKS:
        return network_pool_parse(&answer->networks, text, length, err);
    case CLOUD_CLUSTERS:
        return cluster_pool_parse(&answer->clusters, text, length, err);
    case CLOUD_USERS:
        return user_pool_parse(&answer->users, text, length, err);
    case CLOUD_VMGROUPS:
        return vmgroup_pool_parse(&answer->vmgroups, text, length, err);
    case CLOUD_RULES:
        return acl_parse(&answer->acl, text, length, err);
    default:
        return vm_use_parse(&answer->uses, text, length, err);
    }
}

/* The answer is decoded as it arrives: it need not be in memory as a whole beside its document. */
static void document_piece(void *context, const char *text, size_t length)
{
    struct pool_asking *asking = context;
    size_t n = asking->n_bytes + length;

    if (asking->answer.error)
        return;
    if (!memory_budget_take(asking->self->budget, asking->method, length)) {
        does_not_fit(asking, asking->method, n);
        return;
    }
    asking->document = memory_grow(asking->document, &asking->document_allocated, n + 1, 1);
    memcpy(asking->document + asking->n_bytes, text, length);
    asking->document[n] = '\0';
    asking->n_bytes = n;
}

static void document_in(void *context, const struct rpc_reply *reply)
{
    struct pool_asking *asking = context;
    const char *text = asking->document ? asking->document : reply->text;
    size_t length = asking->document ? asking->n_bytes : reply->length;
    struct error err = {0};

    if (has_document(asking, reply) && !asking->answer.error &&
        may_parse(asking, asking->method, length) && parse(asking, text, length, &err) < 0)
        failed(asking, documents[asking->subject].what, err.text);
    drop_document(asking);
    count_answer(asking);
    finish(asking);
}

static void vms_in(void *context, struct vm_pool *pool)
{
    struct pool_asking *asking = context;
    struct cloud_answer part = {.more = true, .vms = *pool};

    *pool = (struct vm_pool){0};
    asking->n_bytes = 0;
    asking->n_vms += part.vms.n;
    asking->n_paged += part.vms.n + part.vms.errors.n;
    if (asking->subject == CLOUD_VMS)
        count_short_forms(asking);
    else
        count(asking, asking->method, COUNTED(part.vms));
    if (!asking->answer.error)
        asking->told(asking->context, &part);
    cloud_answer_finish(&part);
}

static void piece_in(void *context, const char *text, size_t length)
{
    struct pool_asking *asking = context;

    asking->n_bytes += length;
    asking->page_bytes += length;
    if (!asking->answer.error && may_parse(asking, asking->method, asking->n_bytes))
        vm_batches_feed(&asking->batches, text, length);
}

static size_t part_in(void *context, const char *text, size_t length, bool *is_known)
{
    struct pool_asking *asking = context;

    return vm_batches_part(&asking->batches, text, length, is_known);
}

static void all_in(void *context, const struct rpc_reply *reply)
{
    struct pool_asking *asking = context;
    struct error err = {0};
    bool again = shrinks(asking, reply);
    bool answered = !again && has_document(asking, reply);

    if (answered && reply->length > 0) /* the answer did not arrive in pieces */
        vm_batches_feed(&asking->batches, reply->text, reply->length);
    if (vm_batches_end(&asking->batches, &err) < 0 && answered)
        failed(asking, "VMs", err.text);
    count_listing(asking);
    if (again || turn_page(asking))
        ask_for_page(asking->self, asking);
    finish(asking);
}

static void told_nothing(void *context, struct vm_pool *pool)
{
    (void)context;
    (void)pool;
}

static void batches_dropped(void *context)
{
    struct pool_asking *asking = context;
    struct error err;

    asking->batches.batch = told_nothing;
    vm_batches_end(&asking->batches, &err);
    dropped(asking);
}

static void send(struct pool_asking *asking, struct rpc_request request)
{
    asking->open++;
    request.urgent = true;
    request.context = asking;
    rpc_call(asking->self->rpc, &request);
}

static void call_for_vms(struct opennebula *self, struct pool_asking *asking, const char *method,
                         const struct rpc_argument *arguments, size_t n)
{
    asking->batches =
        (struct vm_batches){.batch = vms_in,
                            .context = asking,
                            .known = asking->subject == CLOUD_VMS && !self->lists_in_pages
                                         ? self->known_vms /* of one whole listing */
                                         : NULL};
    vm_batches_begin(&asking->batches);
    asking->method = method;
    send(asking, (struct rpc_request){.method = method,
                                      .arguments = arguments,
                                      .n_arguments = n,
                                      .done = all_in,
                                      .dropped = batches_dropped,
                                      .piece = piece_in,
                                      .part = part_in});
}

static void ask_for_some(struct opennebula *self, struct pool_asking *asking)
{
    enum { ID_ROOM = 12 };
    int64_t left = asking->n_ids - asking->page;
    size_t size, length = 0;
    char *list;

    if (asking->page_size > left)
        asking->page_size = (int32_t)left;
    size = ((size_t)asking->page_size + 1) * ID_ROOM;
    list = memory_new(size, 1);
    for (int64_t i = asking->page; i < asking->page + asking->page_size; i++)
        length = append_text(list, size, length, "%s%d", length ? "," : "", asking->ids[i]);
    call_for_vms(self, asking, "one.vmpool.infoset",
                 (const struct rpc_argument[]){RPC_TEXT(list), RPC_BOOL(true)}, 2);
    free(list);
}

static void ask_for_places(struct opennebula *self, struct pool_asking *asking)
{
    const bool all = asking->subject == CLOUD_VMS;
    const struct rpc_argument arguments[] = {RPC_INT(EVERYBODYS), RPC_INT(asking->page),
                                             RPC_INT(-asking->page_size),
                                             RPC_INT(all ? ALL : STATE_PENDING)};

    call_for_vms(self, asking, all ? "one.vmpool.info" : "one.vmpool.infoextended", arguments, 4);
}

static void ask_for_page(struct opennebula *self, struct pool_asking *asking)
{
    asking->page_size = self->page_size;
    asking->n_paged = asking->page_bytes = 0;
    if (asking->subject == CLOUD_SOME)
        ask_for_some(self, asking);
    else
        ask_for_places(self, asking);
}

static void ask_for_document(struct pool_asking *asking, const struct rpc_argument *arguments)
{
    asking->method = documents[asking->subject].method;
    send(asking, (struct rpc_request){.method = asking->method,
                                      .arguments = arguments,
                                      .n_arguments = documents[asking->subject].n_arguments,
                                      .done = document_in,
                                      .dropped = dropped,
                                      .piece = document_piece});
}

static void ask_for_hosts(struct pool_asking *asking)
{
    const struct rpc_argument last = RPC_INT(0); /* seconds: the last figures only */

    ask_for_document(asking, NULL);
    send(asking, (struct rpc_request){.method = MONITORING,
                                      .arguments = &last,
                                      .n_arguments = 1,
                                      .done = monitoring_in,
                                      .dropped = dropped});
}

void opennebula_ask(struct cloud *cloud, const struct cloud_question *question)
{
    /* Objects of all users, without limits, in all states. */
    const struct rpc_argument all[] = {RPC_INT(EVERYBODYS), RPC_INT(ALL), RPC_INT(ALL),
                                       RPC_INT(ALL)};
    const struct rpc_argument uses[] = {RPC_INT(EVERYBODYS), RPC_INT(USES_SECONDS)};
    struct opennebula *self = (struct opennebula *)cloud;
    struct pool_asking *asking = memory_new(1, sizeof *asking);

    asking->subject = question->subject;
    asking->told = question->told;
    asking->context = question->context;
    asking->self = self;
    switch (question->subject) {
    case CLOUD_HOSTS:
        ask_for_hosts(asking);
        break;
    case CLOUD_VMS:
        if (self->lists_in_pages)
            ask_for_page(self, asking);
        else
            call_for_vms(self, asking, "one.vmpool.info", all, 4);
        break;
    case CLOUD_SOME:
        asking->n_ids = (int64_t)question->n_ids;
        asking->ids = memory_new(question->n_ids + 1, sizeof *asking->ids);
        memcpy(asking->ids, question->ids, question->n_ids * sizeof *asking->ids);
        ask_for_page(self, asking);
        break;
    case CLOUD_WAITING:
        ask_for_page(self, asking);
        break;
    case CLOUD_HISTORY:
        call_for_vms(self, asking, "one.vm.info", &RPC_INT(question->ids[0]), 1);
        break;
    case CLOUD_USES:
        ask_for_document(asking, uses);
        break;
    default:
        ask_for_document(asking, all);
    }
}
