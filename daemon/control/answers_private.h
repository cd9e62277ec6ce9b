/* answers_private.h: shared by the files of the answers. */
#pragma once

#include "daemon/control/answers.h"
#include "daemon/control/jansson_values.h"
#include "daemon/control/json_values.h"
#include "daemon/control/lease_json.h"
#include "daemon/control/revisions.h"

/* Counts of leases. */
struct overview {
    uint64_t changes; /* the store's change count at that time */
    int64_t until;    /* when the first reservation is no longer far ahead */
    size_t in_phase[PHASES], late;
    size_t suspended; /* waiting or reserved leases that are suspended and will be resumed */
    json_t *far;      /* reservations far ahead */
};

/* The waiting leases in the order of the queue. */
struct answered_queue {
    uint64_t changes; /* the store's change count at that time */
    int64_t now;
    bool by_shares; /* the order may change with the time */
    int64_t *ids;   /* NULL: not computed yet */
    size_t n, allocated;
};

/* The changes of leases in memory. */
struct revised_leases {
    struct revisions revisions; /* item QUEUE_ITEM: the order of the queue */
    int64_t now;                /* time of the last review */
    uint64_t stirs;             /* the store's count of stirs at that time */
    int64_t due;                /* when the display of a lease changes by itself */
};

enum { QUEUE_ITEM = -1 };

struct answers {
    struct store *store;
    const struct answers_daemon *daemon;
    struct overview *overview;
    uint64_t n_orders; /* number of requests that may have changed something */
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
    const char *user, *session; /* of OpenNebula, if a trusted peer makes the request for a user;
                                   NULL: for itself */
    bool of_operator;           /* everything is allowed: a trusted peer makes the request for
                                   itself, or for an operator */
};

typedef json_t *answer_function(const struct question *question);

answer_function answer_lease_list, answer_lease_show, answer_lease_why, answer_lease_trace,
    answer_lease_history, answer_queue, answer_lease_cancel, answer_lease_hold,
    answer_lease_release, answer_lease_change, answer_lease_request, answer_host_list,
    answer_host_timeline, answer_usage, answer_status, answer_log_levels, answer_log_set,
    answer_wake, answer_reload_policies, answer_host_drain, answer_host_book, answer_host_undrain,
    answer_host_unbook, answer_booking_list, answer_host_rebalance, answer_host_release,
    answer_enable_policy;

/* The view of a lease in memory for lists; `position`: in the queue, or 0. */
struct shown_lease answers_view(const struct question *question, const struct lease_record *lease,
                                size_t position);

/* The VMs of a lease that is no longer in memory, by ascending id. */
struct past_members {
    struct vm_record *items;
    const struct vm_record **pointers; /* to the items */
    size_t n, allocated;
};

/* -1 with err; the caller must finish `vms` in any case. */
int past_members_read(struct past_members *vms, const struct question *question, int64_t lease,
                      struct error *err);
void past_members_finish(struct past_members *vms);

/* The criteria that order the queue. */
struct queue_order {
    const struct store *store;
    struct fair_share *shares; /* NULL: none; to be destroyed */
    int64_t now;
};

struct queue_order queue_order_begin(const struct question *question);
struct share *queue_share_of(const struct queue_order *order, const struct lease_record *lease);
/* Can no host hold the waiting lease at present? It delays no other lease, whatever its priority
 * and age.
 */
bool queue_lets_others_pass(const struct lease_record *lease);
/* The queue, sorted again after changes, and with fair share after a second. */
const struct answered_queue *answers_queue(const struct question *question);

struct overview *overview_create(void);
void overview_destroy(struct overview *overview);
/* O(1) while no lease or VM changes, else O(leases). */
const struct overview *overview_look(const struct question *question);

/* The hosts that are drained now or later, as in "host-list". Costs as answers_daemon.each_host(),
 * plus O(VMs) for each host. */
json_t *answers_drains(const struct question *question);
/* Read the booking of a request, to be finished; an empty name: there is none. Returns the answer
 * with the error, or NULL. */
json_t *answers_read_booking(const struct question *question, struct booking *booking);
/* Bookings with their admitted users and groups: all, or those that concern the caller. */
json_t *answers_bookings(const struct question *question);
/* The user of the request unless an operator; else NULL. */
const char *answers_plain_user(const struct question *question);
/* Add the effects of an order to an answer. */
json_t *answers_ids(const int32_t *hosts, size_t n);
/* Names that are separated by commas, as a list. */
json_t *answers_split_names(const char *names);
void answers_put_drains(json_t *answer, const struct drain_result *result);

/* The author of the request, for the history: "anna (uid 1000)", "anna (OpenNebula)". */
void answers_peer(const struct question *question, char *text, size_t size);

/* Begin an answer: {"ok": true, "schema": schema, "now": ...}, and "outdated" if the data may be.
 * As text, for frequent and long answers: the members are added with the writer, then the result is
 * a JSON string with the text, for control.h, or the error. */
void answer_text_begin(struct json_writer *writer, const struct question *question,
                       const char *schema);
json_t *answer_text_end(struct json_writer *writer);
json_t *answer_text_fail(struct json_writer *writer, const struct error *err);
json_t *answer_begin(const struct question *question, const char *schema);
/* Add the list's revision, and the revision whose later changes the answer lists; since: NULL: the
 * answer lists everything. */
void answers_put_revision(struct json_writer *writer, const struct revisions *revisions,
                          const char *since);
json_t *answer_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A field of a request: an integer, a time or a text. NULL: the field is valid, or missing: then
 * *there is false and *instant unchanged. Otherwise the answer with the error. */
json_t *question_number(const struct question *question, const char *field, int64_t high,
                        int64_t *number, bool *there);
json_t *question_time(const struct question *question, const char *field, int64_t *instant);
json_t *question_text(const struct question *question, const char *field, const char **text);

/* The answer for a lease that does not exist; `otherwise` follows unless a VM has the number. */
json_t *answers_no_lease(const struct question *question, int64_t id, const char *otherwise);

struct wanted_host {
    int64_t id;
    const char *name;
};

/* Finds the host that a value of the request names or numbers. NULL, or the answer with the error.
 */
json_t *answers_match_host(const struct question *question, const json_t *host,
                           struct wanted_host *wanted);
