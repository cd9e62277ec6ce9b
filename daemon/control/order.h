/* order.h: reads and checks a lease request from the control socket (`galerna lease request`),
 * before anything is sent to OpenNebula; the daemon creates the VMs from the order. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "daemon/state/lease_order.h"
#include "util/error.h"

enum {
    ORDER_COUNT_MAX = 10000,
    ORDER_TEXT_MAX = 1024,
};

/* Read the fields of a request (doc/control-protocol.md, lease-request); others are ignored. now:
 * seconds since 1970. Errors: EINVAL (with the field, its value and the expected values). */
int order_read(const json_t *request, int64_t now, struct order *order, struct error *err);

/* Read only `cpu` and `memory` of a VM; missing ones stay unchanged. */
int order_read_size(const json_t *request, int64_t *cpu, int64_t *memory, struct error *err);

/* "cpu" or "memory", for the first size that leaves one to the template; NULL: none does. */
const char *order_unsized(const struct order *order);

/* Convert the order to an engine request for a dry run; `sets` receives the VMs. */
void order_lease_request(const struct order *order, int64_t now,
                         struct node_set sets[ORDER_SIZES_MAX], struct lease_request *request);

/* The attribute GALERNA=[...] for a VM's template; group: the group's name, used if count > 1.
 * Times are absolute, with a zone. Returns the length. */
size_t order_attribute(const struct order *order, const char *group, char *text, size_t size);

/* The template for one.vm.allocate. If the order names a template: the extra template for
 * one.template.instantiate, without NAME, which is a separate argument there. number: 0 ... count -
 * 1, in the order of the sizes. */
size_t order_template(const struct order *order, const char *group, uint32_t number,
                      char text[ORDER_TEXT_MAX]);
/* The VM's name: "name", or "name-2" if there are several VMs; "" if the order has no name. */
void order_vm_name(const struct order *order, uint32_t number, char name[STORE_NAME_MAX + 16]);
