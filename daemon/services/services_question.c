/* Requests on the control socket that are handled again after the planner has replied. */
#include "daemon/services/services_question.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/control/control.h"
#include "daemon/services/services.h"
#include "util/memory.h"
#include "util/unqualified.h"

json_t *services_handle(void *context, const struct control_peer *peer, const json_t *request)
{
    struct daemon *daemon = context;
    struct services_question question = {
        .daemon = daemon, .peer = *peer, .request = unqualified(request)};
    json_t *answer;

    daemon->question = &question;
    answer = answers_handle(daemon->answers, peer, request);
    daemon->question = NULL;
    free(question.drains.hosts);
    return answer;
}

struct services_question *services_put_off(const struct services_question *question)
{
    struct services_question *copy = memory_copy(question, sizeof *question);

    copy->request = json_incref(question->request);
    copy->plans = planner_plans(question->daemon->planner);
    copy->is_stale = planner_is_planning(question->daemon->planner);
    if (question->drains.hosts)
        copy->drains.hosts = memory_copy(question->drains.hosts,
                                         question->drains.n_hosts * sizeof *question->drains.hosts);
    return copy;
}

bool services_is_outdated(const struct services_question *question)
{
    return question->is_stale || question->plans != planner_plans(question->daemon->planner);
}

void services_drop(struct services_question *question)
{
    json_decref(question->request);
    free(question->drains.hosts);
    free(question);
}

void services_resume(struct services_question *question)
{
    struct daemon *daemon = question->daemon;
    json_t *answer = NULL;

    daemon->question = question;
    if (question->again)
        question->again(daemon);
    else
        answer = answers_handle(daemon->answers, &question->peer, question->request);
    daemon->question = NULL;
    if (answer) /* otherwise the request was postponed again */
        control_answer(daemon->control, question->peer.ticket, answer);
    services_drop(question);
}

void services_handle_again(struct services_question *question, const struct error *err)
{
    question->is_answered = true;
    if (err)
        question->err = *err;
    services_resume(question);
}

void services_judged(void *context, const struct planner_change *change, const struct error *err)
{
    struct services_question *question = context;

    question->change = change;
    services_handle_again(question, change ? NULL : err);
}

static void tried(void *context, const struct planner_trial *trial, const struct error *err)
{
    struct services_question *question = context;

    question->trial = trial;
    services_handle_again(question, trial ? NULL : err);
}

int services_try_order(struct daemon *daemon, const struct order *order, struct error *err)
{
    struct services_question *question = services_put_off(daemon->question);
    struct lease_request request;
    struct node_set sets[ORDER_SIZES_MAX];

    order_lease_request(order, clock_now(), sets, &request);
    return services_later(
        question, planner_try(daemon->planner, &request, clock_now(), tried, question, err), err);
}

int services_later(struct services_question *question, int asked, struct error *err)
{
    if (asked == 0)
        return error_set(err, EINPROGRESS, "waiting for the planner");
    services_drop(question);
    return -1;
}
