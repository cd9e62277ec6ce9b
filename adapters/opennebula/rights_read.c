/* Reads the sections [rights] of the configuration, and merges those of a user. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adapters/opennebula/rights_inside.h"
#include "configuration/option.h"
#include "util/decimal.h"
#include "util/memory.h"
#include "util/suggest.h"
#include "util/time_parse.h"
#include "util/time_text.h"

enum right_type { RIGHT_YES_NO, RIGHT_NUMBER, RIGHT_SPAN };

enum {
    AHEAD_USUAL = 90 * 86400,
    RESERVATIONS_USUAL = 20,
    CLOUD_TIME_USUAL = 2 * 86400, /* a weekend */
    SHARE_USUAL = 50,
    SHARE_AFTER_USUAL = 86400,
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

static void overlay(const struct rights *rights, enum section_kind kind, const char *name,
                    struct rights_limits *limits)
{
    const struct section key = {.kind = kind, .name = name}, *section;

    if (!name || rights->n == 0)
        return;
    section = bsearch(&key, rights->sections, rights->n, sizeof *rights->sections, by_name);
    for (int i = 0; section && i < RIGHTS; i++)
        if (section->set[i])
            limits->values[i] = section->values[i];
}

struct rights_limits rights_limits_of(const struct rights *rights, const char *user,
                                      const char *group)
{
    struct rights_limits limits;

    memcpy(limits.values, rights->values, sizeof limits.values);
    if (group && strcmp(group, "oneadmin") == 0)
        limits.values[RIGHT_MAX_SHARE] = NO_LIMIT;
    overlay(rights, SECTION_GROUP, group, &limits);
    overlay(rights, SECTION_USER, user, &limits);
    return limits;
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
        else if (row.type == RIGHT_SPAN) {
            time_text_exact(row.otherwise, expected, sizeof expected);
            fprintf(stream, " (default: %s)", expected);
        } else
            fprintf(stream, " (default: %s)", decimal_write(row.otherwise, row.decimals, expected));
        fprintf(stream, "\n    %s\n", row.meaning);
    }
}
