/* answers_text.h: JSON written as text.
 *
 * A list of 10,000 leases as objects of jansson takes 130 ms to make, write and free; the daemon's
 * one thread stands still meanwhile. As text it is a matter of copying bytes.
 */
#ifndef GALERNA_DAEMON_ANSWERS_TEXT_H
#define GALERNA_DAEMON_ANSWERS_TEXT_H

#include <jansson.h>

#include "daemon/store/store.h"
#include "util/json_writer.h"

/* A lease and what is known of it beside its record. */
struct shown_lease {
    const struct lease_record *lease;
    const struct vm_record *const *vms; /* NULL: not known */
    size_t n_vms;
    size_t position; /* in the queue; 0: not in it */
    int64_t began;   /* of a lease that is over: when it first ran; INSTANT_NONE */
};

/* What lists show of a lease, as an object. About 2 us. */
void json_write_lease(struct json_writer *writer, const struct shown_lease *view, int64_t now);

/* The answer `head` with one member more: an array of the values that were written to `list`, an
 * output in memory. It is a JSON string that holds the whole answer's text, as control.h takes it;
 * takes the reference to head, and the list. */
json_t *answer_with_list(json_t *head, const char *name, struct output *list);

#endif
