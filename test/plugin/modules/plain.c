/* A module in the common subset of C17 and C++17: by position, without designators. */
#include "galerna_policy.h"

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    (void)self;
    (void)request;
    (void)result;
    return GALERNA_OK;
}

static const struct galerna_option options[] = {
    {"limit", GALERNA_INTEGER, 0, "3", NULL, 1, 10, NULL, "How many leases a user may have"},
};

static const struct galerna_admission operations = {sizeof(operations), 0, admit};

GALERNA_POLICY(plain) = {GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
                         "plain",
                         "1.0",
                         "Is written in two languages at once",
                         GALERNA_OPTIONS(options),
                         NULL,
                         NULL,
                         &operations,
                         NULL,
                         NULL,
                         NULL};
