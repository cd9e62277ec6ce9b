/* rights_share.h: limits the share of the cloud held by a user's reservations at any time. */
#pragma once

#include <stdbool.h>

#include "adapters/opennebula/rights.h"

/* Does the request keep the limit of `most` percent at all times later than `after` seconds from
 * now or, if others wait, at all times? If not, details of the share of the cloud, its time, and
 * the nearest alternative are added to the text. O(holdings * log holdings). */
bool rights_share_allows(const struct rights_request *request, int64_t most, int64_t after,
                         char text[LEASE_SPEC_TEXT_MAX]);
