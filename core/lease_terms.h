/* lease_terms.h: the terms of a lease: its properties besides size and times, set by its owner and
 * available to policies.
 *
 * LEASE_TERMS below is the only description of them, a row per term. Each row defines a member of
 * struct term_values, which every structure for a lease embeds, and its representation in
 * OpenNebula's templates and rights, the store, the engine's requests, traces, the control socket,
 * `galerna lease request` and `show`, struct galerna_host (modules) and the manual. CONTRIBUTING.md
 * explains how to add a row.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a lease may be preempted to make room for another (Amini Salehi et al., InterGrid). */
enum lease_terms {
    TERMS_CANCELABLE,      /* may be ended */
    TERMS_SUSPENDABLE,     /* may be suspended and resumed; Haizea's preemptible="true" */
    TERMS_MIGRATABLE,      /* may be moved to other hosts */
    TERMS_RESTARTABLE,     /* may be stopped and begun again */
    TERMS_NON_PREEMPTABLE, /* is never preempted; Haizea's preemptible="false" */
};

enum lease_origin { ORIGIN_LOCAL, ORIGIN_EXTERNAL };

enum {
    TERM_TEXT_MAX = 64,      /* bytes of a text, including the final NUL */
    TERM_EXPECTED_MAX = 160, /* of a sentence that states the accepted values */
};

/* Priorities are kept in thousandths: USER_PRIORITY of OpenNebula has fractions. */
enum { PRIORITY_DECIMALS = 3, PRIORITY_ONE = 1000 };

typedef char term_text[TERM_TEXT_MAX]; /* printable ASCII without " and \; "": not set */

/* TERM(type in C, member, attribute of templates, TYPE, columns of struct lease_term).
 *
 * The member's name, one lower-case word, also names the store's column, the attribute of <lease>
 * in traces, the field on the control socket, the option of `galerna lease request`, and the term
 * for modules. `preemptible` and `terms` express the same property: see terms_settle(). */
#define LEASE_TERMS(TERM)                                                                          \
    TERM(bool, preemptible, "PREEMPTIBLE", FLAG, .of_haizea = true, .restricted = false,           \
         .right = {"non-preemptible", true,                                                        \
                   "May request leases that cannot be preempted (PREEMPTIBLE=no)."},               \
         .sentence = "The lease may be suspended in favor of others and is resumed later")         \
    TERM(enum lease_terms, terms, "TERMS", WORD, .words = terms_words,                             \
         .otherwise = TERMS_NON_PREEMPTABLE,                                                       \
         .sentence = "How the lease may be preempted in favor of others: cancelable (ended), "     \
                     "suspendable (suspended and resumed later), migratable (moved to other "      \
                     "hosts), restartable (started again from the beginning) or non-preemptable")  \
    TERM(enum lease_origin, origin, "ORIGIN", WORD, .words = origin_words,                         \
         .otherwise = ORIGIN_LOCAL, .restricted = ORIGIN_EXTERNAL,                                 \
         .right = {"external", false,                                                              \
                   "May mark leases as requested by another site (ORIGIN=external)."},             \
         .sentence =                                                                               \
             "Origin of the request, as policies see it: local, or external for another site")     \
    TERM(int32_t, priority, "PRIORITY", NUMBER, .decimals = PRIORITY_DECIMALS,                     \
         .least = -1000000 * PRIORITY_ONE, .most = 1000000 * PRIORITY_ONE,                         \
         .right = {"max-priority", 0, "The highest PRIORITY."},                                    \
         .sentence = "Leases of higher priority go first")                                         \
    TERM(bool, keep, "KEEP", FLAG, .restricted = true,                                             \
         .right = {"keep", true, "May keep leases from ending early when unused (KEEP=yes)."},     \
         .sentence = "The lease does not end early while its VMs are unused (unused-after)")       \
    TERM(term_text, series, "SERIES", TEXT,                                                        \
         .sentence = "The name of the series that the lease is an occurrence of")                  \
    TERM(term_text, booking, "BOOKING", TEXT,                                                      \
         .sentence = "The booking whose hosts the lease uses, as long as they are booked")

#define TERM_MEMBER(type, member, ...) type member;
#define TERM_ID(type, member, ...)     TERM_ID_##member,

