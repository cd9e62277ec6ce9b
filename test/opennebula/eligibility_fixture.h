/* eligibility_fixture.h: a site of hosts, datastores and networks, and a VM that asks.
 *
 * Hosts 0, 1 and 4 (offline) are in cluster 0, hosts 2 and 3 in cluster 100; host N has N * 100
 * free CPU. Datastores 0 and 7 serve cluster 0, 8 serves 100, 9 is disabled. User 5 is in the
 * groups 1 and 100. Networks 1 (2 of 3 addresses are free, KIND=public), 2 (40 of 50, private) and
 * 3 (none of 2, full) serve cluster 0, networks 3 and 4 (10 of 10, secret) cluster 100; network 4
 * permits its use to no others.
 */
#pragma once

#include <stdint.h>

#include "adapters/opennebula/eligibility.h"

struct some_site {
    struct host_pool hosts;
    struct datastore_pool datastores;
    struct network_pool networks;
    struct cluster_pool clusters;
    struct user_pool users;
    struct acl acl;
    struct eligibility *eligibility;
};

/* acl: the document of the access rules, NULL: none are looked at. settings NULL: striping. */
void some_site_init(struct some_site *site, const char *acl,
                    const struct eligibility_settings *settings);
void some_site_finish(struct some_site *site);

/* A VM of user 5 with one attribute in USER_TEMPLATE. */
struct some_vm {
    struct vm vm;
    struct attribute attribute, automatic;
};

/* Make it anew; name NULL: without the attribute. */
struct vm *vm_with(struct some_vm *some, const char *name, const char *value);

/* expected: the hosts that are allowed, such as "0,2"; a reason is given where there are none. */
void assert_hosts(const struct some_site *site, const struct vm *vm, const char *expected);
/* The sentence of the reason has that part. */
void assert_sentence(const char *reason, const char *part);
void assert_reason(const struct some_site *site, const struct vm *vm, const char *part);

/* The system datastore for the VM on a host; part NULL: its reason is not looked at. */
int32_t datastore_of(const struct some_site *site, const struct vm *vm, uint32_t host,
                     const char *part);
