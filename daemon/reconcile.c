#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/daemon.h"
#include "daemon/estimates.h"
#include "daemon/log.h"

/* What OpenNebula shows of a VM, in the words that matter to its lease. */
enum standing {
    STANDS_UNKNOWN, /* nothing newer than the last command */
    STANDS_GONE,
    STANDS_PENDING,
    STANDS_RUNNING,
    STANDS_MOVING,     /* on its way to another state */
    STANDS_FAILED,     /* waits for somebody to recover it */
    STANDS_OUR_STOP,   /* suspended or stopped by us */
    STANDS_THEIR_STOP, /* suspended, stopped, powered off, undeployed, held by somebody */
};

struct standings {
    size_t n, of[STANDS_THEIR_STOP + 1];
    int64_t since; /* the latest begin of running among those that run */
};

enum { MISSING_MEANS_GONE = 2 };

static enum standing standing_of(const struct daemon *daemon, const struct book_vm *vm,
                                 const struct sight *sight)
{
    if (vm->gone)
        return STANDS_GONE;
    if (!sight || vm->in_flight || sight->asked <= vm->settled)
        return STANDS_UNKNOWN;
    if (!sight->present || sight->missing >= MISSING_MEANS_GONE)
        return STANDS_GONE;
    if (sight->state == VM_PENDING)
        return STANDS_PENDING;
    if (sight->state == VM_HOLD)
        return daemon->live->submit_on_hold && vm->goal != GOAL_HOLD && !vm->ran
                   ? STANDS_PENDING
                   : STANDS_THEIR_STOP;
    if (sight_running(sight))
        return STANDS_RUNNING;
    if (sight_failed(sight))
        return STANDS_FAILED;
    if (sight->state == VM_ACTIVE || sight->state == VM_INIT || sight->state == VM_CLONING)
        return STANDS_MOVING;
    if (vm->ours && (sight->state == VM_STOPPED || sight->state == VM_SUSPENDED))
        return STANDS_OUR_STOP;
    return STANDS_THEIR_STOP;
}

/* --- one VM ----------------------------------------------------------------------------------- */

/* Running time comes from OpenNebula's own history: closed records count once. */
static void count_running_time(struct daemon *daemon, struct book_vm *vm, const struct sight *sight)
{
    const struct vm_history *history = &sight->history;

    if (history->sequence < 0 || !sight->has_times)
        return;
    if (history->sequence > vm->sequence + 1 && sight->n_records <= history->sequence) {
        world_read_history(daemon->world, vm->id); /* records were missed */
        return;
    }
    if (sight->n_records > history->sequence && sight->n_records > 1) {
        int64_t closed = history->retime > 0 ? history->sequence : history->sequence - 1;

        if (closed > vm->sequence) {
            vm->sequence = (int32_t)closed;
            vm->ran_for = sight->ran_for;
            book_mark_vm(daemon->book, vm);
        }
        return;
    }
    if (history->sequence == vm->sequence + 1 && history->rstime > 0 && history->retime > 0) {
        vm->sequence = history->sequence;
        vm->ran_for += history->retime - history->rstime;
        book_mark_vm(daemon->book, vm);
    }
}

static void note_gone(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                      int64_t now)
{
    vm->gone = true;
    vm->goal = GOAL_NONE;
    book_mark_vm(daemon->book, vm);
    if (lease->phase != PHASE_ENDING && !(lease->phase == PHASE_REFUSED))
        book_history(daemon->book, lease->id, now, "vm-gone", "VM %d is no longer there", vm->id);
    daemon_wake(daemon);
}

static void note_move(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                      const struct sight *sight, int64_t now)
{
    if (sight->history.host == vm->host || sight->history.host < 0)
        return;
    if (vm->ran || vm->host >= 0)
        book_history(daemon->book, lease->id, now, "moved", "VM %d runs on host %d, not on %d",
                     vm->id, sight->history.host, vm->host);
    vm->host = sight->history.host;
    book_mark_vm(daemon->book, vm);
    daemon_replan(daemon, "VM %d is on host %d", vm->id, vm->host);
}

