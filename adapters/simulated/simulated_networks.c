/* Virtual networks, and the addresses that VMs have in them. A VM's text says which network each of
 * its NICs has, in NIC_NETWORK vectors, from the deployment on that chose it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/simulated/simulated_inside.h"
#include "util/memory.h"

enum { NONE = -1, ADDRESSES_MOST = 1 << 24 };

/* --- networks --------------------------------------------------------------------------------- */

/* The vector's values under their own names. */
static struct attributes of_vector(struct pool_memory *memory, const struct attributes *vector)
{
    struct attributes own = {.items = pool_memory_array(memory, vector->n, sizeof *own.items),
                             .n = vector->n};

    for (size_t i = 0; i < own.n; i++)
        own.items[i] =
            (struct attribute){strchr(vector->items[i].name, '/') + 1, vector->items[i].value};
    return own;
}

static int add_network(struct simulated *self, const struct attributes *vector, struct error *err)
{
    struct network *network;
    int64_t size = 0;

    if (simulated_number(vector, (struct simulated_number){"NETWORK/SIZE", 1, ADDRESSES_MOST},
                         &size, err) < 0)
        return -1;
    if (!attributes_find(vector, "NETWORK/NAME"))
        return error_set(err, EINVAL, "a NETWORK needs a NAME");
    self->networks = simulated_lengthen(self->memory, self->networks, self->n_networks, 1,
                                        sizeof *self->networks);
    network = &self->networks[self->n_networks];
    *network = (struct network){.id = (int32_t)self->n_networks++,
                                .name = attributes_find(vector, "NETWORK/NAME"),
                                .clusters = pool_memory_array(self->memory, 1, sizeof(int32_t)),
                                .n_clusters = 1,
                                .size = size,
                                .attributes = of_vector(self->memory, vector)};
    network->clusters[0] = 0;
    return 0;
}

int simulated_read_networks(struct simulated *self, const char *text, struct error *err)
{
    struct attributes item;

    for (const char *at = text + strspn(text, " \t\r\n"); *at;) {
        at = simulated_next_item(at, self->memory, &item, err);
        if (!at)
            return -1;
        if (!simulated_is_of(&item, "NETWORK"))
            return error_set(err, EINVAL, "expected NETWORK=[NAME=\"name\", SIZE=\"addresses\"]");
        if (add_network(self, &item, err) < 0)
            return -1;
    }
    return 0;
}

/* --- NICs of VMs ------------------------------------------------------------------------------ */

struct nics {
    struct vm_nic items[VM_NICS_MAX];
    int32_t network[VM_NICS_MAX]; /* NONE: not chosen yet */
    size_t n;
};

int simulated_check_nic(const struct attributes *vector, struct error *err)
{
    const char *mode = attributes_find(vector, "NIC/NETWORK_MODE");

    if (!mode || strcasecmp(mode, "auto") != 0)
        return error_set(err, EINVAL, "a NIC needs NETWORK_MODE=\"auto\"");
    return 0;
}

static int32_t number_of(const struct attributes *vector, const char *name)
{
    const char *text = attributes_find(vector, name);

    return text ? (int32_t)strtol(text, NULL, 10) : NONE;
}

static void read_nics(const struct simulated_vm *vm, struct pool_memory *memory, struct nics *nics)
{
    struct attributes item;

    nics->n = 0;
    for (const char *at = vm->text; at && *at;) {
        at = simulated_read_item(at, memory, &item);
        if (item.n && simulated_is_of(&item, "NIC") && nics->n < VM_NICS_MAX) {
            nics->items[nics->n] =
                (struct vm_nic){.id = (int32_t)nics->n,
                                .requirement = attributes_find(&item, "NIC/SCHED_REQUIREMENTS"),
                                .rank = attributes_find(&item, "NIC/SCHED_RANK")};
            nics->network[nics->n++] = NONE;
        } else if (item.n && simulated_is_of(&item, "NIC_NETWORK")) {
            int32_t nic = number_of(&item, "NIC_NETWORK/NIC");

            if (nic >= 0 && (size_t)nic < nics->n)
                nics->network[nic] = number_of(&item, "NIC_NETWORK/NETWORK");
        }
    }
}

