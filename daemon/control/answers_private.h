/* answers_private.h: shared by the files of the answers. */
#pragma once

#include "daemon/control/answers.h"
#include "daemon/control/answers_json.h"
#include "daemon/control/answers_text.h"
#include "daemon/control/revisions.h"

/* Counts of leases. */
struct overview {
    uint64_t changes; /* of the store, when they were counted */
    int64_t until;    /* then a reservation is no longer far ahead */
    size_t in_phase[PHASES], late;
    size_t suspended; /* of those that wait or are reserved: began, and are to go on */
    json_t *far;      /* reservations far ahead */
};

/* The waiting leases in the order of the queue. */
struct answered_queue {
    uint64_t changes; /* of the store, when it was made */
    int64_t now;
    int64_t *ids; /* NULL: not known yet */
    size_t n, allocated;
};

/* What has changed of the leases in memory. */
struct revised_leases {
    struct revisions revisions; /* QUEUE_ITEM: the order of the queue */
    int64_t now;                /* when they were looked at */
    uint64_t stirs;             /* of the store then */
    int64_t due;                /* when one of them is shown differently by then */
};

enum { QUEUE_ITEM = -1 };

struct answers {
    struct store *store;
    const struct answers_daemon *daemon;
    struct overview *overview;
    uint64_t n_orders; /* requests that may change something */
    struct answered_queue *queue;
    struct revised_leases *leases;
    struct revisions *hosts;
};

/* A request being answered. */
struct question {
    const struct answers *answers;
    const struct control_peer *peer;
    const json_t *request;
    int64_t now;
    const char *user, *session; /* of OpenNebula, for whom a trusted peer asks; NULL: for itself */
    bool of_operator;           /* may do everything: asked by a trusted peer for itself, or for one
                                    whom it knows to be an operator */
};

typedef json_t *answer_function(const struct question *question);

json_t *answer_lease_list(const struct question *question);
json_t *answer_lease_show(const struct question *question);
json_t *answer_lease_why(const struct question *question);
json_t *answer_lease_trace(const struct question *question);
json_t *answer_lease_history(const struct question *question);
json_t *answer_queue(const struct question *question);
json_t *answer_lease_cancel(const struct question *question);
json_t *answer_lease_hold(const struct question *question);
json_t *answer_lease_release(const struct question *question);
json_t *answer_lease_change(const struct question *question);
json_t *answer_lease_request(const struct question *question);
json_t *answer_host_list(const struct question *question);
json_t *answer_host_timeline(const struct question *question);
json_t *answer_usage(const struct question *question);
json_t *answer_status(const struct question *question);
json_t *answer_log_levels(const struct question *question);
json_t *answer_log_set(const struct question *question);
json_t *answer_wake(const struct question *question);
json_t *answer_reload_policies(const struct question *question);
json_t *answer_host_drain(const struct question *question);
json_t *answer_host_book(const struct question *question);
json_t *answer_host_undrain(const struct question *question);
json_t *answer_host_unbook(const struct question *question);
json_t *answer_booking_list(const struct question *question);
json_t *answer_host_rebalance(const struct question *question);
json_t *answer_host_release(const struct question *question);
json_t *answer_enable_policy(const struct question *question);

/* A lease in memory, as lists show it; `position`: in the queue, or 0. */
struct shown_lease answers_view(const struct question *question, const struct lease_record *lease,
                                size_t position);

/* The VMs of a lease that is no longer in memory, by ascending id. */
struct past_members {
    struct vm_record *items;
    const struct vm_record **pointers; /* to them */
    size_t n, allocated;
};

/* -1 with err; to be finished in any case. */
int past_members_read(struct past_members *vms, const struct question *question, int64_t lease,
                      struct error *err);
void past_members_finish(struct past_members *vms);

/* By what the queue is ordered. */
struct queue_order {
    const struct store *store;
    struct fair_share *shares; /* NULL: none; to be destroyed */
    int64_t now;
};

struct queue_order queue_order_begin(const struct question *question);
struct share *queue_share_of(const struct queue_order *order, const struct lease_record *lease);
/* Sorted once for all who ask in this second, unless something changes. */
const struct answered_queue *answers_queue(const struct question *question);

struct overview *overview_create(void);
void overview_destroy(struct overview *overview);
/* O(1) as long as no lease or VM changes, else O(leases). */
const struct overview *overview_look(const struct question *question);

/* The hosts that are drained, now or later, as in "host-list". As
 * answers_daemon.each_host(), and O(VMs) for each of them. */
json_t *answers_drains(const struct question *question);
/* The booking of a request, to be finished; an empty name: it has none. Returns the answer with
 * the error, or NULL. */
json_t *answers_read_booking(const struct question *question, struct booking *booking);
/* Bookings, and whom they admit: all, or those that concern the caller. */
json_t *answers_bookings(const struct question *question);
/* The user who is not an operator, for whom the request is made; else NULL. */
const char *answers_plain_user(const struct question *question);
/* Adds what an order does to an answer. */
void answers_put_drains(json_t *answer, const struct drain_result *result);

/* The author of the request, for the history: "anna (uid 1000)", "anna (OpenNebula)". */
void answers_peer(const struct question *question, char *text, size_t size);

/* {"ok": true, "schema": schema, "now": ...}, and "outdated" if it may be. */
json_t *answer_begin(const struct question *question, const char *schema);
/* Adds the list's revision, and the one since which the changes follow; NULL: all follows. */
void answers_put_revision(json_t *answer, const struct revisions *revisions, const char *since);
json_t *answer_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A field of a request, an integer, a text or a time. NULL: valid, *there tells whether it was
 * given, *instant stays if it was not; else the answer with the error. */
json_t *question_number(const struct question *question, const char *field, int64_t high,
                        int64_t *number, bool *there);
json_t *question_time(const struct question *question, const char *field, int64_t *instant);
json_t *question_text(const struct question *question, const char *field, const char **text);
