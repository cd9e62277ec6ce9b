/* Reads the sections [rights] of the configuration, and checks requests. */
#include "adapters/opennebula/rights.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/rights_share.h"
#include "configuration/option.h"
#include "util/decimal.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/time_parse.h"
#include "util/time_text.h"

enum right {
    RIGHT_RESERVATIONS,
    RIGHT_IMMEDIATE,
    RIGHT_DEADLINES,
    RIGHT_MAX_DURATION,
    RIGHT_MAX_AHEAD,
    RIGHT_MAX_VMS,
    RIGHT_MAX_RESERVATIONS,
    RIGHT_MAX_CLOUD_TIME,
    RIGHT_MAX_SHARE,
    RIGHT_SHARE_AFTER,
    RIGHT_MAX_BOOKED_HOSTS,
    RIGHT_MAX_CHANGES,
    RIGHT_MAX_EXTENSION,
    RIGHT_CHANGE_BEFORE,
    RIGHT_TERM, /* of lease_terms[0], followed by the others; some are unrestricted */
    RIGHTS = RIGHT_TERM + LEASE_TERM_COUNT
};

enum right_type { RIGHT_YES_NO, RIGHT_NUMBER, RIGHT_SPAN };

#define NO_LIMIT INT64_MAX

enum {
    AHEAD_USUAL = 90 * 86400,
    RESERVATIONS_USUAL = 20,
    CLOUD_TIME_USUAL = 2 * 86400, /* a weekend */
    SHARE_USUAL = 50,
    SHARE_AFTER_USUAL = 86400,
    AT_MOST_TEXT = 80,
};

struct right_row {
    const char *name; /* NULL: no such right */
    enum right_type type;
    int64_t otherwise, least, most;
    const char *meaning;
    bool may_be_unlimited;
    int decimals; /* of a number (util/decimal.h) */
};

static const struct right_row own_rights[RIGHT_TERM] = {
    [RIGHT_RESERVATIONS] = {"reservations", RIGHT_YES_NO, 1, 0, 1,
                            "Users may request a start at an exact time.", false, 0},
    [RIGHT_IMMEDIATE] = {"immediate", RIGHT_YES_NO, 1, 0, 1, "Users may request START=now.", false,
                         0},
    [RIGHT_DEADLINES] = {"deadlines", RIGHT_YES_NO, 1, 0, 1, "Users may request a DEADLINE.", false,
                         0},
    [RIGHT_MAX_DURATION] = {"max-duration", RIGHT_SPAN, NO_LIMIT, 1, TIME_SPAN_MOST,
                            "Maximum DURATION, and maximum length of a booking of hosts.", true, 0},
    [RIGHT_MAX_AHEAD] = {"max-ahead", RIGHT_SPAN, AHEAD_USUAL, 0, TIME_SPAN_MOST,
                         "Maximum time until START, EARLIEST or DEADLINE, and until a booking of "
                         "hosts begins.",
                         true, 0},
    [RIGHT_MAX_VMS] = {"max-vms", RIGHT_NUMBER, NO_LIMIT, 1, LEASE_SPEC_GROUP_SIZE_MOST,
                       "Maximum number of VMs of a lease.", true, 0},
    [RIGHT_MAX_RESERVATIONS] = {"max-reservations", RIGHT_NUMBER, RESERVATIONS_USUAL, 0, 1000000,
                                "Maximum number of unfinished reservations and deadline leases of "
                                "a user, and of booking windows of the user.",
                                true, 0},
    [RIGHT_MAX_CLOUD_TIME] =
        {"max-cloud-time", RIGHT_SPAN, CLOUD_TIME_USUAL, 0, TIME_SPAN_MOST,
         "Maximum total of a user's unfinished reservations and deadline leases, as time of the "
         "whole cloud: 24:00:00 is all hosts for a day, or a tenth of their CPU or memory for ten "
         "days. A lease without DURATION counts as 90 days.",
         true, 0},
    [RIGHT_MAX_SHARE] =
        {"max-share", RIGHT_NUMBER, SHARE_USUAL, 0, 100,
         "Maximum percentage of the cloud that a user's reservations and deadline leases may hold "
         "at any one time later than share-after from now, or at any time while VMs of other users "
         "wait for room. Changes count as well. Users of the group oneadmin are exempt, unless "
         "their section sets a limit.",
         true, 0},
    [RIGHT_SHARE_AFTER] = {"share-after", RIGHT_SPAN, SHARE_AFTER_USUAL, 0, TIME_SPAN_MOST,
                           "See max-share.", false, 0},
    [RIGHT_MAX_BOOKED_HOSTS] = {"max-booked-hosts", RIGHT_NUMBER, 0, 0, 1000000,
                                "Maximum number of hosts that a user may book at the same time; 0: "
                                "only operators may book hosts.",
                                true, 0},
    [RIGHT_MAX_CHANGES] = {"max-changes", RIGHT_NUMBER, NO_LIMIT, 0, 1000000,
                           "Maximum number of changes of a lease after it was accepted.", true, 0},
    [RIGHT_MAX_EXTENSION] = {"max-extension", RIGHT_SPAN, NO_LIMIT, 0, TIME_SPAN_MOST,
                             "Maximum total extension of a lease beyond its accepted duration.",
                             true, 0},
    [RIGHT_CHANGE_BEFORE] = {"change-before", RIGHT_SPAN, 0, 0, TIME_SPAN_MOST,
                             "Leases may be changed up to this time before their end.", false, 0},
};

