/* one.vmpool.* */
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/method.h"
#include "sandbox/vm.h"

struct selection {
    int64_t filter, start, end, state;
};

static bool is_selected(const struct selection *selection, const struct oned_user *user,
                        const struct oned_vm *vm)
{
    if (!oned_may(user, &vm->owner, RIGHT_USE))
        return false;
    if (selection->state == -1 ? vm->state == VM_DONE
                               : selection->state >= 0 && vm->state != selection->state)
        return false;
    switch (selection->filter) {
    case -4: /* the caller's primary group */
        return vm->owner.gid == user->gid;
    case -3: /* the caller's own */
        return vm->owner.uid == user->id;
    case -2: /* all */
        return true;
    case -1: /* the caller's and those of the group */
        return vm->owner.uid == user->id || vm->owner.gid == user->gid;
    default:
        return vm->owner.uid == selection->filter;
    }
}

/* Highest id first. An end below -1 selects a page: that many, from position `start` on. */
static void write_pool(struct oned_call *call, const struct selection *selection, bool full,
                       struct oned_text *text)
{
    bool paged = selection->start >= 0 && selection->end < -1;
    int64_t position = 0;

    oned_text_put(text, "<VM_POOL>");
    for (int id = call->oned->pools[KIND_VM].count - 1; id >= 0; id--) {
        struct oned_vm *vm = oned_vm(call->oned, id);

        if (!vm || !is_selected(selection, call->user, vm))
            continue;
        if (paged) {
            int64_t at = position++;

            if (at < selection->start || at >= selection->start - selection->end)
                continue;
        } else if (id < selection->start || (selection->end >= 0 && id > selection->end)) {
            continue;
        }
        oned_vm_pool_document(call->oned, vm, full, text);
    }
    oned_text_put(text, "</VM_POOL>");
}

static xmlrpc_value *answer_pool(struct oned_call *call, bool full)
{
    const struct selection selection = {
        .filter = call->argument[1].number,
        .start = call->argument[2].number,
        .end = call->argument[3].number,
        .state = call->argument[4].number,
    };
    const char *search = call->argument[5].text;
    struct oned_text text = {0};

    if (search && *search)
        return oned_answer_failure(call, 0x2000,
                                   "JSON query search is not supported by the SQL backend");
    if (selection.filter < -4)
        return oned_answer_failure(call, 0x1000, "Incorrect filter_flag");
    write_pool(call, &selection, full, &text);
    return oned_answer_document(call, &text);
}

static xmlrpc_value *info(struct oned_call *call)
{
    return answer_pool(call, false);
}

static xmlrpc_value *infoextended(struct oned_call *call)
{
    return answer_pool(call, true);
}

static int descending(const void *a, const void *b)
{
    const long *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

static xmlrpc_value *infoset(struct oned_call *call)
{
    struct oned_text text = {0};
    long ids[4096], last = -1;
    size_t count = 0;
    bool full = call->argument[2].number != 0;

    for (char *at = call->argument[1].text, *end; count < sizeof ids / sizeof *ids; at = end + 1) {
        long id = strtol(at, &end, 10);

        if (end != at)
            ids[count++] = id;
        if (*end != ',')
            break;
    }
    qsort(ids, count, sizeof *ids, descending);
    oned_text_put(&text, "<VM_POOL>");
    for (size_t i = 0; i < count; i++) {
        struct oned_vm *vm = oned_vm(call->oned, ids[i]);

        if (vm && ids[i] != last && oned_may(call->user, &vm->owner, RIGHT_USE))
            oned_vm_pool_document(call->oned, vm, full, &text);
        last = ids[i];
    }
    oned_text_put(&text, "</VM_POOL>");
    return oned_answer_document(call, &text);
}

/* The figure, or what the VM was told to report (sandbox.use). */
static void write_figure(const struct oned_vm *vm, const char *name, const char *format,
                         int64_t figure, struct oned_text *text)
{
    const char *told = oned_attributes_get(&vm->use, name);
    char number[40];

    snprintf(number, sizeof number, format, (long long)figure);
    oned_text_cdata(text, name, told ? told : number);
}

/* A running VM uses all it requested. */
static void write_record(const struct oned *oned, const struct oned_vm *vm, struct oned_text *text)
{
    static const char *const counters[] = {"DISKRDBYTES", "DISKRDIOPS", "DISKWRBYTES",
                                           "DISKWRIOPS",  "NETRX",      "NETTX"};
    static const char *const others[] = {"CPU_FORECAST",     "DISKRDBYTES_BW",    "DISKWRBYTES_BW",
                                         "NETRX_BW",         "NETRX_BW_FORECAST", "NETTX_BW",
                                         "NETTX_BW_FORECAST"};

    oned_text_put(text, "<MONITORING>");
    write_figure(vm, "CPU", "%lld.0", vm->cpu, text);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        write_figure(vm, counters[i], "%lld", 0, text);
    write_figure(vm, "ID", "%lld", vm->id, text);
    write_figure(vm, "MEMORY", "%lld", vm->memory, text);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (oned_attributes_get(&vm->use, others[i]))
            write_figure(vm, others[i], "%lld", 0, text);
    write_figure(vm, "TIMESTAMP", "%lld", oned_seconds(oned), text);
    oned_text_put(text, "</MONITORING>");
}

static xmlrpc_value *monitoring(struct oned_call *call)
{
    const struct selection selection = {
        .filter = call->argument[1].number, .start = -1, .end = -1, .state = VM_ACTIVE};
    struct oned_text text = {0};

    oned_text_put(&text, "<MONITORING_DATA>");
    for (int id = 0; id < call->oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(call->oned, id);

        if (vm && vm->lcm == LCM_RUNNING && is_selected(&selection, call->user, vm))
            write_record(call->oned, vm, &text);
    }
    oned_text_put(&text, "</MONITORING_DATA>");
    return oned_answer_document(call, &text);
}

const struct oned_method oned_pool_methods[] = {
    {"one.vmpool.info", "A:siiiis", .run = info, .optional = 1},
    {"one.vmpool.infoextended", "A:siiiis", .run = infoextended, .optional = 1},
    {"one.vmpool.infoset", "A:ssb", .run = infoset},
    {"one.vmpool.monitoring", "A:sii", .run = monitoring},
    {.name = NULL},
};
