/* Fault injection. */
#include "sandbox/fault.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "sandbox/pools.h"
#include "util/file.h"
#include "util/memory.h"

enum { FILE_MAX = 1 << 24 };

static const char *const phase_names[ONED_PHASES] = {
    [ONED_DISPATCH] = "dispatch", [ONED_TRANSFER] = "transfer", [ONED_BOOT] = "boot",
    [ONED_SAVE] = "save",         [ONED_RESTORE] = "restore",   [ONED_SHUTDOWN] = "shutdown",
    [ONED_MIGRATE] = "migrate",   [ONED_EPILOG] = "epilog",     [ONED_CLEANUP] = "cleanup",
    [ONED_MONITOR] = "monitor",
};

static const char *const kind_words[FAULT_KINDS] = {FAULT_KIND_ROWS(WORDS_WORD)};

static void fault_finish(struct oned_fault *fault)
{
    free(fault->method);
    free(fault->text);
}

void oned_faults_finish(struct oned_faults *faults)
{
    oned_faults_clear(faults, -1);
    free(faults->items);
}

int oned_phase_find(const char *name)
{
    return words_find(phase_names, ONED_PHASES, name);
}

static int add_fault(struct oned_faults *faults, const struct oned_attributes *said,
                     struct error *err)
{
    const char *kind = oned_attributes_get(said, "KIND");
    const char *phase = oned_attributes_get(said, "PHASE");
    struct oned_fault fault = {
        .kind = FAULT_KINDS,
        .phase = phase ? oned_phase_find(phase) : -1,
        .vm = oned_attributes_number(said, "VM", -1),
        .host = oned_attributes_number(said, "HOST", -1),
        .count = oned_attributes_number(said, "COUNT", 1),
        .skip = oned_attributes_number(said, "SKIP", 0),
        .probability = oned_attributes_number(said, "PROBABILITY", 100),
        .time = oned_attributes_number(said, "TIME", 1000),
        .code = oned_attributes_number(said, "CODE", 0x0800),
    };
    int number = kind ? words_find(kind_words, FAULT_KINDS, kind) : -1;

    if (number < 0)
        return error_set(err, EINVAL, "fault of unknown KIND '%s'", kind ? kind : "");
    if (phase && fault.phase < 0)
        return error_set(err, EINVAL, "fault with unknown PHASE '%s'", phase);
    fault.kind = (enum oned_fault_kind)number;
    fault.method = memory_text(oned_attributes_get(said, "METHOD"));
    fault.text = memory_text(oned_attributes_get(said, "TEXT"));
    fault.id = faults->next_id++;
    MEMORY_GROW(faults->items, faults->allocated, faults->count + 1);
    faults->items[faults->count++] = fault;
    return fault.id;
}

int oned_faults_add(struct oned_faults *faults, const char *template, struct error *err)
{
    struct oned_attributes list = {0};
    const struct oned_attributes *said;
    int id = -1;

    if (oned_attributes_parse(&list, template, err))
        goto out;
    for (size_t i = 0; (said = oned_attributes_vector(&list, "FAULT", i)); i++) {
        id = add_fault(faults, said, err);
        if (id < 0)
            goto out;
    }
    if (id < 0)
        error_set(err, EINVAL, "no FAULT = [ KIND = ..., ... ] in the template");
out:
    oned_attributes_finish(&list);
    return id;
}

int oned_faults_read(struct oned_faults *faults, const char *path, struct error *err)
{
    size_t length;
    char *text = file_read(path, FILE_MAX, &length, err);
    int result = text ? 0 : -1;

    if (text && oned_faults_add(faults, text, err) < 0)
        result = error_prefix(err, "%s", path);
    free(text);
    return result;
}

int oned_faults_clear(struct oned_faults *faults, int64_t id)
{
    size_t kept = 0, before = faults->count;

    for (size_t i = 0; i < faults->count; i++)
        if (id >= 0 && faults->items[i].id != id)
            faults->items[kept++] = faults->items[i];
        else
            fault_finish(&faults->items[i]);
    faults->count = kept;
    return (int)(before - kept);
}

void oned_faults_document(const struct oned_faults *faults, struct oned_text *text)
{
    oned_text_put(text, "<FAULT_POOL>");
    for (size_t i = 0; i < faults->count; i++) {
        const struct oned_fault *fault = &faults->items[i];

        oned_text_put(text, "<FAULT>");
        oned_text_number(text, "ID", fault->id);
        oned_text_element(text, "KIND", kind_words[fault->kind]);
        oned_text_element(text, "METHOD", fault->method);
        oned_text_element(text, "PHASE", fault->phase < 0 ? "" : phase_names[fault->phase]);
        oned_text_number(text, "VM", fault->vm);
        oned_text_number(text, "HOST", fault->host);
        oned_text_number(text, "COUNT", fault->count);
        oned_text_number(text, "SKIP", fault->skip);
        oned_text_number(text, "HITS", fault->hits);
        oned_text_put(text, "</FAULT>");
    }
    oned_text_put(text, "</FAULT_POOL>");
}

/* A fault that fits is used up, unless skipped, or spared by chance. */
static bool use(struct oned *oned, struct oned_fault *fault)
{
    if (fault->count == 0)
        return false;
    if (fault->skip > 0) {
        fault->skip--;
        return false;
    }
    if (fault->probability < 100 && (int64_t)(oned_random(oned) % 100) >= fault->probability)
        return false;
    if (fault->count > 0)
        fault->count--;
    fault->hits++;
    return true;
}

const struct oned_fault *oned_fault_of_call(struct oned *oned, const char *method, int64_t vm)
{
    for (size_t i = 0; i < oned->faults.count; i++) {
        struct oned_fault *fault = &oned->faults.items[i];
        const char *pattern = fault->method ? fault->method : "one.*";

        if (fault->kind < FAULT_FAIL && !fnmatch(pattern, method, 0) &&
            (fault->vm < 0 || fault->vm == vm) && use(oned, fault))
            return fault;
    }
    return NULL;
}

const struct oned_fault *oned_fault_of_phase(struct oned *oned, enum oned_fault_kind kind,
                                             enum oned_phase phase, int vm, int host)
{
    for (size_t i = 0; i < oned->faults.count; i++) {
        struct oned_fault *fault = &oned->faults.items[i];

        if (fault->kind == kind && (fault->phase < 0 || fault->phase == (int)phase) &&
            (fault->vm < 0 || fault->vm == vm) && (fault->host < 0 || fault->host == host) &&
            use(oned, fault))
            return fault;
    }
    return NULL;
}
