/* rights_share.h: limits the share of the cloud held by a user's reservations at any time. */
#pragma once

#include <stdbool.h>

#include "adapters/opennebula/rights.h"

enum { RIGHTS_SHARE_TEXT = 320 };

/* Does the request keep the limit of `most` percent at all times later than `after` seconds from
 * now or, if others wait, at all times? If not, text has the share of the cloud, its time, and the
 * nearest alternative. O(holdings * log holdings). */
bool rights_share_allows(const struct rights_request *request, int64_t most, int64_t after,
                         char text[RIGHTS_SHARE_TEXT]);
