/* A module as it was built with ABI 1.0: minor version 0 and a structure that ends before `event`. */
#include "galerna_policy.h"

struct policy_of_1_0 {
    uint32_t magic;
    uint16_t abi_major, abi_minor;
    uint32_t size, kind;
    const char *name, *version, *summary;
    const struct galerna_option *options;
    uint32_t n_options, option_size;
    enum galerna_verdict (*create)(const struct galerna_host *, const union galerna_value *, void **,
                                   struct galerna_result *);
    void (*destroy)(void *);
    const struct galerna_admission *admission;
    const struct galerna_preemption *preemption;
    const struct galerna_host_selection *host_selection;
};

_Static_assert(sizeof(struct policy_of_1_0) == offsetof(struct galerna_policy, event),
               "fields are only appended");

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    (void)self, (void)request, (void)result;
    return GALERNA_OK;
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

extern const struct policy_of_1_0 galerna_policy_older;
__attribute__((visibility("default"))) const struct policy_of_1_0 galerna_policy_older = {
    .magic = GALERNA_POLICY_MAGIC,
    .abi_major = 1,
    .abi_minor = 0,
    .size = sizeof(struct policy_of_1_0),
    .kind = GALERNA_KIND_ADMISSION,
    .name = "older",
    .version = "0.9",
    .summary = "Is older than this version",
    .admission = &operations,
};
