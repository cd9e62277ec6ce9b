/* Keeps notices in the store, and hands them over by processes. */
#include "daemon/notify/notices.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/notify/events_log.h"
#include "daemon/notify/handing_over.h"
#include "daemon/notify/notice.h"
#include "util/crash_point.h"
#include "util/instant.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_NOTICES

enum {
    NOTICES_MOST = 10000,   /* stored at once */
    PAUSE_MOST = 3600,      /* seconds between attempts */
    END_PATIENCE = 5 * 1000 /* milliseconds */
};

/* A line of the history that needs a notice. */
struct line {
    int64_t lease, at;
    enum notice_event event;
    const char *before; /* a sentence before the lease's activity, or "" */
};

struct notices {
    struct daemon *daemon;
    struct line *lines;
    size_t n_lines, lines_allocated;
    struct notice *items; /* in the order of their numbers */
    size_t n, allocated;
    struct handing_over processes[NOTICES_FDS];
    int64_t numbers[NOTICES_FDS]; /* of the notice of each process */
    int64_t due[NOTICES_FDS];     /* of the marked notices */
    size_t n_due;
    bool is_full; /* already logged */
};

/* --- in the store ----------------------------------------------------------------------------- */

static void write_notice(const struct notices *notices, const struct notice *notice)
{
    char name[NOTICE_NAME_MAX], *text = notice_to_text(notice);

    store_set_fact(notices->daemon->store, notice_name(notice->number, name), text);
    free(text);
}

static struct notice *add(struct notices *notices)
{
    MEMORY_GROW(notices->items, notices->allocated, notices->n + 1);
    notices->items[notices->n] = (struct notice){0};
    return &notices->items[notices->n++];
}

static void drop(struct notices *notices, struct notice *notice)
{
    size_t i = (size_t)(notice - notices->items);
    char name[NOTICE_NAME_MAX];

    store_set_fact(notices->daemon->store, notice_name(notice->number, name), NULL);
    notice_finish(notice);
    memmove(notice, notice + 1, (--notices->n - i) * sizeof *notice);
}

static void recall(void *context, const char *name, const char *value)
{
    struct notices *notices = context;
    struct notice notice;

    if (notice_from_text(&notice, name, value) == 0)
        *add(notices) = notice;
}

/* Notices that were being handed over when galernad ended may have arrived. */
static void drop_unknown(struct notices *notices)
{
    for (size_t i = notices->n; i-- > 0;) {
        struct notice *notice = &notices->items[i];

        if (!notice->is_being_sent)
            continue;
        log_warning_of(notice_lease(notice), -1,
                       "lease %" PRId64 ": the notice '%s' for [notify %s] may not have arrived: "
                       "galernad ended while handing it over",
                       notice_lease(notice), notice_event_of(notice), notice->target);
        drop(notices, notice);
    }
}

/* --- from the history ------------------------------------------------------------------------- */

static bool event_of(const struct store *store, const struct store_event *known, struct line *line)
{
    static const struct {
        const char *word;
        enum notice_event event;
        const char *before;
    } words[] = {{"running", NOTICE_START, ""},
                 {"warned", NOTICE_END, ""},
                 {"unused", NOTICE_END, ""},
                 {"preempted", NOTICE_PREEMPTION, ""},
                 {"kept", NOTICE_PREEMPTION, "It keeps its hosts after all. "},
                 {"refused", NOTICE_REFUSAL, ""},
                 {"late", NOTICE_LATE, ""},
                 {"missed", NOTICE_LATE, ""},
                 {"deadline-passed", NOTICE_LATE, ""},
                 {"changed", NOTICE_CHANGE, "Changed. "},
                 {"ended", NOTICE_ENDED, ""},
                 {"given-up", NOTICE_ENDED, ""}};
    const struct lease_record *lease = store_lease(store, known->lease);

    for (size_t i = 0; lease && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, known->event) == 0) {
            line->event = words[i].event;
            line->before = words[i].before;
            /* A resumption does not count as a start. */
            return line->event != NOTICE_START || lease->accumulated == 0;
        }
    return false;
}

/* While another front-end leads, its galernad gives notice. A dry run gives none. */
static void happened(void *context, const struct store_event *event)
{
    struct notices *notices = context;
    struct line line = {.lease = event->lease, .at = event->at};

    if (daemon_follows(notices->daemon))
        notices->n_lines = 0;
    if (daemon_follows(notices->daemon) || notices->daemon->live->dry_run ||
        notify_targets(notices->daemon->notify) == 0 ||
        !event_of(notices->daemon->store, event, &line))
        return;
    MEMORY_GROW(notices->lines, notices->lines_allocated, notices->n_lines + 1);
    notices->lines[notices->n_lines++] = line;
}

