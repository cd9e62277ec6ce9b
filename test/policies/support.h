/* support.h: what the tests of policies/ share. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "galerna_mock_host.h"

/* An instance with options; fails the test when it cannot be made. */
static inline void *make(struct mock_host *mock, const struct galerna_policy *policy,
                         const char *options)
{
    void *self;

    assert_non_null(mock);
    if (mock_host_instance(mock, policy, options, &self) != GALERNA_OK)
        fail_msg("%s: cannot be made", policy->name);
    return self;
}
