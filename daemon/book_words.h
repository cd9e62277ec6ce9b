/* book_words.h: the words that stand for enumerations, in the state file and in answers. Stable. */
#ifndef GALERNA_DAEMON_BOOK_WORDS_H
#define GALERNA_DAEMON_BOOK_WORDS_H

#include "core/lease.h"

enum { BOOK_KINDS = 4, BOOK_TERMS = 5, BOOK_ORIGINS = 2, BOOK_GOALS = 6 };

extern const char *const book_phase_words[];  /* "gathering", "waiting", ... */
extern const char *const book_kind_words[];   /* "best-effort", "immediate", ... */
extern const char *const book_terms_words[];  /* "cancelable", "suspendable", ... */
extern const char *const book_origin_words[]; /* "local", "external" */
extern const char *const book_goal_words[];   /* "none", "run", ... */

#endif
