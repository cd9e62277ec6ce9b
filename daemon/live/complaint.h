/* complaint.h: failures in the log. The same failure often affects one VM after another: it is
 * logged once, and how often it was repeated a minute later. */
#pragma once

#include "core/reason.h"
#include "daemon/store/store.h"

/* The last logged failure; zero-initialized: none. */
struct complaint {
    enum reason_id id;
    char quote[STORE_TEXT_MAX];
    int32_t vm;
    int64_t at;
    size_t repeated;
};

/* Log the failure of the VM, or count it. reason: with a text; text: the sentence about its lease.
 */
void complaint_make(struct complaint *last, const struct vm_record *vm, const struct reason *reason,
                    const char *text, int64_t now);
/* Log how often the last failure was repeated, when that is due. */
void complaint_tell_repeated(struct complaint *last, int64_t now);
