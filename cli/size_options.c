/* CPU and memory of a VM in command lines. */
#include "cli/size_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int size_read_cpu(const char *text, double *processors, struct error *err)
{
    char *end;

    *processors = strtod(text, &end);
    if (!*text || *end || !isfinite(*processors) || *processors < 0.01)
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
