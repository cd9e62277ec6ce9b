/* Policy modules of a live galernad: the configured ones, those out of service, and which is to
 * blame when the planner has ended. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/planner/modules_inside.h"
#include "daemon/planner/planner.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_POLICIES

/* One line per module: name, tab, time, tab, offence_pack(). */
#define FACT "policies-out-of-service"

enum {
    STRIKES_FORGOTTEN = 600 * 1000, /* milliseconds */
    PAUSE_FIRST = 250,
};

/* --- outages in the store --------------------------------------------------------------------- */

/* offence: NULL: it is in service. */
static void set_outage(struct module_list *list, size_t i, const struct planner_offence *offence,
                       int64_t since)
{
    char text[OFFENCE_TEXT_MAX];

    memory_free(list->modules[i].outage);
    list->modules[i].outage = NULL;
    list->outages[i] = (struct module_outage){.since = since};
    if (!offence)
        return;
    list->outages[i].offence = *offence;
    offence_text(offence, text, sizeof text);
    list->modules[i].outage = memory_text(text);
}

static void recall_line(struct module_list *list, char *line)
{
    char *since = strchr(line, '\t'), *packed = since ? strchr(since + 1, '\t') : NULL;
    struct planner_offence offence;

    if (!packed)
        return;
    *since++ = *packed++ = '\0';
    offence_unpack(packed, &offence);
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->modules[i].name, line) == 0)
            set_outage(list, i, &offence, strtoll(since, NULL, 10));
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
        char packed[OFFENCE_TEXT_MAX];
        size_t room = 32;

        if (!module->outage)
            continue;
        offence_pack(&list->outages[i].offence, packed, sizeof packed);
        room += strlen(module->name) + strlen(packed);
        text = memory_grow(text, &allocated, n + room, 1);
        n += (size_t)snprintf(text + n, room, "%s\t%" PRId64 "\t%s\n", module->name,
                              list->outages[i].since, packed);
    }
    if (modules->store)
        store_set_fact(modules->store, FACT, n ? text : NULL);
    free(text);
}

/* Marks the module, stores the outage and logs it. */
static void put_out_of_service(struct modules *modules, size_t i,
                               const struct planner_offence *offence)
{
    const struct policy_module *module = &modules->list.modules[i];

    set_outage(&modules->list, i, offence, clock_now());
    log_error("policy %s is out of service: it %s; %s, and %s is not loaded until "
              "'galerna policy enable %s'",
              module->name, module->outage,
              module->kind == POLICY_ADMISSION ? "leases are refused for now"
                                               : "the built-in default takes its place",
              module->file, module->name);
    if (modules->store)
        store_history(modules->store, STORE_NO_LEASE, clock_now(), "policy-out-of-service",
                      "%s: it %s", module->name, module->outage);
    modules_remember(modules);
}

/* --- blame ------------------------------------------------------------------------------------ */

/* The engine failed outside of a module call, perhaps long after a module corrupted it. A single
 * end may be chance. After the second one, the module called last both times is suspected; if they
 * differ, all modules are. */
static void strike(struct modules *modules, const struct planner_offence *offence)
{
    int64_t now = clock_monotonic(), suspect = modules->suspect;
    char text[OFFENCE_TEXT_MAX];

    offence_text(offence, text, sizeof text);
    log_error("the planner has ended: it %s", text);
    if (now - modules->last_strike > STRIKES_FORGOTTEN)
        modules->strikes = 0;
    modules->last_strike = now;
    modules->suspect = offence->last;
    if (++modules->strikes < STRIKES)
        return;
    if (modules->strikes == STRIKES && suspect >= 0 && suspect == offence->last &&
        suspect < (int64_t)modules->list.n && !modules->list.modules[suspect].outage) {
        put_out_of_service(modules, (size_t)suspect,
                           &(struct planner_offence){.kind = OFFENCE_LAST_CALLED});
        return;
    }
    for (size_t i = 0; i < modules->list.n; i++)
        if (!modules->list.modules[i].outage)
            put_out_of_service(modules, i, &(struct planner_offence){.kind = OFFENCE_LOADED});
}

static int64_t pause_after(int failures)
{
    int64_t pause = PAUSE_FIRST << (failures < 8 ? failures : 8);

    return pause < PAUSE_MAX ? pause : PAUSE_MAX;
}

static int count_unusable(struct modules *modules)
{
    int64_t now = clock_monotonic();

    if (now - modules->last_unusable > STRIKES_FORGOTTEN)
        modules->unusable = 0;
    modules->last_unusable = now;
    return ++modules->unusable;
}

void modules_find_offender(struct modules *modules, const struct planner_offence *offence)
{
    int64_t pause = 0;

    modules->n_ended++;
    if (offence->of_program) {
        offence_text(offence, modules->unusable_why, sizeof modules->unusable_why);
        log_error("%s", modules->unusable_why);
        pause = pause_after(count_unusable(modules));
    } else if (offence->module >= 0 && offence->module < (int64_t)modules->list.n) {
        put_out_of_service(modules, (size_t)offence->module, offence);
    } else {
        strike(modules, offence);
        pause = pause_after(modules->strikes);
    }
    modules->next_start = clock_monotonic() + pause;
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
    list->outages = memory_new(list->n, sizeof *list->outages);
    recall(list, modules->store);
    return 0;
}

void module_list_finish(struct module_list *list)
{
    policy_modules_finish(list->modules, list->n);
    policy_configured_finish(&list->configured);
    free(list->outages);
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
    return modules->unusable_why[0] ? modules->unusable_why : "the planner is starting";
}

void modules_each(const struct modules *modules,
                  void (*visit)(void *context, const struct planner_module *module), void *context)
{
    static const char *const kinds[POLICY_KINDS] = {[POLICY_ADMISSION] = "admission",
                                                    [POLICY_PREEMPTION] = "preemption",
                                                    [POLICY_HOST_SELECTION] = "host-selection"};

    static const struct planner_offence loading = {.kind = OFFENCE_LOADING};
    const struct module_list *list = &modules->list;

    for (size_t i = 0; i < list->n; i++) {
        const struct policy_module *module = &list->modules[i];
        const struct module_outage *outage = &list->outages[i];
        const struct planner_process *process = modules->current.process;
        const struct planner_time time =
            process ? planner_process_time(process, i) : (struct planner_time){0};
        bool is_loading = !module->outage && i < 64 && (modules->held & UINT64_C(1) << i);

        visit(context,
              &(struct planner_module){.name = module->name,
                                       .kind = kinds[module->kind],
                                       .file = module->file,
                                       .offence = is_loading       ? &loading
                                                  : module->outage ? &outage->offence
                                                                   : NULL,
                                       .since = is_loading ? modules->held_since : outage->since,
                                       .calls = time.calls,
                                       .spent = time.spent});
    }
}
