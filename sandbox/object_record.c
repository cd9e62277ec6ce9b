/* Objects as attributes, for the state file. */
#include "sandbox/object_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/machine.h"
#include "sandbox/object_members.h"
#include "util/memory.h"

static void read_histories(struct oned_vm *vm, const struct oned_attributes *record)
{
    const struct oned_attributes *kept;

    for (size_t i = 0; (kept = oned_attributes_vector(record, "HISTORY", i)); i++) {
        vm->history = memory_grow(vm->history, &vm->history_allocated, vm->history_count + 1,
                                  sizeof *vm->history);
        vm->history[vm->history_count] = (struct oned_history){0};
        oned_members_read(oned_history_members, &vm->history[vm->history_count++], kept);
    }
}

static void note_action_ids(struct oned *oned, const struct oned_vm *vm)
{
    const struct oned_attributes *action;

    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++) {
        int64_t id = oned_attributes_number(action, "ID", -1);

        if (id >= oned->next_action)
            oned->next_action = (int)id + 1;
    }
}

static void read_tokens(struct oned_user *user, const struct oned_attributes *record)
{
    const struct oned_attributes *kept;

    for (size_t i = 0; (kept = oned_attributes_vector(record, "TOKEN", i)); i++) {
        user->tokens = memory_grow(user->tokens, &user->tokens_allocated, user->token_count + 1,
                                   sizeof *user->tokens);
        user->tokens[user->token_count] = (struct oned_token){0};
        oned_members_read(oned_token_members, &user->tokens[user->token_count++], kept);
    }
}

static void write_clock(const struct oned *oned, struct oned_attributes *record)
{
    char rate[40];

    snprintf(rate, sizeof rate, "%.17g", oned->rate);
    oned_attributes_add(record, "RATE", rate);
    oned_attributes_add_number(record, "BASE_REAL", oned->base_real);
    oned_attributes_add_number(record, "BASE_OWN", oned->base_own);
}

static void read_clock(struct oned *oned, const struct oned_attributes *record)
{
    const char *rate = oned_attributes_get(record, "RATE");

    oned->rate = rate ? strtod(rate, NULL) : 1;
    oned->base_real = oned_attributes_number(record, "BASE_REAL", oned->base_real);
    oned->base_own = oned_attributes_number(record, "BASE_OWN", oned->base_own);
}

void oned_record_write(const struct oned *oned, enum oned_kind kind, int id,
                       struct oned_attributes *record)
{
    const void *object = oned_pool_get(oned, kind, id);
    const struct oned_vm *vm = kind == KIND_VM ? object : NULL;
    const struct oned_user *user = kind == KIND_USER ? object : NULL;
    const struct oned_thing *thing = oned_is_thing(kind) ? object : NULL;

    if (kind == KIND_CLOCK) {
        write_clock(oned, record);
        return;
    }
    oned_members_write(oned_layouts[kind].members, object, record);
    for (size_t i = 0; vm && i < vm->history_count; i++)
        oned_members_write(oned_history_members, &vm->history[i],
                           oned_attributes_add_vector(record, "HISTORY"));
    for (size_t i = 0; user && i < user->token_count; i++)
        oned_members_write(oned_token_members, &user->tokens[i],
                           oned_attributes_add_vector(record, "TOKEN"));
    for (size_t i = 0; thing && i < thing->cluster_count; i++)
        oned_attributes_add_number(record, "CLUSTER", thing->clusters[i]);
}

void oned_record_read(struct oned *oned, enum oned_kind kind, int id,
                      const struct oned_attributes *record)
{
    void *object;

    if (kind == KIND_CLOCK) {
        read_clock(oned, record);
        return;
    }
    object = memory_new(1, oned_layouts[kind].size);
    oned_members_read(oned_layouts[kind].members, object, record);
    *(int *)object = id; /* the first member of each kind */
    oned_pool_add(oned, kind, object, id);
    if (kind == KIND_VM) {
        read_histories(object, record);
        note_action_ids(oned, object);
        oned_machine_adopt(oned, object);
    } else if (kind == KIND_USER) {
        read_tokens(object, record);
    }
    for (size_t i = 0; oned_is_thing(kind) && i < record->count; i++)
        if (!strcmp(record->items[i].name, "CLUSTER"))
            oned_clusters_add(object, atoi(record->items[i].value));
}
