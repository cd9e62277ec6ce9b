/* states.h: the states of VMs and hosts as galernad distinguishes them.
 *
 * A cloud has more of its own; it maps them here and keeps their names for people.
 */
#pragma once

#include <stdbool.h>

enum vm_state {
    VM_INIT, /* not taken in yet */
    VM_PENDING,
    VM_HOLD,      /* pending, and not to be started */
    VM_PREPARING, /* its disks are being copied to the host */
    VM_BOOTING,   /* the hypervisor is starting it, or restoring its memory */
    VM_RUNNING,   /* without another operation */
    VM_OCCUPIED,  /* running while a disk or a network interface is changed, or a backup made */
    VM_UNKNOWN,   /* the hypervisor has lost sight of it; taken to be running */
    VM_LIVE_MIGRATING, /* runs, and is on both hosts */
    VM_MIGRATING,      /* on its way to another host, not running */
    VM_BOOTING_MOVED,  /* being started on the host it moved to */
    VM_CHANGING,       /* on its way to another state: saving its memory, shutting down, ... */
    VM_LEAVING,        /* the same, no longer using CPU and memory */
    VM_FAILED,         /* did not start, or cannot be ended */
    VM_STOPPED,        /* memory saved, no host */
    VM_SUSPENDED,      /* memory saved on its host */
    VM_POWEROFF,       /* off, on its host */
    VM_UNDEPLOYED,     /* off, no host */
    VM_CLONING,        /* its disks are being made */
    VM_OTHER,
    VM_DONE, /* gone for good */
    VM_STATES
};

struct vm_state_traits {
    const char *word; /* "pending", "running", ...: for clouds without names of their own */
    bool active;      /* on a host, neither suspended nor off */
    bool uses;        /* CPU and memory of its host, as a hypervisor sees it */
    bool holds;       /* its capacity counts on its host */
    bool runs;
    bool in_transition; /* a state that ends by itself */
};

extern const struct vm_state_traits vm_state_traits[VM_STATES];

enum host_state {
    HOST_INIT, /* has not reported yet */
    HOST_ON,
    HOST_ERROR,
    HOST_DISABLED, /* takes no new VMs */
    HOST_OFFLINE,
};
