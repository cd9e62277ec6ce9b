/* Gives addresses of virtual networks to NICs. */
#include "sandbox/network.h"

#include <string.h>
#include <strings.h>

/* Addresses of the network's ranges (AR vectors of its template). */
static int64_t size_of(const struct oned_thing *network)
{
    const struct oned_attributes *range;
    int64_t size = 0;

    for (size_t i = 0; (range = oned_attributes_vector(&network->template, "AR", i)); i++)
        size += oned_attributes_number(range, "SIZE", 0);
    return size;
}

int64_t oned_network_used(const struct oned *oned, const struct oned_thing *network)
{
    int64_t used = 0;

    for (int id = 0; id < oned->pools[KIND_VM].count; id++) {
        const struct oned_vm *vm = oned_vm(oned, id);
        const struct oned_attributes *nic;

        if (!vm || vm->state == VM_DONE)
            continue;
        for (size_t i = 0; (nic = oned_attributes_vector(&vm->template, "NIC", i)); i++)
            used += oned_attributes_number(nic, "NETWORK_ID", -1) == network->id;
    }
    return used;
}

void oned_network_number(struct oned_vm *vm)
{
    struct oned_attributes *nic;

    for (size_t i = 0; (nic = oned_attributes_vector(&vm->template, "NIC", i)); i++)
        oned_attributes_set_number(nic, "NIC_ID", (int64_t)i);
}

static struct oned_attributes *find_nic(struct oned_vm *vm, int64_t id)
{
    struct oned_attributes *nic = NULL;

    for (size_t i = 0; (nic = oned_attributes_vector(&vm->template, "NIC", i)); i++)
        if (oned_attributes_number(nic, "NIC_ID", -1) == id)
            return nic;
    return NULL;
}

static int connect_one(struct oned *oned, struct oned_vm *vm, const struct oned_attributes *given,
                       struct oned_refusal *refusal)
{
    long long id = oned_attributes_number(given, "NIC_ID", -1);
    const char *network_id = oned_attributes_get(given, "NETWORK_ID"), *mode;
    const struct oned_thing *network =
        oned_pool_get(oned, KIND_VNET, oned_attributes_number(given, "NETWORK_ID", -1));
    struct oned_attributes *nic = find_nic(vm, id);

    if (!nic)
        return oned_refuse(refusal, 0x0800, "NIC_ID %lld not found", id);
    mode = oned_attributes_get(nic, "NETWORK_MODE");
    if (!mode || strcasecmp(mode, "auto") != 0 || oned_attributes_get(nic, "NETWORK_ID"))
        return oned_refuse(refusal, 0x0800, "NIC_ID %lld not AUTO", id);
    if (!network)
        return oned_refuse(refusal, 0x0800, "Virtual network does not exist");
    if (oned_network_used(oned, network) >= size_of(network))
        return oned_refuse(refusal, 0x0800, "Cannot get IP/MAC lease from virtual network %d.",
                           network->id);
    oned_attributes_set(nic, "NETWORK_ID", network_id);
    oned_attributes_set(nic, "NETWORK", network->name);
    return 0;
}

int oned_network_connect(struct oned *oned, struct oned_vm *vm, const char *template,
                         struct oned_refusal *refusal)
{
    struct oned_attributes given = {0}, before = {0};
    const struct oned_attributes *nic;
    int result = 0;

    if (oned_attributes_parse(&given, template, NULL)) {
        oned_attributes_finish(&given);
        return oned_refuse(refusal, 0x2000, "Cannot parse template");
    }
    oned_attributes_copy(&before, &vm->template);
    for (size_t i = 0; result == 0 && (nic = oned_attributes_vector(&given, "NIC", i)); i++)
        result = connect_one(oned, vm, nic, refusal);
    if (result)
        oned_attributes_copy(&vm->template, &before);
    oned_attributes_finish(&before);
    oned_attributes_finish(&given);
    oned_touch(oned, KIND_VM, vm->id);
    return result;
}
