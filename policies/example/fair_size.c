/* fair-size: no lease may request more than its share of the site's processors.
 *
 * A worked example of a policy module: one option, one decision, one reason with numbers.
 */
#include <galerna_policy.h>
#include <stdlib.h>

static const struct galerna_option options[] = {
    {.name = "share",
     .type = GALERNA_NUMBER,
     .default_value = "0.5",
     .minimum = 0,
     .maximum = 1,
     .description = "Share of the site's processors that one lease may request"},
};

struct fair_size {
    const struct galerna_host *host;
    double share;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct fair_size *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct fair_size){.host = host, .share = values[0].number};
    *self = policy;
    return GALERNA_OK;
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const struct fair_size *policy = self;
    const struct galerna_host *host = policy->host;
    double wanted = 0, there_is = 0;

    for (uint32_t vm = 0; vm < host->lease_vms(request->lease); vm++)
        wanted += (double)host->lease_amount(request->lease, vm, GALERNA_CPU) / 100;
    for (uint32_t place = 0; place < host->host_count(host); place++)
        there_is += (double)host->host_capacity(host, place, GALERNA_CPU) / 100;
    if (wanted <= policy->share * there_is)
        return GALERNA_OK;
    return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "more-than-its-share",
                        "requests %g processors, more than %g of the site's %g", wanted,
                        policy->share * there_is, there_is);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(fair_size) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "fair-size",
    .version = "1.0",
    .summary = "Refuses leases that request more than a share of the site",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .admission = &operations,
};
