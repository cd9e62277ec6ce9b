/* hook.h: a program run when a VM or host changes its state, as OpenNebula's hooks are: with the
 * document of the VM or host, in base64, as its argument and on its standard input. */
#pragma once

#include "sandbox/pools.h"

struct oned_hooks *oned_hooks_create(const char *program);

/* Programs that still run are killed. NULL is allowed. */
void oned_hooks_destroy(struct oned_hooks *hooks);

/* Run the program if the state of the VM or host has changed. Without hooks, they do nothing. */
void oned_hook_vm(struct oned *oned, const struct oned_vm *vm);
void oned_hook_host(struct oned *oned, const struct oned_host *host);

/* Reaps programs that have ended, starts waiting ones. Returns whether there are any. */
bool oned_hooks_advance(struct oned *oned);
