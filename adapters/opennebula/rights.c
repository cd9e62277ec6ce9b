/* Checks requests by the rights of their users. */
#include "adapters/opennebula/rights.h"

#include <stdio.h>

#include "adapters/opennebula/rights_inside.h"
#include "adapters/opennebula/rights_share.h"
#include "core/reason_details.h"

static int refuse(char reason[LEASE_SPEC_TEXT_MAX], struct detail detail)
{
    reason[0] = '\0';
    details_add(reason, LEASE_SPEC_TEXT_MAX, &(struct detail){.id = DETAIL_NOT_ALLOWED});
    details_add(reason, LEASE_SPEC_TEXT_MAX, &detail);
    return -1;
}

static int refuse_beyond(char reason[LEASE_SPEC_TEXT_MAX], enum detail_id id, int64_t asked,
                         int64_t limit)
{
    return refuse(reason, (struct detail){.id = id, .n = {asked, limit}});
}

static int check_kind(const struct rights_limits *limits, const struct lease_spec *spec,
                      char reason[LEASE_SPEC_TEXT_MAX])
{
    if (spec->kind == LEASE_RESERVATION && !limits->values[RIGHT_RESERVATIONS])
        return refuse(reason, (struct detail){.id = DETAIL_NO_RESERVATIONS});
    if (spec->kind == LEASE_IMMEDIATE && !limits->values[RIGHT_IMMEDIATE])
        return refuse(reason, (struct detail){.id = DETAIL_NO_IMMEDIATE});
    if (spec->kind == LEASE_DEADLINE && !limits->values[RIGHT_DEADLINES])
        return refuse(reason, (struct detail){.id = DETAIL_NO_DEADLINE});
    return 0;
}

static bool is_denied(const struct rights_limits *limits, size_t term,
                      const struct term_values *values)
{
    const struct lease_term *row = &lease_terms[term];
    int64_t limit = limits->values[RIGHT_TERM + term];

    return row->right.name &&
           (row->type == TERM_NUMBER ? term_number(row, values) > limit
                                     : !limit && term_number(row, values) == row->restricted);
}

/* Refuses a requested term that exceeds the right. */
static int refuse_term(const struct rights_limits *limits, const struct rights_request *request,
                       size_t i, char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_term *term = &lease_terms[i];
    const struct term_values *values = &request->spec->term_values;
    struct detail detail = {.id = DETAIL_TERM_LIMIT, .name = term->attribute};
    char value[TERM_TEXT_MAX], given[DETAIL_NAME_MAX];

    if (i == TERM_ID_preemptible) /* the default, or written as TERMS */
        return refuse(reason, (struct detail){.id = DETAIL_NOT_PREEMPTIBLE});
    if (term->type == TERM_NUMBER) {
        detail.n[0] = term_number(term, values);
        detail.n[1] = limits->values[RIGHT_TERM + i];
        detail.n[2] = term->decimals > 0;
    } else {
        snprintf(given, sizeof given, "%s=%s", term->attribute, term_write(term, values, value));
        detail = (struct detail){.id = DETAIL_TERM_DENIED, .name = given};
    }
    refuse(reason, detail);
    detail = (struct detail){.id = request->change ? DETAIL_RIGHT_OF : DETAIL_RIGHT,
                             .name = term->right.name};
    details_add(reason, LEASE_SPEC_TEXT_MAX, &detail);
    if (request->change) /* others may change it, too */
        details_add(reason, LEASE_SPEC_TEXT_MAX,
                    &(struct detail){.id = DETAIL_OWNER, .name = request->user});
    return -1;
}

/* Refuses requested terms that exceed the rights, but adjusts site defaults. */
static int check_terms(const struct rights_limits *limits, const struct rights_request *request,
                       char reason[LEASE_SPEC_TEXT_MAX])
{
    struct lease_spec *spec = request->spec;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];

        if (!is_denied(limits, i, &spec->term_values))
            continue;
        if (spec->given >> i & 1)
            return refuse_term(limits, request, i, reason);
        if (term->type == TERM_FLAG)
            term_set_number(term, &spec->term_values, !term->restricted);
    }
    terms_settle(&spec->term_values, spec->given);
    return 0;
}

static int check_ahead(const struct rights_limits *limits, const char *name, int64_t at,
                       int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    int64_t ahead;

    if (at == INSTANT_NONE || limits->values[RIGHT_MAX_AHEAD] == NO_LIMIT ||
        __builtin_sub_overflow(at, now, &ahead) || ahead <= limits->values[RIGHT_MAX_AHEAD])
        return 0;
    return refuse(reason, (struct detail){.id = DETAIL_MAX_AHEAD,
                                          .n = {ahead, limits->values[RIGHT_MAX_AHEAD]},
                                          .name = name});
}