static void note_size(struct daemon *daemon, struct book_vm *vm, const struct sight *sight)
{
    if (sight->cpu == vm->cpu && sight->memory == vm->memory)
        return;
    vm->cpu = sight->cpu;
    vm->memory = sight->memory;
    book_mark_vm(daemon->book, vm);
    daemon_replan(daemon, "VM %d was resized", vm->id);
}

static void note_running(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                         const struct sight *sight, int64_t now)
{
    note_move(daemon, lease, vm, sight, now);
    if (vm->ran && !vm->ours && vm->attempts == 0)
        return;
    if (vm->goal == GOAL_STOP || vm->goal == GOAL_END)
        return;
    if (troubles_clear(&daemon->troubles, sight->history.host))
        daemon_replan(daemon, "host %d works again", sight->history.host);
    vm->ran = true;
    vm->ours = false;
    vm->attempts = 0;
    vm->next_try = INSTANT_NONE;
    book_mark_vm(daemon->book, vm);
}

/* Operations that have ended tell how long such ones take. */
static void learn(struct daemon *daemon, const struct book_vm *vm, enum standing standing,
                  const struct sight *sight)
{
    if (standing == STANDS_OUR_STOP) {
        if (estimates_suspended(daemon->estimates, vm->id, sight->asked))
            log_debug("suspending a VM takes another time than was thought");
    } else if (standing == STANDS_RUNNING) {
        if (estimates_running(daemon->estimates, vm->id, sight->asked))
            log_debug("starting a VM takes another time than was thought");
    } else if (standing != STANDS_MOVING) {
        estimates_forget(daemon->estimates, vm->id);
    }
}

static void observe_vm(struct daemon *daemon, struct book_lease *lease, struct book_vm *vm,
                       int64_t now, struct standings *standings)
{
    const struct sight *sight = world_sight(daemon->world, vm->id);
    enum standing standing = standing_of(daemon, vm, sight);

    standings->of[standing]++;
    if (standing != STANDS_GONE)
        standings->n++;
    if (standing == STANDS_UNKNOWN)
        return;
    learn(daemon, vm, standing, sight);
    if (standing == STANDS_GONE) {
        if (!vm->gone)
            note_gone(daemon, lease, vm, now);
        return;
    }
    if (vm->command[0]) {
        vm->command[0] = '\0'; /* what became of it can be seen now */
        book_mark_vm(daemon->book, vm);
    }
    note_size(daemon, vm, sight);
    count_running_time(daemon, vm, sight);
    if (standing == STANDS_RUNNING) {
        note_running(daemon, lease, vm, sight, now);
        if (sight->has_times && sight->history.rstime > standings->since)
            standings->since = sight->history.rstime;
    }
}

/* --- phases ----------------------------------------------------------------------------------- */

static void set_phase(struct daemon *daemon, struct book_lease *lease, enum lease_phase phase)
{
    lease->phase = phase;
    book_mark_lease(daemon->book, lease);
    daemon_wake(daemon);
}

static void set_goal(struct daemon *daemon, const struct book_lease *lease, enum vm_goal goal)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        if (vms[i]->gone || vms[i]->goal == goal)
            continue;
        vms[i]->goal = goal;
        if (goal != GOAL_NONE) {
            vms[i]->attempts = 0;
            vms[i]->next_try = INSTANT_NONE;
        }
        book_mark_vm(daemon->book, vms[i]);
    }
}

/* The shortest time that any of its VMs ran in stretches that are over. */
static int64_t ran_for(const struct daemon *daemon, const struct book_lease *lease)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);
    int64_t least = -1;

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && (least < 0 || vms[i]->ran_for < least))
            least = vms[i]->ran_for;
    return least < 0 ? 0 : least;
}

static int64_t end_of(const struct book_lease *lease)
{
    if (lease->duration == SPAN_UNLIMITED)
        return INSTANT_NEVER;
    if (lease->kind == LEASE_RESERVATION)
        return lease->start + lease->duration;
    return lease->since + lease->duration - lease->accumulated;
}

