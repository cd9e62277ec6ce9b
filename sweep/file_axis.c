/* Adds axes, values and settings to a sweep file. */
#include <errno.h>
#include <string.h>

#include "sweep/database.h"
#include "sweep/file.h"
#include "util/memory.h"

struct file_axis *sweep_file_axis(struct sweep_file *file, const char *name, int line,
                                  struct error *err)
{
    struct file_axis *axis;

    for (size_t i = 0; i < file->n_axes; i++)
        if (!strcmp(file->axes[i].name, name)) {
            error_set(err, EINVAL, "%s:%d: duplicate axis '%s'", file->path, line, name);
            return NULL;
        }
    if (database_name_is_taken(name)) {
        error_set(err, EINVAL,
                  "%s:%d: '%s' is a column of the results and cannot be the name of an axis",
                  file->path, line, name);
        return NULL;
    }
    if (file->n_axes == SWEEP_AXES_MAX) {
        error_set(err, EINVAL, "%s:%d: more than %d axes", file->path, line, SWEEP_AXES_MAX);
        return NULL;
    }
    axis = &file->axes[file->n_axes++];
    *axis = (struct file_axis){.name = memory_text(name)};
    return axis;
}

struct file_value *sweep_file_value(struct sweep_file *file, struct file_axis *axis,
                                    const char *label, int line, struct error *err)
{
    struct file_value *value;

    for (size_t i = 0; i < axis->n_values; i++)
        if (!strcmp(axis->values[i].label, label)) {
            error_set(err, EINVAL, "%s:%d: '%s' is already on the axis %s (line %d)", file->path,
                      line, label, axis->name, axis->values[i].line);
            return NULL;
        }
    if (axis->n_values == SWEEP_VALUES_MAX) {
        error_set(err, EINVAL, "%s:%d: more than %d values on the axis %s", file->path, line,
                  SWEEP_VALUES_MAX, axis->name);
        return NULL;
    }
    MEMORY_GROW(axis->values, axis->allocated, axis->n_values + 1);
    value = &axis->values[axis->n_values++];
    *value = (struct file_value){.label = memory_text(label), .line = line};
    return value;
}

void sweep_file_setting(const struct sweep_file *file, struct file_value *value,
                        const struct ini_entry *setting)
{
    struct ini_entry named = *setting;

    named.origin = file->path;
    MEMORY_GROW(value->settings, value->settings_allocated, value->n_settings + 1);
    value->settings[value->n_settings++] = ini_entry_copy(&named);
}
