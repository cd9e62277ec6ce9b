/* Answers about plans to rebalance clusters. */
#include <errno.h>
#include <string.h>

#include "daemon/control/answers_private.h"

static json_t *moves_of(const struct rebalance_view *plan)
{
    json_t *moves = json_array();

    for (size_t i = 0; i < plan->n_moves; i++) {
        const struct rebalance_move_view *move = &plan->moves[i];
        json_t *line = json_object();

        json_put(line, "vm", json_integer(move->vm));
        json_put(line, "lease", json_integer(move->lease));
        json_put(line, "from", json_integer(move->from));
        json_put(line, "to", json_integer(move->to));
        json_put(line, "state", json_string(move->state));
        json_array_append_new(moves, line);
    }
    return moves;
}

static json_t *hosts_of(const struct rebalance_view *plan)
{
    json_t *hosts = json_array();

    for (size_t i = 0; i < plan->n_hosts; i++) {
        json_t *line = json_object();

        json_put(line, "host", json_integer(plan->hosts[i].host));
        json_put(line, "before", json_real(plan->hosts[i].before));
        json_put(line, "after", json_real(plan->hosts[i].after));
        json_array_append_new(hosts, line);
    }
    return hosts;
}

static void add_plan(void *context, const struct rebalance_view *plan)
{
    json_t *answer = context;

    json_put(answer, "cluster", json_integer(plan->cluster));
    json_put(answer, "name", json_from_text(plan->name));
    json_put(answer, "policy", json_string(plan->policy));
    json_put(answer, "automation", json_string(plan->automation));
    json_put(answer, "state", json_string(plan->state));
    json_put(answer, "made", json_from_instant(plan->made));
    json_put(answer, "moves", moves_of(plan));
    json_put(answer, "hosts", hosts_of(plan));
    json_put(answer, "unread_vms", json_integer((json_int_t)plan->n_unread));
}

static json_t *read_order(const struct question *question, struct rebalance_order *order)
{
    const json_t *cluster = json_object_get(question->request, "cluster");
    const char *action = json_string_value(json_object_get(question->request, "action"));
    static const char *const actions[] = {
        [REBALANCE_APPLIED] = "apply", [REBALANCE_SHOWN] = "show", [REBALANCE_DROPPED] = "drop"};
    size_t i = 0;

    if (!json_is_integer(cluster) && !json_is_string(cluster))
        return answer_error(EINVAL, "cluster: expected an id or a name");
    order->name = json_string_value(cluster);
    order->id = json_integer_value(cluster);
    while (action && i < sizeof actions / sizeof *actions && strcmp(action, actions[i]) != 0)
        i++;
    if (!action || i == sizeof actions / sizeof *actions)
        return answer_error(EINVAL, "action: expected apply, show or drop");
    order->action = i;
    return NULL;
}

json_t *answer_host_rebalance(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct rebalance_order order = {.name = NULL};
    json_t *answer = read_order(question, &order);
    struct error err;
    char who[96];

    if (answer)
        return answer;
    answer = answer_begin(question, "galerna-host-rebalance/1");
    answers_peer(question, who, sizeof who);
    if (daemon->rebalance(daemon->context, &order, who, add_plan, answer, &err) < 0) {
        json_decref(answer);
        return answers_refused(&err);
    }
    return answer;
}
