/* All checks before the first call of a module. Reads no bytes beyond the module's stated size,
 * which is trusted only after magic and version have been verified. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "plugin/module.h"
#include "plugin/module_options.h"
#include "util/memory.h"

/* The smallest published sizes of structures with a size member. */
enum {
    ADMISSION_SIZE_1_0 = sizeof(struct galerna_admission),
    PREEMPTION_SIZE_1_0 = sizeof(struct galerna_preemption),
    HOST_SELECTION_SIZE_1_0 = offsetof(struct galerna_host_selection, estimate),
    OPTION_SIZE_1_0 = sizeof(struct galerna_option),
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int check_versions(const char *path, const struct galerna_policy *exported,
                          struct error *err)
{
    if (exported->magic != GALERNA_POLICY_MAGIC)
        return error_set(err, EINVAL,
                         "%s: is not a policy module: magic is 0x%08x, expected 0x%08x; build it "
                         "with galerna_policy.h",
                         path, exported->magic, GALERNA_POLICY_MAGIC);
    if (exported->abi_major != GALERNA_ABI_MAJOR)
        return error_set(err, EINVAL,
                         "%s: was built for policy ABI %u.%u, this program has %d.%d; rebuild it "
                         "with this version's galerna_policy.h",
                         path, exported->abi_major, exported->abi_minor, GALERNA_ABI_MAJOR,
                         GALERNA_ABI_MINOR);
    if (exported->abi_minor > GALERNA_ABI_MINOR)
        return error_set(err, EINVAL,
                         "%s: needs policy ABI %u.%u, this program has %d.%d, which is older; "
                         "upgrade Galerna or rebuild the module with this version's "
                         "galerna_policy.h",
                         path, exported->abi_major, exported->abi_minor, GALERNA_ABI_MAJOR,
                         GALERNA_ABI_MINOR);
    if (exported->size < MODULE_SIZE_1_0)
        return error_set(err, EINVAL,
                         "%s: its structure has %u bytes, the first version had %zu; use "
                         "GALERNA_POLICY_HEAD of galerna_policy.h",
                         path, exported->size, (size_t)MODULE_SIZE_1_0);
    return 0;
}

static bool is_word(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length == 0 || length >= MODULE_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && text[i] != '-')
            return false;
    return true;
}

static int check_identity(const struct module *module, const struct module_source *source,
                          struct error *err)
{
    const struct galerna_policy *policy = &module->policy;

    if (!is_word(policy->name))
        return error_set(err, EINVAL,
                         "%s: invalid name '%.64s': use lower case letters, digits and -",
                         source->path, policy->name ? policy->name : "");
    if (strcmp(policy->name, source->name) != 0)
        return error_set(
            err, EINVAL,
            "%s: its name is '%s', but its file name requires '%s'; rename one of them",
            source->path, policy->name, source->name);
    if (!policy->summary || !policy->version)
        return error_set(err, EINVAL, "%s: has no %s", source->path,
                         policy->summary ? "version" : "summary");
    if (policy->kind < GALERNA_KIND_ADMISSION || policy->kind > GALERNA_KIND_HOST_SELECTION)
        return error_set(err, EINVAL, "%s: is of kind %u, which is unknown here", source->path,
                         policy->kind);
    if (source->kind && policy->kind != source->kind)
        return error_set(err, EINVAL, "%s: is a policy for %s, not for %s", source->path,
                         module_kind_name(policy->kind), module_kind_name(source->kind));
    return 0;
}

static bool has_operations(const struct galerna_policy *policy)
{
    return policy->kind == GALERNA_KIND_ADMISSION    ? policy->admission != NULL
           : policy->kind == GALERNA_KIND_PREEMPTION ? policy->preemption != NULL
                                                     : policy->host_selection != NULL;
}

/* Copies a table of operations, whose first member is its size. */
static int copy_operations(void *copy, size_t size, const void *exported, size_t least,
                           const char *path, struct error *err)
{
    uint32_t stated;

    memcpy(&stated, exported, sizeof stated);
    if (stated < least)
        return error_set(err, EINVAL,
                         "%s: its operations have %u bytes, the first version had %zu; set .size = "
                         "sizeof of the structure",
                         path, stated, least);
    memcpy(copy, exported, smaller(stated, size));
    return 0;
}

static int check_operations(struct module *module, const char *path, struct error *err)
{
    const struct galerna_policy *policy = &module->policy;
    bool complete = false;

    if (!has_operations(policy))
        return error_set(err, EINVAL, "%s: lacks the operations that a policy for %s must have",
                         path, module_kind_name(policy->kind));
    switch (policy->kind) {
    case GALERNA_KIND_ADMISSION:
        if (copy_operations(&module->admission, sizeof module->admission, policy->admission,
                            ADMISSION_SIZE_1_0, path, err) < 0)
            return -1;
        complete = module->admission.admit;
        break;
    case GALERNA_KIND_PREEMPTION:
        if (copy_operations(&module->preemption, sizeof module->preemption, policy->preemption,
                            PREEMPTION_SIZE_1_0, path, err) < 0)
            return -1;
        complete = module->preemption.score || module->preemption.choose;
        break;
    case GALERNA_KIND_HOST_SELECTION:
        if (copy_operations(&module->host_selection, sizeof module->host_selection,
                            policy->host_selection, HOST_SELECTION_SIZE_1_0, path, err) < 0)
            return -1;
        complete = module->host_selection.score;
        break;
    default:
        break;
    }
    if (!complete)
        return error_set(err, EINVAL, "%s: lacks the function that a policy for %s must have (%s)",
                         path, module_kind_name(policy->kind),
                         policy->kind == GALERNA_KIND_ADMISSION    ? "admit"
                         : policy->kind == GALERNA_KIND_PREEMPTION ? "score or choose"
                                                                   : "score");
    return 0;
}

static int check_options(struct module *module, const char *path, struct error *err)
{
    const struct galerna_policy *policy = &module->policy;

    if (policy->n_options == 0)
        return 0;
    if (!policy->options || policy->option_size < OPTION_SIZE_1_0)
        return error_set(err, EINVAL,
                         "%s: its table of options is missing or its lines have %u bytes, the "
                         "first version had %d; use GALERNA_OPTIONS",
                         path, policy->option_size, OPTION_SIZE_1_0);
    module->options = memory_new(policy->n_options, sizeof *module->options);
    for (uint32_t i = 0; i < policy->n_options; i++) {
        memcpy(&module->options[i], (const char *)policy->options + (size_t)i * policy->option_size,
               smaller(policy->option_size, sizeof *module->options));
        if (!is_word(module->options[i].name))
            return error_set(err, EINVAL, "%s: option %u has an invalid name", path, i + 1);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(module->options[i].name, module->options[j].name) == 0)
                return error_set(err, EINVAL, "%s: has two options '%s'", path,
                                 module->options[i].name);
        if (option_check(&module->options[i], err) < 0)
            return error_prefix(err, "%s", path);
    }
    return 0;
}

int module_verify(struct module *module, const void *exported, const struct module_source *source,
                  struct error *err)
{
    const struct galerna_policy *head = exported;

    if (check_versions(source->path, head, err) < 0)
        return -1;
    memset(&module->policy, 0, sizeof module->policy);
    memcpy(&module->policy, exported, smaller(head->size, sizeof module->policy));
    if (check_identity(module, source, err) < 0 ||
        check_operations(module, source->path, err) < 0 ||
        check_options(module, source->path, err) < 0)
        return -1;
    return 0;
}
