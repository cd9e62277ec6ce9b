/* Reads the files that galerna-web serves. */
#include "web/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { CHUNK = 65536 };

static const struct {
    const char *path, *type, *name;
} known[] = {
    {"/", "text/html; charset=utf-8", "index.html"},
    {"/calendar.css", "text/css", "calendar.css"},
    {"/ask.js", "text/javascript; charset=utf-8", "ask.js"},
    {"/draw.js", "text/javascript; charset=utf-8", "draw.js"},
    {"/chart.js", "text/javascript; charset=utf-8", "chart.js"},
    {"/changes.js", "text/javascript; charset=utf-8", "changes.js"},
    {"/calendar.js", "text/javascript; charset=utf-8", "calendar.js"},
    {"/api/v1/openapi.json", "application/json", "openapi.json"},
};

enum { FILES = sizeof known / sizeof *known };

struct files {
    struct file items[FILES];
};

static int read_file(const char *directory, const char *name, struct file *file, struct error *err)
{
    char *path = memory_format("%s/%s", directory, name);
    FILE *stream = fopen(path, "re");
    size_t allocated = 0, n = 0;
    int result = 0;

    do {
        file->text = memory_grow(file->text, &allocated, file->length + CHUNK, 1);
        n = stream ? fread(file->text + file->length, 1, CHUNK, stream) : 0;
        file->length += n;
    } while (n > 0);
    if (!stream || ferror(stream))
        result = error_set(err, errno, "%s: cannot be read: %s", path, strerror(errno));
    if (stream)
        fclose(stream);
    free(path);
    return result;
}

struct files *files_create(const char *directory, struct error *err)
{
    struct files *files = memory_new(1, sizeof *files);

    for (size_t i = 0; i < FILES; i++) {
        files->items[i].path = known[i].path;
        files->items[i].type = known[i].type;
        if (read_file(directory, known[i].name, &files->items[i], err) < 0) {
            files_destroy(files);
            return NULL;
        }
    }
    return files;
}

void files_destroy(struct files *files)
{
    for (size_t i = 0; files && i < FILES; i++)
        free(files->items[i].text);
    free(files);
}

const struct file *files_find(const struct files *files, const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    return NULL;
}
