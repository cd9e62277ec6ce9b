/* Admission policy: refuses advance reservations. */
#include <string.h>

#include "galerna_policy.h"

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    (void)values, (void)result;
    memcpy(self, &host, sizeof host); /* host is const, *self is not */
    return GALERNA_OK;
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const struct galerna_host *host = self;

    if (host->lease_kind(request->lease) != GALERNA_LEASE_RESERVATION)
        return GALERNA_OK;
    return host->answer(result, GALERNA_REFUSED_FOR_GOOD, "no-reservations",
                        "advance reservations are not accepted here");
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(no_ars) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "no-ars",
    .version = "1.0",
    .summary = "Refuses advance reservations, accepts everything else",
    .create = create,
    .admission = &operations,
};