/* Checks the totals of the user's reservations and deadline leases. */
static int check_reserved(const struct rights_limits *limits, const struct rights_request *request,
                          char reason[LEASE_SPEC_TEXT_MAX])
{
    const int64_t *most = limits->values;

    if (request->reservations >= (size_t)most[RIGHT_MAX_RESERVATIONS])
        return refuse_beyond(reason, DETAIL_MAX_RESERVATIONS, (int64_t)request->reservations,
                             most[RIGHT_MAX_RESERVATIONS]);
    if (request->cloud_time > most[RIGHT_MAX_CLOUD_TIME])
        return refuse_beyond(reason, DETAIL_MAX_CLOUD_TIME, request->cloud_time,
                             most[RIGHT_MAX_CLOUD_TIME]);
    if (most[RIGHT_MAX_SHARE] == NO_LIMIT)
        return 0;
    details_add(reason, LEASE_SPEC_TEXT_MAX, &(struct detail){.id = DETAIL_NOT_ALLOWED});
    if (!rights_share_allows(request, most[RIGHT_MAX_SHARE], most[RIGHT_SHARE_AFTER], reason))
        return -1;
    reason[0] = '\0';
    return 0;
}

static int check_amounts(const struct rights_limits *limits, const struct rights_request *request,
                         char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_spec *spec = request->spec;
    const int64_t *most = limits->values;

    if (spec->duration > most[RIGHT_MAX_DURATION])
        return refuse_beyond(reason, DETAIL_MAX_DURATION, spec->duration, most[RIGHT_MAX_DURATION]);
    if (spec->kind == LEASE_RESERVATION || spec->kind == LEASE_DEADLINE)
        return check_reserved(limits, request, reason);
    return 0;
}

static int check_change(const struct rights_limits *limits, const struct rights_change *change,
                        char reason[LEASE_SPEC_TEXT_MAX])
{
    const int64_t *most = limits->values;

    if (change->made >= most[RIGHT_MAX_CHANGES])
        return refuse_beyond(reason, DETAIL_MAX_CHANGES, change->made, most[RIGHT_MAX_CHANGES]);
    if (change->extends && change->extended > most[RIGHT_MAX_EXTENSION])
        return refuse_beyond(reason, DETAIL_MAX_EXTENSION, change->extended,
                             most[RIGHT_MAX_EXTENSION]);
    if (change->left >= most[RIGHT_CHANGE_BEFORE])
        return 0;
    return refuse_beyond(reason, DETAIL_CHANGE_BEFORE, change->left, most[RIGHT_CHANGE_BEFORE]);
}

int rights_grant(const struct rights *rights, const struct rights_request *request,
                 char reason[LEASE_SPEC_TEXT_MAX])
{
    struct lease_spec *spec = request->spec;
    const struct rights_limits limits = rights_limits_of(rights, request->user, request->group);
    uint32_t n_vms = spec->group_size > request->n_vms ? spec->group_size : request->n_vms;

    reason[0] = '\0';
    if (n_vms > limits.values[RIGHT_MAX_VMS])
        return refuse_beyond(reason, DETAIL_MAX_VMS, n_vms, limits.values[RIGHT_MAX_VMS]);
    if (request->change && check_change(&limits, request->change, reason) < 0)
        return -1;
    if (!spec->present)
        return 0;
    if (check_kind(&limits, spec, reason) < 0 || check_terms(&limits, request, reason) < 0 ||
        check_ahead(&limits, "START", spec->start, request->now, reason) < 0 ||
        check_ahead(&limits, "EARLIEST", spec->earliest, request->now, reason) < 0 ||
        check_ahead(&limits, "DEADLINE", spec->deadline, request->now, reason) < 0)
        return -1;
    return check_amounts(&limits, request, reason);
}

int rights_grant_booking(const struct rights *rights, const struct rights_booking *booking,
                         char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct rights_limits limits = rights_limits_of(rights, booking->user, booking->group);
    const int64_t *most = limits.values;
    int64_t length = booking->until - booking->from;

    if (most[RIGHT_MAX_BOOKED_HOSTS] == 0)
        return refuse(reason, (struct detail){.id = DETAIL_ONLY_OPERATORS_BOOK});
    if (booking->hosts > (uint64_t)most[RIGHT_MAX_BOOKED_HOSTS])
        return refuse_beyond(reason, DETAIL_MAX_BOOKED_HOSTS, (int64_t)booking->hosts,
                             most[RIGHT_MAX_BOOKED_HOSTS]);
    if (booking->times > (uint64_t)most[RIGHT_MAX_RESERVATIONS])
        return refuse_beyond(reason, DETAIL_MAX_BOOKED_TIMES, (int64_t)booking->times,
                             most[RIGHT_MAX_RESERVATIONS]);
    if (length > most[RIGHT_MAX_DURATION])
        return refuse_beyond(reason, DETAIL_MAX_BOOKED_DURATION, length, most[RIGHT_MAX_DURATION]);
    return check_ahead(&limits, "the booking", booking->from, booking->now, reason);
}
