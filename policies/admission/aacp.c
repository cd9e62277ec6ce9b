/* Aggressive admission control: one external request at a time (Amini Salehi, Javadi, Buyya). */
#include "external.h"

static const struct galerna_option options[] = {
    {.name = "most",
     .type = GALERNA_INTEGER,
     .default_value = "1",
     .minimum = 0,
     .maximum = 1e9,
     .description = "External requests on the site at a time; the paper's policy has 1"},
};

struct policy {
    struct external_site site; /* first: see external_create() */
    size_t most;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = *self = external_create(host, sizeof *policy, 86400, result);

    if (!policy)
        return GALERNA_ERROR;
    policy->most = (size_t)values[0].integer;
    return GALERNA_OK;
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    struct policy *policy = self;
    size_t present;

    if (!external_asks(&policy->site, request))
        return GALERNA_OK;
    present = external_present(&policy->site);
    if (present >= policy->most)
        return policy->site.host->answer(result, GALERNA_REFUSED_FOR_NOW, "external-queue-full",
                                         "external requests: %zu present, at most %zu allowed",
                                         present, policy->most);
    return external_pass(&policy->site, request, result);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(aacp) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "aacp",
    .version = "1.0",
    .summary = "Accepts one external request at a time",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = external_destroy,
    .admission = &operations,
    .event = external_saw,
};
