/* The kinds of modules by name. */
#include "plugin/module.h"

const char *module_kind_name(unsigned kind)
{
    switch (kind) {
    case GALERNA_KIND_ADMISSION:
        return "admission";
    case GALERNA_KIND_PREEMPTION:
        return "preemption";
    case GALERNA_KIND_HOST_SELECTION:
        return "host-selection";
    default:
        return "unknown";
    }
}
