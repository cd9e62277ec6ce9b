/* order.h: reads a lease requested over the control socket (`galerna lease request`).
 *
 * Read and checked before anything is sent to OpenNebula; the daemon creates the VMs from it.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "daemon/live/lease_order.h"
#include "util/error.h"

enum {
    ORDER_COUNT_MAX = 10000,
    ORDER_TEXT_MAX = 1024,
};

/* Read the fields of a request (doc/control-protocol.md, lease-request); others are ignored. now:
 * seconds since 1970. Errors: EINVAL (the field, its value and what is expected). */
int order_read(const json_t *request, int64_t now, struct order *order, struct error *err);

/* Of these, `cpu` and `memory` of a VM; what is missing stays as it is. */
int order_read_size(const json_t *request, int64_t *cpu, int64_t *memory, struct error *err);

/* The first size that leaves something to the template, which it names: "cpu" or "memory"; NULL:
 * none. */
const char *order_unsized(const struct order *order);

/* The order as the engine's request, for a dry run; sets get the VMs. */
void order_lease_request(const struct order *order, int64_t now,
                         struct node_set sets[ORDER_SIZES_MAX], struct lease_request *request);

/* The attribute GALERNA=[...] for a VM's template; group is the group's name when count > 1, else
 * ignored. Times are absolute, with a zone. Returns its length. */
size_t order_attribute(const struct order *order, const char *group, char *text, size_t size);

/* The template for one.vm.allocate, or, if the order names a template, the extra template for
 * one.template.instantiate: without NAME, which is a separate argument there. number: 0 ... count -
 * 1, in the order of the sizes. */
size_t order_template(const struct order *order, const char *group, uint32_t number,
                      char text[ORDER_TEXT_MAX]);
/* The VM's name: "name", or "name-2" if there are several. "" if the order has none. */
void order_vm_name(const struct order *order, uint32_t number, char name[STORE_NAME_MAX + 16]);
