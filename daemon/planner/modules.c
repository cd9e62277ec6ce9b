/* Policy modules of a live galernad: the configured ones, and those out of service. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/clock.h"
#include "daemon/log.h"
#include "daemon/planner/modules_inside.h"
#include "daemon/planner/planner.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_POLICIES

/* One line per module: name, tab, time, tab, offence. */
#define FACT "policies-out-of-service"

/* --- outages in the store --------------------------------------------------------------------- */

static void set_outage(struct module_list *list, size_t i, const char *text, int64_t since)
{
    memory_free(list->modules[i].outage);
    list->modules[i].outage = memory_text(text);
    list->since[i] = since;
}

static void recall_line(struct module_list *list, char *line)
{
    char *since = strchr(line, '\t'), *text = since ? strchr(since + 1, '\t') : NULL;

    if (!text)
        return;
    *since++ = *text++ = '\0';
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->modules[i].name, line) == 0)
            set_outage(list, i, text, strtoll(since, NULL, 10));
}

static void recall(struct module_list *list, const struct store *store)
{
    const char *fact = store ? store_fact(store, FACT) : NULL;
    char *copy = memory_text(fact ? fact : ""), *rest = copy;

    for (char *line; (line = strsep(&rest, "\n"));)
        recall_line(list, line);
    free(copy);
}

/* Omits modules that are no longer configured. */
void modules_remember(struct modules *modules)
{
    const struct module_list *list = &modules->list;
    char *text = memory_text("");
    size_t n = 0, allocated = 1;

    for (size_t i = 0; i < list->n; i++) {
        const struct policy_module *module = &list->modules[i];
        size_t room = 32;

        if (!module->outage)
            continue;
        room += strlen(module->name) + strlen(module->outage);
        text = memory_grow(text, &allocated, n + room, 1);
        n += (size_t)snprintf(text + n, room, "%s\t%" PRId64 "\t%s\n", module->name, list->since[i],
                              module->outage);
    }
    if (modules->store)
        store_set_fact(modules->store, FACT, n ? text : NULL);
    free(text);
}

void modules_put_out_of_service(struct modules *modules, size_t i, const char *offence)
{
    const struct policy_module *module = &modules->list.modules[i];

    set_outage(&modules->list, i, offence, clock_now());
    log_error("policy %s is out of service: it %s; %s, and %s is not loaded until "
              "'galerna policy enable %s'",
              module->name, offence,
              module->kind == POLICY_ADMISSION ? "leases are refused for now"
                                               : "the built-in default takes its place",
              module->file, module->name);
    if (modules->store)
        store_history(modules->store, STORE_NO_LEASE, clock_now(), "policy-out-of-service",
                      "%s: it %s", module->name, offence);
    modules_remember(modules);
}

/* --- the list --------------------------------------------------------------------------------- */

int module_list_find(struct module_list *list, const struct modules *modules,
                     const struct configuration *policies, struct error *err)
{
    const struct configuration *running = modules->configuration;

    policy_configured_init(&list->configured, policies);
    /* Fixed when the engine was created. */
    list->configured.settings.seed = running->settings.seed;
    list->configured.settings.haizea_compatible =
        running->compatibility == COMPATIBILITY_HAIZEA_1_0;
    if (policy_modules_find(&list->configured.settings, &list->modules, &list->n, err) < 0)
        return -1;
    list->since = memory_new(list->n, sizeof *list->since);
    recall(list, modules->store);
    return 0;
}

void module_list_finish(struct module_list *list)
{
    policy_modules_finish(list->modules, list->n);
    policy_configured_finish(&list->configured);
    free(list->since);
}

int module_list_enable(struct module_list *list, const char *name, struct error *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->modules[i].name, name) == 0 && list->modules[i].outage) {
            set_outage(list, i, NULL, 0);
            return 0;
        }
    return error_set(err, ENOENT, "policy %.64s is not out of service", name);
}

const char *modules_delay(const struct modules *modules)
{
    return modules->other_version[0] ? modules->other_version : "the planner is starting";
}

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context)
{
    static const char *const kinds[POLICY_KINDS] = {[POLICY_ADMISSION] = "admission",
                                                    [POLICY_PREEMPTION] = "preemption",
                                                    [POLICY_HOST_SELECTION] = "host-selection"};

    const struct module_list *list = &modules->list;

    for (size_t i = 0; i < list->n; i++) {
        const struct policy_module *module = &list->modules[i];
        const struct planner_process *process = modules->current.process;
        const struct planner_time time =
            process ? planner_process_time(process, i) : (struct planner_time){0};
        bool is_loading = !module->outage && i < 64 && (modules->held & UINT64_C(1) << i);

        visit(context,
              &(struct planner_module){.name = module->name,
                                       .kind = kinds[module->kind],
                                       .file = module->file,
                                       .offence = is_loading ? MODULE_LOADING : module->outage,
                                       .since = is_loading ? modules->held_since : list->since[i],
                                       .calls = time.calls,
                                       .spent = time.spent});
    }
}
