/* mock_options.h: the options that a unit test of a module gives to the mock host. */
#pragma once

#include <stdbool.h>

#include "galerna_policy.h"

/* The defaults of the policy and what the test gives, as one list in which the last of a name wins;
 * NULL without memory. The caller frees it. */
char *mock_options_text(const struct galerna_policy *policy, bool haizea_1_0, const char *given);

/* Reads such a list into `values`, one for each option of the policy. Cuts `text` at its blanks;
 * values of type text point into it. False if a name or a value is not one of the policy's. */
bool mock_options_read(const struct galerna_policy *policy, char *text,
                       union galerna_value *values);
