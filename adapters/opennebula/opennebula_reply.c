/* What a reply of oned means for the caller. */
#include <string.h>

#include "adapters/opennebula/opennebula_inside.h"

/* Is the cause a quota, a lock or a deleted owner ("limit of 5 reached for VMS quota ...", "User
 * [0] : VM is locked. [7].", "User [0] : User not found.")? oned answers with several codes. */
static bool is_owners(const struct rpc_reply *reply)
{
    return reply->code == RPC_CODE_LOCKED || strcasestr(reply->message, "quota") ||
           strstr(reply->message, " is locked.") || strstr(reply->message, " : User not found");
}

/* Is the cause a network: "Cannot get IP/MAC lease from virtual network [3].", "NIC_ID 1 not AUTO"?
 */
static bool is_about_networks(const struct rpc_reply *reply)
{
    return strcasestr(reply->message, "virtual network") || strcasestr(reply->message, " lease") ||
           strstr(reply->message, "NIC_ID");
}

static enum cloud_refusal refusal_of(const struct rpc_reply *reply, bool deploys)
{
    if (reply->outcome == RPC_FAULT)
        return CLOUD_NO_SERVICE;
    if (strstr(reply->message, "for state") || strstr(reply->message, "wrong state"))
        return CLOUD_NO_STATE;
    /* oned was interrupted between the record and the VM, or its database rejects writes. */
    if (strstr(reply->message, "update virtual machine history"))
        return CLOUD_NO_RECORD;
    if (is_owners(reply) || (deploys && is_about_networks(reply)))
        return CLOUD_NO_OWNER;
    switch (reply->code) {
    case RPC_CODE_AUTHENTICATION:
        return CLOUD_NO_CREDENTIALS;
    case RPC_CODE_AUTHORIZATION:
        return CLOUD_NO_PERMISSION;
    case RPC_CODE_INTERNAL:
    case RPC_CODE_REPLICATION:
        return CLOUD_NO_SERVICE;
    case RPC_CODE_NO_EXISTS:
        return CLOUD_NO_VM;
    default: /* "Not enough CPU", "not available", a host that has just been disabled, ... */
        return deploys ? CLOUD_NO_HOST : CLOUD_NO_VM;
    }
}

struct cloud_reply opennebula_reply(const struct rpc_reply *reply, bool deploys)
{
    static const enum cloud_outcome outcomes[] = {
        [RPC_DONE] = CLOUD_DONE,         [RPC_REFUSED] = CLOUD_REFUSED, [RPC_FAULT] = CLOUD_REFUSED,
        [RPC_NOT_SENT] = CLOUD_NOT_SENT, [RPC_UNKNOWN] = CLOUD_UNKNOWN,
    };
    struct cloud_reply told = {.outcome = outcomes[reply->outcome], .message = reply->message};

    if (told.outcome == CLOUD_REFUSED)
        told.refusal = refusal_of(reply, deploys);
    return told;
}
