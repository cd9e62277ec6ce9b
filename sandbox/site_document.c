/* Documents of a site's objects. */
#include "sandbox/site_document.h"

#include <stdio.h>
#include <string.h>

#include "sandbox/host.h"
#include "sandbox/network.h"
#include "sandbox/vm.h"

static void write_template(const struct oned_attributes *template, struct oned_text *text)
{
    oned_text_put(text, "<TEMPLATE>");
    oned_attributes_write(template, text);
    oned_text_put(text, "</TEMPLATE>");
}

static void write_clusters(const struct oned_thing *thing, struct oned_text *text)
{
    oned_text_put(text, "<CLUSTERS>");
    for (size_t i = 0; i < thing->cluster_count; i++)
        oned_text_number(text, "ID", thing->clusters[i]);
    oned_text_put(text, "</CLUSTERS>");
}

/* The ids of a kind's objects that are in the cluster. */
static void write_members(const struct oned *oned, const struct oned_thing *cluster,
                          enum oned_kind kind, struct oned_text *text)
{
    for (int id = 0; id < oned->pools[kind].count; id++) {
        const void *object = oned_pool_get(oned, kind, id);

        if (object &&
            (kind == KIND_HOST ? ((const struct oned_host *)object)->cluster == cluster->id
                               : oned_in_cluster(object, cluster->id)))
            oned_text_number(text, "ID", id);
    }
}

static void write_cluster(const struct oned *oned, const struct oned_thing *cluster,
                          struct oned_text *text)
{
    oned_text_put(text, "<HOSTS>");
    write_members(oned, cluster, KIND_HOST, text);
    oned_text_put(text, "</HOSTS><DATASTORES>");
    write_members(oned, cluster, KIND_DATASTORE, text);
    oned_text_put(text, "</DATASTORES><VNETS>");
    write_members(oned, cluster, KIND_VNET, text);
    oned_text_put(text, "</VNETS>");
    write_template(&cluster->template, text);
}

static void write_datastore(const struct oned_thing *datastore, struct oned_text *text)
{
    const char *mad = oned_attributes_get(&datastore->template, "DS_MAD");

    oned_text_cdata(text, "DS_MAD", mad ? mad : "-");
    oned_text_cdata(text, "TM_MAD", "dummy");
    oned_text_format(text, "<BASE_PATH><![CDATA[/var/lib/one//datastores/%d]]></BASE_PATH>",
                     datastore->id);
    oned_text_number(text, "TYPE", datastore->type);
    oned_text_number(text, "DISK_TYPE", 0);
    oned_text_number(text, "STATE", !datastore->enabled);
    write_clusters(datastore, text);
    oned_text_number(text, "TOTAL_MB", datastore->total_mb);
    oned_text_number(text, "FREE_MB", datastore->free_mb);
    oned_text_number(text, "USED_MB", datastore->used_mb);
    oned_text_put(text, "<IMAGES></IMAGES>");
    write_template(&datastore->template, text);
}

struct month_usage {
    int64_t vms, cpu, memory, running_vms, running_cpu, running_memory;
};

static struct month_usage usage_of(const struct oned *oned, int uid, int gid)
{
    struct month_usage usage = {0};

    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);

        if (!vm || vm->state == VM_DONE || (uid >= 0 && vm->owner.uid != uid) ||
            (gid >= 0 && vm->owner.gid != gid))
            continue;
        usage.vms++;
        usage.cpu += vm->cpu;
        usage.memory += vm->memory / 1024;
        if (vm->state == VM_PENDING || vm->state == VM_HOLD || vm->state == VM_ACTIVE) {
            usage.running_vms++;
            usage.running_cpu += vm->cpu;
            usage.running_memory += vm->memory / 1024;
        }
    }
    return usage;
}

static void write_quota(const char *name, double used, struct oned_text *text)
{
    char words[64], number[32];

    oned_text_cdata(text, name, "-1");
    snprintf(words, sizeof words, "%s_USED", name);
    snprintf(number, sizeof number, "%.10g", used);
    oned_text_cdata(text, words, number);
}

