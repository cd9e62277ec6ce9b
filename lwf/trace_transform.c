/* Traces with modified requests. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/trace_combine.h"
#include "lwf/trace_methods.h"
#include "lwf/values.h"
#include "util/error.h"
#include "util/memory.h"

/* --- image files ------------------------------------------------------------------------------ */

/* Haizea's image files, which assign disk images to leases: lines "image size-in-MB", then a line
 * that starts with #, then one image name per line, for the leases in order. Further lines that
 * start with # and empty lines are skipped. */

struct image {
    char *name;
    int64_t size;
};

struct image_list {
    struct image *images;
    size_t n_images, allocated_images;
    size_t *sequence; /* indexes in images */
    size_t n_sequence, allocated_sequence;
};

static void strip(char **line, size_t *length)
{
    while (*length > 0 && strchr(" \t\r\n", (*line)[*length - 1]))
        (*line)[--*length] = '\0';
    while (*length > 0 && strchr(" \t", **line))
        (*line)++, (*length)--;
}

static int find(const struct image_list *list, const char *name, size_t *place)
{
    for (size_t i = 0; i < list->n_images; i++)
        if (strcmp(list->images[i].name, name) == 0) {
            *place = i;
            return 0;
        }
    return -1;
}

static int add_image(struct image_list *list, char *line, const char *where, struct error *err)
{
    size_t name_length = strcspn(line, " \t");
    const char *size_text = line + name_length;
    struct image image;
    size_t place;

    if (!value_parse_integer(size_text, size_text + strlen(size_text), TRACE_AMOUNT_MAX,
                             &image.size) ||
        image.size < 0)
        return error_set(err, EINVAL, "%s: \"%.64s\": expected an image and its size in MB", where,
                         line);
    line[name_length] = '\0';
    /* As in Haizea, the last line for an image wins. */
    if (find(list, line, &place) == 0) {
        list->images[place].size = image.size;
        return 0;
    }
    image.name = memory_text(line);
    MEMORY_GROW(list->images, list->allocated_images, list->n_images + 1);
    list->images[list->n_images++] = image;
    return 0;
}

static int add_use(struct image_list *list, const char *name, const char *where, struct error *err)
{
    size_t place;

    if (find(list, name, &place) < 0)
        return error_set(err, EINVAL,
                         "%s: the image \"%.64s\" is not among those with a size "
                         "above the line with #",
                         where, name);
    MEMORY_GROW(list->sequence, list->allocated_sequence, list->n_sequence + 1);
    list->sequence[list->n_sequence++] = place;
    return 0;
}

static int read_lines(struct image_list *list, FILE *file, const char *path, struct error *err)
{
    bool in_sequence = false;
    char buffer[4096], where[512];
    int line_number = 0;

    while (fgets(buffer, sizeof buffer, file)) {
        char *line = buffer;
        size_t length = strlen(line);
        int result;

        snprintf(where, sizeof where, "%.480s:%d", path, ++line_number);
        if (length == sizeof buffer - 1 && line[length - 1] != '\n')
            return error_set(err, EINVAL, "%s: the line is longer than %zu bytes", where,
                             sizeof buffer - 2);
        strip(&line, &length);
        if (length == 0)
            continue;
        if (*line == '#') {
            in_sequence = true;
            continue;
        }
        result = in_sequence ? add_use(list, line, where, err) : add_image(list, line, where, err);
        if (result < 0)
            return -1;
    }
    if (ferror(file))
        return error_set(err, EIO, "%s: cannot be read", path);
    return 0;
}

static void image_list_destroy(struct image_list *images)
{
    if (!images)
        return;
    for (size_t i = 0; i < images->n_images; i++)
        free(images->images[i].name);
    free(images->images);
    free(images->sequence);
    free(images);
}

/* Errors: EINVAL with file:line, errors of fopen(3). */
static struct image_list *image_list_read(const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    struct image_list *list;

    if (!file) {
        error_errno(err, "%s: cannot be read", path);
        return NULL;
    }
    list = memory_new(1, sizeof *list);
    if (read_lines(list, file, path, err) < 0) {
        image_list_destroy(list);
        list = NULL;
    }
    fclose(file);
    return list;
}

/* The number of leases that get an image. */
static size_t image_list_length(const struct image_list *images)
{
    return images->n_sequence;
}

/* The name of the image of lease i (0 = the first), and its size in MB. */
static const char *image_list_get(const struct image_list *images, size_t i, int64_t *size)
{
    const struct image *image = &images->images[images->sequence[i]];

    *size = image->size;
    return image->name;
}