static void runs(struct daemon *daemon, struct book_lease *lease, int64_t since, int64_t now)
{
    bool begins = lease->since == INSTANT_NONE || lease->phase != PHASE_RUNNING;
    int64_t late;

    lease->accumulated = ran_for(daemon, lease);
    lease->since = since > 0 ? since : now;
    lease->end = end_of(lease);
    if (lease->phase != PHASE_RUNNING)
        set_phase(daemon, lease, PHASE_RUNNING);
    book_mark_lease(daemon->book, lease);
    if (!begins)
        return;
    lease->reason_word[0] = lease->reason[0] = '\0';
    book_history(daemon->book, lease->id, now, "running", "since its VMs run");
    late = lease->kind == LEASE_RESERVATION ? lease->since - lease->start : 0;
    if (late > daemon->live->poll_interval && !lease->late) {
        lease->late = true;
        book_history(daemon->book, lease->id, now, "late", "%lld s after its start",
                     (long long)late);
    }
    if (lease->end != INSTANT_NEVER && planner_end(daemon->planner, lease->id) != lease->end &&
        planner_end(daemon->planner, lease->id) != INSTANT_NONE)
        daemon_replan(daemon, "lease %lld runs %lld s late", (long long)lease->id,
                      (long long)(lease->end - planner_end(daemon->planner, lease->id)));
}

static void parked(struct daemon *daemon, struct book_lease *lease, int64_t now)
{
    lease->accumulated = ran_for(daemon, lease);
    lease->since = INSTANT_NONE;
    lease->expected = INSTANT_NONE;
    snprintf(lease->reason_word, sizeof lease->reason_word, "parked");
    snprintf(lease->reason, sizeof lease->reason,
             "Its VMs were suspended, powered off or held by a user; resume or release them to go on");
    set_phase(daemon, lease, PHASE_PARKED);
    set_goal(daemon, lease, GOAL_NONE);
    book_history(daemon->book, lease->id, now, "parked", "by a user or operator");
    daemon_replan(daemon, "lease %lld was parked", (long long)lease->id);
}

static void goes_back_to_wait(struct daemon *daemon, struct book_lease *lease, const char *event,
                              int64_t now)
{
    bool promised = lease->accepted &&
                    (lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE);

    lease->accumulated = ran_for(daemon, lease);
    lease->since = INSTANT_NONE;
    set_goal(daemon, lease, GOAL_NONE);
    set_phase(daemon, lease, promised ? PHASE_RESERVED : PHASE_WAITING);
    book_history(daemon->book, lease->id, now, event, "%s", lease->reason);
    daemon_replan(daemon, "lease %lld waits again", (long long)lease->id);
}

static void ended(struct daemon *daemon, struct book_lease *lease, const char *how, int64_t now)
{
    if (lease->since != INSTANT_NONE) {
        int64_t until = lease->end != INSTANT_NONE && lease->end < now ? lease->end : now;

        if (until > lease->since)
            lease->accumulated += until - lease->since;
    }
    lease->end = now;
    lease->since = lease->expected = INSTANT_NONE;
    planner_gone(daemon->planner, lease->id);
    set_goal(daemon, lease, GOAL_NONE);
    set_phase(daemon, lease, PHASE_ENDED);
    book_history(daemon->book, lease->id, now, "ended", "%s", how);
}

static void begin_ending(struct daemon *daemon, struct book_lease *lease, const char *why,
                         int64_t now)
{
    planner_gone(daemon->planner, lease->id);
    set_phase(daemon, lease, PHASE_ENDING);
    set_goal(daemon, lease, GOAL_END);
    book_history(daemon->book, lease->id, now, "ending", "%s", why);
}

/* --- one lease -------------------------------------------------------------------------------- */

static bool has_failed(const struct daemon *daemon, const struct book_lease *lease)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        if (!vms[i]->gone && vms[i]->attempts > 0)
            return true;
    return false;
}

static void reconcile_active(struct daemon *daemon, struct book_lease *lease,
                             const struct standings *s, int64_t now)
{
    if (s->of[STANDS_UNKNOWN])
        return;
    if (s->of[STANDS_RUNNING] == s->n) {
        if (lease->phase != PHASE_RUNNING || (s->since && lease->since != s->since))
            runs(daemon, lease, s->since, now);
    } else if (s->of[STANDS_THEIR_STOP] == s->n) {
        parked(daemon, lease, now);
    } else if (s->of[STANDS_PENDING] == s->n &&
               (lease->phase == PHASE_RUNNING || has_failed(daemon, lease))) {
        goes_back_to_wait(daemon, lease,
                          lease->phase == PHASE_RUNNING ? "pending-again" : "start-failed", now);
    }
}

