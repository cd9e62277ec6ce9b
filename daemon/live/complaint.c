/* Logs failures, and counts repeated ones. */
#include "daemon/live/complaint.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/log.h"

#define LOG_SUBSYSTEM LOG_OF_COMMANDS

enum { COMPLAINT_SECONDS = 60 /* a repeated failure is logged once in this time */ };

static void tell_repeated(const struct complaint *last)
{
    if (last->repeated)
        log_warning("%zu more failure%s like that of VM %d: %s", last->repeated,
                    last->repeated == 1 ? "" : "s", last->vm, last->quote);
}

void complaint_tell_repeated(struct complaint *last, int64_t now)
{
    if (now - last->at < COMPLAINT_SECONDS && now >= last->at)
        return;
    tell_repeated(last);
    *last = (struct complaint){.at = now};
}

void complaint_make(struct complaint *last, const struct vm_record *vm, const struct reason *reason,
                    const char *text, int64_t now)
{
    complaint_tell_repeated(last, now);
    if (reason->id == last->id && strcmp(reason->text, last->quote) == 0) {
        last->repeated++;
        return;
    }
    tell_repeated(last);
    *last = (struct complaint){.id = reason->id, .vm = vm->id, .at = now};
    snprintf(last->quote, sizeof last->quote, "%s", reason->text);
    log_warning_of(vm->lease, vm->id, "lease %lld: %s", (long long)vm->lease, text);
}
