/* services_question.h: requests on the control socket that the planner answers.
 *
 * Such a request is postponed. When the planner has replied, it is handled again from its
 * beginning, with the reply in daemon->question.
 */
#pragma once

#include "daemon/control/answers.h"
#include "daemon/live/daemon.h"
#include "daemon/notify/commit.h"

/* Progress of the answer to a change of a lease. */
struct change_search {
    enum {
        CHANGE_WANTED,     /* trying the change itself */
        CHANGE_LONGEST,    /* refused: a binary search for the longest duration */
        CHANGE_NEXT_START, /* refused: searching for a later start */
        CHANGE_CHECK,      /* trying the start that was found */
        CHANGE_RESIZED,    /* accepted, and the VMs have the new size */
    } stage;
    unsigned asked;
    int64_t fits, fails, tried; /* durations */
    int64_t cpu, memory;        /* of each VM, as requested; 0: unchanged */
    struct lease_trial judged;  /* result of the change itself */
};

/* Progress of the search for hosts to drain or book. */
struct drain_search {
    int32_t *hosts; /* hosts of the current try; NULL: none yet. Owned */
    size_t n_hosts;
    int64_t from; /* start of the current try */
    unsigned asked;
    bool is_refused; /* the order itself is refused for this reason; alternatives are tried */
    char word[STORE_GROUP_MAX], text[STORE_TEXT_MAX];
};

/* A request that is handled again when the planner has replied. */
struct services_question {
    struct daemon *daemon;
    struct control_peer peer;
    json_t *request;
    uint64_t plans; /* number of plans begun when it was postponed */
    bool is_stale;  /* a plan was in progress at that time */
    bool is_answered;
    const struct planner_trial *trial;
    const struct planned_operation *operations;
    size_t n_operations;
    const struct planner_drains *drained;
    struct drain_search drains;
    const struct planner_change *change;
    struct account *account; /* read for this request */
    struct change_search search;
    /* For a question that comes from a VM's attribute instead of a request: called to handle it
     * again. */
    void (*again)(struct daemon *daemon);
    int32_t vm;
    struct lease_change wanted;
    char asked[STORE_ASKED_MAX]; /* the attribute's value */
    int64_t gives_up; /* monotonic milliseconds: when to stop waiting for templates; 0: has not
                         waited */
    struct error err; /* the planner's failure */
};

/* A copy of the question being handled, as the context of a question to the planner. */
struct services_question *services_put_off(const struct services_question *question);
/* Has a plan been made since then? The planner's reply ignores the promises of that plan. */
bool services_is_outdated(const struct services_question *question);
/* Finish sending a question. asked: 0, or -1 with err: then the question is dropped. Returns -1,
 * with EINPROGRESS if the question was sent. */
int services_later(struct services_question *question, int asked, struct error *err);
/* Handle the request again, from its first stage. */
void services_resume(struct services_question *question);
/* Discard a question without an answer. */
void services_drop(struct services_question *question);
/* Handle a question again after the planner's reply. err: the planner failed; or NULL. */
void services_handle_again(struct services_question *question, const struct error *err);
/* The same, after a change was tried or traced; the context is a services_question. */
void services_judged(void *context, const struct planner_change *change, const struct error *err);

/* --- services_templates.c: requests that wait for templates of VMs --- */
/* Wait for the templates of the VMs on these hosts, or of the lease's VMs on hold. 0: they are
 * known, or the wait took too long. -1 with EINPROGRESS: the request is handled again later;
 * EAGAIN: another request waits. Takes ownership of `asked` in any case. O(VMs). */
int services_await_templates(struct daemon *daemon, struct asked_hosts *asked, struct error *err);
/* After a poll of OpenNebula: continue the request that waits, also if the poll failed. */
void services_templates_read(struct daemon *daemon);
/* For services_finish(). */
void services_templates_forget(struct daemon *daemon);

/* --- services_store.c: changes while the store may not be writable --- */
/* Before a change. -1 with EAGAIN: it could not be kept, as long as the disk is full, for example.
 */
int services_check_store(const struct daemon *daemon, struct error *err);
/* After a change, which must be durable before it is reported. -1 with EAGAIN: it has been made,
 * and is written by the first commit that succeeds. */
int services_commit(struct daemon *daemon, struct error *err);

/* --- services_request.c: creating the VMs of leases --- */
/* Answer the requests whose VMs have been seen, or should have been. O(such requests). */
void services_answer_requests(struct daemon *daemon);
/* For services_finish(). */
void services_requests_forget(struct daemon *daemon);

/* --- services_hosts.c: showing hosts, for answers --- */
void services_each_host(void *context, int32_t which,
                        void (*visit)(void *visitor, const struct host_view *host), void *visitor);
const char *services_host_name(void *context, const char *name, int64_t *id);
/* "on", "disabled", ... */
const char *services_host_word(enum host_state state);
/* For services_finish(). */
void services_hosts_forget(struct daemon *daemon);

/* --- services_drain.c: draining hosts, for answers --- */
int services_drain(void *context, const struct drain_order *order, const char *who,
                   const struct drain_viewer *viewer, struct error *err);
int services_undrain(void *context, const struct undrain_order *order, const char *who,
                     struct error *err);

