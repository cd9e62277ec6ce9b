/* session.h: calls to OpenNebula with a user's own session and rights.
 *
 * rpc: a connection with the session of the user. Functions wait for OpenNebula, except
 * session_ask().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "adapters/cloud/objects.h"
#include "util/error.h"

struct rpc;

/* Finds the owner of the session, the only user of the pool, which the caller finishes. -1 with
 * err: EACCES (OpenNebula rejects the session), EPROTO (unexpected answer), EAGAIN (OpenNebula does
 * not answer, or fails). */
int session_user(struct rpc *rpc, struct user_pool *user, struct error *err);

/* Queries whether the user may USE, or MANAGE, the VM. The first negative answer sets *refusal,
 * which the caller clears before: EPERM, ENOENT (no such VM), EAGAIN (OpenNebula does not answer,
 * or fails). *refusal must outlive session_answers(). */
void session_ask(struct rpc *rpc, int64_t vm, bool manage, struct error *refusal);
/* Waits for all answers. -1 with err: a refusal, or a failed connection. */
int session_answers(struct rpc *rpc, const struct error *refusal, struct error *err);

/* Find the VMs and hosts that the user may USE; the caller finishes the pools. -1 with err: EAGAIN
 * (OpenNebula does not answer) or an error of the parser. */
int session_vms(struct rpc *rpc, struct vm_pool *vms, struct error *err);
int session_hosts(struct rpc *rpc, struct host_pool *hosts, struct error *err);
/* The VMs of all users that the user may USE, with their complete templates; `ended`: also VMs that
 * are done. As session_vms(). */
int session_vms_in_full(struct rpc *rpc, bool ended, struct vm_pool *vms, struct error *err);

/* Creates a VM, on hold or pending; *id: its number. -1 with err: EAGAIN (OpenNebula does not
 * answer, or refuses). */
int session_create_vm(struct rpc *rpc, const char *template, bool hold, int64_t *id,
                      struct error *err);
