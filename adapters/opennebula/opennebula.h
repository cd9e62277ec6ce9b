/* opennebula.h: OpenNebula as a cloud (adapters/cloud/cloud.h).
 *
 * Encapsulates all calls to oned, its state numbers and recover codes.
 */
#pragma once

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rpc.h"

/* Does not connect. check_leader: the greeting determines whether this oned leads its zone. Errors:
 * as rpc_create(). */
struct cloud *opennebula_create(const struct rpc_settings *settings, bool check_leader,
                                struct error *err);
