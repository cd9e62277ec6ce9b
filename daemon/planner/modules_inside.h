/* modules_inside.h: what the files of the modules share. */
#ifndef GALERNA_DAEMON_PLANNER_MODULES_INSIDE_H
#define GALERNA_DAEMON_PLANNER_MODULES_INSIDE_H

#include "daemon/planner/modules.h"

/* Of a module whose place a built-in default has in the meantime. */
#define MODULE_LOADING "is still being loaded"

/* --- modules.c --- */
/* Those of the configuration; what the store has out of service is so. */
int module_list_find(struct module_list *list, const struct modules *modules, struct error *err);
void module_list_finish(struct module_list *list);
/* Bring a module of the list back into service. -1, ENOENT: it is not out of service. */
int module_list_enable(struct module_list *list, const char *name, struct error *err);
/* The store has what is out of service in modules->list. */
void modules_remember(struct modules *modules);
/* Note it, log it, and have it remembered. */
void modules_put_out_of_service(struct modules *modules, size_t i, const char *offence);

#endif
