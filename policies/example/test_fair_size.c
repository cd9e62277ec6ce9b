/* Tests the example with the mock host, without a running Galerna. */
#include <galerna_mock_host.h>
#include <stdio.h>
#include <string.h>

extern const struct galerna_policy galerna_policy_fair_size;

/* Requests a lease of `vms` VMs of one processor on two hosts of four processors; returns the
 * verdict. */
static enum galerna_verdict ask(const char *options, uint32_t vms, char *text)
{
    const int64_t capacity[MOCK_TYPES] = {400, 4096};
    struct mock_host *mock = mock_host_create();
    struct mock_lease lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
    struct galerna_admission_request request = {.size = sizeof request,
                                                .lease = mock_lease_handle(&lease)};
    enum galerna_verdict verdict = GALERNA_ERROR;
    struct galerna_result *result;
    void *self;

    lease.vms = vms;
    if (mock && mock_host_add(mock, capacity, NULL) == 0 &&
        mock_host_add(mock, capacity, NULL) == 1 &&
        mock_host_instance(mock, &galerna_policy_fair_size, options, &self) == GALERNA_OK) {
        result = mock_host_result(mock);
        verdict = galerna_policy_fair_size.admission->admit(self, &request, result);
        strcpy(text, result->text);
    }
    mock_host_destroy(mock);
    return verdict;
}

int main(void)
{
    char text[GALERNA_TEXT_MAX] = "";
    int failed = 0;

    failed |= ask(NULL, 4, text) != GALERNA_OK;
    failed |= ask(NULL, 5, text) != GALERNA_REFUSED_FOR_GOOD;
    failed |= strcmp(text, "requests 5 processors, more than 4 of the site's 8") != 0;
    failed |= ask("share=1", 8, text) != GALERNA_OK;
    failed |= ask("share=1", 9, text) != GALERNA_REFUSED_FOR_GOOD;
    printf("fair-size: %s\n", failed ? "FAILED" : "all tests passed");
    return failed;
}
