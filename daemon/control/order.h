/* order.h: a lease asked for over the control socket (`galerna lease request`).
 *
 * Read and checked here before anything is sent to OpenNebula; the daemon makes the VMs from it.
 */
#ifndef GALERNA_DAEMON_ORDER_H
#define GALERNA_DAEMON_ORDER_H

#include <jansson.h>
#include <stdint.h>

#include "core/lease.h"
#include "daemon/store/store.h"
#include "util/error.h"

enum {
    ORDER_COUNT_MAX = 10000,
    ORDER_TEXT_MAX = 1024,
};

/* The groups of orders are called so, and a number. */
#define ORDER_GROUP_PREFIX "galerna-"

struct order {
    enum lease_kind kind;
    uint32_t count;      /* VMs */
    int64_t cpu, memory; /* of one VM, 1/100 and MB; 0: as the template says */
    int32_t template;    /* OpenNebula's template to instantiate; -1: none, the VMs have no disks */
    int64_t start;       /* reservation; INSTANT_NONE */
    int64_t earliest;    /* best-effort and deadline: not before; INSTANT_NONE */
    int64_t deadline;    /* INSTANT_NONE */
    int64_t duration;    /* seconds, or SPAN_UNLIMITED */
    LEASE_TERM_MEMBERS;
    char name[STORE_NAME_MAX]; /* "": none */
};

/* Read the fields of a request (doc/control-protocol.md, lease-request). now: seconds since 1970.
 * Errors: EINVAL (says which field, its value and what would be right). */
int order_read(const json_t *request, int64_t now, struct order *order, struct error *err);

/* The engine's view of it, for a dry run; *set gets the VMs. */
void order_lease_request(const struct order *order, int64_t now, struct node_set *set,
                         struct lease_request *request);

/* The attribute GALERNA=[...] for a VM's template; group is the group's name when count > 1, else
 * ignored. Times are absolute, with a zone. Returns its length. */
size_t order_attribute(const struct order *order, const char *group, char *text, size_t size);

/* What to give one.vm.allocate, or, with a template, one.template.instantiate as extra template:
 * NAME is left out there (it is an argument of its own). number: 0 ... count - 1. */
size_t order_template(const struct order *order, const char *group, uint32_t number,
                      char text[ORDER_TEXT_MAX]);
/* The VM's name: "name", or "name-2" of several. "" when the order has none. */
void order_vm_name(const struct order *order, uint32_t number, char name[STORE_NAME_MAX + 16]);

#endif
