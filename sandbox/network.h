/* network.h: addresses of virtual networks and the NICs that hold them. */
#pragma once

#include "sandbox/vm_action.h"

/* Addresses of the network that VMs hold. */
int64_t oned_network_used(const struct oned *oned, const struct oned_thing *network);

/* Number a new VM's NICs. */
void oned_network_number(struct oned_vm *vm);

/* Connects automatic NICs to networks, as given to one.vm.deploy: NIC=[NIC_ID=..., NETWORK_ID=...].
 * All or nothing; -1: refused. */
int oned_network_connect(struct oned *oned, struct oned_vm *vm, const char *template,
                         struct oned_refusal *refusal);