static void reconcile_stopping(struct daemon *daemon, struct book_lease *lease,
                               const struct standings *s, int64_t now)
{
    if (s->of[STANDS_UNKNOWN])
        return;
    if (s->of[STANDS_OUR_STOP] + s->of[STANDS_PENDING] == s->n) {
        goes_back_to_wait(daemon, lease, "suspended", now);
    } else if (s->of[STANDS_THEIR_STOP] == s->n) {
        parked(daemon, lease, now);
    }
}

static void reconcile_waiting(struct daemon *daemon, struct book_lease *lease,
                              const struct standings *s, int64_t now)
{
    if (s->of[STANDS_UNKNOWN])
        return;
    if (s->of[STANDS_RUNNING] + s->of[STANDS_MOVING] > 0) {
        book_history(daemon->book, lease->id, now, "started-by-others", "by a user or operator");
        lease->accepted = true;
        set_goal(daemon, lease, GOAL_RUN);
        set_phase(daemon, lease, PHASE_STARTING);
        daemon_replan(daemon, "lease %lld was started by others", (long long)lease->id);
    } else if (s->of[STANDS_THEIR_STOP] == s->n) {
        parked(daemon, lease, now);
    }
}

static void reconcile_parked(struct daemon *daemon, struct book_lease *lease,
                             const struct standings *s, int64_t now)
{
    if (s->of[STANDS_UNKNOWN])
        return;
    if (lease->duration != SPAN_UNLIMITED && lease->kind == LEASE_RESERVATION &&
        lease->start + lease->duration <= now) {
        begin_ending(daemon, lease, "its time is over", now);
    } else if (s->of[STANDS_RUNNING] + s->of[STANDS_MOVING] > 0) {
        book_history(daemon->book, lease->id, now, "resumed", "by a user or operator");
        lease->reason_word[0] = lease->reason[0] = '\0';
        set_goal(daemon, lease, GOAL_RUN);
        set_phase(daemon, lease, PHASE_STARTING);
        daemon_replan(daemon, "lease %lld was resumed", (long long)lease->id);
    } else if (s->of[STANDS_PENDING] == s->n) {
        goes_back_to_wait(daemon, lease, "released", now);
    }
}

static bool is_ended_state(const struct daemon *daemon, const struct sight *sight)
{
    switch (daemon->live->end_action) {
    case END_POWEROFF:
        return sight->state == VM_POWEROFF;
    case END_UNDEPLOY:
        return sight->state == VM_UNDEPLOYED;
    default:
        return false;
    }
}

static void reconcile_ending(struct daemon *daemon, struct book_lease *lease,
                             const struct standings *s, int64_t now)
{
    size_t n, over = 0;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    if (s->of[STANDS_UNKNOWN])
        return;
    for (size_t i = 0; i < n; i++) {
        const struct sight *sight = world_sight(daemon->world, vms[i]->id);

        over += vms[i]->gone || (sight && is_ended_state(daemon, sight)) ||
                (sight && sight->state == VM_HOLD);
    }
    if (over == n)
        ended(daemon, lease, "its time is over", now);
}

/* A refused VM that its user released is asked for anew; one that is started after its lease is
 * over is ended again. */
static void reconcile_final(struct daemon *daemon, struct book_lease *lease,
                            const struct standings *s, int64_t now)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    if (s->of[STANDS_UNKNOWN])
        return;
    if (lease->phase != PHASE_ENDED && s->of[STANDS_THEIR_STOP] == s->n &&
        vms[0]->goal == GOAL_HOLD)
        set_goal(daemon, lease, GOAL_NONE);
    else if (lease->phase != PHASE_ENDED && s->of[STANDS_PENDING] == s->n &&
             vms[0]->goal == GOAL_NONE && daemon->live->refusal == REFUSAL_HOLD)
        intake_again(daemon, lease, now);
    else if (lease->phase == PHASE_ENDED && s->of[STANDS_RUNNING] > 0)
        begin_ending(daemon, lease, "it was started after its time was over", now);
}

