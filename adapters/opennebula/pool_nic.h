/* pool_nic.h: the automatic NICs of a VM, while its document is read. */
#pragma once

#include "adapters/opennebula/pool_reader.h"

/* Zeroed for each VM. */
struct nic_draft {
    struct vm_nic nic; /* the one being read */
    bool is_automatic, has_network;
    size_t allocated;
};

/* A value of TEMPLATE/NIC, and the end of the NIC. */
void pool_nic_value(struct pool_reader *reader, struct nic_draft *draft,
                    const struct pool_path *path, const struct pool_text *text);
void pool_nic_end(struct pool_reader *reader, struct nic_draft *draft, struct vm *vm);
