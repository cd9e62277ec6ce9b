/* Documents of VMs, short and extended. */
#include <stdio.h>
#include <string.h>

#include "sandbox/vm.h"
#include "util/memory.h"

void oned_owner_names(const struct oned *oned, const struct oned_owner *owner,
                      struct oned_text *text)
{
    oned_text_number(text, "UID", owner->uid);
    oned_text_number(text, "GID", owner->gid);
    oned_text_element(text, "UNAME", oned_user_name(oned, owner->uid));
    oned_text_element(text, "GNAME", oned_group_name(oned, owner->gid));
}

void oned_owner_permissions(const struct oned_owner *owner, struct oned_text *text)
{
    static const char *const names[RIGHTS] = {"OWNER_U", "OWNER_M", "OWNER_A", "GROUP_U", "GROUP_M",
                                              "GROUP_A", "OTHER_U", "OTHER_M", "OTHER_A"};

    oned_text_put(text, "<PERMISSIONS>");
    for (int i = 0; i < RIGHTS; i++)
        oned_text_number(text, names[i], owner->rights[i]);
    oned_text_put(text, "</PERMISSIONS>");
}

static void write_mads(struct oned_text *text)
{
    oned_text_cdata(text, "VM_MAD", "dummy");
    oned_text_cdata(text, "TM_MAD", "dummy");
}

static void write_times(const struct oned_history *record, struct oned_text *text)
{
    oned_text_number(text, "PSTIME", record->pstime);
    oned_text_number(text, "PETIME", record->petime);
    oned_text_number(text, "RSTIME", record->rstime);
    oned_text_number(text, "RETIME", record->retime);
    oned_text_number(text, "ESTIME", record->estime);
    oned_text_number(text, "EETIME", record->eetime);
}

static void write_history(const struct oned *oned, const struct oned_vm *vm, size_t index,
                          struct oned_text *text)
{
    const struct oned_history *record = &vm->history[index];

    oned_text_put(text, "<HISTORY>");
    oned_text_number(text, "OID", vm->id);
    oned_text_number(text, "SEQ", (int64_t)index);
    oned_text_element(text, "HOSTNAME", record->hostname);
    oned_text_number(text, "HID", record->host);
    oned_text_number(text, "CID", record->cluster);
    oned_text_number(text, "STIME", record->stime);
    oned_text_number(text, "ETIME", record->etime);
    write_mads(text);
    oned_text_number(text, "DS_ID", record->datastore);
    if (oned->options.version >= ONED_7_4) {
        oned_text_number(text, "PLAN_ID", record->plan);
        oned_text_number(text, "ACTION_ID", record->plan_action);
    }
    write_times(record, text);
    oned_text_number(text, "ACTION", record->action);
    oned_text_number(text, "UID", record->uid);
    oned_text_number(text, "GID", record->gid);
    oned_text_number(text, "REQUEST_ID", record->request);
    oned_text_put(text, "</HISTORY>");
}

static void write_histories(const struct oned *oned, const struct oned_vm *vm, size_t first,
                            struct oned_text *text)
{
    if (vm->history_count == 0) {
        oned_text_put(text, "<HISTORY_RECORDS/>");
        return;
    }
    oned_text_put(text, "<HISTORY_RECORDS>");
    for (size_t i = first; i < vm->history_count; i++)
        write_history(oned, vm, i, text);
    oned_text_put(text, "</HISTORY_RECORDS>");
}

static void write_states(const struct oned_vm *vm, bool full, struct oned_text *text)
{
    oned_text_number(text, "LAST_POLL", 0);
    oned_text_number(text, "STATE", vm->state);
    oned_text_number(text, "LCM_STATE", vm->lcm);
    if (full) {
        oned_text_number(text, "PREV_STATE", vm->state);
        oned_text_number(text, "PREV_LCM_STATE", vm->lcm);
    }
    oned_text_number(text, "RESCHED", vm->resched);
    oned_text_number(text, "STIME", vm->stime);
    oned_text_number(text, "ETIME", vm->etime);
    oned_text_element(text, "DEPLOY_ID", vm->deploy_id);
    if (vm->lock > 0) {
        oned_text_put(text, "<LOCK>");
        oned_text_number(text, "LOCKED", vm->lock);
        oned_text_number(text, "OWNER", vm->lock_owner);
        oned_text_number(text, "TIME", vm->lock_time);
        oned_text_number(text, "REQ_ID", -1);
        oned_text_put(text, "</LOCK>");
    }
}

static void write_action_ids(const struct oned_vm *vm, struct oned_text *text)
{
    const struct oned_attributes *action;

    oned_text_put(text, "<SCHED_ACTIONS>");
    for (size_t i = 0; (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i)); i++)
        oned_text_element(text, "ID", oned_attributes_get(action, "ID"));
    oned_text_put(text, "</SCHED_ACTIONS>");
}