/* Administrators have no quotas, others have unlimited ones. */
static void write_quotas(const struct oned *oned, int uid, int gid, struct oned_text *text)
{
    struct month_usage usage = usage_of(oned, uid, gid);
    bool devices = oned->options.version >= ONED_7_4;

    oned_text_put(text, "<DATASTORE_QUOTA></DATASTORE_QUOTA><NETWORK_QUOTA></NETWORK_QUOTA>"
                        "<VM_QUOTA>");
    if (usage.vms > 0 && gid != 0) {
        oned_text_put(text, "<VM>");
        write_quota("CPU", (double)usage.cpu / 100, text);
        write_quota("MEMORY", (double)usage.memory, text);
        if (devices) {
            write_quota("PCI_DEV", 0, text);
            write_quota("PCI_NIC", 0, text);
        }
        write_quota("RUNNING_CPU", (double)usage.running_cpu / 100, text);
        write_quota("RUNNING_MEMORY", (double)usage.running_memory, text);
        if (devices) {
            write_quota("RUNNING_PCI_DEV", 0, text);
            write_quota("RUNNING_PCI_NIC", 0, text);
        }
        write_quota("RUNNING_VMS", (double)usage.running_vms, text);
        write_quota("SYSTEM_DISK_SIZE", 0, text);
        write_quota("VMS", (double)usage.vms, text);
        oned_text_put(text, "</VM>");
    }
    oned_text_put(text, "</VM_QUOTA><IMAGE_QUOTA></IMAGE_QUOTA>");
}

static const char default_quotas[] =
    "<DATASTORE_QUOTA></DATASTORE_QUOTA><NETWORK_QUOTA></NETWORK_QUOTA><VM_QUOTA></VM_QUOTA>"
    "<IMAGE_QUOTA></IMAGE_QUOTA>";

void oned_default_quotas(enum oned_kind kind, struct oned_text *text)
{
    if (kind == KIND_USER)
        oned_text_format(text, "<DEFAULT_USER_QUOTAS>%s</DEFAULT_USER_QUOTAS>", default_quotas);
    else if (kind == KIND_GROUP)
        oned_text_format(text, "<DEFAULT_GROUP_QUOTAS>%s</DEFAULT_GROUP_QUOTAS>", default_quotas);
}