static struct right_row row_of(enum right right)
{
    const struct lease_term *term;

    if (right < RIGHT_TERM)
        return own_rights[right];
    term = &lease_terms[right - RIGHT_TERM];
    if (term->type == TERM_NUMBER)
        return (struct right_row){
            term->right.name,    RIGHT_NUMBER, term->right.otherwise, term->least, term->most,
            term->right.meaning, false,        term->decimals};
    return (struct right_row){
        term->right.name, RIGHT_YES_NO, term->right.otherwise, 0, 1, term->right.meaning, false, 0};
}

enum section_kind { SECTION_GROUP, SECTION_USER };

struct section {
    enum section_kind kind;
    const char *name;
    bool set[RIGHTS];
    int64_t values[RIGHTS];
};

struct rights {
    int64_t values[RIGHTS]; /* of all users */
    struct section *sections;
    size_t n, allocated;
};

/* --- Reading --- */

static int parse_value(const struct right_row *row, const char *text, int64_t *value)
{
    if (row->type == RIGHT_YES_NO) {
        *value = option_parse_boolean(text);
        return *value < 0 ? -1 : 0;
    }
    if (!strcasecmp(text, "unlimited") && row->may_be_unlimited) {
        *value = NO_LIMIT;
        return 0;
    }
    if (decimal_parse(text, row->decimals, value) < 0 &&
        (row->type != RIGHT_SPAN || time_parse_span(text, value)))
        return -1;
    return *value < row->least || *value > row->most ? -1 : 0;
}

static const char *expects(const struct right_row *row, char *text, size_t size)
{
    const char *unlimited = row->may_be_unlimited ? ", or unlimited" : "";
    char least[DECIMAL_TEXT_MAX], most[DECIMAL_TEXT_MAX];

    if (row->type == RIGHT_YES_NO)
        snprintf(text, size, "yes or no");
    else if (row->type == RIGHT_SPAN)
        snprintf(text, size,
                 "seconds, or a duration such as 1h30m, 2d or 01:30:00, %" PRId64 " s or more%s",
                 row->least, unlimited);
    else
        snprintf(text, size, "a %snumber from %s to %s%s", row->decimals ? "" : "whole ",
                 decimal_write(row->least, row->decimals, least),
                 decimal_write(row->most, row->decimals, most), unlimited);
    return text;
}

