/* Holds commands back until it is proved that no other galernad acts. */
#include "daemon/live/fence.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/enactor.h"
#include "daemon/live/guard.h"
#include "daemon/live/messages.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

/* Milliseconds. */
enum {
    LIMIT = 5000,          /* of waiting for the proof */
    CONFIRM_PAUSE = 1000,  /* between attempts to write the mark */
    ELECTION_PAUSE = 1000, /* between checks of its oned by a follower */
};

static void leader_told(void *context)
{
    struct daemon *daemon = context;

    daemon->fence.asking = false;
    daemon->fence.next_look = clock_monotonic() + ELECTION_PAUSE;
}

static void ask_leader(struct daemon *daemon)
{
    if (daemon->fence.asking)
        return;
    daemon->fence.asking = true;
    world_check_leader(daemon->world, leader_told, daemon);
}

static bool may_send(const struct daemon *daemon, int64_t since)
{
    int64_t led =
        daemon->live->leader_check ? world_leader_checked(daemon->world) : clock_monotonic();

    return world_leads(daemon->world) &&
           guard_may_send(daemon->guard, world_leadership(daemon->world), led, since);
}

static void end_wait(struct daemon *daemon)
{
    daemon->fence.waits = false;
    daemon->cycle_due = true;
}

void fence_withdraw(struct daemon *daemon)
{
    enactor_withdraw(daemon->enactor);
    messages_withdraw(daemon->messages);
    kept_drains_withdraw(daemon);
}

static void withdraw(struct daemon *daemon, const char *why)
{
    log_warning("%s", why);
    fence_withdraw(daemon);
    end_wait(daemon);
}

static void send(struct daemon *daemon)
{
    enactor_send(daemon->enactor);
    messages_send(daemon->messages);
    kept_drains_send(daemon);
}

static void confirm(struct daemon *daemon)
{
    struct fence *fence = &daemon->fence;
    int64_t now = clock_monotonic();

    if (guard_is_confirmed(daemon->guard, fence->since)) {
        ask_leader(daemon);
    } else if (now >= fence->next_confirm) {
        guard_confirm(daemon->guard);
        fence->next_confirm = now + CONFIRM_PAUSE;
    }
}

static void prove(struct daemon *daemon)
{
    if (may_send(daemon, daemon->fence.since)) {
        send(daemon);
        end_wait(daemon);
    } else if (!world_leads(daemon->world)) {
        withdraw(daemon, "oned no longer confirms that it leads its zone: commands are suspended "
                         "until it does");
    } else if (!guard_holds(daemon->guard) || clock_monotonic() - daemon->fence.since > LIMIT) {
        withdraw(daemon, "OpenNebula does not confirm that this galernad is the active one: "
                         "commands are suspended");
    } else {
        confirm(daemon);
    }
}

void fence_send(struct daemon *daemon)
{
    struct fence *fence = &daemon->fence;

    fence->since = clock_monotonic();
    if (may_send(daemon, fence->since)) {
        send(daemon);
        return;
    }
    fence->waits = true;
    fence->next_confirm = fence->since;
}

/* The previous daemon may have changed everything since the last poll. */
static void begin_to_act(struct daemon *daemon)
{
    const struct cloud_leadership *leadership = world_leadership(daemon->world);

    daemon->cycle_due = true;
    if (leadership->term == 0)
        return;
    log_info("active beside the leader of the zone, server %d, in Raft term %lld",
             leadership->server, (long long)leadership->term);
    daemon->fence.behind = true;
    daemon->fence.acts_since = clock_monotonic();
    world_read_all(daemon->world);
    daemon_replan(daemon, "another galernad may have been active");
    world_poll(daemon->world, POLL_FULL);
}

bool fence_catch_up(struct daemon *daemon)
{
    if (!daemon->fence.behind || daemon->poll_asked < daemon->fence.acts_since)
        return false;
    daemon->fence.behind = false;
    return daemon_acts(daemon);
}

void fence_step(struct daemon *daemon)
{
    struct fence *fence = &daemon->fence;
    bool holds = world_leads(daemon->world) && guard_holds(daemon->guard);

    if (holds && !fence->held)
        begin_to_act(daemon);
    fence->held = holds;
    if (fence->waits)
        prove(daemon);
    else if (daemon_follows(daemon) && clock_monotonic() >= fence->next_look)
        ask_leader(daemon);
}

int64_t fence_due(const struct daemon *daemon)
{
    const struct fence *fence = &daemon->fence;

    if (fence->asking)
        return INT64_MAX;
    if (fence->waits)
        return fence->next_confirm;
    return daemon_follows(daemon) ? fence->next_look : INT64_MAX;
}
