/* Preemption-aware admission control (Amini Salehi, Javadi, Buyya): accepts as many external
 * requests as can be expected to end by their deadline despite preemption by local ones. See
 * external_queue.h.
 *
 * The result of the paper's algorithm is too large by two, and the algorithm does not terminate if
 * any number would do. This policy uses the largest number that keeps the deadline, possibly 0,
 * with `most` as a bound.
 */
#include "external.h"

enum option { LOW = EXTERNAL_OPTIONS, LOW_DEADLINE, HIGH_DEADLINE, MOST };

static const struct galerna_option options[] = {
    EXTERNAL_OPTION_TABLE,
    [LOW] = {.name = "low",
             .type = GALERNA_NUMBER,
             .default_value = "0.5",
             .minimum = 0,
             .maximum = 1,
             .description = "Share of external requests of low urgency"},
    [LOW_DEADLINE] = {.name = "low-deadline",
                      .type = GALERNA_NUMBER,
                      .default_value = "4",
                      .minimum = 0,
                      .maximum = 1e6,
                      .description = "How many times its run time a request of low urgency may "
                                     "take"},
    [HIGH_DEADLINE] = {.name = "high-deadline",
                       .type = GALERNA_NUMBER,
                       .default_value = "2",
                       .minimum = 0,
                       .maximum = 1e6,
                       .description = "The same for a request of high urgency"},
    [MOST] = {.name = "most",
              .type = GALERNA_INTEGER,
              .default_value = "1000",
              .minimum = 1,
              .maximum = EXTERNAL_QUEUE_MAX,
              .description = "External requests on the site, at most, whatever their deadline"},
};

struct policy {
    struct external_site site; /* first: see external_create() */
    struct external_settings settings;
    double ratio; /* average ratio of deadline and run time */
    size_t most;
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
    policy->ratio = values[LOW].number * values[LOW_DEADLINE].number +
                    (1 - values[LOW].number) * values[HIGH_DEADLINE].number;
    policy->most = (size_t)values[MOST].integer;
    return GALERNA_OK;
}

/* May one more request be accepted? A refusal states the numbers. */
static enum galerna_verdict decide(struct policy *policy, const struct external_load *load,
                                   struct galerna_result *result)
{
    const struct galerna_host *host = policy->site.host;
    size_t present = external_present(&policy->site), longest;
    double deadline = policy->ratio * load->external_time, response;
    struct external_service service;

    if (!external_service_find(load, &service))
        return host->answer(result, GALERNA_REFUSED_FOR_NOW, "local-requests-take-all",
                            "local requests take the whole site: %.4g an hour, %.4g s each",
                            3600 * load->local_rate, load->local_time);
    if (present < policy->most) {
        longest =
            external_queue_longest(load->external_rate, &service, deadline, present + 1, &response);
        if (longest > present)
            return GALERNA_OK;
        return host->answer(
            result, GALERNA_REFUSED_FOR_NOW, "external-queue-full",
            "external requests: %zu present, at most %zu allowed: with one more they would "
            "take %.5g s on average, their deadline is after %.5g s (run time %.4g s, %.4g s with "
            "interruptions; %.4g external and %.4g local requests an hour)",
            present, longest, response, deadline, load->external_time, service.mean,
            3600 * load->external_rate, 3600 * load->local_rate);
    }
    return host->answer(result, GALERNA_REFUSED_FOR_NOW, "external-queue-full",
                        "external requests: %zu present, at most %zu allowed (option most)",
                        present, policy->most);
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    struct policy *policy = self;
    struct external_load load;

    external_roll(&policy->site, request->now);
    if (!external_asks(&policy->site, request))
        return GALERNA_OK;
    if (external_load_find(&policy->site, &policy->settings, request->now, &load) &&
        load.external_time > 0) {
        enum galerna_verdict verdict = decide(policy, &load, result);

        if (verdict != GALERNA_OK)
            return verdict;
    }
    return external_pass(&policy->site, request, result);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(pacp) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "pacp",
    .version = "1.0",
    .summary = "Accepts as many external requests as can meet their deadlines despite preemption "
               "by local ones",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = external_destroy,
    .admission = &operations,
    .event = external_saw,
};
