/* Checks callers' rights with OpenNebula. */
#include "web/access.h"

#include <errno.h>
#include <inttypes.h>

#include "adapters/opennebula/rpc.h"
#include "adapters/opennebula/session.h"

/* --- single VMs ------------------------------------------------------------------------------- */

/* The VMs of a lease that are not gone; NULL with err. */
static json_t *members_of(const struct access *access, int64_t lease, struct error *err)
{
    json_t *answer = access->ask(
        access->context, json_pack("{s:s, s:I}", "command", "lease-show", "lease", lease), err);
    json_t *members =
        answer ? json_incref(json_object_get(json_object_get(answer, "lease"), "members")) : NULL;

    if (answer && !members)
        error_set(err, ENOENT, "lease %" PRId64 " does not exist", lease);
    json_decref(answer);
    return members;
}

static int check_lease(const struct access *access, enum route_right right, int64_t lease,
                       struct error *err)
{
    json_t *members = right == RIGHT_MANAGE ? members_of(access, lease, err) : NULL;
    struct error refusal = {0};
    struct rpc *rpc = NULL;
    const json_t *member;
    int result = -1;
    size_t i;

    if (lease > INT32_MAX)
        error_set(err, ENOENT, "lease %" PRId64 " does not exist", lease);
    else
        rpc = callers_connect(access->callers, access->caller->session, err);
    if (rpc && (members || right == RIGHT_USE)) {
        session_ask(rpc, lease, false, &refusal);
        json_array_foreach(members, i, member) {
            if (!json_is_true(json_object_get(member, "gone")))
                session_ask(rpc, json_integer_value(json_object_get(member, "vm")), true, &refusal);
        }
        result = session_answers(rpc, &refusal, err);
    }
    rpc_destroy(rpc);
    json_decref(members);
    return result;
}

/* --- visible VMs and hosts -------------------------------------------------------------------- */

static int visible_vms(const struct access *access, struct vm_pool *vms, struct error *err)
{
    struct rpc *rpc = callers_connect(access->callers, access->caller->session, err);
    int result = rpc ? session_vms(rpc, vms, err) : -1;

    rpc_destroy(rpc);
    return result;
}

static int visible_hosts(const struct access *access, struct host_pool *hosts, struct error *err)
{
    struct rpc *rpc = callers_connect(access->callers, access->caller->session, err);
    int result = rpc ? session_hosts(rpc, hosts, err) : -1;

    rpc_destroy(rpc);
    return result;
}

static bool owns_lease(const struct access *access, const json_t *lease)
{
    const json_t *uid = json_object_get(lease, "uid");

    return json_is_integer(uid) && json_integer_value(uid) == access->caller->uid;
}

static bool sees_lease(const struct access *access, const struct vm_pool *vms, const json_t *lease)
{
    const json_t *id = json_object_get(lease, "lease");

    return owns_lease(access, lease) ||
           (json_is_integer(id) && json_integer_value(id) <= INT32_MAX &&
            vm_pool_find(vms, (int32_t)json_integer_value(id)));
}

static bool owns_all(const struct access *access, const json_t *leases)
{
    const json_t *lease;
    size_t i;

    json_array_foreach(leases, i, lease) {
        if (!owns_lease(access, lease))
            return false;
    }
    return true;
}

/* Removes leases that the caller does not see; in an answer with changes, lists them as gone. */
static void keep_seen(const struct access *access, const struct vm_pool *vms, json_t *answer)
{
    json_t *leases = json_object_get(answer, "leases"), *gone = json_object_get(answer, "gone");
    json_t *kept = json_array(), *lease;
    size_t i;

    json_array_foreach(leases, i, lease) {
        if (sees_lease(access, vms, lease))
            json_array_append(kept, lease);
        else if (gone)
            json_array_append(gone, json_object_get(lease, "lease"));
    }
    json_object_set_new(answer, "leases", kept);
}

static bool has_lease(const json_t *answer, int64_t id)
{
    const json_t *lease;
    size_t i;

    json_array_foreach(json_object_get(answer, "leases"), i, lease) {
        if (json_integer_value(json_object_get(lease, "lease")) == id)
            return true;
    }
    return false;
}

/* Does the answer lack a lease of a VM that became visible, because the lease has not changed? Most
 * such VMs are new, and their leases have changed. */
static bool misses_lease(const struct access *access, const json_t *answer, const json_t *shown)
{
    bool missing = false;
    const json_t *id;
    size_t i;

    json_array_foreach(shown, i, id) {
        json_t *found = NULL;

        if (!missing && !has_lease(answer, json_integer_value(id)))
            found = access->ask(
                access->context,
                json_pack("{s:s, s:I}", "command", "lease-show", "lease", json_integer_value(id)),
                NULL);
        missing = missing || json_object_get(found, "lease");
        json_decref(found);
    }
    return missing;
}

/* Answers with all leases instead of the changed ones. */
static int ask_for_all(const struct access *access, const json_t *asked, json_t *answer,
                       struct error *err)
{
    json_t *request = json_deep_copy(asked), *all;

    json_object_set_new(request, "since", json_string(""));
    all = access->ask(access->context, request, err);
    if (!all)
        return -1;
    json_object_clear(answer);
    json_object_update(answer, all);
    json_decref(all);
    return 0;
}

