/* site_document.h: documents of a site's objects other than hosts and VMs. */
#pragma once

#include "sandbox/pools.h"

void oned_cluster_document(const struct oned *oned, const struct oned_cluster *cluster,
                           struct oned_text *text);
void oned_datastore_document(const struct oned *oned, const struct oned_datastore *datastore,
                             struct oned_text *text);

/* <USER>...</USER>; alone with quotas inside, in a pool quotas follow in an element of their own.
 */
void oned_user_document(const struct oned *oned, const struct oned_user *user, bool alone,
                        struct oned_text *text);
void oned_group_document(const struct oned *oned, const struct oned_group *group, bool alone,
                         struct oned_text *text);
void oned_vnet_document(const struct oned *oned, const struct oned_thing *vnet,
                        struct oned_text *text);
void oned_document_document(const struct oned *oned, const struct oned_thing *document,
                            struct oned_text *text);
void oned_template_document(const struct oned *oned, const struct oned_thing *template,
                            struct oned_text *text);
void oned_vmgroup_document(const struct oned *oned, const struct oned_thing *group,
                           struct oned_text *text);
void oned_acl_document(const struct oned_acl *acl, struct oned_text *text);

/* The whole answer of one.system.config. */
void oned_configuration_document(const struct oned *oned, struct oned_text *text);
