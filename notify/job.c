/* The job of galerna-notify. */
#include "notify/notify.h"

const char *notify_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}
