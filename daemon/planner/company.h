/* company.h: the roles of VMs in their VM groups, as roles and rules of the engine (core/demand.h).
 *
 * Roles that must be on one host are one role to the engine: its VMs follow the others even where
 * some of them were moved apart. A VM in several groups has a role of its own there. Numbers stay
 * the same as long as company_can_follow().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/objects.h"
#include "core/demand.h"

struct company; /* opaque */

/* The pool must outlive it. O(groups x their rules + members). */
struct company *company_create(const struct vmgroup_pool *pool);
void company_destroy(struct company *company); /* NULL is allowed */

enum company_result {
    COMPANY_NONE,     /* no rule concerns the VM */
    COMPANY_RULED,    /* role and rules are filled in; the rules are the company's */
    COMPANY_TOO_MANY, /* the same, but not all of its rules: more than VM_RULES_MOST */
};

/* The VM's role and rules. O(log members), and O(its groups' rules) for the first of its role. */
enum company_result company_of(struct company *company, int32_t vm, struct vm_demand *demand);

/* Must the VMs of that role be on one host? */
bool company_is_on_one_host(const struct vm_demand *demand);

/* Roles of the engine: their numbers are below. */
uint32_t company_roles(const struct company *company);
/* "role web of VM group 3": printable. */
void company_role_text(const struct company *company, uint32_t role, char *text, size_t size);

/* Can a plan made with `old` be continued with `new`? Not when rules differ, or the roles of VMs
 * that `is_planned` knows, or those of VMs in several groups. O(groups x their rules + members). */
bool company_can_follow(const struct vmgroup_pool *old, const struct vmgroup_pool *new,
                        bool (*is_planned)(void *context, int32_t vm), void *context);
