/* notice.h: one notice for one receiver: its content, and its form in the store. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/notify/settings.h"
#include "daemon/state/world.h"
#include "daemon/store/store.h"

#define NOTICE_FACT "notice " /* prefix of the facts' names */
enum { NOTICE_NAME_MAX = 40 };

struct notice {
    int64_t number;
    char *target;    /* the section's name */
    char *to;        /* an address; "" for webhooks and programs */
    json_t *content; /* sent to receivers */
    int attempts;    /* failed attempts */
    int64_t next;    /* seconds since 1970: not before */
    bool is_being_sent;
};

void notice_finish(struct notice *notice);

/* The next notice number; stored. */
int64_t notice_next_number(struct store *store);
/* The name of a notice's fact, also written to `name`. */
const char *notice_name(int64_t number, char name[NOTICE_NAME_MAX]);
/* The fact's text; to be freed. */
char *notice_to_text(const struct notice *notice);
/* -1: the fact is not a notice. */
int notice_from_text(struct notice *notice, const char *name, const char *text);

/* The JSON object of a notice about a lease. `before`: a short sentence to precede the lease's
 * activity, or "". A new reference. */
json_t *notice_content(const struct store *store, const struct lease_record *lease,
                       enum notice_event event, int64_t at, const char *before);
/* Adds a unique id to the content of the notice. */
void notice_identify(struct notice *notice, const struct store *store);

int64_t notice_lease(const struct notice *notice);
const char *notice_event_of(const struct notice *notice);

/* The job for galerna-notify. A new reference. */
json_t *notice_job(const struct notice *notice, const struct notify_target *target);

/* Calls `visit` for each receiver; for mail, for each address. The owner's address is the attribute
 * GALERNA_EMAIL, else EMAIL, of the user's template; without a valid one the owner gets no mail. */
void notice_each_receiver(const struct notify_target *target, const struct lease_record *lease,
                          const struct site_seen *site,
                          void (*visit)(void *context, const char *to), void *context);
