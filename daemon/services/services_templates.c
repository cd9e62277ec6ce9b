/* Requests that need data which galernad does not read all the time: VMs' templates and usage. */
#include <errno.h>

#include "daemon/base/clock.h"
#include "daemon/services/services_question.h"
#include "daemon/store/store.h"

enum { TEMPLATES_LIMIT = 20 * 1000 /* milliseconds to wait for them */ };

static void asked_hosts_finish(struct asked_hosts *asked)
{
    drains_finish(&asked->drains);
    *asked = (struct asked_hosts){.question = NULL};
}

/* A VM on hold is no longer in the listing with templates; the next poll reads its template. */
static bool lacks_templates_of_lease(const struct daemon *daemon, int64_t lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(daemon->store, lease, &n);

    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed =
            vms[i]->gone ? NULL : world_vm(daemon->world, vms[i]->id);

        if (observed && observed->state == VM_HOLD && !observed->full)
            return true;
    }
    return false;
}

/* A VM's other hosts are unknown without its template. Rebalancing a cluster also needs its VMs'
 * usage. */
static bool lacks_templates(const struct daemon *daemon, const struct asked_hosts *asked)
{
    size_t n;
    const struct vm_record *const *vms = store_vms(daemon->store, &n);

    if (asked->has_lease)
        return lacks_templates_of_lease(daemon, asked->lease);
    if (asked->has_cluster && world_uses_asked(daemon->world) < asked->since)
        return true;
    for (size_t i = 0; i < n; i++) {
        const struct vm_observation *observed =
            vms[i]->gone ? NULL : world_vm(daemon->world, vms[i]->id);

        if (observed && observed_holds_host(observed) && !observed->full &&
            asked_hosts_have(asked, vms[i]->host, observed->history.cluster))
            return true;
    }
    return false;
}

int services_await_templates(struct daemon *daemon, struct asked_hosts *asked, struct error *err)
{
    int result = 0;

    asked->since = clock_monotonic();
    if (daemon->question->gives_up || !lacks_templates(daemon, asked)) {
        asked_hosts_finish(asked);
        return 0;
    }
    if (daemon->asked.question) {
        result = error_set(err, EAGAIN,
                           "another request waits for templates of VMs; try again in a moment");
        asked_hosts_finish(asked);
        return result;
    }
    asked->question = services_put_off(daemon->question);
    asked->question->gives_up = clock_monotonic() + TEMPLATES_LIMIT;
    daemon->asked = *asked;
    daemon_want_forms(daemon);
    world_poll(daemon->world, POLL_FULL);
    return error_set(err, EINPROGRESS, "waiting for OpenNebula");
}

void services_templates_read(struct daemon *daemon)
{
    struct services_question *question = daemon->asked.question;

    if (!question || (lacks_templates(daemon, &daemon->asked) && !daemon->failures &&
                      clock_monotonic() < question->gives_up))
        return;
    daemon->asked.question = NULL;
    services_resume(question);
    asked_hosts_finish(&daemon->asked);
}

void services_templates_forget(struct daemon *daemon)
{
    if (daemon->asked.question)
        services_drop(daemon->asked.question);
    asked_hosts_finish(&daemon->asked);
}