struct term_values {
    LEASE_TERMS(TERM_MEMBER)
};

/* The members in a structure that embeds them, also as a whole: `x.priority` is
 * `x.term_values.priority`. */
#define LEASE_TERM_MEMBERS                                                                         \
    union {                                                                                        \
        struct term_values term_values;                                                            \
        struct {                                                                                   \
            LEASE_TERMS(TERM_MEMBER)                                                               \
        };                                                                                         \
    }

enum term_id { LEASE_TERMS(TERM_ID) LEASE_TERM_COUNT };

enum term_type {
    TERM_FLAG,   /* bool */
    TERM_WORD,   /* an enumeration (int), as its word */
    TERM_NUMBER, /* int32_t, from `least` to `most`; with `decimals` 3, 500 means 0.5 */
    TERM_TEXT,   /* term_text */
};

/* The administrator's limit ([rights]): whether `restricted` may be requested (flag, word), or the
 * maximum (number). */
struct term_right {
    const char *name; /* NULL: all users may request any value */
    int64_t otherwise;
    const char *meaning; /* a sentence */
};

struct lease_term {
    const char *name, *attribute;
    enum term_type type;
    size_t offset;            /* in struct term_values */
    const char *const *words; /* word: in the enumeration's order, NULL at the end */
    int64_t otherwise;        /* for leases that do not set it; text: "" */
    int64_t least, most;      /* limits for requests */
    int decimals;             /* of a number, stored multiplied by 10^decimals */
    bool of_haizea;           /* known to Haizea 1.0: traces always set it */
    int64_t restricted;
    struct term_right right;
    const char *sentence; /* for the manual and --help, without a full stop at the end */
};

extern const struct lease_term lease_terms[LEASE_TERM_COUNT];

/* The term with that name, in lower case, or NULL. O(terms). */
const struct lease_term *lease_term_find(const char *name);

/* Sets the values of a lease that sets no terms. */
void term_values_init(struct term_values *values);

/* The value of a flag, a word (its place in the enumeration) or a number (as stored); not for
 * texts. O(1). */
int64_t term_number(const struct lease_term *term, const struct term_values *values);
void term_set_number(const struct lease_term *term, struct term_values *values, int64_t number);

/* The number rounded down to a whole one. O(1). */
int64_t term_whole(const struct lease_term *term, const struct term_values *values);

/* The value of a text or word; not for numbers and flags. O(1). */
const char *term_word(const struct lease_term *term, const struct term_values *values);

/* The value as users and traces write it: "yes", "external", "-0.5". Returns text. */
const char *term_write(const struct lease_term *term, const struct term_values *values,
                       char text[TERM_TEXT_MAX]);

/* Parses a user's text; words are case-insensitive. 0, or -1 with *values unchanged and `expected`
 * filled by term_expected(). */
int term_read(const struct lease_term *term, const char *text, struct term_values *values,
              char expected[TERM_EXPECTED_MAX]);

/* The values term_read() accepts: "yes or no", "local or external", "a whole number from 0 to 9",
 * "a number from 0 to 9 with at most 3 decimals".
 * Returns text. */
const char *term_expected(const struct lease_term *term, char text[TERM_EXPECTED_MAX]);

/* Does the term have its default value? */
bool term_is_usual(const struct lease_term *term, const struct term_values *values);

/* Copies the value of one term. */
void term_copy(const struct lease_term *term, const struct term_values *from,
               struct term_values *values);

/* Do both have the same value of the term? */
bool term_is_same(const struct lease_term *term, const struct term_values *one,
                  const struct term_values *other);

/* Derives `preemptible` from `terms`, or `terms` from `preemptible` (which is less specific),
 * depending on the terms given (bits 1 << enum term_id). False: they contradict each other; nothing
 * has changed. */
bool terms_settle(struct term_values *values, unsigned given);

/* suspendable or non-preemptable. */
enum lease_terms lease_terms_usual(bool preemptible);

/* "cancelable", "suspendable", "migratable", "restartable", "non-preemptable". */
const char *lease_terms_name(enum lease_terms terms);

/* "local", "external". */
const char *lease_origin_name(enum lease_origin origin);
