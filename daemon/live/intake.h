/* intake.h: leases of new VMs: what a VM asks for, and whether its owner may have it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/opennebula/lease_spec.h"
#include "daemon/store/store.h"

struct changed_lease;
struct daemon;
struct drain;
struct drains;
struct order;
struct vm;

/* Create leases for the VMs without one whose extended forms are at hand, follow VMs that have
 * another owner, and complete groups whose time has come. */
void intake(struct daemon *daemon, int64_t now);

/* The request of a VM, as lease_spec_read(); ahead: clocks_ahead_at() its creation. */
int intake_read(const struct daemon *daemon, const struct vm *vm, int64_t ahead,
                struct lease_spec *spec, char reason[LEASE_SPEC_TEXT_MAX]);
/* May galernad's account make this order? False: `reason` says which rule forbids it. */
bool intake_allows(const struct daemon *daemon, const struct order *order, int64_t now,
                   char reason[LEASE_SPEC_TEXT_MAX]);
/* May the owner of a booking have these drains, the one given among them? False: as above. */
bool intake_allows_booking(const struct daemon *daemon, const struct drains *drains,
                           const struct drain *drain, int64_t now,
                           char reason[LEASE_SPEC_TEXT_MAX]);
/* May the lease's owner have it with these times and terms? False: `reason` says which rule forbids
 * it. */
bool intake_allows_change(const struct daemon *daemon, const struct changed_lease *asked,
                          int64_t now, char reason[LEASE_SPEC_TEXT_MAX]);
/* May the lease's owner have it with VMs as large as they are now? False: as above. */
bool intake_allows_size(const struct daemon *daemon, const struct lease_record *lease, int64_t now,
                        char reason[LEASE_SPEC_TEXT_MAX]);
/* The VMs of a refused lease were released: read and check their current request. */
void intake_again(struct daemon *daemon, const struct lease_record *lease, int64_t now);

/* A lease that begins with this VM, in its phase GATHERING: it is requested, or the VM is already
 * on a host. */
void intake_take_up(struct daemon *daemon, const struct lease_record *lease, const struct vm *vm,
                    int64_t now);

/* New records for a VM without them: its lease, best-effort and without terms, and itself. */
const struct lease_record *intake_add_lease(struct daemon *daemon, const struct vm *vm, int64_t id);
void intake_add_vm(struct daemon *daemon, const struct vm *vm, int64_t lease);
