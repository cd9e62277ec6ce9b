/* CPU and memory of a VM in command lines. */
#include "cli/size_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/decimal.h"

int size_read_cpu(const char *text, double *processors, struct error *err)
{
    if (decimal_parse_real(text, processors) < 0 || *processors < 0.01)
        return error_set(err, EINVAL, "expected a number of processors, 0.01 or more");
    return 0;
}

int size_read_memory(const char *text, int64_t *megabytes, struct error *err)
{
    char *end;
    double number = strtod(text, &end);

    if (end != text && (!strcmp(end, "G") || !strcmp(end, "GB")))
        number *= 1024;
    else if (end == text || (*end && strcmp(end, "M") != 0 && strcmp(end, "MB") != 0))
        number = 0;
    if (!isfinite(number) || number < 1 || number > 1e12)
        return error_set(err, EINVAL, "expected MB, such as 512, 512M or 2G");
    *megabytes = llround(number);
    return 0;
}

int size_read_vms(const char *text, struct size_of_vms *vms, struct error *err)
{
    const char *cross = strchr(text, 'x'), *slash = cross ? strchr(cross, '/') : NULL;
    char cpu[32], *end;
    struct error wrong;

    errno = 0;
    vms->count = strtoll(text, &end, 10);
    if (slash && end == cross && !errno && vms->count >= 1 &&
        (size_t)(slash - cross) <= sizeof cpu) {
        snprintf(cpu, sizeof cpu, "%.*s", (int)(slash - cross) - 1, cross + 1);
        if (size_read_cpu(cpu, &vms->cpu, &wrong) == 0 &&
            size_read_memory(slash + 1, &vms->memory, &wrong) == 0)
            return 0;
    }
    return error_set(err, EINVAL, "expected COUNTxCPU/SIZE, such as 3x0.5/2G");
}
