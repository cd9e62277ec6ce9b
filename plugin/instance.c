/* An instance of a module in a chain: its options, its self, and its faults. */
#include "plugin/instance.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/printable.h"

/* FNV-1a over the name, so that modules of one host draw different numbers. */
static uint64_t seed_of(const struct policy_host_state *state, const char *name, size_t place)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (hash ^ state->settings->seed) + place * UINT64_C(0x632be59bd9b4e019);
}

const char *instance_text(struct instance *instance, const char *otherwise)
{
    struct galerna_result *result = &instance->result;

    result->text[sizeof result->text - 1] = '\0';
    mark_cut(result->text, sizeof result->text);
    mask_controls(result->text, ' '); /* it is shown on terminals, and stored in UTF-8 */
    return *result->text ? result->text : otherwise;
}

const char *instance_reason(const struct instance *instance)
{
    const char *reason = instance->result.reason;
    size_t n = strnlen(reason, sizeof instance->result.reason);

    return n && n < sizeof instance->result.reason &&
                   strspn(reason, "abcdefghijklmnopqrstuvwxyz0123456789-") == n
               ? reason
               : NULL;
}

static int call_create(struct instance *instance, struct error *err)
{
    const struct galerna_policy *policy = &instance->module->policy;
    enum galerna_verdict verdict;

    if (!policy->create)
        return 0;
    instance_watch(instance, POLICY_CALL_CREATE);
    verdict = policy->create(&instance->api, instance->values.values, &instance->self,
                             instance_result(instance));
    instance_watched(instance);
    if (verdict == GALERNA_OK)
        return 0;
    return error_set(err, EINVAL, "policy %s: %s", policy->name,
                     instance_text(instance, "cannot be created, without a reason"));
}

struct instance *instance_create(struct module *module, struct policy_host_state *state,
                                 const struct instance_place *place, struct error *err)
{
    struct instance *instance = memory_new(1, sizeof *instance);

    instance->module = module;
    instance->state = state;
    instance->weight = place->weight;
    instance->number = place->number;
    instance->name = memory_text(place->name);
    instance->replaced = place->outage != NULL;
    instance->outage = memory_text(place->outage);
    instance->random = seed_of(state, module->policy.name, place->in_chain);
    host_api_init(&instance->api, instance);
    if (option_values_read(&instance->values, module, state->settings, err) < 0 ||
        call_create(instance, err) < 0)
        goto failed;
    instance->admission = &module->admission;
    instance->preemption = &module->preemption;
    instance->host_selection = &module->host_selection;
    instance->active_self = instance->self;
    return instance;

failed:
    option_values_finish(&instance->values);
    module_unload(module);
    free(instance->outage);
    free(instance->name);
    free(instance);
    return NULL;
}

void instance_destroy(struct instance *instance)
{
    int saved = errno;

    if (!instance)
        return;
    if (instance->module->policy.destroy)
        instance->module->policy.destroy(instance->self);
    option_values_finish(&instance->values);
    module_unload(instance->module);
    free(instance->outage);
    free(instance->name);
    free(instance);
    errno = saved;
}

static void replace(struct instance *instance)
{
    const struct galerna_policy *builtin = builtin_policy(instance->module->policy.kind);
    const struct policy_watch *watch = instance->state->settings->watch;
    char offence[FAULT_TEXT_MAX + 64];

    snprintf(offence, sizeof offence, "gave %llu invalid answers, the last: %s",
             (unsigned long long)instance->faults, instance->last_fault);
    instance->outage = memory_text(offence);
    instance->replaced = true;
    instance->active_self = NULL;
    instance->admission = builtin->admission;
    instance->preemption = builtin->preemption;
    instance->host_selection = builtin->host_selection;
    host_log(instance->state, POLICY_LOG_ERROR, "policy %s is out of service: it %s; %s",
             instance->module->policy.name, offence,
             builtin->kind == GALERNA_KIND_ADMISSION ? "leases are refused for now"
                                                     : "the built-in default takes its place");
    if (watch)
        watch->failed(watch->context, instance->number, instance->faults, instance->last_fault);
}

void instance_fault(struct instance *instance, const char *format, ...)
{
    va_list args;

    if (instance->replaced)
        return;
    va_start(args, format);
    vsnprintf(instance->last_fault, sizeof instance->last_fault, format, args);
    va_end(args);
    if (instance->faults++ == 0)
        host_log(instance->state, POLICY_LOG_WARNING,
                 "policy %s gave an invalid answer: %s (further ones are only counted)",
                 instance->module->policy.name, instance->last_fault);
    if (instance->faults >= instance->state->settings->faults_allowed)
        replace(instance);
}

void instance_check_input(struct instance *instance, const char *function, void *input,
                          const void *kept, size_t size)
{
    if (memcmp(input, kept, size) == 0)
        return;
    memcpy(input, kept, size);
    instance_fault(instance, "%s writes to its input", function);
}

void instance_note_refusal(struct instance *instance)
{
    instance->unexplained += !*instance_text(instance, "") || !instance_reason(instance);
}

void instance_fault_verdict(struct instance *instance, const char *function,
                            enum galerna_verdict verdict)
{
    if (verdict == GALERNA_ERROR)
        instance_fault(instance, "%s failed: %s", function,
                       instance_text(instance, "without a reason"));
    else
        instance_fault(instance, "%s returned verdict %d, which is not valid there", function,
                       (int)verdict);
}

void instance_call_measured(struct instance *instance, int64_t began, const char *function)
{
    int64_t took = clock_microseconds(CLOCK_MONOTONIC) - began;

    if (took <= instance->state->settings->slow_call)
        return;
    if (instance->slow_calls == 0)
        host_log(instance->state, POLICY_LOG_WARNING,
                 "policy %s is slow: %s took %lld us, more than %lld (further ones are only "
                 "counted)",
                 instance->module->policy.name, function, (long long)took,
                 (long long)instance->state->settings->slow_call);
    instance->slow_calls++;
}
