/* Frees the pools of a cloud's answers. */
#include "adapters/cloud/cloud.h"

void cloud_answer_finish(struct cloud_answer *answer)
{
    host_pool_finish(&answer->hosts);
    vm_pool_finish(&answer->vms);
    datastore_pool_finish(&answer->datastores);
    network_pool_finish(&answer->networks);
    cluster_pool_finish(&answer->clusters);
    user_pool_finish(&answer->users);
    acl_finish(&answer->acl);
    vm_use_pool_finish(&answer->uses);
    vmgroup_pool_finish(&answer->vmgroups);
}