static void reconcile_lease(struct daemon *daemon, struct book_lease *lease, int64_t now)
{
    struct standings s = {0};
    size_t n, gone_before = 0;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        gone_before += vms[i]->gone;
    for (size_t i = 0; i < n; i++)
        observe_vm(daemon, lease, vms[i], now, &s);
    if (s.n == 0) {
        if (lease->phase == PHASE_ENDING)
            ended(daemon, lease, "its time is over", now);
        else if (lease->phase < PHASE_ENDED)
            ended(daemon, lease, "its VMs were deleted", now);
        return;
    }
    if (s.of[STANDS_GONE] > gone_before && lease->phase != PHASE_GATHERING &&
        lease->phase < PHASE_ENDING)
        daemon_replan(daemon, "lease %lld lost a VM", (long long)lease->id);
    switch (lease->phase) {
    case PHASE_STARTING:
    case PHASE_RUNNING:
        reconcile_active(daemon, lease, &s, now);
        break;
    case PHASE_STOPPING:
        reconcile_stopping(daemon, lease, &s, now);
        break;
    case PHASE_WAITING:
    case PHASE_RESERVED:
        reconcile_waiting(daemon, lease, &s, now);
        break;
    case PHASE_PARKED:
        reconcile_parked(daemon, lease, &s, now);
        break;
    case PHASE_ENDING:
        reconcile_ending(daemon, lease, &s, now);
        break;
    case PHASE_GATHERING:
        break;
    default:
        reconcile_final(daemon, lease, &s, now);
    }
}

/* --- time ------------------------------------------------------------------------------------- */

static bool not_begun(const struct daemon *daemon, const struct book_lease *lease);
static void watch_promise(struct daemon *daemon, struct book_lease *lease, int64_t now);

static void watch_end(struct daemon *daemon, struct book_lease *lease, int64_t now)
{
    int64_t warning = daemon->live->end_warning;
    char when[64];

    if (lease->end == INSTANT_NONE || lease->end == INSTANT_NEVER)
        return;
    if (lease->end <= now && lease->phase == PHASE_STARTING && not_begun(daemon, lease)) {
        watch_promise(daemon, lease, now);
    } else if (lease->end <= now) {
        begin_ending(daemon, lease, "its time is over", now);
    } else if (warning > 0 && !lease->warned && lease->end - warning <= now) {
        time_t end = (time_t)lease->end;
        struct tm local;

        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", localtime_r(&end, &local));
        lease->warned = true;
        snprintf(lease->reason_word, sizeof lease->reason_word, "ends-soon");
        snprintf(lease->reason, sizeof lease->reason, "The lease ends at %s", when);
        book_mark_lease(daemon->book, lease);
        book_history(daemon->book, lease->id, now, "warned", "ends at %s", when);
    }
}

/* A reservation whose time has passed without it. */
static void watch_promise(struct daemon *daemon, struct book_lease *lease, int64_t now)
{
    bool missed = lease->kind == LEASE_RESERVATION
                      ? lease->duration != SPAN_UNLIMITED && lease->start + lease->duration <= now
                      : lease->deadline != INSTANT_NONE && lease->deadline <= now;

    if (missed) {
        planner_gone(daemon->planner, lease->id);
        lease->late = true;
        snprintf(lease->reason_word, sizeof lease->reason_word, "missed");
        snprintf(lease->reason, sizeof lease->reason,
                 "The reservation was missed and is refused: it could not be started during its time");
        set_phase(daemon, lease, PHASE_REFUSED);
        set_goal(daemon, lease, GOAL_HOLD);
        book_history(daemon->book, lease->id, now, "missed", "%s", lease->reason);
        log_error("lease %lld: %s", (long long)lease->id, lease->reason);
    } else if (lease->kind == LEASE_RESERVATION &&
               lease->start + daemon->live->poll_interval < now && !lease->late) {
        lease->late = true;
        book_mark_lease(daemon->book, lease);
        book_history(daemon->book, lease->id, now, "late", "not started %lld s after its start",
                     (long long)(now - lease->start));
        log_warning("lease %lld is late: not started %lld s after its start",
                    (long long)lease->id, (long long)(now - lease->start));
    }
}

