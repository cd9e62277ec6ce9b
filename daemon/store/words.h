/* words.h: the words for enumerations, in the state file and in answers. Stable. */
#pragma once

#include "core/lease.h"

extern const char *const store_phase_words[];   /* "gathering", "waiting", ... */
extern const char *const store_goal_words[];    /* "none", "run", ... */
extern const char *const store_message_words[]; /* "", "held", ...; in OpenNebula as well */
