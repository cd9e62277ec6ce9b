/* Programs run when a VM or host changes its state, as OpenNebula's hooks are. */
#include "sandbox/hook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/host.h"
#include "sandbox/process.h"
#include "sandbox/vm.h"
#include "util/memory.h"

enum { RUNNING_MAX = 10, ARGUMENT_MAX = 100000 };

/* The last state reported for each object of a kind, by id. */
struct told {
    int *states;
    size_t count, allocated;
};

struct oned_hooks {
    char *program;
    struct told vms, hosts;
    struct oned_text *waiting; /* documents in base64, in their order */
    size_t waiting_count, waiting_allocated;
    struct oned_process *running[RUNNING_MAX];
};

struct oned_hooks *oned_hooks_create(const char *program)
{
    struct oned_hooks *hooks = memory_new(1, sizeof *hooks);

    hooks->program = memory_text(program);
    return hooks;
}

void oned_hooks_destroy(struct oned_hooks *hooks)
{
    if (!hooks)
        return;
    for (size_t i = 0; i < hooks->waiting_count; i++)
        oned_text_finish(&hooks->waiting[i]);
    for (int i = 0; i < RUNNING_MAX; i++)
        oned_process_destroy(hooks->running[i]);
    free(hooks->waiting);
    free(hooks->vms.states);
    free(hooks->hosts.states);
    free(hooks->program);
    free(hooks);
}

static bool is_new(struct told *told, int id, int state)
{
    if ((size_t)id >= told->count) {
        MEMORY_GROW(told->states, told->allocated, (size_t)id + 1);
        while (told->count <= (size_t)id)
            told->states[told->count++] = -1;
    }
    if (told->states[id] == state)
        return false;
    told->states[id] = state;
    return true;
}

static void wait_for_turn(struct oned_hooks *hooks, struct oned_text *document)
{
    struct oned_text encoded = {0};

    oned_base64(document, &encoded);
    oned_text_finish(document);
    MEMORY_GROW(hooks->waiting, hooks->waiting_allocated, hooks->waiting_count + 1);
    hooks->waiting[hooks->waiting_count++] = encoded;
}

void oned_hook_vm(struct oned *oned, const struct oned_vm *vm)
{
    struct oned_text document = {0};

    if (!oned->hooks || !is_new(&oned->hooks->vms, vm->id, vm->state * 256 + vm->lcm))
        return;
    oned_vm_document(oned, vm, true, &document);
    wait_for_turn(oned->hooks, &document);
}

void oned_hook_host(struct oned *oned, const struct oned_host *host)
{
    struct oned_text document = {0};

    if (!oned->hooks || !is_new(&oned->hooks->hosts, host->id, host->state))
        return;
    oned_host_document(oned, host, true, &document);
    wait_for_turn(oned->hooks, &document);
}

static void start_first(struct oned_hooks *hooks, struct oned_process **place)
{
    struct oned_text *first = &hooks->waiting[0];
    struct error err;

    *place = oned_process_start(hooks->program, first->size < ARGUMENT_MAX ? first->bytes : NULL,
                                first, &err);
    if (!*place)
        fprintf(stderr, "sandbox: hook: %s\n", err.text);
    oned_text_finish(first);
    memmove(first, first + 1, --hooks->waiting_count * sizeof *first);
}

static void take_back(struct oned_hooks *hooks, struct oned_process **place)
{
    struct oned_text output = {0}, errors = {0};
    int code;

    if (!oned_process_ended(*place, &code, &output, &errors))
        return;
    if (code)
        fprintf(stderr, "sandbox: %s: exit code %d: %.200s\n", hooks->program, code, errors.bytes);
    oned_text_finish(&output);
    oned_text_finish(&errors);
    oned_process_destroy(*place);
    *place = NULL;
}

bool oned_hooks_advance(struct oned *oned)
{
    struct oned_hooks *hooks = oned->hooks;
    bool busy = false;

    for (int i = 0; hooks && i < RUNNING_MAX; i++) {
        if (hooks->running[i])
            take_back(hooks, &hooks->running[i]);
        if (!hooks->running[i] && hooks->waiting_count > 0)
            start_first(hooks, &hooks->running[i]);
        busy = busy || hooks->running[i];
    }
    return busy;
}
