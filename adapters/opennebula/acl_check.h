/* acl_check.h: may the owner of a VM use a host, a datastore or a network?
 *
 * OpenNebula's own rule (src/acl): a rule grants rights on one object, on those of a cluster, or on
 * all of a type, to one user, a group, or everybody. Deploying needs MANAGE on the host and USE on
 * the system datastore and the networks; user 0 and group 0 may do everything. An object's own
 * permissions (owner, group, others) are not checked here; hosts have none.
 */
#pragma once

#include "adapters/opennebula/pool.h"

enum acl_type { ACL_HOST, ACL_DATASTORE, ACL_NETWORK };

/* The requesting user; groups includes the primary one. */
struct acl_subject {
    int32_t user;
    const int32_t *groups;
    size_t n_groups;
};

/* The object, and the clusters it is in. */
struct acl_object {
    enum acl_type type;
    int32_t id;
    const int32_t *clusters;
    size_t n_clusters;
};

/* User 0, or a member of group 0. */
bool acl_is_administrator(const struct acl_subject *subject);

/* The rules that let this subject have VMs on hosts (MANAGE), or use datastores or networks (USE),
 * in this zone are appended to *rules, which acl_finish() frees. O(rules of acl x groups). */
void acl_rules_for(const struct acl *acl, const struct acl_subject *subject, enum acl_type type,
                   int32_t zone, struct acl *rules);

/* Does one of those rules apply to the object? O(rules x clusters). */
bool acl_rules_grant(const struct acl *rules, const struct acl_object *object);