struct making {
    struct notices *notices;
    const struct notify_target *target;
    const struct lease_record *lease;
    json_t *content;
    size_t first; /* the first notice about this line */
};

/* Has the address already got a notice about this line? */
static bool is_known(const struct making *making, const char *to)
{
    const struct notices *notices = making->notices;

    for (size_t i = making->first; *to && i < notices->n; i++)
        if (strcasecmp(notices->items[i].to, to) == 0)
            return true;
    return false;
}

static void make(void *context, const char *to)
{
    struct making *making = context;
    struct notices *notices = making->notices;
    struct notice *notice;

    if (is_known(making, to))
        return;
    if (notices->n >= NOTICES_MOST) {
        if (!notices->is_full)
            log_error("%d notices are waiting to be handed over: dropping further ones",
                      NOTICES_MOST);
        notices->is_full = true;
        return;
    }
    notices->is_full = false;
    notice = add(notices);
    notice->number = notice_next_number(notices->daemon->store);
    notice->target = memory_text(making->target->name);
    notice->to = memory_text(to);
    notice->content = json_deep_copy(making->content);
    notice_identify(notice, notices->daemon->store);
    write_notice(notices, notice);
}

static void make_all(struct notices *notices, const struct line *line)
{
    const struct daemon *daemon = notices->daemon;
    struct making making = {
        .notices = notices, .lease = store_lease(daemon->store, line->lease), .first = notices->n};

    if (!making.lease)
        return;
    making.content =
        notice_content(daemon->store, making.lease, line->event, line->at, line->before);
    for (size_t i = 0; i < notify_targets(daemon->notify); i++) {
        making.target = notify_target(daemon->notify, i);
        if (making.target->events & UINT32_C(1) << line->event)
            notice_each_receiver(making.target, making.lease, world_site(daemon->world), make,
                                 &making);
    }
    json_decref(making.content);
}

void notices_keep(struct notices *notices)
{
    if (!notices || !daemon_acts(notices->daemon))
        return;
    for (size_t i = 0; i < notices->n_lines; i++)
        make_all(notices, &notices->lines[i]);
    notices->n_lines = 0;
}

/* --- handing over ----------------------------------------------------------------------------- */

static struct notice *find(const struct notices *notices, int64_t number)
{
    for (size_t i = 0; i < notices->n; i++)
        if (notices->items[i].number == number)
            return &notices->items[i];
    return NULL;
}

static void give_up(struct notices *notices, struct notice *notice, const char *why)
{
    log_warning_of(notice_lease(notice), -1,
                   "lease %" PRId64 ": the notice '%s' could not be handed over by [notify %s]: %s",
                   notice_lease(notice), notice_event_of(notice), notice->target, why);
    if (store_lease(notices->daemon->store, notice_lease(notice)))
        store_history(notices->daemon->store, notice_lease(notice), clock_now(), "notice-failed",
                      "'%s' by [notify %s]: %s", notice_event_of(notice), notice->target, why);
    drop(notices, notice);
}

static void try_later(struct notices *notices, struct notice *notice, const char *why)
{
    const struct notify_target *target =
        notify_target_named(notices->daemon->notify, notice->target);
    int doublings = notice->attempts < 12 ? notice->attempts : 12;
    int64_t pause;

    notice->is_being_sent = false;
    notice->attempts++;
    if (!target || notice->attempts >= target->retry_limit) {
        give_up(notices, notice, why);
        return;
    }
    pause = target->retry_pause << doublings;
    notice->next = clock_now() + (pause < PAUSE_MOST ? pause : PAUSE_MOST);
    log_info_of(notice_lease(notice), -1,
                "lease %" PRId64 ": retrying the notice '%s' by [notify %s]: %s",
                notice_lease(notice), notice_event_of(notice), notice->target, why);
    write_notice(notices, notice);
}

static void conclude(struct notices *notices, struct notice *notice, enum notify_end end,
                     const char *why)
{
    switch (end) {
    case NOTIFY_DONE:
        log_debug_of(notice_lease(notice), -1,
                     "lease %" PRId64 ": the notice '%s' was handed over by [notify %s]",
                     notice_lease(notice), notice_event_of(notice), notice->target);
        drop(notices, notice);
        break;
    case NOTIFY_AGAIN:
        try_later(notices, notice, why);
        break;
    default:
        give_up(notices, notice, why);
        break;
    }
}

