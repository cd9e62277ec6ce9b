/* Sentences for reasons. */
#include "core/reason.h"

#include <inttypes.h>
#include <stdio.h>

const char *reason_name(enum reason_id id)
{
    static const char *const names[REASONS] = {
        [REASON_NONE] = "none",
        [REASON_NO_ROOM_NOW] = "no-room-now",
        [REASON_BEHIND_QUEUE] = "behind-queue",
        [REASON_PLANNED] = "planned",
        [REASON_REFUSED_BY_POLICY] = "refused-by-policy",
        [REASON_TOO_BIG] = "too-big",
        [REASON_NO_ROOM_AT_START] = "no-room-at-start",
        [REASON_START_PASSED] = "start-passed",
        [REASON_DEADLINE_UNREACHABLE] = "deadline-unreachable",
        [REASON_IMAGE_TOO_LATE] = "image-too-late",
        [REASON_SHORTER_THAN_SHUTDOWN] = "shorter-than-shutdown",
        [REASON_SUSPENDED_FOR] = "suspended-for",
        [REASON_REQUEUED_FOR] = "requeued-for",
        [REASON_CANCELLED_FOR] = "cancelled-for",
        [REASON_SUSPENDED_PLANNED] = "suspended-planned",
        [REASON_CANCELLED] = "cancelled",
        [REASON_ENDED_EARLY] = "ended-early",
        [REASON_FAILED] = "failed",
        [REASON_DEADLINE_MISSED] = "deadline-missed",
        [REASON_NO_ROOM_AT_ONCE] = "no-room-at-once",
        [REASON_NOT_READY] = "not-ready",
        [REASON_NO_HOST_ALLOWED] = "no-host-allowed",
        [REASON_TEXT] = "text",
        [REASON_MOVED] = "moved",
        [REASON_OTHERS_WOULD_BE_LATE] = "others-would-be-late",
    };

    return names[id];
}

const char *reason_word(const struct reason *reason)
{
    return reason->word ? reason->word : reason_name(reason->id);
}

/* How each sentence is made: %n number, %t time, of n[0], n[1], ... in order; %s the text. */
static const char *const sentences[REASONS] = {
    [REASON_NONE] = "",
    [REASON_NO_ROOM_NOW] = "waits for room: asks for %v, %n fit now",
    [REASON_BEHIND_QUEUE] = "queued behind lease %n",
    [REASON_PLANNED] = "planned to start at %t",
    [REASON_REFUSED_BY_POLICY] = "refused by policy: %s",
    [REASON_TOO_BIG] = "refused: %v requested, but the empty site holds at most %n",
    [REASON_NO_ROOM_AT_START] = "refused: no room for %v from %t until %t, only for %n",
    [REASON_START_PASSED] = "refused: its start at %t has passed, it is now %t",
    [REASON_DEADLINE_UNREACHABLE] = "refused: must end by %t, the earliest possible end is %t",
    [REASON_IMAGE_TOO_LATE] = "refused: its disk image would arrive at %t, but it starts at %t",
    [REASON_SHORTER_THAN_SHUTDOWN] =
        "refused: its duration of %n s is shorter than its shutdown of %n s",
    [REASON_SUSPENDED_FOR] = "suspended to make room for lease %n at %t",
    [REASON_REQUEUED_FOR] = "stopped and put back into the queue to make room for lease %n at %t",
    [REASON_CANCELLED_FOR] = "ended by its terms to make room for lease %n at %t",
    [REASON_SUSPENDED_PLANNED] = "suspended as planned at %t, when the gap it ran in ends",
    [REASON_CANCELLED] = "cancelled on request",
    [REASON_ENDED_EARLY] = "ended by itself after %n of %n s",
    [REASON_FAILED] = "failed: %s",
    [REASON_NO_ROOM_AT_ONCE] = "refused: %v requested at once, %n fit now",
    [REASON_NOT_READY] = "waits for its earliest start %t",
    [REASON_NO_HOST_ALLOWED] =
        ("refused: %v requested, but the %n open hosts that its requirements "
         "allow hold at most %n"),
    [REASON_TEXT] = "%s",
    [REASON_MOVED] = ("moved to better hosts at %t: it would take %n s in all where it was, "
                      "%n s there (%n percent less)"),
    [REASON_OTHERS_WOULD_BE_LATE] = ("refused: leases that could make room for %v at %t would miss "
                                     "their deadlines (%n of them)"),
    [REASON_DEADLINE_MISSED] = "cancelled: must end by %t, the earliest possible end is %t",
};

size_t reason_format(const struct reason *reason, char *buffer, size_t size,
                     void (*time_text)(int64_t instant, char *text, size_t size))
{
    size_t length = 0;
    int used = 0;

    for (const char *s = sentences[reason->id]; *s && length + 1 < size; s++) {
        char piece[64];
        const char *text = piece;

        if (*s != '%') {
            buffer[length++] = *s;
            continue;
        }
        switch (*++s) {
        case 'n':
            snprintf(piece, sizeof piece, "%" PRId64, reason->n[used++]);
            break;
        case 'v':
            snprintf(piece, sizeof piece, "%" PRId64 " VM%s", reason->n[used],
                     reason->n[used] == 1 ? "" : "s");
            used++;
            break;
        case 't':
            time_text(reason->n[used++], piece, sizeof piece);
            break;
        default:
            text = reason->text ? reason->text : "";
        }
        length += (size_t)snprintf(buffer + length, size - length, "%s", text);
        if (length >= size)
            length = size - 1;
    }
    if (size)
        buffer[length] = '\0';
    return length;
}
