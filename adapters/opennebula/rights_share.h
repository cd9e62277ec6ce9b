/* rights_share.h: how much of the cloud a user's reservations hold at any one time. */
#pragma once

#include <stdbool.h>

#include "adapters/opennebula/rights.h"

enum { RIGHTS_SHARE_TEXT = 320 };

/* May the request hold what it would, later than `after` seconds from now, or, if others wait, at
 * any time? most: percent. If not, text says how much of the cloud that would be, when, and the
 * nearest alternative. O(holdings^3). */
bool rights_share_allows(const struct rights_request *request, int64_t most, int64_t after,
                         char text[RIGHTS_SHARE_TEXT]);
