#include "cli/trace_output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_requests(struct trace *trace, struct lwf_writer *writer, struct error *err)
{
    struct lease_request request;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0)
        if (lwf_writer_request(writer, &request, err) < 0)
            return -1;
    return more < 0 ? -1 : lwf_writer_end(writer, err);
}

static int write_to(FILE *file, struct trace *trace, const struct lwf_description *description,
                    struct error *err)
{
    struct lwf_writer *writer = lwf_writer_create(file, description, err);
    int result = writer ? copy_requests(trace, writer, err) : -1;

    lwf_writer_destroy(writer);
    return result;
}

int trace_output_write(struct trace *trace, const struct lwf_description *description,
                       const char *path, struct error *err)
{
    struct stat status;
    char *partial = NULL;
    const char *target = path;
    FILE *file;
    int result;

    if (!path || strcmp(path, "-") == 0)
        return write_to(stdout, trace, description, err);
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        if (asprintf(&partial, "%s.partial", path) < 0)
            return error_set(err, ENOMEM, "out of memory");
        target = partial;
    }
    file = fopen(target, "we");
    if (!file) {
        error_set(err, errno, "%s: cannot be written: %s", target, strerror(errno));
        free(partial);
        return -1;
    }
    result = write_to(file, trace, description, err);
    if (fclose(file) != 0 && result == 0)
        result = error_set(err, errno, "%s: cannot be written: %s", target, strerror(errno));
    if (result == 0 && partial && rename(partial, path) < 0)
        result = error_set(err, errno, "%s: cannot be written: %s", path, strerror(errno));
    if (result < 0 && partial)
        unlink(partial);
    free(partial);
    return result;
}
