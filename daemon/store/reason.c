/* Why a lease is where it is: a word, a sentence, and when it is tried again. */
#include <stdio.h>
#include <time.h>

#include "daemon/store/store.h"
#include "util/instant.h"
#include "util/time_text.h"

void store_reason_text(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    int length = snprintf(text, size, "%s", lease->reason);
    char retry[TIME_TEXT_MAX];

    if (lease->retry == INSTANT_NONE || lease->retry <= now || (size_t)length >= size)
        return;
    time_text_local(lease->retry, retry, sizeof retry);
    snprintf(text + length, size - (size_t)length, "; it is tried again at %s", retry);
}
