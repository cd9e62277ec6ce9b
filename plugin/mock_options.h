/* mock_options.h: the options of a module in a unit test with the mock host. */
#pragma once

#include <stdbool.h>

#include "galerna_policy.h"

/* The defaults of the policy followed by the test's options, as one list in which the last value of
 * a name counts; NULL: out of memory. The caller frees it. */
char *mock_options_text(const struct galerna_policy *policy, bool haizea_1_0, const char *given);

/* Parses such a list into `values`, one for each option of the policy. Splits `text` at its blanks;
 * values of type text point into it. False: unknown name or invalid value. */
bool mock_options_read(const struct galerna_policy *policy, char *text,
                       union galerna_value *values);
