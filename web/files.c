/* Reads the files that galerna-web serves. */
#include "web/files.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/memory.h"

enum { FILE_MAX = 1 << 24 };

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

struct files *files_create(const char *directory, struct error *err)
{
    struct files *files = memory_new(1, sizeof *files);

    for (size_t i = 0; i < FILES; i++) {
        char *path = memory_format("%s/%s", directory, known[i].name);

        files->items[i].path = known[i].path;
        files->items[i].type = known[i].type;
        files->items[i].text = file_read(path, FILE_MAX, &files->items[i].length, err);
        free(path);
        if (!files->items[i].text) {
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