/* A trace that modifies the requests of another one during reading. */
struct transform {
    struct trace trace;
    struct trace *input;
    void (*apply)(struct transform *transform, struct lease_request *request);

    struct image_list *images; /* trace_with_images() */
    size_t next_image;
    struct trace_overheads overheads; /* trace_with_overheads() */
    int64_t megabytes;                /* trace_with_memory() */
    struct node_set *sets;
    size_t sets_allocated;
};

static int transform_next(struct trace *trace, struct lease_request *request, struct error *err)
{
    struct transform *transform = (struct transform *)trace;
    int more = trace_next(transform->input, request, err);

    if (more > 0)
        transform->apply(transform, request);
    return more;
}

static void transform_destroy(struct trace *trace)
{
    struct transform *transform = (struct transform *)trace;

    trace_destroy(transform->input);
    image_list_destroy(transform->images);
    free(transform->sets);
    free(transform);
}

static const struct trace_methods methods = {
    .next = transform_next,
    .destroy = transform_destroy,
};

static struct transform *create(struct trace *input,
                                void (*apply)(struct transform *, struct lease_request *))
{
    struct transform *transform = memory_new(1, sizeof *transform);

    transform->trace.methods = &methods;
    transform->trace.input = transform->input = input;
    transform->apply = apply;
    return transform;
}

static void apply_image(struct transform *transform, struct lease_request *request)
{
    if (transform->next_image < image_list_length(transform->images))
        request->image =
            image_list_get(transform->images, transform->next_image++, &request->image_size);
}

struct trace *trace_with_images(struct trace *trace, const char *path, struct error *err)
{
    struct image_list *images = image_list_read(path, err);
    struct transform *transform;

    if (!images) {
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_image);
    transform->images = images;
    return &transform->trace;
}

static int64_t slow_down(const struct trace_overheads *overheads, int64_t seconds)
{
    double product = (double)seconds * (1 + overheads->slowdown_percent / 100);
    double whole = nearbyint(product);

    if (product >= (double)TRACE_TIME_MAX)
        return TRACE_TIME_MAX;
    if (!overheads->rounded_up && fabs(product - whole) < 1e-6)
        return (int64_t)whole;
    return (int64_t)ceil(product);
}

static void apply_overheads(struct transform *transform, struct lease_request *request)
{
    const struct trace_overheads *overheads = &transform->overheads;
    bool is_known = request->duration_known != SPAN_NONE;

    if (overheads->leases == OVERHEAD_NONE ||
        (overheads->leases == OVERHEAD_BEST_EFFORT && request->kind != LEASE_BEST_EFFORT))
        return;
    if (overheads->slowdown_percent > 0) {
        if (is_known && overheads->of_actual_durations) {
            request->duration = slow_down(overheads, request->duration_known);
        } else {
            if (request->duration != SPAN_UNLIMITED)
                request->duration = slow_down(overheads, request->duration);
            if (is_known)
                request->duration_known = slow_down(overheads, request->duration_known);
        }
    }
    request->duration = instant_add(request->duration, overheads->boot_seconds);
    if (is_known)
        request->duration_known = instant_add(request->duration_known, overheads->boot_seconds);
}

struct trace *trace_with_overheads(struct trace *trace, const struct trace_overheads *overheads,
                                   struct error *err)
{
    struct transform *transform;

    if (!(overheads->slowdown_percent >= 0) || overheads->boot_seconds < 0 ||
        overheads->boot_seconds > TRACE_TIME_MAX) {
        error_set(err, EINVAL,
                  "a runtime overhead is negative or too large: slowdown %g %%, boot "
                  "and shutdown %lld s",
                  overheads->slowdown_percent, (long long)overheads->boot_seconds);
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_overheads);
    transform->overheads = *overheads;
    return &transform->trace;
}

static void apply_memory(struct transform *transform, struct lease_request *request)
{
    MEMORY_GROW(transform->sets, transform->sets_allocated, request->n_node_sets);
    for (size_t i = 0; i < request->n_node_sets; i++) {
        transform->sets[i] = request->node_sets[i];
        transform->sets[i].amounts.of[RESOURCE_MEMORY] = transform->megabytes;
    }
    request->node_sets = transform->sets;
}

struct trace *trace_with_memory(struct trace *trace, int64_t megabytes, struct error *err)
{
    struct transform *transform;

    if (megabytes < 0 || megabytes > TRACE_AMOUNT_MAX) {
        error_set(err, EINVAL, "%lld MB is not an amount of memory", (long long)megabytes);
        trace_destroy(trace);
        return NULL;
    }
    transform = create(trace, apply_memory);
    transform->megabytes = megabytes;
    return &transform->trace;
}