/* Scheduled actions have their own form and come last; pools do not have them. */
static void write_template(const struct oned_vm *vm, bool alone, struct oned_text *text)
{
    static const char *const names[] = {"ID",   "PARENT_ID", "TYPE",   "ACTION",   "ARGS",
                                        "TIME", "REPEAT",    "DAYS",   "END_TYPE", "END_VALUE",
                                        "DONE", "MESSAGE",   "WARNING"};
    const struct oned_attributes *action;

    oned_text_put(text, "<TEMPLATE>");
    for (size_t i = 0; i < vm->template.count; i++) {
        struct oned_attributes one = {.items = &vm->template.items[i], .count = 1};

        if (strcmp(one.items->name, "SCHED_ACTION") != 0)
            oned_attributes_write(&one, text);
    }
    for (size_t i = 0; alone && (action = oned_attributes_vector(&vm->template, "SCHED_ACTION", i));
         i++) {
        oned_text_put(text, "<SCHED_ACTION>");
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            oned_text_element(text, names[k], oned_attributes_get(action, names[k]));
        oned_text_put(text, "</SCHED_ACTION>");
    }
    oned_text_put(text, "</TEMPLATE>");
}

void oned_vm_document(const struct oned *oned, const struct oned_vm *vm, bool alone,
                      struct oned_text *text)
{
    size_t first = alone || vm->history_count == 0 ? 0 : vm->history_count - 1;

    oned_text_put(text, "<VM>");
    oned_text_number(text, "ID", vm->id);
    oned_owner_names(oned, &vm->owner, text);
    oned_text_element(text, "NAME", vm->name);
    oned_owner_permissions(&vm->owner, text);
    write_states(vm, true, text);
    oned_text_put(text, "<MONITORING></MONITORING>");
    write_action_ids(vm, text);
    write_template(vm, alone, text);
    oned_text_put(text, "<USER_TEMPLATE>");
    oned_attributes_write(&vm->user_template, text);
    oned_text_put(text, "</USER_TEMPLATE>");
    write_histories(oned, vm, first, text);
    oned_text_put(text, "<BACKUPS><BACKUP_CONFIG/><BACKUP_IDS></BACKUP_IDS></BACKUPS></VM>");
}

static void write_brief_history(const struct oned_vm *vm, struct oned_text *text)
{
    const struct oned_history *record = &vm->history[vm->history_count - 1];
    char action[16];

    snprintf(action, sizeof action, "%d", record->action);
    oned_text_put(text, "<HISTORY>");
    oned_text_number(text, "OID", vm->id);
    oned_text_number(text, "SEQ", (int64_t)vm->history_count - 1);
    oned_text_cdata(text, "HOSTNAME", record->hostname);
    oned_text_number(text, "HID", record->host);
    oned_text_number(text, "CID", record->cluster);
    oned_text_number(text, "DS_ID", record->datastore);
    write_mads(text);
    oned_text_cdata(text, "ACTION", action);
    oned_text_put(text, "</HISTORY>");
}

/* Lists show only these attributes of the user template. */
static void write_brief_user_template(const struct oned_vm *vm, struct oned_text *text)
{
    static const char *const shown[] = {"ERROR",
                                        "LABELS",
                                        "SCHED_MESSAGE",
                                        "SCHED_RANK",
                                        "SCHED_DS_RANK",
                                        "SCHED_REQUIREMENTS",
                                        "SCHED_DS_REQUIREMENTS",
                                        "USER_PRIORITY"};

    if (vm->user_template.count == 0) {
        oned_text_put(text, "<USER_TEMPLATE/>");
        return;
    }
    oned_text_put(text, "<USER_TEMPLATE>");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *value = oned_attributes_get(&vm->user_template, shown[i]);

        if (value)
            oned_text_cdata(text, shown[i], value);
    }
    oned_text_put(text, "</USER_TEMPLATE>");
}

static void write_brief(const struct oned *oned, const struct oned_vm *vm, struct oned_text *text)
{
    oned_text_put(text, "<VM>");
    oned_text_number(text, "ID", vm->id);
    oned_owner_names(oned, &vm->owner, text);
    oned_text_element(text, "NAME", vm->name);
    write_states(vm, false, text);
    oned_text_put(text, "<TEMPLATE>");
    oned_text_element(text, "CPU", oned_attributes_get(&vm->template, "CPU"));
    oned_text_element(text, "MEMORY", oned_attributes_get(&vm->template, "MEMORY"));
    oned_text_element(text, "VCPU", oned_attributes_get(&vm->template, "VCPU"));
    oned_text_put(text, "</TEMPLATE><MONITORING/>");
    write_brief_user_template(vm, text);
    oned_text_put(text, vm->history_count > 0 ? "<HISTORY_RECORDS>" : "<HISTORY_RECORDS/>");
    if (vm->history_count > 0) {
        write_brief_history(vm, text);
        oned_text_put(text, "</HISTORY_RECORDS>");
    }
    oned_text_put(text, "</VM>");
}

void oned_vm_pool_document(const struct oned *oned, struct oned_vm *vm, bool full,
                           struct oned_text *text)
{
    char **kept = full ? &vm->full : &vm->brief;
    size_t *size = full ? &vm->full_size : &vm->brief_size;

    if (!*kept) {
        struct oned_text fresh = {0};

        if (full)
            oned_vm_document(oned, vm, false, &fresh);
        else
            write_brief(oned, vm, &fresh);
        *size = fresh.size;
        *kept = memory_copy(fresh.bytes, fresh.size);
        oned_text_finish(&fresh);
    }
    oned_text_add(text, *kept, *size);
}
