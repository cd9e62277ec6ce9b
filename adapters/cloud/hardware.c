/* Copies requests for hardware. */
#include "adapters/cloud/hardware.h"

#include <stdlib.h>

#include "util/memory.h"

struct vm_hardware *vm_hardware_copy(const struct vm_hardware *hardware)
{
    struct vm_hardware *copy;

    if (!hardware)
        return NULL;
    copy = memory_copy(hardware, sizeof *copy);
    copy->nodes = memory_copy(hardware->nodes, hardware->n_nodes * sizeof *copy->nodes);
    copy->devices = memory_copy(hardware->devices, hardware->n_devices * sizeof *copy->devices);
    for (size_t i = 0; i < copy->n_devices; i++) {
        struct device_request *device = &copy->devices[i];

        device->short_address = memory_text(device->short_address);
        device->profile = memory_text(device->profile);
        device->address = memory_text(device->address);
    }
    copy->fault = memory_text(hardware->fault);
    return copy;
}

void vm_hardware_destroy(struct vm_hardware *hardware)
{
    if (!hardware)
        return;
    for (size_t i = 0; i < hardware->n_devices; i++) {
        memory_free(hardware->devices[i].short_address);
        memory_free(hardware->devices[i].profile);
        memory_free(hardware->devices[i].address);
    }
    free(hardware->devices);
    free(hardware->nodes);
    memory_free(hardware->fault);
    free(hardware);
}
