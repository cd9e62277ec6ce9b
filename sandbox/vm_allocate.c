/* New VMs: templates checked as OpenNebula checks them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/hardware.h"
#include "sandbox/hook.h"
#include "sandbox/machine.h"
#include "sandbox/network.h"
#include "sandbox/vm.h"
#include "util/memory.h"
#include "util/words.h"

enum { KB_IN_MB = 1024 };

/* Whether an attribute belongs to the VM itself rather than to its user's part. */
static bool is_of_vm(const char *name)
{
    static const char *const own[] = {
        "BACKUP_CONFIG", "CONTEXT",     "CPU",          "CPU_COST",           "CPU_MODEL",
        "DISK",          "DISK_COST",   "FEATURES",     "GRAPHICS",           "INPUT",
        "MEMORY",        "MEMORY_COST", "MEMORY_MAX",   "MEMORY_RESIZE_MODE", "MEMORY_SLOTS",
        "NIC",           "NIC_ALIAS",   "NIC_DEFAULT",  "NUMA_NODE",          "OS",
        "PCI",           "RAW",         "SCHED_ACTION", "SUBMIT_ON_HOLD",     "TEMPLATE_ID",
        "TOPOLOGY",      "TPM",         "VCPU",         "VCPU_MAX",           "VIDEO",
        "VMGROUP",
    };

    return WORDS_HAVE(own, name);
}

static void add_uuid(struct oned *oned, struct oned_attributes *template)
{
    struct oned_attributes *os = oned_attributes_vector(template, "OS", 0);
    uint64_t a = oned_random(oned), b = oned_random(oned);
    char uuid[40];

    snprintf(uuid, sizeof uuid, "%08x-%04x-4%03x-%04x-%012" PRIx64, (unsigned)(a >> 32),
             (unsigned)(a >> 16) & 0xffff, (unsigned)a & 0xfff,
             ((unsigned)(b >> 48) & 0x3fff) | 0x8000, b & 0xffffffffffff);
    if (!os)
        os = oned_attributes_add_vector(template, "OS");
    oned_attributes_set(os, "UUID", uuid);
}

static bool is_pinned(const struct oned_attributes *template)
{
    const struct oned_attributes *topology = oned_attributes_vector(template, "TOPOLOGY", 0);
    const char *policy = topology ? oned_attributes_get(topology, "PIN_POLICY") : NULL;

    return policy && strcasecmp(policy, "NONE") != 0;
}

static void add_requirements(const struct oned *oned, struct oned_attributes *template)
{
    char text[120];

    snprintf(text, sizeof text, "%s%s(PIN_POLICY = PINNED)",
             oned->options.version == ONED_6_10 ? "!(PUBLIC_CLOUD = YES) & " : "",
             is_pinned(template) ? "" : "!");
    oned_attributes_set(template, "AUTOMATIC_REQUIREMENTS", text);
}

static void move_to_user(struct oned_vm *vm)
{
    for (size_t i = 0; i < vm->template.count;) {
        const char *name = vm->template.items[i].name;

        if (is_of_vm(name)) {
            i++;
        } else {
            char *moved = memory_text(name);

            oned_attributes_move(&vm->user_template, &vm->template, moved);
            free(moved);
        }
    }
}

/* CPU may be a fraction, MEMORY may not. */
static int read_capacity(struct oned_vm *vm, struct error *err)
{
    const char *cpu = oned_attributes_get(&vm->template, "CPU");
    const char *memory = oned_attributes_get(&vm->template, "MEMORY");
    double processors;
    long long megabytes;
    char *end;

    processors = cpu ? strtod(cpu, &end) : 0;
    if (!cpu || end == cpu || *end || !(processors > 0) || processors > 1e6)
        return error_set(err, EINVAL, "CPU attribute must be a positive float or integer value.");
    megabytes = memory ? strtoll(memory, &end, 10) : 0;
    if (!memory || end == memory || *end || megabytes <= 0 || megabytes > 1000000000000)
        return error_set(err, EINVAL, "MEMORY attribute must be a positive integer value.");
    vm->cpu = (int64_t)((float)processors * 100);
    vm->memory = megabytes * KB_IN_MB;
    return 0;
}

/* Disks get numbers and names. Images are not looked up: there are none. */
static void number_disks(struct oned_attributes *template)
{
    struct oned_attributes *disk;

    for (size_t i = 0; (disk = oned_attributes_vector(template, "DISK", i)); i++) {
        char target[] = "sda";

        target[2] = (char)('a' + i % 26);
        oned_attributes_set_number(disk, "DISK_ID", (int64_t)i);
        oned_attributes_set(disk, "DEV_PREFIX", "sd");
        oned_attributes_set(disk, "TARGET", target);
    }
}

/* 6.10 chooses the address in the VM when it is made, 7.4 when it is deployed. */
static void number_devices(const struct oned *oned, struct oned_attributes *template)
{
    struct oned_attributes *device;

    for (size_t i = 0; (device = oned_attributes_vector(template, "PCI", i)); i++) {
        oned_attributes_set_number(device, "PCI_ID", (int64_t)i);
        oned_attributes_set(device, "VM_BUS", "0x01");
        if (oned->options.version == ONED_6_10)
            oned_hardware_address(device, i);
    }
}