/* True: changes are to be committed. */
static bool see_processes(struct notices *notices)
{
    bool ended = false;

    for (size_t i = 0; i < NOTICES_FDS; i++) {
        struct error err = {0};
        enum notify_end end;

        if (!notices->processes[i].pid || !handing_over_ended(&notices->processes[i], &end, &err))
            continue;
        crash_point("notice handed over");
        conclude(notices, find(notices, notices->numbers[i]), end, err.text);
        ended = true;
    }
    return ended;
}

static struct handing_over *free_process(struct notices *notices)
{
    for (size_t i = 0; i < NOTICES_FDS; i++)
        if (!notices->processes[i].pid)
            return &notices->processes[i];
    return NULL;
}

static void start(struct notices *notices, struct notice *notice)
{
    struct handing_over *process = free_process(notices);
    const struct notify_target *target =
        notify_target_named(notices->daemon->notify, notice->target);
    json_t *job;
    struct error err = {0};

    if (!target) {
        give_up(notices, notice, "the configuration no longer has this section");
        return;
    }
    job = notice_job(notice, target);
    notices->numbers[process - notices->processes] = notice->number;
    if (handing_over_start(process, job, &err) < 0)
        try_later(notices, notice, err.text);
    json_decref(job);
    crash_point("notice begun");
}

bool notices_mark(struct notices *notices)
{
    int64_t now = clock_now();
    bool ended = see_processes(notices);
    size_t n_free = 0;

    for (size_t i = 0; i < NOTICES_FDS; i++)
        n_free += !notices->processes[i].pid;
    notices->n_due = 0;
    for (size_t i = 0; i < notices->n && notices->n_due < n_free; i++) {
        struct notice *notice = &notices->items[i];

        if (notice->is_being_sent || notice->next > now)
            continue;
        notice->is_being_sent = true;
        write_notice(notices, notice);
        notices->due[notices->n_due++] = notice->number;
    }
    return ended || notices->n_due > 0;
}

void notices_hand_over(struct notices *notices, const char *failure)
{
    if (!failure)
        crash_point("notice marked");
    for (size_t i = 0; i < notices->n_due; i++) {
        struct notice *notice = find(notices, notices->due[i]);

        if (failure)
            try_later(notices, notice, failure);
        else
            start(notices, notice);
    }
}

int64_t notices_next_time(const struct notices *notices)
{
    int64_t next = INSTANT_NEVER;
    bool has_room = false;

    for (size_t i = 0; i < NOTICES_FDS; i++)
        has_room = has_room || !notices->processes[i].pid;
    for (size_t i = 0; i < notices->n && has_room; i++)
        if (!notices->items[i].is_being_sent && notices->items[i].next < next)
            next = notices->items[i].next;
    return next;
}

unsigned notices_waitfds(const struct notices *notices, struct pollfd *fds)
{
    unsigned n = 0;

    for (size_t i = 0; i < NOTICES_FDS; i++)
        if (notices->processes[i].pid)
            fds[n++] = (struct pollfd){.fd = notices->processes[i].errors, .events = POLLIN};
    return n;
}

/* --- beginning and end ------------------------------------------------------------------------ */

struct notices *notices_create(struct daemon *daemon)
{
    struct notices *notices = memory_new(1, sizeof *notices);

    notices->daemon = daemon;
    store_each_fact(daemon->store, NOTICE_FACT, recall, notices);
    drop_unknown(notices);
    store_listen(daemon->store, happened, notices);
    events_log_begin(daemon->store);
    return notices;
}

void notices_end(struct notices *notices)
{
    int64_t until = clock_monotonic() + END_PATIENCE, left;
    struct pollfd fds[NOTICES_FDS];
    unsigned n;

    if (!notices)
        return;
    while ((n = notices_waitfds(notices, fds)) > 0 && (left = until - clock_monotonic()) > 0) {
        poll(fds, n, (int)left);
        see_processes(notices);
    }
}

void notices_destroy(struct notices *notices)
{
    if (!notices)
        return;
    store_ignore(notices->daemon->store, notices);
    for (size_t i = 0; i < notices->n; i++)
        notice_finish(&notices->items[i]);
    free(notices->items);
    free(notices->lines);
    free(notices);
}
