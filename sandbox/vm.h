/* vm.h: VMs: their creation, documents and owners. */
#pragma once

#include "sandbox/pools.h"

/* Creates a VM from a template for a user, PENDING or on HOLD. NULL with OpenNebula's error text
 * when the template is malformed or lacks required attributes. */
struct oned_vm *oned_vm_allocate(struct oned *oned, const struct oned_user *user,
                                 const char *template, bool hold, struct error *err);
/* The same, of the attributes of a template, which are copied. */
struct oned_vm *oned_vm_create(struct oned *oned, const struct oned_user *user,
                               const struct oned_attributes *template, bool hold,
                               struct error *err);

/* The full document: alone, as one.vm.info gives it, with all history records; else as
 * one.vmpool.infoextended does. */
void oned_vm_document(const struct oned *oned, const struct oned_vm *vm, bool alone,
                      struct oned_text *text);

/* Add the document as pools have it: full as in one.vmpool.infoextended, brief as in
 * one.vmpool.info; the last history record only. Kept until the VM changes. */
void oned_vm_pool_document(const struct oned *oned, struct oned_vm *vm, bool full,
                           struct oned_text *text);

/* <PERMISSIONS>, and before it UID to GNAME. */
void oned_owner_names(const struct oned *oned, const struct oned_owner *owner,
                      struct oned_text *text);
void oned_owner_permissions(const struct oned_owner *owner, struct oned_text *text);

/* Add scheduled actions of a template to the VM. Returns the id of the last, or -1. */
int oned_vm_schedule(struct oned *oned, struct oned_vm *vm, const struct oned_attributes *from,
                     struct error *err);

/* Removes one. -1: there is none with that id. */
int oned_vm_unschedule(struct oned *oned, struct oned_vm *vm, int64_t id);
