/* pool_nic.h: reads the automatic NICs of a VM. */
#pragma once

#include "adapters/opennebula/pool_reader.h"

/* Zeroed for each VM. */
struct nic_draft {
    struct vm_nic nic; /* the current one */
    bool is_automatic, has_network;
    size_t allocated;
};

/* Called for each value of TEMPLATE/NIC, and at the end of each NIC. */
void pool_nic_value(struct pool_reader *reader, struct nic_draft *draft,
                    const struct pool_value *given);
void pool_nic_end(struct pool_reader *reader, struct nic_draft *draft, struct vm *vm);
