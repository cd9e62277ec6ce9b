/* Reports the engine's decisions to modules as events. */
#include "core/engine.h"
#include "plugin/host_private.h"

static bool event_of(const struct engine_output *output, struct galerna_event *event)
{
    *event = (struct galerna_event){
        .size = sizeof *event,
        .time = output->time,
        .lease = (const struct galerna_lease *)(const void *)output->lease,
        .other = -1,
    };
    switch (output->kind) {
    case OUTPUT_REQUESTED:
        event->kind = GALERNA_EVENT_REQUESTED;
        event->accepted = output->accepted;
        return true;
    case OUTPUT_PREEMPTED:
        event->kind = GALERNA_EVENT_PREEMPTED;
        event->other = output->other;
        return true;
    case OUTPUT_FINISHED:
        event->kind = GALERNA_EVENT_FINISHED;
        return true;
    case OUTPUT_STATE:
        event->kind =
            output->from == LEASE_RESUMED_READY ? GALERNA_EVENT_RESUMED : GALERNA_EVENT_STARTED;
        return output->to == LEASE_ACTIVE && output->from != LEASE_MIGRATING;
    default:
        return false;
    }
}

static void tell_all(struct policy_host *host, const struct galerna_event *event)
{
    for (size_t i = 0; i < CHAINS; i++)
        for (size_t j = 0; j < host->chains[i].n; j++) {
            const struct instance *instance = host->chains[i].instances[j];

            if (!instance->module->policy.event || instance->replaced)
                continue;
            instance_watch(instance, POLICY_CALL_EVENT);
            instance->module->policy.event(instance->self, event);
            instance_watched(instance);
        }
}

_Static_assert((int)POLICY_EVENT_REQUESTED == (int)GALERNA_EVENT_REQUESTED &&
                   (int)POLICY_EVENT_STARTED == (int)GALERNA_EVENT_STARTED &&
                   (int)POLICY_EVENT_PREEMPTED == (int)GALERNA_EVENT_PREEMPTED &&
                   (int)POLICY_EVENT_RESUMED == (int)GALERNA_EVENT_RESUMED &&
                   (int)POLICY_EVENT_FINISHED == (int)GALERNA_EVENT_FINISHED &&
                   (int)POLICY_EVENT_PARKED == (int)GALERNA_EVENT_PARKED &&
                   (int)POLICY_EVENT_RELEASED == (int)GALERNA_EVENT_RELEASED,
               "kinds of events are passed through");

void policy_host_tell(struct policy_host *host, const struct policy_event *event)
{
    const struct galerna_event told = {
        .size = sizeof told,
        .kind = (uint32_t)event->kind,
        .time = event->time,
        .lease = (const struct galerna_lease *)(const void *)event->lease,
        .other = event->kind == POLICY_EVENT_PREEMPTED ? event->other : -1,
        .accepted = event->accepted,
    };

    tell_all(host, &told);
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct policy_host *host = context;

    (void)engine, (void)err;
    host->state.now = now;
    if (!policy_host_wants_events(host))
        return 0;
    for (size_t i = 0; i < outputs->n_items; i++) {
        struct galerna_event event;

        if (event_of(&outputs->items[i], &event))
            tell_all(host, &event);
    }
    return 0;
}

struct observer policy_host_observer(struct policy_host *host)
{
    return (struct observer){.context = host, .step = step};
}

bool policy_host_wants_events(const struct policy_host *host)
{
    for (size_t i = 0; i < CHAINS; i++)
        for (size_t j = 0; j < host->chains[i].n; j++)
            if (host->chains[i].instances[j]->module->policy.event)
                return true;
    return false;
}
