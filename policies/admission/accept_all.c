/* Admission policy: accepts every request. */
#include "galerna_policy.h"

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    (void)self, (void)request, (void)result;
    return GALERNA_OK;
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(accept_all) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "accept-all",
    .version = "1.0",
    .summary = "Accepts every lease",
    .admission = &operations,
};
