/* pool_states.h: OpenNebula's state numbers as states. */
#pragma once

#include <stdint.h>

#include "adapters/cloud/states.h"

/* STATE_PENDING: the number to ask for when only pending VMs are wanted. */
enum { STATE_PENDING = 1 };

/* *name is OpenNebula's: "RUNNING", "BOOT_FAILURE", "PENDING", ...: the LCM state's when active;
 * "an unknown state" for numbers that it does not have. Names are constants. */
enum vm_state pool_vm_state(int32_t state, int32_t lcm_state, const char **name);
enum host_state pool_host_state(int32_t state, const char **name);