void reconcile_give_up(struct daemon *daemon, struct book_lease *lease, const char *why,
                       int64_t now)
{
    planner_gone(daemon->planner, lease->id);
    snprintf(lease->reason_word, sizeof lease->reason_word, "given-up");
    snprintf(lease->reason, sizeof lease->reason, "%s", why);
    set_phase(daemon, lease, PHASE_FAILED);
    set_goal(daemon, lease, GOAL_HOLD);
    book_history(daemon->book, lease->id, now, "given-up", "%s", why);
    log_error("lease %lld is given up: %s", (long long)lease->id, why);
}

void reconcile_revert(struct daemon *daemon, struct book_lease *lease)
{
    bool promised = lease->kind == LEASE_RESERVATION || lease->kind == LEASE_DEADLINE;

    set_goal(daemon, lease, GOAL_NONE);
    set_phase(daemon, lease, promised ? PHASE_RESERVED : PHASE_WAITING);
}

/* Nothing of it has been commanded: where it starts may be thought over. */
static bool not_begun(const struct daemon *daemon, const struct book_lease *lease)
{
    size_t n;
    struct book_vm *const *vms = book_vms_of(daemon->book, lease->id, &n);

    for (size_t i = 0; i < n; i++) {
        const struct sight *sight = world_sight(daemon->world, vms[i]->id);
        enum standing standing = standing_of(daemon, vms[i], sight);

        if (vms[i]->command[0] ||
            (standing != STANDS_PENDING && standing != STANDS_OUR_STOP && standing != STANDS_GONE))
            return false;
    }
    return true;
}

void reconcile_before_replan(struct daemon *daemon)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);

    for (size_t i = 0; i < n; i++)
        if (leases[i]->phase == PHASE_STARTING && not_begun(daemon, leases[i]))
            reconcile_revert(daemon, leases[i]);
}

void reconcile(struct daemon *daemon, int64_t now)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);

    daemon->reconciled = now;
    for (size_t i = 0; i < n; i++)
        reconcile_lease(daemon, leases[i], now);
    for (size_t i = 0; i < n; i++) {
        if (leases[i]->phase == PHASE_RUNNING)
            watch_end(daemon, leases[i], now);
        else if (leases[i]->phase == PHASE_STARTING && leases[i]->kind == LEASE_RESERVATION)
            watch_end(daemon, leases[i], now);
        else if (leases[i]->phase == PHASE_RESERVED)
            watch_promise(daemon, leases[i], now);
    }
}

static void earlier(int64_t *next, int64_t candidate, int64_t now)
{
    if (candidate != INSTANT_NONE && candidate > now && candidate < *next)
        *next = candidate;
}

int64_t reconcile_next_time(const struct daemon *daemon, int64_t now)
{
    size_t n;
    struct book_lease *const *leases = book_leases(daemon->book, &n);
    int64_t next = INSTANT_NEVER;

    for (size_t i = 0; i < n; i++) {
        const struct book_lease *lease = leases[i];

        if (lease->phase == PHASE_RUNNING || lease->phase == PHASE_STARTING) {
            earlier(&next, lease->end, now);
            if (!lease->warned && lease->end != INSTANT_NONE && lease->end != INSTANT_NEVER &&
                daemon->live->end_warning)
                earlier(&next, lease->end - daemon->live->end_warning, now);
        } else if (lease->phase == PHASE_GATHERING) {
            earlier(&next, lease->group_until, now);
        } else if (lease->phase == PHASE_RESERVED && lease->kind == LEASE_RESERVATION &&
                   lease->duration != SPAN_UNLIMITED) {
            earlier(&next, lease->start + lease->duration, now);
        }
    }
    return next;
}

bool reconcile_is_due(const struct daemon *daemon, int64_t now)
{
    return reconcile_next_time(daemon, daemon->reconciled) <= now;
}

int daemon_cancel(struct daemon *daemon, int64_t id, const char *who, struct error *err)
{
    struct book_lease *lease = book_lease(daemon->book, id);
    int64_t now = clock_now();

    if (!lease)
        return error_set(err, ENOENT, "there is no lease %lld", (long long)id);
    if (lease->phase >= PHASE_ENDING)
        return error_set(err, EALREADY, "lease %lld is %s already", (long long)id,
                         phase_name(lease->phase));
    snprintf(lease->reason_word, sizeof lease->reason_word, "cancelled");
    snprintf(lease->reason, sizeof lease->reason, "Cancelled by %s", who);
    begin_ending(daemon, lease, lease->reason, now);
    return 0;
}
