/* opennebula.h: OpenNebula as a cloud (adapters/cloud/cloud.h).
 *
 * Every call of galernad to oned, its state numbers and recover codes are behind this.
 */
#pragma once

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/rpc.h"

/* Does not connect. check_leader: the greeting asks whether this oned leads its zone. Errors: those
 * of rpc_create(). */
struct cloud *opennebula_create(const struct rpc_settings *settings, bool check_leader,
                                struct error *err);
