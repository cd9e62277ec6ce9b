/* Reads Haizea's image files. */
#include "lwf/image_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/values.h"
#include "util/memory.h"

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
    list->images = memory_grow(list->images, &list->allocated_images, list->n_images + 1,
                               sizeof *list->images);
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
    list->sequence = memory_grow(list->sequence, &list->allocated_sequence, list->n_sequence + 1,
                                 sizeof *list->sequence);
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

struct image_list *image_list_read(const char *path, struct error *err)
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

void image_list_destroy(struct image_list *images)
{
    if (!images)
        return;
    for (size_t i = 0; i < images->n_images; i++)
        free(images->images[i].name);
    free(images->images);
    free(images->sequence);
    free(images);
}

size_t image_list_length(const struct image_list *images)
{
    return images->n_sequence;
}

const char *image_list_get(const struct image_list *images, size_t i, int64_t *size)
{
    const struct image *image = &images->images[images->sequence[i]];

    *size = image->size;
    return image->name;
}
