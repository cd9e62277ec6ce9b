/* Admission that tells, as its refusal, everything that a module can ask; and logs events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "galerna_policy.h"

enum { YES, WHOLE, REAL, WORDS, WHICH, LONG };

static const struct galerna_option options[] = {
    {.name = "yes", .type = GALERNA_BOOLEAN, .default_value = "no", .default_haizea_1_0 = "yes",
     .description = "A truth"},
    {.name = "whole", .type = GALERNA_INTEGER, .default_value = "7", .minimum = 1, .maximum = 10,
     .description = "A whole number"},
    {.name = "real", .type = GALERNA_NUMBER, .default_value = "0.5", .minimum = 0, .maximum = 1,
     .description = "A number"},
    {.name = "words", .type = GALERNA_TEXT, .default_value = "", .description = "A text"},
    {.name = "which", .type = GALERNA_CHOICE, .choices = "one|two|three", .default_value = "two",
     .description = "A choice"},
    {.name = "long", .type = GALERNA_DURATION, .default_value = "2h", .description = "A time"},
#ifdef NEEDED
    {.name = "needed", .type = GALERNA_TEXT, .description = "What nobody can guess"},
#endif
};

struct policy {
    const struct galerna_host *host;
    const union galerna_value *values;
};

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = malloc(sizeof *policy);

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    *policy = (struct policy){host, values};
    *self = policy;
    host->log(host, GALERNA_LOG_INFO, "created in mode %" PRIu32, host->compatibility);
    return GALERNA_OK;
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const struct policy *policy = self;
    const struct galerna_host *host = policy->host;
    const union galerna_value *values = policy->values;
    const struct galerna_lease *lease = request->lease;
    int64_t amounts[16] = {0};
    bool known = host->host_free(host, 1, request->now, amounts);

    switch (host->lease_id(lease)) {
    case 1:
        return host->answer(result, GALERNA_REFUSED_FOR_NOW, "options",
                            "%d %" PRId64 " %g '%s' %u %" PRId64, values[YES].boolean,
                            values[WHOLE].integer, values[REAL].number, values[WORDS].text,
                            values[WHICH].choice, values[LONG].integer);
    case 2:
        return host->answer(
            result, GALERNA_REFUSED_FOR_GOOD, "lease",
            "kind %d terms %d origin %d priority %d user %" PRId64 " submit %" PRId64
            " duration %" PRId64 " vms %u cpu %" PRId64 ",%" PRId64 ",%" PRId64 " image %s",
            (int)host->lease_kind(lease), (int)host->lease_terms(lease),
            (int)host->lease_origin(lease), host->lease_priority(lease), host->lease_user(lease),
            host->lease_submit(lease), host->lease_duration(lease), host->lease_vms(lease),
            host->lease_amount(lease, 0, GALERNA_CPU), host->lease_amount(lease, 2, GALERNA_CPU),
            host->lease_amount(lease, 3, GALERNA_CPU), host->lease_image(lease));
    case 3:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "site",
                            "now %" PRId64 " hosts %u id %d,%d capacity %" PRId64 " types %u '%s' "
                            "%d,%d free %d %" PRId64,
                            host->now(host), host->host_count(host), host->host_id(host, 1),
                            host->host_id(host, 9), host->host_capacity(host, 1, GALERNA_MEMORY),
                            host->type_count(host), host->type_name(host, GALERNA_DISK),
                            host->type_find(host, "Memory"), host->type_find(host, "GPU"), known,
                            amounts[GALERNA_CPU]);
    case 4:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "random", "%016" PRIx64,
                            host->random(host));
    case 5:
        return host->answer(result, GALERNA_SKIP, "", "%s", "");
    case 6:
        return host->answer(result, GALERNA_ERROR, "broken", "cannot say");
    case 8:
        memset(result->reason, 'r', sizeof result->reason);
        memset(result->text, 't', sizeof result->text);
        return GALERNA_REFUSED_FOR_GOOD;
    case 9:
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "Not a word", "no");
    default:
        return GALERNA_OK;
    }
}

static void event(void *self, const struct galerna_event *what)
{
    const struct policy *policy = self;

    policy->host->log(policy->host, GALERNA_LOG_DEBUG, "event %u at %" PRId64 " lease %" PRId64
                      " other %" PRId64 " accepted %d", what->kind, what->time,
                      policy->host->lease_id(what->lease), what->other, what->accepted);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = NAME,
    .version = "1.0",
    .summary = "Tells what it was told",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = free,
    .admission = &operations,
    .event = event,
};
