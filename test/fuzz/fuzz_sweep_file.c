/* Any bytes as a sweep file: its cells are made, not carried out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/galerna-fuzz-XXXXXX";
    int fd = mkstemp(path);
    struct error err = {0};
    struct sweep *sweep;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    sweep = sweep_read(path, &err);
    for (size_t cell = 1; sweep && cell <= sweep_cells(sweep) && cell < 100; cell++) {
        if (!sweep_name(sweep, cell))
            abort();
        for (size_t axis = 0; axis < sweep_axes(sweep); axis++)
            if (!sweep_axis(sweep, axis) || !sweep_label(sweep, cell, axis))
                abort();
    }
    if (!sweep && !err.text[0])
        abort();
    sweep_destroy(sweep);
    unlink(path);
    return 0;
}
