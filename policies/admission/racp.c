/* Rate-based admission control: the number of external requests depends on their service rate and
 * on the arrival rate of local ones.
 *
 * Amini Salehi, Javadi and Buyya compare their policy with one of this name, "based on the service
 * rate for external requests and the local request arrival rate", without a formula. Galerna's
 * formula is max(1, round(m / l)), with m = 1 / (time of an external request, including
 * interruptions) and l the arrival rate of local requests.
 */
#include "external.h"

static const struct galerna_option options[] = {EXTERNAL_OPTION_TABLE};

struct policy {
    struct external_site site; /* first: see external_create() */
    struct external_settings settings;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = *self =
        external_create(host, sizeof *policy, (double)values[EXTERNAL_WINDOW].integer, result);

    if (!policy)
        return GALERNA_ERROR;
    policy->settings = external_settings_read(values);
    return GALERNA_OK;
}

/* The number of external requests; infinity without local requests. */
static double longest(const struct external_load *load)
{
    struct external_service service;

    if (!external_service_find(load, &service))
        return 1;
    return fmax(1, floor(1 / service.mean / load->local_rate + 0.5));
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    struct policy *policy = self;
    const struct galerna_host *host = policy->site.host;
    struct external_load load;
    size_t present;

    external_roll(&policy->site, request->now);
    if (!external_asks(&policy->site, request))
        return GALERNA_OK;
    present = external_present(&policy->site);
    if (external_load_find(&policy->site, &policy->settings, request->now, &load) &&
        load.external_time > 0 && (double)present >= longest(&load))
        return host->answer(result, GALERNA_REFUSED_FOR_NOW, "external-queue-full",
                            "external requests: %zu present, at most %g allowed: they run "
                            "for %.4g s, and %.4g local requests come an hour, %.4g s each",
                            present, longest(&load), load.external_time, 3600 * load.local_rate,
                            load.local_time);
    return external_pass(&policy->site, request, result);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(racp) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "racp",
    .version = "1.0",
    .summary = "Accepts external requests up to the ratio of their service rate to the local "
               "arrival rate (Galerna's formula)",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = external_destroy,
    .admission = &operations,
    .event = external_saw,
};