static void put_revision(json_t *answer, const struct view_changes *changes)
{
    const char *revision = json_string_value(json_object_get(answer, "revision"));

    if (revision)
        json_object_set_new(answer, "revision", json_sprintf("%s-%s", revision, changes->revision));
}

/* Reduces an answer that has a revision. */
static int reduce_changes(const struct access *access, const json_t *asked, json_t *answer,
                          struct error *err)
{
    const char *since = json_string_value(json_object_get(answer, "since"));
    struct vm_pool vms;
    struct view_changes changes;
    int result = 0;

    if (visible_vms(access, &vms, err) < 0)
        return -1;
    views_look(access->views, access->caller->uid, &vms, since, &changes);
    if (since && misses_lease(access, answer, changes.shown))
        result = ask_for_all(access, asked, answer, err);
    keep_seen(access, &vms, answer);
    if (json_object_get(answer, "gone"))
        json_array_extend(json_object_get(answer, "gone"), changes.hidden);
    put_revision(answer, &changes);
    json_decref(changes.shown);
    json_decref(changes.hidden);
    vm_pool_finish(&vms);
    return result;
}

static int reduce_leases(const struct access *access, const json_t *asked, json_t *answer,
                         struct error *err)
{
    struct vm_pool vms;

    if (json_object_get(answer, "revision"))
        return reduce_changes(access, asked, answer, err);
    if (owns_all(access, json_object_get(answer, "leases")))
        return 0;
    if (visible_vms(access, &vms, err) < 0)
        return -1;
    keep_seen(access, &vms, answer);
    vm_pool_finish(&vms);
    return 0;
}

static int reduce_hosts(const struct access *access, json_t *answer, struct error *err)
{
    json_t *hosts = json_object_get(answer, "hosts"), *kept = json_array(), *host;
    struct host_pool visible;
    size_t i;

    if (json_array_size(hosts) == 0) {
        json_decref(kept);
        return 0;
    }
    if (visible_hosts(access, &visible, err) < 0) {
        json_decref(kept);
        return -1;
    }
    json_array_foreach(hosts, i, host) {
        int64_t id = json_integer_value(json_object_get(host, "host"));

        if (host_pool_find(&visible, (int32_t)id))
            json_array_append(kept, host);
    }
    json_object_set_new(answer, "hosts", kept);
    host_pool_finish(&visible);
    return 0;
}

/* Removes the owner of an operation that the caller may not see. */
static void hide_owner(json_t *operation)
{
    static const char *const private_fields[] = {"lease", "vm", "user", "name"};

    for (size_t i = 0; i < sizeof private_fields / sizeof *private_fields; i++)
        json_object_set_new(operation, private_fields[i], json_null());
}

static int reduce_timeline(const struct access *access, json_t *answer, struct error *err)
{
    json_t *operations = json_object_get(answer, "operations");
    int64_t host = json_integer_value(json_object_get(answer, "host"));
    struct host_pool hosts;
    struct vm_pool vms;
    bool visible;

    if (visible_hosts(access, &hosts, err) < 0)
        return -1;
    visible = host_pool_find(&hosts, (int32_t)host) != NULL;
    host_pool_finish(&hosts);
    if (!visible)
        return error_set(err, EPERM, "OpenNebula does not grant you the USE right for this host");
    if (visible_vms(access, &vms, err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(operations); i++)
        if (!sees_lease(access, &vms, json_array_get(operations, i)))
            hide_owner(json_array_get(operations, i));
    vm_pool_finish(&vms);
    return 0;
}

/* --- by route --------------------------------------------------------------------------------- */

/* Turns a request for changes into one for all leases if the caller's view at that time is
 * unknown. */
static void check_since(const struct access *access, json_t *asked)
{
    const char *since = json_string_value(json_object_get(asked, "since"));

    if (since && !views_know(access->views, access->caller->uid, since))
        json_object_set_new(asked, "since", json_string(""));
}

int access_check(const struct access *access, const struct route *route, json_t *asked,
                 struct error *err)
{
    if (access->caller->is_operator)
        return 0;
    if (route->right == RIGHT_OPERATOR)
        return error_set(err, EPERM, "restricted to members of OpenNebula's group oneadmin");
    if (route->right == RIGHT_OWN_USAGE)
        json_object_set_new(asked, "user", json_string(access->caller->name));
    if (route->right == RIGHT_OWN_LEASES)
        check_since(access, asked);
    if (route->right != RIGHT_USE && route->right != RIGHT_MANAGE)
        return 0;
    return check_lease(access, route->right, json_integer_value(json_object_get(asked, "lease")),
                       err);
}

bool access_reduces(const struct access *access, const struct route *route)
{
    return !access->caller->is_operator &&
           (route->right == RIGHT_OWN_LEASES || route->right == RIGHT_OWN_HOSTS ||
            route->right == RIGHT_HOST);
}

int access_reduce(const struct access *access, const struct route *route, const json_t *asked,
                  json_t *answer, struct error *err)
{
    if (!access_reduces(access, route))
        return 0;
    return route->right == RIGHT_OWN_LEASES  ? reduce_leases(access, asked, answer, err)
           : route->right == RIGHT_OWN_HOSTS ? reduce_hosts(access, answer, err)
                                             : reduce_timeline(access, answer, err);
}
