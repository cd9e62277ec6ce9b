/* options.h: a stand-in with short times, as tests run it. */
#pragma once

#include "sandbox/oned.h"

static inline void oned_options_init(struct oned_options *options)
{
    *options = (struct oned_options){
        .version = ONED_7_4,
        .user = "oneadmin",
        .password = "opennebula",
        .host_cpu = 1600,
        .host_memory = 64 << 20,
        .times =
            {
                [ONED_DISPATCH] = 5,
                [ONED_TRANSFER] = 15,
                [ONED_BOOT] = 20,
                [ONED_SAVE] = 20,
                [ONED_RESTORE] = 20,
                [ONED_SHUTDOWN] = 20,
                [ONED_MIGRATE] = 20,
                [ONED_EPILOG] = 15,
                [ONED_CLEANUP] = 15,
                [ONED_MONITOR] = 200,
            },
        .clock_rate = 1,
        .window_time = 10000,
        .window_length = 7,
        .retry_time = 60000,
    };
}
