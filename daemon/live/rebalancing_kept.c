/* Holds plans, and stores applied ones: each is a JSON object in the fact "rebalanced CLUSTER". */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/live/rebalancing.h"
#include "daemon/store/store.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_PLANNER

struct rebalance_plan *rebalancing_plan(const struct rebalancing *rebalancing, int32_t cluster)
{
    for (size_t i = 0; i < rebalancing->n_plans; i++)
        if (rebalancing->plans[i].cluster == cluster)
            return &rebalancing->plans[i];
    return NULL;
}

void rebalancing_put(struct rebalancing *rebalancing, struct rebalance_plan *plan)
{
    MEMORY_GROW(rebalancing->plans, rebalancing->allocated, rebalancing->n_plans + 1);
    rebalancing->plans[rebalancing->n_plans++] = *plan;
    *plan = (struct rebalance_plan){.cluster = -1};
}

void rebalance_plan_finish(struct rebalance_plan *plan)
{
    free(plan->moves);
    free(plan->hosts);
    *plan = (struct rebalance_plan){.cluster = -1};
}

void rebalancing_finish(struct rebalancing *rebalancing)
{
    for (size_t i = 0; i < rebalancing->n_plans; i++)
        rebalance_plan_finish(&rebalancing->plans[i]);
    free(rebalancing->plans);
    free(rebalancing->asked);
    *rebalancing = (struct rebalancing){0};
}

/* --- writing ---------------------------------------------------------------------------------- */

static const char prefix[] = "rebalanced ";

enum { FACT_NAME = 32 };

static void name_fact(int32_t cluster, char *name)
{
    snprintf(name, FACT_NAME, "%s%" PRId32, prefix, cluster);
}

static json_t *moves_of(const struct rebalance_plan *plan)
{
    json_t *moves = json_array();

    for (size_t i = 0; i < plan->n_moves; i++)
        json_array_append_new(moves, json_pack("[i,i,i,I]", (int)plan->moves[i].vm,
                                               (int)plan->moves[i].from, (int)plan->moves[i].to,
                                               (json_int_t)plan->moves[i].lease));
    return moves;
}

static json_t *hosts_of(const struct rebalance_plan *plan)
{
    json_t *hosts = json_array();

    for (size_t i = 0; i < plan->n_hosts; i++)
        json_array_append_new(hosts, json_pack("[i,I,I]", (int)plan->hosts[i].host,
                                               (json_int_t)plan->hosts[i].before,
                                               (json_int_t)plan->hosts[i].after));
    return hosts;
}

void rebalance_plan_keep(const struct rebalance_plan *plan, struct store *store)
{
    json_t *object =
        json_pack("{s:I,s:I,s:i,s:i,s:I,s:o,s:o}", "made", (json_int_t)plan->made, "applied",
                  (json_int_t)plan->applied, "policy", (int)plan->settings.policy, "automation",
                  (int)plan->settings.automation, "unread", (json_int_t)plan->n_unread, "moves",
                  moves_of(plan), "hosts", hosts_of(plan));
    char *text = json_dumps(object, JSON_COMPACT), name[FACT_NAME];

    name_fact(plan->cluster, name);
    store_set_fact(store, name, text);
    free(text);
    json_decref(object);
}

void rebalance_plan_unkeep(const struct rebalance_plan *plan, struct store *store)
{
    char name[FACT_NAME];

    name_fact(plan->cluster, name);
    store_set_fact(store, name, NULL);
}

/* --- reading ---------------------------------------------------------------------------------- */

static int read_moves(const json_t *moves, struct rebalance_plan *plan)
{
    json_t *line;
    size_t i;

    plan->moves = memory_new(json_array_size(moves), sizeof *plan->moves);
    json_array_foreach(moves, i, line) {
        int vm, from, to;
        json_int_t lease;

        if (json_unpack(line, "[i,i,i,I]", &vm, &from, &to, &lease) < 0)
            return -1;
        plan->moves[plan->n_moves++] = (struct rebalance_move){vm, from, to, lease};
    }
    return 0;
}

static int read_hosts(const json_t *hosts, struct rebalance_plan *plan)
{
    json_t *line;
    size_t i;

    plan->hosts = memory_new(json_array_size(hosts), sizeof *plan->hosts);
    json_array_foreach(hosts, i, line) {
        json_int_t before, after;
        int host;

        if (json_unpack(line, "[i,I,I]", &host, &before, &after) < 0)
            return -1;
        plan->hosts[plan->n_hosts++] = (struct rebalanced_host){host, before, after};
    }
    return 0;
}

static int read_plan(json_t *object, struct rebalance_plan *plan)
{
    json_int_t made, applied, unread;
    json_t *moves, *hosts;
    int policy, automation;

    if (json_unpack(object, "{s:I,s:I,s:i,s:i,s:I,s:o,s:o}", "made", &made, "applied", &applied,
                    "policy", &policy, "automation", &automation, "unread", &unread, "moves",
                    &moves, "hosts", &hosts) < 0 ||
        policy < REBALANCE_BALANCE || policy > REBALANCE_PACK || automation < AUTOMATION_MANUAL ||
        automation > AUTOMATION_FULL)
        return -1;
    plan->made = made;
    plan->applied = applied;
    plan->n_unread = (size_t)unread;
    plan->settings.policy = (enum rebalance_policy)policy;
    plan->settings.automation = (enum rebalance_automation)automation;
    return read_moves(moves, plan) < 0 || read_hosts(hosts, plan) < 0 ? -1 : 0;
}

static void load_plan(void *context, const char *name, const char *value)
{
    struct rebalancing *rebalancing = context;
    struct rebalance_plan plan = {.cluster = (int32_t)strtol(name + sizeof prefix - 1, NULL, 10)};
    json_t *object = json_loads(value, 0, NULL);

    if (object && read_plan(object, &plan) == 0) {
        rebalancing_put(rebalancing, &plan);
    } else {
        log_warning("the plan that rebalances cluster %d cannot be read from the store: its "
                    "remaining moves are not made",
                    plan.cluster);
        rebalance_plan_finish(&plan);
    }
    json_decref(object);
}

void rebalancing_load(struct rebalancing *rebalancing, const struct store *store)
{
    store_each_fact(store, prefix, load_plan, rebalancing);
}
