/* oned's description of its configuration, as setup reads it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "adapters/opennebula/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct setup_settings settings = {.submit_on_hold = false};
    struct setup_finding findings[SETUP_FINDINGS_MAX];
    struct setup_facts facts;
    struct error err;

    setup_facts_init(&facts);
    if (setup_read_version(&facts, "7.4.0", &err) < 0)
        abort();
    setup_read_config(&facts, (const char *)data, size, &err);
    if (setup_judge(&facts, &settings, findings) > SETUP_FINDINGS_MAX)
        abort();
    return 0;
}
