/* Why a lease is where it is: a word, a sentence, and when it is tried again. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/instant.h"
#include "daemon/store/store.h"

bool store_set_reason(struct store *store, struct lease_record *lease, const char *word,
                      const char *sentence)
{
    bool same = strcmp(lease->reason_word, word) == 0 && strcmp(lease->reason, sentence) == 0;

    if (same && lease->retry == INSTANT_NONE)
        return false;
    if (!same) { /* they may be the lease's own */
        snprintf(lease->reason_word, sizeof lease->reason_word, "%s", word);
        snprintf(lease->reason, sizeof lease->reason, "%s", sentence);
    }
    lease->retry = INSTANT_NONE;
    store_mark_lease(store, lease);
    return true;
}

void store_reason_text(const struct lease_record *lease, int64_t now, char *text, size_t size)
{
    int length = snprintf(text, size, "%s", lease->reason);
    time_t at = (time_t)lease->retry;
    struct tm local;

    if (lease->retry == INSTANT_NONE || lease->retry <= now || (size_t)length >= size)
        return;
    strftime(text + length, size - (size_t)length, "; it is tried again at %Y-%m-%d %H:%M:%S",
             localtime_r(&at, &local));
}
