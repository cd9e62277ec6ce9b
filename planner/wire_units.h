/* wire_units.h: encodes units of hosts, demands of VMs for them, and the units that VMs hold.
 *
 * The structures are those of core/demand.h. Decoded structures belong to a list, which frees them
 * all together. Reading is as strict as in wire.h; core/demand.h bounds the counts.
 */
#pragma once

#include "core/demand.h"
#include "planner/wire.h"

/* Memory freed together. */
struct kept_list {
    void **items;
    size_t n, allocated;
};

void *kept_new(struct kept_list *kept, size_t count, size_t size); /* zeroed */
void kept_add(struct kept_list *kept, void *memory);               /* takes ownership */
void kept_finish(struct kept_list *kept);

void wire_put_host_units(struct wire_writer *writer, const struct host_units *units);
const struct host_units *wire_get_host_units(struct wire_reader *reader, struct kept_list *kept);

void wire_put_demand(struct wire_writer *writer, const struct vm_demand *demand);
const struct vm_demand *wire_get_demand(struct wire_reader *reader, struct kept_list *kept);

void wire_put_vm_units(struct wire_writer *writer, const struct vm_units *units, uint32_t n_nodes);
void wire_get_vm_units(struct wire_reader *reader, struct kept_list *kept, struct vm_units *units,
                       uint32_t n_nodes);

void wire_put_amounts(struct wire_writer *writer, const struct amounts *amounts);
void wire_get_amounts(struct wire_reader *reader, struct amounts *amounts);
