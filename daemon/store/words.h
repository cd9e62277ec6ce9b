/* words.h: the words for enumerations, in the state file and in answers. Stable. */
#pragma once

#include "core/lease.h"

enum { STORE_KINDS = 4 };

extern const char *const store_phase_words[];   /* "gathering", "waiting", ... */
extern const char *const store_kind_words[];    /* "best-effort", "immediate", ... */
extern const char *const store_goal_words[];    /* "none", "run", ... */
extern const char *const store_message_words[]; /* "", "held", ...; in OpenNebula as well */
