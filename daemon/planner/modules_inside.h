/* modules_inside.h: shared by the files of the modules. */
#pragma once

#include "daemon/planner/modules.h"

enum {
    STRIKES = 2,           /* ends without a module to blame until all modules are suspected */
    PAUSE_MAX = 60 * 1000, /* milliseconds between an end and the next start */
};

/* --- modules.c --- */
/* Find the modules that `policies` names, and mark those that are out of service in the store. */
int module_list_find(struct module_list *list, const struct modules *modules,
                     const struct configuration *policies, struct error *err);
void module_list_finish(struct module_list *list);
/* Bring a module of the list back into service. -1, ENOENT: the module is not out of service. */
int module_list_enable(struct module_list *list, const char *name, struct error *err);
/* Store the outages of modules->list. */
void modules_remember(struct modules *modules);
/* A process with the list's modules has ended: put the module to blame out of service, and set when
 * the next process starts. */
void modules_find_offender(struct modules *modules, const struct planner_offence *offence);
