/* settings.h: receivers of notices about leases: sections [notify NAME] of the configuration.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "configuration/ini.h"
#include "notify/notify.h"

enum notice_event {
    NOTICE_START,
    NOTICE_END,        /* its end is near */
    NOTICE_PREEMPTION, /* it is about to leave its hosts for another lease */
    NOTICE_REFUSAL,
    NOTICE_LATE,
    NOTICE_CHANGE, /* of its terms */
    NOTICE_ENDED,  /* it is over, or could not be started */
    NOTICE_EVENTS
};

extern const char *const notice_event_words[NOTICE_EVENTS];

enum notify_kind {
#define ROW(name, word, function) NOTIFY_##name,
    NOTIFY_RECEIVERS(ROW)
#undef ROW
        NOTIFY_KINDS
};

extern const char *const notify_kind_words[NOTIFY_KINDS];

#define NOTIFY_SEPARATORS ", \t" /* of lists */

struct notify_target {
    const char *name;
    uint32_t events; /* bit per enum notice_event */
    enum notify_kind kind;
    const char *where;    /* addresses and "owner", separated by commas; a URL; a program's path */
    const char *sendmail; /* of mail */
    const char *from;     /* of mail; NULL: sendmail's default */
    const char *key_file; /* of a webhook */
    int64_t retry_pause;  /* seconds after the first failure; doubled after each further failure */
    int64_t retry_limit;  /* attempts */
};

struct notify_settings; /* opaque */

/* Texts are copies. NULL with err: EINVAL, with file:line or the section that lacks a setting. */
struct notify_settings *notify_settings_create(const struct ini *ini, struct error *err);
void notify_settings_destroy(struct notify_settings *settings); /* NULL is allowed */

size_t notify_targets(const struct notify_settings *settings);
const struct notify_target *notify_target(const struct notify_settings *settings, size_t i);
/* NULL: no such section. */
const struct notify_target *notify_target_named(const struct notify_settings *settings,
                                                const char *name);

/* Is the text an address that can stand in a header and on sendmail's command line? Quoted local
 * parts and comments are not allowed. */
bool notify_is_address(const char *text);
