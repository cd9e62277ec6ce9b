/* states.h: the states of VMs and hosts that galernad distinguishes.
 *
 * A cloud maps its own, more detailed states to these and keeps their names for display. */
#pragma once

#include <stdbool.h>

enum vm_state {
    VM_INIT, /* not yet accepted by the cloud */
    VM_PENDING,
    VM_HOLD,           /* pending, but must not start */
    VM_PREPARING,      /* its disks are being copied to the host */
    VM_BOOTING,        /* the hypervisor is starting it, or restoring its memory */
    VM_RUNNING,        /* without another operation */
    VM_OCCUPIED,       /* running during a change of a disk or network interface, or a backup */
    VM_UNKNOWN,        /* not seen by the hypervisor; assumed to be running */
    VM_LIVE_MIGRATING, /* running, present on both hosts */
    VM_MIGRATING,      /* moving to another host, not running */
    VM_BOOTING_MOVED,  /* starting on the host it moved to */
    VM_CHANGING,       /* in transition to another state: saving its memory, shutting down, ... */
    VM_LEAVING,        /* in transition, no longer using CPU and memory */
    VM_BOOT_FAILED,    /* the hypervisor did not start it */
    VM_FAILED,         /* another operation failed, before or after its run */
    VM_STOPPED,        /* memory saved, no host */
    VM_SUSPENDED,      /* memory saved on its host */
    VM_POWEROFF,       /* off, on its host */
    VM_UNDEPLOYED,     /* off, no host */
    VM_CLONING,        /* its disks are being created */
    VM_OTHER,
    VM_DONE, /* removed */
    VM_STATES
};

struct vm_state_traits {
    const char *word; /* "pending", "running", ...: for clouds without their own names */
    bool active;      /* on a host, neither suspended nor off */
    bool uses;        /* uses CPU and memory of its host, from the hypervisor's view */
    bool holds;       /* its capacity counts on its host */
    bool runs;
    bool in_transition; /* the state ends by itself */
};

extern const struct vm_state_traits vm_state_traits[VM_STATES];

enum host_state {
    HOST_INIT, /* has not reported yet */
    HOST_ON,   /* monitored: the only state in which it takes new VMs */
    HOST_ERROR,
    HOST_DISABLED,
    HOST_OFFLINE,
};
