/* company.h: the roles of VMs in their VM groups, as roles and rules of the engine (core/demand.h).
 *
 * Roles that must share a host are one role in the engine: a VM follows the others of its role even
 * if some of them were moved to different hosts. A VM in several groups has a role of its own. Role
 * numbers do not change as long as company_can_follow().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/objects.h"
#include "core/demand.h"

struct company; /* opaque */

/* The pool must outlive the result. O(groups x their rules + members). */
struct company *company_create(const struct vmgroup_pool *pool);
void company_destroy(struct company *company); /* NULL is allowed */

enum company_result {
    COMPANY_NONE,     /* no rule concerns the VM */
    COMPANY_RULED,    /* role and rules are filled in; the company owns the rules */
    COMPANY_TOO_MANY, /* as COMPANY_RULED, but the VM has more than VM_RULES_MOST rules: the rest is
                         missing */
};

/* The VM's role and rules. O(log members); for the first VM of a role, also O(rules of its
 * groups). */
enum company_result company_of(struct company *company, int32_t vm, struct vm_demand *demand);

/* Must the VMs of the demand's role share a host? */
bool company_is_on_one_host(const struct vm_demand *demand);

/* The number of roles; role numbers are below it. */
uint32_t company_roles(const struct company *company);
/* Add the detail of the role. */
void company_add_role(const struct company *company, uint32_t role, char *text, size_t size);

/* Can a plan made with `old` be continued with `new`? False if rules differ, or the roles of VMs
 * for which `is_planned` returns true, or the roles of VMs in several groups. O(groups x their
 * rules + members). */
bool company_can_follow(const struct vmgroup_pool *old, const struct vmgroup_pool *new,
                        bool (*is_planned)(void *context, int32_t vm), void *context);
