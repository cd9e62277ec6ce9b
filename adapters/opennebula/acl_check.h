/* acl_check.h: checks the rights of a VM's owner to use hosts, datastores and networks.
 *
 * As in OpenNebula (src/acl), a rule grants rights on one object, on the objects of a cluster, or
 * on all objects of a type, to a user, a group, or all users. Deployments need MANAGE on the host
 * and USE on the system datastore and the networks; user 0 and group 0 have all rights. An object's
 * own permissions (owner, group, others) are not checked here; hosts have none.
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

/* The object and its clusters. */
struct acl_object {
    enum acl_type type;
    int32_t id;
    const int32_t *clusters;
    size_t n_clusters;
};

/* User 0, or a member of group 0. */
bool acl_is_administrator(const struct acl_subject *subject);

/* Appends the rules that grant the subject VMs on hosts (MANAGE), or datastores or networks (USE),
 * in this zone to *rules, to be freed with acl_finish(). O(rules of acl x groups). */
void acl_rules_for(const struct acl *acl, const struct acl_subject *subject, enum acl_type type,
                   int32_t zone, struct acl *rules);

/* Does one of these rules apply to the object? O(rules x clusters). */
bool acl_rules_grant(const struct acl *rules, const struct acl_object *object);
