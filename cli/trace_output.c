/* A trace as an LWF file. */
#include "cli/trace_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/new_file.h"

static int copy_requests(struct trace *trace, struct lwf_writer *writer, struct error *err)
{
    struct lease_request request;
    int more;

    while ((more = trace_next(trace, &request, err)) > 0)
        if (lwf_writer_request(writer, &request, err) < 0)
            return -1;
    return more < 0 ? -1 : lwf_writer_end(writer, err);
}

static int write_to(FILE *file, const char *name, struct trace *trace,
                    const struct lwf_description *description, struct error *err)
{
    struct lwf_writer *writer = lwf_writer_create(file, description, err);
    int result = writer ? copy_requests(trace, writer, err) : -1;

    lwf_writer_destroy(writer);
    if (result < 0 && ferror(file)) {
        errno = err->code;
        return error_errno(err, "%s: cannot be written", name);
    }
    return result;
}

int trace_output_write(struct trace *trace, const struct lwf_description *description,
                       const char *path, struct error *err)
{
    struct new_file *target;
    FILE *file;
    int result;

    if (!path || strcmp(path, "-") == 0)
        return write_to(stdout, "standard output", trace, description, err);
    target = new_file_create(path, 0666, err);
    if (!target)
        return -1;
    file = fdopen(dup(new_file_descriptor(target)), "w");
    if (!file) {
        new_file_destroy(target);
        return error_errno(err, "%s: cannot be written", path);
    }
    result = write_to(file, path, trace, description, err);
    if (fclose(file) != 0 && result == 0)
        result = error_errno(err, "%s: cannot be written", path);
    if (result == 0)
        return new_file_commit(target, err);
    new_file_destroy(target);
    return result;
}
