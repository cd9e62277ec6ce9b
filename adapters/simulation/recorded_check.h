/* recorded_check.h: checks that a trace could have the requests of a record. Internal to
 * recorded.c. */
#pragma once

#include <stdbool.h>

#include "configuration/configuration.h"
#include "lwf/trace_list.h"

/* all_read: the run ended after the last request. Errors: EINVAL, with the lease. */
int recorded_check(const struct configuration *configuration, const struct trace_list *list,
                   bool all_read, struct error *err);