void simulated_show_nics(const struct simulated_vm *from, struct pool_memory *memory, struct vm *vm)
{
    struct nics nics;

    read_nics(from, memory, &nics);
    vm->nics = pool_memory_array(memory, nics.n, sizeof *vm->nics);
    for (size_t i = 0; i < nics.n; i++)
        if (nics.network[i] == NONE)
            vm->nics[vm->n_nics++] = nics.items[i];
}

/* The addresses that VMs have in each network are added to used[]. */
static void count_addresses(const struct simulated *self, struct pool_memory *memory, int64_t *used)
{
    struct nics nics;

    for (size_t i = 0; i < self->n_vms; i++) {
        if (self->vms[i].state == VM_DONE || !strstr(self->vms[i].text, "NIC_NETWORK"))
            continue;
        read_nics(&self->vms[i], memory, &nics);
        for (size_t k = 0; k < nics.n; k++)
            if (nics.network[k] >= 0 && (size_t)nics.network[k] < self->n_networks)
                used[nics.network[k]]++;
    }
}

void simulated_show_networks(const struct simulated *self, struct network_pool *pool)
{
    int64_t *used = memory_new(self->n_networks, sizeof *used);

    pool->memory = pool_memory_create();
    pool->items = memory_new(self->n_networks, sizeof *pool->items);
    pool->n = pool->allocated = self->n_networks;
    count_addresses(self, pool->memory, used);
    for (size_t i = 0; i < pool->n; i++) {
        pool->items[i] = self->networks[i];
        pool->items[i].used = used[i];
    }
    free(used);
}

/* The NIC gets an address of the network; NULL: it does, else why not. */
static const char *connect(const struct simulated *self, struct nics *nics,
                           const struct nic_choice *choice, int64_t *used)
{
    if (choice->network < 0 || (size_t)choice->network >= self->n_networks)
        return "the network does not exist";
    if (choice->nic < 0 || (size_t)choice->nic >= nics->n || nics->network[choice->nic] != NONE)
        return "the VM has no such NIC, or it has a network";
    if (used[choice->network] == self->networks[choice->network].size)
        return "the network has no free address";
    used[choice->network]++;
    nics->network[choice->nic] = choice->network;
    return NULL;
}

static const char *connect_all(const struct simulated *self, const struct cloud_command *command,
                               struct nics *nics, int64_t *used)
{
    const char *problem = NULL;

    for (size_t i = 0; i < command->n_nics && !problem; i++)
        problem = connect(self, nics, &command->nics[i], used);
    for (size_t i = 0; i < nics->n && !problem; i++)
        if (nics->network[i] == NONE)
            problem = "a NIC of the VM has no network";
    return problem;
}

const char *simulated_choose_networks(const struct simulated *self, const struct simulated_vm *vm,
                                      const struct cloud_command *command)
{
    struct pool_memory *memory = pool_memory_create();
    int64_t *used = memory_new(self->n_networks, sizeof *used);
    const char *problem;
    struct nics nics;

    count_addresses(self, memory, used);
    read_nics(vm, memory, &nics);
    problem = connect_all(self, command, &nics, used);
    free(used);
    pool_memory_destroy(memory);
    return problem;
}

void simulated_connect(struct simulated_vm *vm, const struct cloud_command *command)
{
    for (size_t i = 0; i < command->n_nics; i++) {
        char *text = memory_format("%s\nNIC_NETWORK=[NIC=\"%d\", NETWORK=\"%d\"]", vm->text,
                                   command->nics[i].nic, command->nics[i].network);

        free(vm->text);
        vm->text = text;
    }
}
