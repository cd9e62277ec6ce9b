/* Checks requests by the rights of their users. */
#include "adapters/opennebula/rights.h"

#include <inttypes.h>
#include <stdarg.h>

#include "adapters/opennebula/rights_inside.h"
#include "adapters/opennebula/rights_share.h"
#include "util/decimal.h"
#include "util/time_text.h"

enum { AT_MOST_TEXT = 80 };

__attribute__((format(printf, 2, 3))) static int refuse(char reason[LEASE_SPEC_TEXT_MAX],
                                                        const char *format, ...)
{
    int length = snprintf(reason, LEASE_SPEC_TEXT_MAX, "not allowed by the site's rules: ");
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason + length, LEASE_SPEC_TEXT_MAX - (size_t)length, format, arguments);
    va_end(arguments);
    return -1;
}

static const char *span_text(int64_t seconds, char text[TIME_TEXT_MAX])
{
    time_text_exact(seconds, text, TIME_TEXT_MAX);
    return text;
}

static const char *at_most(const struct rights_limits *limits, enum right right,
                           char text[AT_MOST_TEXT])
{
    snprintf(text, AT_MOST_TEXT, "at most %" PRId64 " %s allowed (%s)", limits->values[right],
             limits->values[right] == 1 ? "is" : "are", rights_name(right));
    return text;
}

