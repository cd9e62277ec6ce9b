/* galernad: from a command line to a running daemon. */
#include <malloc.h>

#include "daemon/startup.h"

static int run(const struct call *call)
{
    return startup_run(call->arguments);
}

/* Blocks of this size or more return to the kernel when freed. glibc's dynamic threshold would grow
 * with freed blocks, and leave holes of a poll's size in the heap. */
enum { LARGE_BLOCK = 128 * 1024 };

int main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    return command_line_main(&galernad_line, run, argc, argv);
}
