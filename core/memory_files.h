/* memory_files.h: the saved memory of VMs on the hosts' disks, for the disk usage figure. O(VMs).
 */
#pragma once

#include "core/lease_plan.h"

struct engine;

/* Called when the memory of the operation's VMs is saved, resumed or moved. */
void memory_files_add(struct engine *engine, const struct reservation *r);
void memory_files_remove(struct engine *engine, const struct reservation *r);
void memory_files_move(struct engine *engine, const struct reservation *r);
/* Removes all files of a lease that is over. */
void memory_files_drop(struct engine *engine, struct lease *lease);