static int check_kind(const struct rights_limits *limits, const struct lease_spec *spec,
                      char reason[LEASE_SPEC_TEXT_MAX])
{
    if (spec->kind == LEASE_RESERVATION && !limits->values[RIGHT_RESERVATIONS])
        return refuse(reason, "you may not make advance reservations (START at an exact time)");
    if (spec->kind == LEASE_IMMEDIATE && !limits->values[RIGHT_IMMEDIATE])
        return refuse(reason, "you may not request immediate leases (START=now); use best_effort");
    if (spec->kind == LEASE_DEADLINE && !limits->values[RIGHT_DEADLINES])
        return refuse(reason, "you may not request a DEADLINE");
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

/* Refuses requested terms that exceed the rights, but adjusts site defaults. */
static int check_terms(const struct rights_limits *limits, const struct rights_request *request,
                       char reason[LEASE_SPEC_TEXT_MAX])
{
    const char *owner = request->change ? request->user : NULL; /* others may change it, too */
    struct lease_spec *spec = request->spec;

    for (size_t i = 0; i < LEASE_TERM_COUNT; i++) {
        const struct lease_term *term = &lease_terms[i];
        char value[TERM_TEXT_MAX], limit[DECIMAL_TEXT_MAX];

        if (!is_denied(limits, i, &spec->term_values))
            continue;
        if (spec->given >> i & 1) {
            term_write(term, &spec->term_values, value);
            if (term->type == TERM_NUMBER)
                return refuse(reason, "%s is %s, at most %s is allowed (%s%s%s)", term->attribute,
                              value,
                              decimal_write(limits->values[RIGHT_TERM + i], term->decimals, limit),
                              term->right.name, owner ? " of " : "", owner ? owner : "");
            if (i == TERM_ID_preemptible) /* the default, or written as TERMS */
                return refuse(reason, "leases that cannot be preempted are not allowed: request "
                                      "PREEMPTIBLE=yes (non-preemptible)");
            return refuse(reason, "%s=%s is not allowed (%s)", term->attribute, value,
                          term->right.name);
        }
        if (term->type == TERM_FLAG)
            term_set_number(term, &spec->term_values, !term->restricted);
    }
    terms_settle(&spec->term_values, spec->given);
    return 0;
}

static int check_ahead(const struct rights_limits *limits, const char *name, int64_t at,
                       int64_t now, char reason[LEASE_SPEC_TEXT_MAX])
{
    char asked[TIME_TEXT_MAX], limit[AT_MOST_TEXT];
    int64_t ahead;

    if (at == INSTANT_NONE || limits->values[RIGHT_MAX_AHEAD] == NO_LIMIT ||
        __builtin_sub_overflow(at, now, &ahead) || ahead <= limits->values[RIGHT_MAX_AHEAD])
        return 0;
    return refuse(reason, "%s is %s ahead, at most %s is allowed (max-ahead)", name,
                  span_text(ahead, asked), span_text(limits->values[RIGHT_MAX_AHEAD], limit));
}

/* Checks the totals of the user's reservations and deadline leases. */
static int check_reserved(const struct rights_limits *limits, const struct rights_request *request,
                          char reason[LEASE_SPEC_TEXT_MAX])
{
    const int64_t *most = limits->values;
    char asked[TIME_TEXT_MAX], limit[AT_MOST_TEXT], share[RIGHTS_SHARE_TEXT];

    if (request->reservations >= (size_t)most[RIGHT_MAX_RESERVATIONS])
        return refuse(reason, "you have %zu reservation%s with a deadline, %s",
                      request->reservations,
                      request->reservations == 1 ? " or lease" : "s and leases",
                      at_most(limits, RIGHT_MAX_RESERVATIONS, limit));
    if (request->cloud_time > most[RIGHT_MAX_CLOUD_TIME])
        return refuse(reason,
                      "your reservations and leases with a deadline would take the whole cloud for "
                      "%s, at most %s is allowed (max-cloud-time)",
                      span_text(request->cloud_time, asked),
                      span_text(most[RIGHT_MAX_CLOUD_TIME], limit));
    if (most[RIGHT_MAX_SHARE] != NO_LIMIT &&
        !rights_share_allows(request, most[RIGHT_MAX_SHARE], most[RIGHT_SHARE_AFTER], share))
        return refuse(reason, "%s", share);
    return 0;
}

static int check_amounts(const struct rights_limits *limits, const struct rights_request *request,
                         char reason[LEASE_SPEC_TEXT_MAX])
{
    const struct lease_spec *spec = request->spec;
    const int64_t *most = limits->values;
    char asked[TIME_TEXT_MAX], limit[AT_MOST_TEXT];

    if (spec->duration > most[RIGHT_MAX_DURATION])
        return refuse(reason, "DURATION is %s, at most %s is allowed (max-duration)",
                      span_text(spec->duration, asked), span_text(most[RIGHT_MAX_DURATION], limit));
    if (spec->kind == LEASE_RESERVATION || spec->kind == LEASE_DEADLINE)
        return check_reserved(limits, request, reason);
    return 0;
}

static int check_change(const struct rights_limits *limits, const struct rights_change *change,
                        char reason[LEASE_SPEC_TEXT_MAX])
{
    const int64_t *most = limits->values;
    char asked[TIME_TEXT_MAX], limit[AT_MOST_TEXT];

    if (change->made >= most[RIGHT_MAX_CHANGES])
        return refuse(reason, "the lease has been changed %" PRId64 " time%s, %s", change->made,
                      change->made == 1 ? "" : "s", at_most(limits, RIGHT_MAX_CHANGES, limit));
    if (change->extends && change->extended > most[RIGHT_MAX_EXTENSION])
        return refuse(reason,
                      "the lease would be extended by %s in all, at most %s is allowed "
                      "(max-extension)",
                      span_text(change->extended, asked),
                      span_text(most[RIGHT_MAX_EXTENSION], limit));
    if (change->left >= most[RIGHT_CHANGE_BEFORE])
        return 0;
    return refuse(reason,
                  "the lease ends in %s, changes are allowed up to %s before the end "
                  "(change-before)",
                  span_text(change->left, asked), span_text(most[RIGHT_CHANGE_BEFORE], limit));
}

int rights_grant(const struct rights *rights, const struct rights_request *request,
                 char reason[LEASE_SPEC_TEXT_MAX])
{
    struct lease_spec *spec = request->spec;
    const struct rights_limits limits = rights_limits_of(rights, request->user, request->group);
    uint32_t n_vms = spec->group_size > request->n_vms ? spec->group_size : request->n_vms;
    char most[AT_MOST_TEXT];

    reason[0] = '\0';
    if (n_vms > limits.values[RIGHT_MAX_VMS])
        return refuse(reason, "the lease has %u VM%s, %s", n_vms, n_vms == 1 ? "" : "s",
                      at_most(&limits, RIGHT_MAX_VMS, most));
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
    char asked[TIME_TEXT_MAX], limit[AT_MOST_TEXT];

    if (most[RIGHT_MAX_BOOKED_HOSTS] == 0)
        return refuse(reason, "only operators may book hosts (max-booked-hosts)");
    if (booking->hosts > (uint64_t)most[RIGHT_MAX_BOOKED_HOSTS])
        return refuse(reason, "you would have %zu hosts booked at the same time, %s",
                      booking->hosts, at_most(&limits, RIGHT_MAX_BOOKED_HOSTS, limit));
    if (booking->times > (uint64_t)most[RIGHT_MAX_RESERVATIONS])
        return refuse(reason, "you would have booked hosts for %zu windows, %s", booking->times,
                      at_most(&limits, RIGHT_MAX_RESERVATIONS, limit));
    if (length > most[RIGHT_MAX_DURATION])
        return refuse(reason, "the booking lasts %s, at most %s is allowed (max-duration)",
                      span_text(length, asked), span_text(most[RIGHT_MAX_DURATION], limit));
    return check_ahead(&limits, "the booking", booking->from, booking->now, reason);
}
