/* Computes the due times of the daemon's loop, and which steps it may take now. */
#include "daemon/due.h"

#include "daemon/base/clock.h"
#include "daemon/http/http.h"
#include "daemon/live/enactor.h"
#include "daemon/live/guard.h"
#include "daemon/notify/notices.h"

enum { POLL_STALE = 3 /* poll intervals until commands are held back */ };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Ignores the due times of actions that are impossible until the next poll: the loop would spin. */
static int64_t when_able(bool able, int64_t due)
{
    return able ? due : INSTANT_NEVER;
}

bool due_may_act(const struct daemon *daemon)
{
    int64_t age = clock_monotonic() - daemon->polled;

    return daemon->polled && daemon->poll_ok && daemon_acts(daemon) &&
           age < POLL_STALE * 1000 * daemon->live->poll_interval + daemon->live->timeout * 1000;
}

bool due_plans(const struct daemon *daemon)
{
    return daemon->polled && daemon_acts(daemon) && daemon->plan_failures == 0;
}

bool due_plan_again(const struct daemon *daemon)
{
    return daemon->polled && daemon_acts(daemon) && daemon->plan_failures > 0 &&
           !planner_is_planning(daemon->planner);
}

int64_t due_next(const struct daemon *daemon, int64_t reconcile)
{
    bool acts = daemon->polled && daemon->poll_ok && daemon_acts(daemon);
    bool sends = due_may_act(daemon) && !daemon->fence.waits;
    int64_t due = when_able(due_plans(daemon), planner_next_time(daemon->planner));

    due = least(due, when_able(acts, reconcile));
    return least(due, when_able(sends, enactor_next_time(daemon->enactor)));
}

int64_t due_in(const struct daemon *daemon)
{
    int64_t steady = clock_monotonic(), wait = 1000 * 60;
    int64_t due = due_next(daemon, daemon->reconcile_next);
    int32_t one;

    if ((daemon->cycle_due && !planner_is_planning(daemon->planner)) || daemon->n_accounts)
        return 0;
    if (planner_is_planning(daemon->planner))
        due = INSTANT_NEVER; /* finish_cycle() follows when the plan is ready */
    due = least(due, when_able(!daemon->replan, planner_retry_time(daemon->planner)));
    if (due < INSTANT_NEVER)
        wait = least(wait, due * 1000 - clock_now_ms());
    if (notices_next_time(daemon->notices) < INSTANT_NEVER)
        wait = least(wait, notices_next_time(daemon->notices) * 1000 - clock_now_ms());
    if (daemon_follows(daemon) || world_leads(daemon->world))
        wait = least(wait, guard_next_time(daemon->guard) - steady);
    if (daemon->answers_due && !planner_is_planning(daemon->planner))
        wait = least(wait, daemon->answers_wait - steady);
    wait = least(wait, fence_due(daemon) - steady);
    if (due_plans(daemon))
        wait = least(wait, planner_forecast_due(daemon->planner) - steady);
    if (due_plan_again(daemon))
        wait = least(wait, daemon->next_plan - steady);
    wait = least(wait, planner_due(daemon->planner) - steady);
    if (daemon->http)
        wait = least(wait, http_due(daemon->http) - steady);
    if (!world_polling(daemon->world))
        wait = least(wait, daemon->next_poll - steady);
    if (!daemon->looking && daemon->poll_ok && enactor_watched(daemon->enactor, &one, 1))
        wait = least(wait, daemon->next_look - steady);
    return wait < 0 ? 0 : wait;
}
