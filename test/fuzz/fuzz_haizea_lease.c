/* A lease as a client of Haizea's sends it: what is read is a request, what is refused says why. */
#include <stdint.h>
#include <stdlib.h>

#include "web/haizea_lease.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    json_t *asked = haizea_lease_read((const char *)data, size, &err);

    if (!asked && (err.code == 0 || !*err.text))
        abort();
    if (asked && (!json_is_string(json_object_get(asked, "kind")) ||
                  !json_object_get(asked, "duration") || !json_object_get(asked, "count") ||
                  !json_is_boolean(json_object_get(asked, "preemptible"))))
        abort();
    json_decref(asked);
    return 0;
}
