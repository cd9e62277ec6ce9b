/* size_options.h: parses CPU and memory of VMs. */
#pragma once

#include <stdint.h>

#include "util/error.h"

/* "2", "0.5": processors. -1 with err: EINVAL. */
int size_read_cpu(const char *text, double *processors, struct error *err);
/* "512", "512M", "2G": MB. -1 with err: EINVAL. */
int size_read_memory(const char *text, int64_t *megabytes, struct error *err);

struct size_of_vms {
    int64_t count;
    double cpu;     /* processors of each */
    int64_t memory; /* of each, MB */
};

/* "3x0.5/2G": three VMs with half a processor and 2 GB each. -1 with err: EINVAL. */
int size_read_vms(const char *text, struct size_of_vms *vms, struct error *err);