/* A stand-in for a password's digest that reveals nothing about the password. */
static void write_digest(const char *name, unsigned salt, struct oned_text *text)
{
    uint64_t hash = 0xcbf29ce484222325u + salt;
    char digest[72];

    for (int part = 0; part < 4; part++) {
        for (const char *c = name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
        snprintf(digest + 16 * part, 17, "%016llx", (unsigned long long)hash);
    }
    oned_text_put(text, digest);
}

static void write_user(const struct oned *oned, const struct oned_user *user, bool alone,
                       struct oned_text *text)
{
    oned_text_put(text, "<USER>");
    oned_text_number(text, "ID", user->id);
    oned_text_number(text, "GID", user->gid);
    oned_text_put(text, "<GROUPS>");
    oned_text_number(text, "ID", user->gid);
    oned_text_put(text, "</GROUPS>");
    oned_text_element(text, "GNAME", oned_group_name(oned, user->gid));
    oned_text_element(text, "NAME", user->name);
    oned_text_put(text, "<PASSWORD><![CDATA[");
    write_digest(user->name, 0, text);
    oned_text_put(text, "]]></PASSWORD>");
    oned_text_cdata(text, "AUTH_DRIVER", user->driver);
    oned_text_number(text, "ENABLED", user->enabled);
    for (size_t i = 0; i < user->token_count && alone; i++) {
        oned_text_put(text, "<LOGIN_TOKEN>");
        oned_text_cdata(text, "TOKEN", user->tokens[i].text);
        oned_text_number(text, "EXPIRATION_TIME", user->tokens[i].expires);
        oned_text_number(text, "EGID", -1);
        oned_text_put(text, "</LOGIN_TOKEN>");
    }
    oned_text_put(text, "<TEMPLATE>");
    oned_attributes_write(&user->template, text);
    oned_text_put(text, "<TOKEN_PASSWORD><![CDATA[");
    write_digest(user->name, 1, text);
    oned_text_put(text, "]]></TOKEN_PASSWORD></TEMPLATE>");
    if (!alone) {
        oned_text_put(text, "</USER><QUOTAS>");
        oned_text_number(text, "ID", user->id);
    }
    if (user->gid == 0)
        oned_text_put(text, default_quotas);
    else
        write_quotas(oned, user->id, -1, text);
    if (alone)
        oned_default_quotas(KIND_USER, text);
    oned_text_put(text, alone ? "</USER>" : "</QUOTAS>");
}

static void write_group(const struct oned *oned, const struct oned_thing *group, bool alone,
                        struct oned_text *text)
{
    oned_text_put(text, "<GROUP>");
    oned_text_number(text, "ID", group->id);
    oned_text_element(text, "NAME", group->name);
    write_template(&group->template, text);
    oned_text_put(text, "<USERS>");
    for (int id = 0; id < oned->pools[KIND_USER].count; id++) {
        const struct oned_user *user = oned_user(oned, id);

        if (user && user->gid == group->id)
            oned_text_number(text, "ID", id);
    }
    oned_text_put(text, "</USERS><ADMINS></ADMINS>");
    if (!alone) {
        oned_text_put(text, "</GROUP><QUOTAS>");
        oned_text_number(text, "ID", group->id);
    }
    write_quotas(oned, -1, group->id, text);
    if (alone) {
        oned_default_quotas(KIND_GROUP, text);
        oned_text_put(text, "</GROUP>");
        return;
    }
    oned_text_put(text, "</QUOTAS>");
    if (oned->options.version >= ONED_7_4) {
        oned_text_put(text, "<VLAN_RULES>");
        oned_text_cdata_number(text, "ID", group->id);
        oned_text_put(text, "</VLAN_RULES>");
    }
}

/* The document has address ranges beside the template, not in it. */
static void write_network_template(const struct oned_thing *vnet, struct oned_text *text)
{
    struct oned_attributes rest = {0}, ranges = {0};

    oned_attributes_copy(&rest, &vnet->template);
    oned_attributes_move(&ranges, &rest, "AR");
    for (size_t i = 0; i < ranges.count; i++)
        oned_attributes_add_number(&ranges.items[i].children, "AR_ID", (int64_t)i);
    write_template(&rest, text);
    oned_text_put(text, "<AR_POOL>");
    oned_attributes_write(&ranges, text);
    oned_text_put(text, "</AR_POOL>");
    oned_attributes_finish(&rest);
    oned_attributes_finish(&ranges);
}

static void write_vnet(const struct oned *oned, const struct oned_thing *vnet,
                       struct oned_text *text)
{
    write_clusters(vnet, text);
    oned_text_cdata(text, "BRIDGE", oned_attributes_get(&vnet->template, "BRIDGE"));
    oned_text_cdata(text, "BRIDGE_TYPE", "linux");
    oned_text_put(text, "<STATE><![CDATA[1]]></STATE><PREV_STATE><![CDATA[1]]></PREV_STATE>"
                        "<PARENT_NETWORK_ID/>");
    oned_text_cdata(text, "VN_MAD", "dummy");
    oned_text_put(text, "<PHYDEV/><VLAN_ID/><OUTER_VLAN_ID/><VLAN_ID_AUTOMATIC>0"
                        "</VLAN_ID_AUTOMATIC><OUTER_VLAN_ID_AUTOMATIC>0</OUTER_VLAN_ID_AUTOMATIC>");
    oned_text_number(text, "USED_LEASES", oned_network_used(oned, vnet));
    oned_text_put(text, "<VROUTERS></VROUTERS><UPDATED_VMS></UPDATED_VMS>"
                        "<OUTDATED_VMS></OUTDATED_VMS><UPDATING_VMS></UPDATING_VMS>"
                        "<ERROR_VMS></ERROR_VMS>");
    write_network_template(vnet, text);
}

/* VMS: the VMs that name the group and the role. */
static void add_members(const struct oned *oned, const struct oned_thing *group, const char *role,
                        struct oned_attributes *shown)
{
    struct oned_text list = {0};

    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);
        const struct oned_attributes *said =
            vm ? oned_attributes_vector(&vm->template, "VMGROUP", 0) : NULL;
        const char *name = said ? oned_attributes_get(said, "ROLE") : NULL;

        if (name && role && vm->state != VM_DONE && !strcmp(name, role) &&
            oned_attributes_number(said, "VMGROUP_ID", -1) == group->id)
            oned_text_format(&list, "%s%d", list.size > 0 ? "," : "", id);
    }
    if (list.size > 0)
        oned_attributes_add(shown, "VMS", list.bytes);
    oned_text_finish(&list);
}

