/* Builds the sentence for the reason of a lease from an id and numbers, when it is shown. */
#include <stdio.h>
#include <string.h>

#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/time_text.h"

void lease_time_text(int64_t instant, char *text, size_t size)
{
    if (instant == INSTANT_NONE)
        snprintf(text, size, "an unknown time");
    else
        time_text_local(instant, text, size);
}

void store_reason_sentence(const struct lease_record *lease, bool body, char *text, size_t size)
{
    struct reason reason = {.id = lease->reason_id, .text = lease->reason};
    const int64_t *vm = &lease->reason_n[4];
    size_t vms = lease->reason_id == REASON_HOSTS_TOO_SMALL ? 2 : 0; /* the place of their number */
    size_t length;

    if (lease->reason_id == REASON_NONE) {
        snprintf(text, size, "%s", lease->reason);
        return;
    }
    memcpy(reason.n, lease->reason_n, sizeof reason.n);
    if (lease->reason_id == REASON_PLANNED && lease->expected != INSTANT_NONE)
        reason.n[0] = lease->expected; /* rounded, and stable across small changes */
    /* An accepted lease is not "refused", whatever blocks it at present. */
    body = body || (reason_lead(reason.id) == LEAD_REFUSED && lease->phase != PHASE_REFUSED);
    length = (body ? reason_format_body : reason_format)(&reason, text, size, lease_time_text);
    if (reason_is_of_company(reason.id) && reason.text[0] && length < size)
        length += (size_t)snprintf(text + length, size - length, ": %s", reason.text);
    if (vm[0] > 0 && length < size)
        snprintf(text + length, size - length, " (%lld.%02lld CPU and %lld MB%s)",
                 (long long)(vm[0] / 100), (long long)(vm[0] % 100), (long long)vm[1],
                 reason.n[vms] == 1 ? "" : " each");
}

void store_reason_text(const struct lease_record *lease, bool body, int64_t now, char *text,
                       size_t size)
{
    char when[64];
    size_t length;

    store_reason_sentence(lease, body, text, size);
    length = strlen(text);
    if (lease->retry == INSTANT_NONE || lease->retry <= now || length >= size)
        return;
    lease_time_text(lease->retry, when, sizeof when);
    snprintf(text + length, size - length, "; it is tried again at %s", when);
}