/* The option is named after PREEMPTIBLE; the spelling "preemptable" is accepted, too. */
static const char *name_of_key(const char *key)
{
    return strcmp(key, "non-preemptable") == 0 ? "non-preemptible" : key;
}

static int find_right(const struct ini_entry *entry, enum right *right, struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, entry->key);
    for (int i = 0; i < RIGHTS; i++) {
        const char *name = row_of((enum right)i).name;

        *right = (enum right)i;
        if (name && !strcmp(name, name_of_key(entry->key)))
            return 0;
        if (name)
            suggestion_offer(&suggestion, name);
    }
    return ini_error(entry, err, "unknown option '%s' in section [%s]%s", entry->key,
                     entry->section, suggestion_text(&suggestion));
}

static struct section *find_section(const struct rights *rights, enum section_kind kind,
                                    const char *name)
{
    for (size_t i = 0; i < rights->n; i++)
        if (rights->sections[i].kind == kind && !strcmp(rights->sections[i].name, name))
            return &rights->sections[i];
    return NULL;
}

/* `behind`: the rest of a section's name after "rights": "", " user:NAME" or " group:NAME". */
static int add_section(struct rights *rights, const char *behind, struct section **section)
{
    enum section_kind kind;

    behind += strspn(behind, " ");
    *section = NULL;
    if (*behind == '\0')
        return 0;
    if (!strncmp(behind, "user:", 5))
        kind = SECTION_USER;
    else if (!strncmp(behind, "group:", 6))
        kind = SECTION_GROUP;
    else
        return -1;
    behind = strchr(behind, ':') + 1;
    if (*behind == '\0')
        return -1;
    *section = find_section(rights, kind, behind);
    if (*section)
        return 0;
    MEMORY_GROW(rights->sections, rights->allocated, rights->n + 1);
    *section = &rights->sections[rights->n++];
    **section = (struct section){.kind = kind, .name = memory_text(behind)};
    return 0;
}

static const char *behind_rights(const char *section)
{
    bool ours = !strncmp(section, "rights", 6) && (section[6] == '\0' || section[6] == ' ');

    return ours ? section + 6 : NULL;
}

static int read_entry(struct rights *rights, const struct ini_entry *entry, struct error *err)
{
    struct section *section;
    struct right_row row;
    enum right right;
    int64_t value;
    char expected[128];

    add_section(rights, behind_rights(entry->section), &section);
    if (find_right(entry, &right, err) < 0)
        return -1;
    row = row_of(right);
    if (parse_value(&row, entry->value, &value) < 0)
        return ini_error(entry, err, "%s.%s is '%.60s', expected %s", entry->section, entry->key,
                         entry->value, expects(&row, expected, sizeof expected));
    if (section) {
        section->set[right] = true;
        section->values[right] = value;
    } else {
        rights->values[right] = value;
    }
    return 0;
}

static int wrong_section(const struct ini *ini, const struct ini_section *section,
                         struct error *err)
{
    const struct ini_entry where = {.origin = section->line ? ini->file : "--set",
                                    .line = section->line};

    return ini_error(&where, err,
                     "section [%s]: expected [rights], [rights user:NAME] or [rights "
                     "group:NAME]",
                     section->name);
}