/* ROLE sections of the template are the group's roles. */
static void write_roles(const struct oned *oned, const struct oned_thing *group,
                        struct oned_text *text)
{
    const struct oned_attributes *role;

    oned_text_put(text, "<ROLES>");
    for (size_t i = 0; (role = oned_attributes_vector(&group->template, "ROLE", i)); i++) {
        struct oned_attributes shown = {0};

        oned_attributes_copy(&shown, role);
        oned_attributes_add_number(&shown, "ID", (int64_t)i);
        add_members(oned, group, oned_attributes_get(role, "NAME"), &shown);
        oned_text_put(text, "<ROLE>");
        oned_attributes_write(&shown, text);
        oned_text_put(text, "</ROLE>");
        oned_attributes_finish(&shown);
    }
    oned_text_put(text, "</ROLES>");
}

static void write_vmgroup(const struct oned *oned, const struct oned_thing *group,
                          struct oned_text *text)
{
    struct oned_attributes rest = {0};

    write_roles(oned, group, text);
    oned_attributes_copy(&rest, &group->template);
    oned_attributes_remove(&rest, "ROLE");
    write_template(&rest, text);
    oned_attributes_finish(&rest);
}

/* The parts common to kinds with an owner, and their own. */
static void write_owned(const struct oned *oned, enum oned_kind kind,
                        const struct oned_thing *thing, struct oned_text *text)
{
    static const char *const elements[KINDS] = {
        [KIND_CLUSTER] = "CLUSTER",   [KIND_DATASTORE] = "DATASTORE",
        [KIND_VNET] = "VNET",         [KIND_VMGROUP] = "VM_GROUP",
        [KIND_DOCUMENT] = "DOCUMENT", [KIND_TEMPLATE] = "VMTEMPLATE"};

    oned_text_format(text, "<%s>", elements[kind]);
    oned_text_number(text, "ID", thing->id);
    if (kind != KIND_CLUSTER)
        oned_owner_names(oned, &thing->owner, text);
    oned_text_element(text, "NAME", thing->name);
    if (kind == KIND_DOCUMENT)
        oned_text_number(text, "TYPE", thing->type);
    if (kind != KIND_CLUSTER)
        oned_owner_permissions(&thing->owner, text);
    if (kind == KIND_TEMPLATE)
        oned_text_number(text, "REGTIME", thing->made);
    if (kind == KIND_CLUSTER)
        write_cluster(oned, thing, text);
    else if (kind == KIND_DATASTORE)
        write_datastore(thing, text);
    else if (kind == KIND_VNET)
        write_vnet(oned, thing, text);
    else if (kind == KIND_VMGROUP)
        write_vmgroup(oned, thing, text);
    else
        write_template(&thing->template, text);
    oned_text_format(text, "</%s>", elements[kind]);
}

static void write_acl(const struct oned_acl *acl, struct oned_text *text)
{
    oned_text_put(text, "<ACL>");
    oned_text_number(text, "ID", acl->id);
    oned_text_element(text, "USER", acl->user);
    oned_text_element(text, "RESOURCE", acl->resource);
    oned_text_element(text, "RIGHTS", acl->rights);
    oned_text_element(text, "ZONE", acl->zone);
    oned_text_element(text, "STRING", acl->string);
    oned_text_put(text, "</ACL>");
}

void oned_object_document(const struct oned *oned, enum oned_kind kind, const void *object,
                          bool alone, struct oned_text *text)
{
    switch (kind) {
    case KIND_VM:
        oned_vm_document(oned, object, true, text);
        break;
    case KIND_HOST:
        oned_host_document(oned, object, alone, text);
        break;
    case KIND_USER:
        write_user(oned, object, alone, text);
        break;
    case KIND_GROUP:
        write_group(oned, object, alone, text);
        break;
    case KIND_ACL:
        write_acl(object, text);
        break;
    default:
        write_owned(oned, kind, object, text);
    }
}
