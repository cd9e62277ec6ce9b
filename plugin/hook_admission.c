/* The engine's admission hook, over a chain of modules. */
#include <stdio.h>

#include "plugin/host_private.h"

static enum galerna_verdict ask(struct instance *instance,
                                struct galerna_admission_request *request)
{
    const struct galerna_admission_request kept = *request;
    int64_t began = instance_call_begins(instance, POLICY_CALL_ADMIT, 1);
    enum galerna_verdict verdict =
        instance->admission->admit(instance->active_self, request, instance_result(instance));

    instance_call_ended(instance, began, "admit");
    instance_check_input(instance, "admit", request, &kept, sizeof kept);
    return verdict;
}

/* While a module is out of service, leases that it might have refused are not admitted. */
static bool refuse_for_now(struct policy_host *host, const struct instance *instance,
                           struct reason *reason)
{
    snprintf(host->refusal, sizeof host->refusal, "the admission policy %s %s%s", instance->name,
             instance->replaced ? "is out of service: it " : "",
             instance->replaced ? instance->outage : "gave an invalid answer");
    *reason =
        (struct reason){.id = REASON_TEXT, .text = host->refusal, .word = POLICY_OUT_OF_SERVICE};
    return false;
}

bool host_admit(void *context, const struct lease *lease, int64_t now, struct reason *reason)
{
    struct policy_host *host = context;
    const struct chain *chain = host_chain(host, GALERNA_KIND_ADMISSION);
    struct galerna_admission_request request = {
        .size = sizeof request,
        .lease = (const struct galerna_lease *)(const void *)lease,
        .now = now,
    };

    host->state.now = now;
    for (size_t i = 0; i < chain->n; i++) {
        struct instance *instance = chain->instances[i];
        enum galerna_verdict verdict;

        if (instance->replaced)
            return refuse_for_now(host, instance, reason);
        verdict = ask(instance, &request);
        switch (verdict) {
        case GALERNA_OK:
        case GALERNA_SKIP:
            break;
        case GALERNA_REFUSED_FOR_NOW:
        case GALERNA_REFUSED_FOR_GOOD:
            instance_note_refusal(instance);
            snprintf(host->refusal, sizeof host->refusal, "%s: %s%s", instance->module->policy.name,
                     instance_text(instance, "refused without a reason"),
                     verdict == GALERNA_REFUSED_FOR_NOW ? " (a later request may be accepted)"
                                                        : "");
            *reason = (struct reason){.id = REASON_REFUSED_BY_POLICY,
                                      .text = host->refusal,
                                      .word = instance_reason(instance)};
            return false;
        default:
            instance_fault_verdict(instance, "admit", verdict);
            return refuse_for_now(host, instance, reason);
        }
    }
    return true;
}
