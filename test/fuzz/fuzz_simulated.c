/* Hardware and templates of simulated hosts, and the VMs of these, from arbitrary bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/simulated/simulated_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 2 };

static void read_as_all(const char *text)
{
    struct simulated self = {.memory = pool_memory_create()};
    struct simulated_demand *demand;
    struct amounts capacity = {0};

    site_init(&self.site);
    if (site_add_hosts(&self.site, HOSTS, &capacity, NULL) == 0 &&
        simulated_read_hardware(&self, text, NULL) == 0)
        for (size_t i = 0; i < HOSTS; i++)
            if (!host_units_are_sound(&self.units[i]))
                abort();
    simulated_read_templates(&self, text, NULL);
    if (simulated_read_demand(text, 1024, &demand, NULL) == 0 && demand &&
        !demand_is_sound(&demand->demand))
        abort();
    free(demand);
    site_finish(&self.site);
    pool_memory_destroy(self.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    read_as_all(text);
    free(text);
    return 0;
}
