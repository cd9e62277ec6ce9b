/* Conservative admission control: accepts all requests of the grid (Amini Salehi, Javadi, Buyya).
 * Decides like accept-all; under its own name, the four policies of the paper appear together in
 * results. */
#include "galerna_policy.h"

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    (void)self, (void)request, (void)result;
    return GALERNA_OK;
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(cacp) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "cacp",
    .version = "1.0",
    .summary = "Accepts any number of external requests",
    .admission = &operations,
};