static int read_sections(struct rights *rights, const struct ini *ini, struct error *err)
{
    struct section *section;

    for (size_t i = 0; i < ini->n_sections; i++) {
        const char *behind = behind_rights(ini->sections[i].name);

        if (behind && add_section(rights, behind, &section) < 0)
            return wrong_section(ini, &ini->sections[i], err);
    }
    for (size_t i = 0; i < ini->n_entries; i++)
        if (behind_rights(ini->entries[i].section) && !ini->entries[i].inherited &&
            read_entry(rights, &ini->entries[i], err) < 0)
            return -1;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct section *x = a, *y = b;

    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

struct rights *rights_create(const struct ini *ini, struct error *err)
{
    struct rights *rights = memory_new(1, sizeof *rights);

    for (int i = 0; i < RIGHTS; i++)
        rights->values[i] = row_of((enum right)i).otherwise;
    if (read_sections(rights, ini, err) < 0) {
        rights_destroy(rights);
        return NULL;
    }
    if (rights->n)
        qsort(rights->sections, rights->n, sizeof *rights->sections, by_name);
    return rights;
}

void rights_destroy(struct rights *rights)
{
    if (!rights)
        return;
    for (size_t i = 0; i < rights->n; i++)
        memory_free(rights->sections[i].name);
    free(rights->sections);
    free(rights);
}

/* --- Granting --- */

/* One user's rights. */
struct allowed {
    int64_t values[RIGHTS];
};

static void overlay(const struct rights *rights, enum section_kind kind, const char *name,
                    struct allowed *limits)
{
    const struct section key = {.kind = kind, .name = name}, *section;

    if (!name || rights->n == 0)
        return;
    section = bsearch(&key, rights->sections, rights->n, sizeof *rights->sections, by_name);
    for (int i = 0; section && i < RIGHTS; i++)
        if (section->set[i])
            limits->values[i] = section->values[i];
}

static struct allowed allowed_to(const struct rights *rights, const char *user, const char *group)
{
    struct allowed limits;

    memcpy(limits.values, rights->values, sizeof limits.values);
    if (group && strcmp(group, "oneadmin") == 0)
        limits.values[RIGHT_MAX_SHARE] = NO_LIMIT;
    overlay(rights, SECTION_GROUP, group, &limits);
    overlay(rights, SECTION_USER, user, &limits);
    return limits;
}

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

static const char *at_most(const struct allowed *limits, enum right right, char text[AT_MOST_TEXT])
{
    snprintf(text, AT_MOST_TEXT, "at most %" PRId64 " %s allowed (%s)", limits->values[right],
             limits->values[right] == 1 ? "is" : "are", row_of(right).name);
    return text;
}

static int check_kind(const struct allowed *limits, const struct lease_spec *spec,
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

static bool is_denied(const struct allowed *limits, size_t term, const struct term_values *values)
{
    const struct lease_term *row = &lease_terms[term];
    int64_t limit = limits->values[RIGHT_TERM + term];

    return row->right.name &&
           (row->type == TERM_NUMBER ? term_number(row, values) > limit
                                     : !limit && term_number(row, values) == row->restricted);
}

/* Refuses requested terms that exceed the rights, but adjusts site defaults. */
static int check_terms(const struct allowed *limits, const struct rights_request *request,
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

static int check_ahead(const struct allowed *limits, const char *name, int64_t at, int64_t now,
                       char reason[LEASE_SPEC_TEXT_MAX])
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
static int check_reserved(const struct allowed *limits, const struct rights_request *request,
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

static int check_amounts(const struct allowed *limits, const struct rights_request *request,
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

static int check_change(const struct allowed *limits, const struct rights_change *change,
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
    const struct allowed limits = allowed_to(rights, request->user, request->group);
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
    const struct allowed limits = allowed_to(rights, booking->user, booking->group);
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

void rights_print_options(FILE *stream)
{
    char expected[128];

    for (int i = 0; i < RIGHTS; i++) {
        const struct right_row row = row_of((enum right)i);

        if (!row.name)
            continue;
        fprintf(stream, "%s: %s", row.name, expects(&row, expected, sizeof expected));
        if (row.type == RIGHT_YES_NO)
            fprintf(stream, " (default: %s)", row.otherwise ? "yes" : "no");
        else if (row.otherwise == NO_LIMIT)
            fprintf(stream, " (default: unlimited)");
        else if (row.type == RIGHT_SPAN)
            fprintf(stream, " (default: %s)", span_text(row.otherwise, expected));
        else
            fprintf(stream, " (default: %s)", decimal_write(row.otherwise, row.decimals, expected));
        fprintf(stream, "\n    %s\n", row.meaning);
    }
}
