/* Any bytes as the record of a run, verified by the rules of both modes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule schedule;
    struct error err;

    if (schedule_read_memory(&schedule, data, size, &err) < 0)
        return 0;
    for (int partial = 0; partial < 2; partial++) {
        const struct verify_options options = {.compatibility =
                                                   partial ? VERIFY_AS_RECORDED : VERIFY_HAIZEA_1_0,
                                               .complete = true,
                                               .partial = partial};
        struct verification verification;

        if (verify_schedule(&schedule, &options, &verification, &err) < 0)
            abort();
        verification_finish(&verification);
    }
    schedule_finish(&schedule);
    return 0;
}
