/* pool_states.h: maps OpenNebula's state numbers to states. */
#pragma once

#include <stdint.h>

#include "adapters/cloud/states.h"

/* OpenNebula's number of the state of pending VMs, for queries. */
enum { STATE_PENDING = 1 };

/* *name is OpenNebula's name ("RUNNING", "BOOT_FAILURE", "PENDING", ...), of the LCM state for
 * active VMs; "an unknown state" for other numbers. Names are constants. */
enum vm_state pool_vm_state(int32_t state, int32_t lcm_state, const char **name);
enum host_state pool_host_state(int32_t state, const char **name);