/* The parts of a topology that its user has not given. */
static void fill_topology(struct oned_attributes *topology, bool pinned, int64_t vcpu)
{
    if (!oned_attributes_get(topology, "SOCKETS"))
        oned_attributes_set(topology, "SOCKETS", "1");
    if (pinned)
        return;
    oned_attributes_set(topology, "PIN_POLICY", "NONE");
    if (!oned_attributes_get(topology, "CORES"))
        oned_attributes_set_number(topology, "CORES", vcpu);
    if (!oned_attributes_get(topology, "THREADS"))
        oned_attributes_set(topology, "THREADS", "1");
}

/* A pinned VM has a node for each socket and a processor for each virtual CPU; one that is bound to
 * a node or has huge pages has one node. */
static void add_numa_nodes(struct oned_vm *vm)
{
    struct oned_attributes *topology = oned_attributes_vector(&vm->template, "TOPOLOGY", 0);
    int64_t vcpu = oned_attributes_number(&vm->template, "VCPU", 1), sockets;
    bool pinned = is_pinned(&vm->template);

    if (!topology)
        return;
    fill_topology(topology, pinned, vcpu);
    sockets = pinned ? oned_attributes_number(topology, "SOCKETS", 1) : 1;
    if (pinned) {
        oned_attributes_set_number(&vm->template, "CPU", vcpu);
        vm->cpu = vcpu * 100;
    }
    if ((!pinned && !oned_attributes_get(topology, "NODE_AFFINITY") &&
         !oned_attributes_get(topology, "HUGEPAGE_SIZE")) ||
        sockets < 1 || sockets > vcpu || oned_attributes_vector(&vm->template, "NUMA_NODE", 0))
        return;
    for (int64_t i = 0; i < sockets; i++) {
        struct oned_attributes *node = oned_attributes_add_vector(&vm->template, "NUMA_NODE");

        oned_attributes_add_number(node, "MEMORY", vm->memory / sockets);
        oned_attributes_add_number(node, "TOTAL_CPUS", vcpu / sockets);
    }
}

static void fill_template(struct oned *oned, struct oned_vm *vm)
{
    oned_attributes_set_number(&vm->template, "VMID", vm->id);
    add_uuid(oned, &vm->template);
    add_requirements(oned, &vm->template);
    number_disks(&vm->template);
    number_devices(oned, &vm->template);
    oned_network_number(vm);
    add_numa_nodes(vm);
}

static void take_name(struct oned_vm *vm)
{
    const char *name = oned_attributes_get(&vm->template, "NAME");
    char text[24];

    snprintf(text, sizeof text, "one-%d", vm->id);
    vm->name = memory_text(name ? name : text);
    oned_attributes_remove(&vm->template, "NAME");
}

static bool says_yes(const char *value)
{
    return value && !strcasecmp(value, "yes");
}

static struct oned_vm *new_vm(const struct oned_user *user)
{
    struct oned_vm *vm = memory_new(1, sizeof *vm);

    vm->owner = (struct oned_owner){
        .uid = user->id, .gid = user->gid, .rights = {[OWNER_U] = true, [OWNER_M] = true}};
    vm->deploy_id = memory_text("");
    vm->charged = vm->leaving = vm->heap = -1;
    vm->due = ONED_NEVER;
    for (int i = 0; i < ONED_PHASES; i++)
        vm->times[i] = ONED_INHERIT;
    return vm;
}

struct oned_vm *oned_vm_create(struct oned *oned, const struct oned_user *user,
                               const struct oned_attributes *template, bool hold, struct error *err)
{
    struct oned_vm *vm = new_vm(user);
    struct oned_attributes actions = {0};

    oned_attributes_copy(&vm->template, template);
    if (read_capacity(vm, err)) {
        oned_object_free(KIND_VM, vm);
        return NULL;
    }
    hold = hold || oned->options.submit_on_hold ||
           says_yes(oned_attributes_get(&vm->template, "SUBMIT_ON_HOLD"));
    vm->id = oned_pool_add(oned, KIND_VM, vm, -1);
    vm->stime = oned_seconds(oned);
    vm->state = hold ? VM_HOLD : VM_PENDING;
    take_name(vm);
    oned_attributes_move(&actions, &vm->template, "SCHED_ACTION");
    move_to_user(vm);
    fill_template(oned, vm);
    if (actions.count > 0 && oned_vm_schedule(oned, vm, &actions, err) < 0)
        oned_vm_error(oned, vm, err ? err->text : "malformed SCHED_ACTION");
    oned_attributes_finish(&actions);
    oned_touch(oned, KIND_VM, vm->id);
    oned_hook_vm(oned, vm);
    return vm;
}

struct oned_vm *oned_vm_allocate(struct oned *oned, const struct oned_user *user,
                                 const char *template, bool hold, struct error *err)
{
    struct oned_attributes parsed = {0};
    struct oned_vm *vm = NULL;

    if (oned_attributes_parse(&parsed, template, err) == 0)
        vm = oned_vm_create(oned, user, &parsed, hold, err);
    oned_attributes_finish(&parsed);
    return vm;
}