/* --- services_drain_trial.c: the planner's answers about drains --- */
/* The drains, with those of the order, to be finished. A booking keeps its owner. */
void services_add_drains(const struct daemon *daemon, const struct drain_order *order,
                         struct drains *drains);
/* Ask the planner for the effects of these drains. -1 with EINPROGRESS, or another error. */
int services_try_drains(struct daemon *daemon, const struct drains *drains, struct error *err);
/* The planner's answer about VMs on these hosts, to be freed. */
struct drained_vm *services_drained(const struct services_question *question, const int32_t *hosts,
                                    size_t n_hosts, size_t *n);

/* --- services_drains.c: showing the drains of a host, for answers --- */
/* The current and future drains of a host, ascending; returns their number. */
size_t services_drains_of(const struct daemon *daemon, int32_t host,
                          struct drain_times times[DRAINS_OF_HOST_MOST]);
/* Visit the drains of a host as operations. */
void services_visit_drains(const struct daemon *daemon, int32_t host,
                           void (*visit)(void *visitor, const struct operation_view *operation),
                           void *visitor);
/* The state of a host in that drain: "drained", "booked", ... used: VMs are on the host. */
const char *services_drain_word(const struct drain *drain, bool used);

/* --- services_booking.c: owners, rights and ends of bookings, for answers --- */
/* May the user change that booking? */
int services_check_owner(const struct daemon *daemon, const char *name, const char *user,
                         struct error *err);
/* Do [rights] allow a user's order? False: `rule` gives the reason. */
bool services_may_book(const struct daemon *daemon, const struct drain_order *order,
                       char rule[LEASE_SPEC_TEXT_MAX]);
int services_unbook(void *context, const struct unbook_order *order, const char *who,
                    const struct drain_viewer *viewer, struct error *err);
void services_each_booking(void *context, const char *user,
                           void (*visit)(void *visitor, const struct booking *booking),
                           void *visitor);

/* --- services_booking_hosts.c: the hosts of an order --- */
/* Choose the hosts for the first question to the planner, then for the next one: an alternative to
 * an order that does not fit. False: there is none. */
bool services_first_hosts(const struct daemon *daemon, const struct drain_order *order);
bool services_next_hosts(const struct daemon *daemon, const struct drain_order *order);
/* Note why the order itself is refused: alternatives are tried next. */
void services_refuse(const struct daemon *daemon, const char *word, const char *text);
/* The order with the chosen hosts, at the chosen time. */
struct drain_order services_tried_order(const struct daemon *daemon,
                                        const struct drain_order *order);
/* By the planner's answer: does the order affect only leases that it may affect? */
bool services_order_fits(const struct daemon *daemon, const struct drain_order *order);
void services_show_refusal(const struct daemon *daemon, const struct drain_order *order,
                           const struct drain_viewer *viewer);

/* --- services_change.c: changing leases, for answers --- */
int services_change(void *context, const struct change_order *order, struct lease_trial *trial,
                    struct error *err);
/* Why the change was refused, or what the plan says of the lease: its word and its sentence. */
const char *services_why(const struct daemon *daemon, const struct planner_change *change,
                         char *text, size_t size);
int services_hold(void *context, int64_t id, const char *who, struct error *err);

/* --- services_resize.c: VMs of another size --- */
/* Does the change alter the size of a VM of the lease? */
bool services_resizes(const struct daemon *daemon, const struct lease_record *lease,
                      const struct lease_change *change);
/* "cpu 2 instead of 1, ...", for the first VM; "": no change. */
void services_resize_text(const struct daemon *daemon, const struct lease_record *lease,
                          const struct lease_change *change, char *text, size_t size);
/* Resize all VMs of the lease, or none; the change has been accepted. The request is handled again
 * afterwards, at CHANGE_RESIZED. Returns -1, with EINPROGRESS. */
int services_resize(struct daemon *daemon, const struct lease_record *lease,
                    const struct lease_change *change, const struct lease_trial *judged,
                    struct error *err);

/* --- services_attribute.c: changes of leases by VMs' attributes --- */
/* Handle changed attributes. Call it after reading VMs, before their extended forms are dropped. */
void services_attributes(struct daemon *daemon, int64_t now);

/* --- services_usage.c: usage of users and groups, for answers --- */
/* Reads the store in pieces, one in each turn of the loop. */
struct account_row *services_usage(void *context, struct account_period *period, size_t *n,
                                   struct error *err);
/* Read a piece of the first account, if there is one. Takes some milliseconds. */
void services_usage_go_on(struct daemon *daemon);
/* For services_finish(). */
void services_usage_forget(struct daemon *daemon);

/* --- services_trace.c: explaining decisions, for answers --- */
int services_trace(void *context, int64_t id, json_t *trace, struct error *err);

/* --- services_timeline.c: operations on a host, for answers --- */
int services_each_operation(void *context, int32_t host,
                            void (*visit)(void *visitor, const struct operation_view *operation),
                            void *visitor, struct error *err);

/* --- services_rebalance.c: rebalancing clusters, for answers --- */
int services_rebalance(void *context, const struct rebalance_order *order, const char *who,
                       void (*show)(void *viewer, const struct rebalance_view *plan), void *viewer,
                       struct error *err);
