/* awaited.h: the VM for which a starting, stopping, ending or late lease waits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What a lease waits for. */
struct awaited {
    enum awaited_what {
        AWAITED_NOTHING, /* or it is unknown */
        AWAITED_LEAVES,  /* a VM is to leave its host */
        AWAITED_RUNS,    /* a VM is to run, on `host` if known */
        AWAITED_ATTEMPT, /* a VM that failed is started again at `at` */
    } what;
    int32_t vm, host;  /* host: -1: unknown */
    const char *state; /* of the VM, by OpenNebula; valid until the next poll */
    int64_t stuck, at; /* stuck: its operation is overdue since then; else INSTANT_NONE */
};

/* To follow "waits for": "VM 3 (SAVE_STOP) to leave host 1". Not of AWAITED_NOTHING. */
void awaited_text(const struct awaited *awaited, char *text, size_t size);
