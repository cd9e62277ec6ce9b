/* The simple admission policies. */
#include <string.h>

#include "support.h"

extern const struct galerna_policy galerna_policy_accept_all, galerna_policy_no_ars;

static enum galerna_verdict ask(const struct galerna_policy *policy, enum galerna_lease_kind kind,
                                char *reason)
{
    struct mock_host *mock = mock_host_create();
    void *self = make(mock, policy, NULL);
    struct mock_lease lease = mock_lease(1, kind);
    const struct galerna_admission_request request = {
        .size = sizeof request, .lease = mock_lease_handle(&lease), .now = 10};
    struct galerna_result *result = mock_host_result(mock);
    enum galerna_verdict verdict = policy->admission->admit(self, &request, result);

    memcpy(reason, result->reason, sizeof result->reason);
    mock_host_destroy(mock);
    return verdict;
}

static void accept_all_accepts_all(void **state)
{
    char reason[GALERNA_REASON_MAX];

    for (int kind = GALERNA_LEASE_BEST_EFFORT; kind <= GALERNA_LEASE_DEADLINE; kind++)
        assert_int_equal(ask(&galerna_policy_accept_all, (enum galerna_lease_kind)kind, reason),
                         GALERNA_OK);
}

static void no_ars_refuses_reservations_only(void **state)
{
    char reason[GALERNA_REASON_MAX];

    for (int kind = GALERNA_LEASE_BEST_EFFORT; kind <= GALERNA_LEASE_DEADLINE; kind++)
        assert_int_equal(ask(&galerna_policy_no_ars, (enum galerna_lease_kind)kind, reason),
                         kind == GALERNA_LEASE_RESERVATION ? GALERNA_REFUSED_FOR_GOOD : GALERNA_OK);
    ask(&galerna_policy_no_ars, GALERNA_LEASE_RESERVATION, reason);
    assert_string_equal(reason, "no-reservations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_all_accepts_all),
        cmocka_unit_test(no_ars_refuses_reservations_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
