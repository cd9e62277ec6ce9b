/* Sentences for reasons. */
#include "core/reason.h"

#include <stdio.h>

#include "core/reason_details.h"
#include "core/reason_fill.h"
#include "util/instant.h"

/* ROW(id, word, lead, template): the word is stable (store, answers, records). */
#define REASON_ROWS(ROW)                                                                           \
    ROW(NONE, "none", LEAD_NONE, "")                                                               \
    ROW(NO_ROOM_NOW, "no-room-now", LEAD_WAITS, "for room: %v requested, room for %n now%a")       \
    ROW(PLANNED, "planned", LEAD_NONE, "planned to start at %t")                                   \
    ROW(REFUSED_BY_POLICY, "refused-by-policy", LEAD_REFUSED, "policy %s")                         \
    ROW(TOO_BIG, "too-big", LEAD_REFUSED,                                                          \
        "%v requested, but all hosts together hold at most %n when empty")                         \
    ROW(NO_ROOM_AT_START, "no-room-at-start", LEAD_REFUSED,                                        \
        "no room for %v from %t until %t, only for %n%a")                                          \
    ROW(NO_DEVICE, "no-device", LEAD_REFUSED,                                                      \
        "none of the hosts that it may use (%n) has the %n PCI devices that a VM requires (%p)")   \
    ROW(NO_TOPOLOGY, "no-topology", LEAD_REFUSED,                                                  \
        "none of the hosts that it may use (%n) has NUMA nodes with the CPUs, memory and pages "   \
        "that a VM requires")                                                                      \
    ROW(DEVICE_IN_USE, "device-in-use", LEAD_NONE,                                                 \
        "the required PCI devices (%p) are in use on all hosts with enough room (%n), at least "   \
        "until %t")                                                                                \
    ROW(TOPOLOGY_IN_USE, "topology-in-use", LEAD_NONE,                                             \
        "the required CPUs, memory or pages of NUMA nodes are in use on all hosts with enough "    \
        "room (%n), at least until %t")                                                            \
    ROW(NO_ROOM_WITH_DEVICE, "no-room-with-device", LEAD_NONE,                                     \
        "no host with the PCI devices that a VM requires (%p) has room%a")                         \
    ROW(NO_ROOM_WITH_TOPOLOGY, "no-room-with-topology", LEAD_NONE,                                 \
        "no host with the NUMA nodes that a VM requires has room")                                 \
    ROW(KEPT_APART, "kept-apart", LEAD_NONE,                                                       \
        "all hosts with enough room (%n) run VMs from which it must be kept apart (lease %n)%a")   \
    ROW(KEPT_TOGETHER, "kept-together", LEAD_NONE,                                                 \
        "no room on the hosts of the VMs that it must share a host with (lease %n)%a")             \
    ROW(NO_ROOM_FOR_ALL, "no-room-for-all", LEAD_NONE,                                             \
        "no host has room for all VMs that must share one host%a")                                 \
    ROW(START_PASSED, "start-passed", LEAD_REFUSED, "its start at %t has passed (now: %t)")        \
    ROW(DEADLINE_UNREACHABLE, "deadline-unreachable", LEAD_REFUSED,                                \
        "must end by %t, but the earliest possible end is %t")                                     \
    ROW(IMAGE_TOO_LATE, "image-too-late", LEAD_REFUSED,                                            \
        "its disk image would arrive at %t, but it starts at %t")                                  \
    ROW(SHORTER_THAN_SHUTDOWN, "shorter-than-shutdown", LEAD_REFUSED,                              \
        "its duration of %d is shorter than its shutdown of %d")                                   \
    ROW(SUSPENDED_FOR, "suspended-for", LEAD_NONE, "suspended for lease %n at %t")                 \
    ROW(REQUEUED_FOR, "requeued-for", LEAD_NONE,                                                   \
        "stopped for lease %n at %t and put back into the queue")                                  \
    ROW(CANCELLED_FOR, "cancelled-for", LEAD_NONE,                                                 \
        "cancelled, as its terms allow, for lease %n at %t")                                       \
    ROW(SUSPENDED_PLANNED, "suspended-planned", LEAD_NONE,                                         \
        "suspended as planned at %t, when the gap it ran in ends")                                 \
    ROW(CANCELLED, "cancelled", LEAD_NONE, "cancelled on request")                                 \
    ROW(ENDED_EARLY, "ended-early", LEAD_NONE, "ended on its own after %d of %d")                  \
    ROW(FAILED, "failed", LEAD_NONE, "failed: %s")                                                 \
    ROW(DEADLINE_MISSED, "deadline-missed", LEAD_NONE,                                             \
        "cancelled: must end by %t, but the earliest possible end is %t")                          \
    ROW(NO_ROOM_AT_ONCE, "no-room-at-once", LEAD_REFUSED,                                          \
        "%v requested for an immediate start, room for %n now%a")                                  \
    ROW(NOT_READY, "not-ready", LEAD_WAITS, "for its earliest start %t")                           \
    ROW(NO_HOST_ALLOWED, "no-host-allowed", LEAD_REFUSED,                                          \
        "%v requested, but the enabled hosts that meet its requirements (%n) hold at most %n "     \
        "when empty")                                                                              \
    ROW(TEXT, "text", LEAD_NONE, "%s")                                                             \
    ROW(MOVED, "moved", LEAD_NONE,                                                                 \
        "moved to better hosts at %t: total time %d without the move, %d with it (%n percent "     \
        "less)")                                                                                   \
    ROW(ROOM_RESERVED, "room-reserved", LEAD_WAITS,                                                \
        "for room: %v requested, but the room now free does not last: lease %n needs host %n "     \
        "from %t on")                                                                              \
    ROW(ROOM_KEPT, "room-kept", LEAD_WAITS,                                                        \
        "for room: %v requested, but the free room is kept for lease %n, which has a higher "      \
        "priority, for example on host %n")                                                        \
    ROW(OTHERS_WOULD_BE_LATE, "others-would-be-late", LEAD_REFUSED,                                \
        "leases that could make room for %v at %t would miss their deadlines (%n of them)")        \
    ROW(LEAVES, "leaves", LEAD_NONE, "moves off host %n at %t")                                    \
    ROW(CANNOT_LEAVE, "cannot-leave", LEAD_NONE, "") /* why_it_stays() */                          \
    ROW(VM_FAILED, "start-failed", LEAD_NONE, "VM %n failed on host %n, attempt %n (%s)")          \
    ROW(COMMAND_REFUSED, "command-refused", LEAD_NONE,                                             \
        "OpenNebula refused a command to VM %n: %s")                                               \
    ROW(PARKED, "parked", LEAD_NONE,                                                               \
        "a user suspended, powered off or held its VMs; it continues when the VMs are resumed "    \
        "or released")                                                                             \
    ROW(ON_HOLD, "on-hold", LEAD_NONE, "on hold until it is released")                             \
    ROW(ENDS_SOON, "ends-soon", LEAD_NONE, "the lease ends at %t")                                 \
    ROW(GROUP_INCOMPLETE, "group-incomplete", LEAD_WAITS,                                          \
        "for its group: %n of %n VMs submitted (group %s)")                                        \
    ROW(LOCKED, "locked", LEAD_NONE,                                                               \
        "VM %n is locked; it is placed when its user or an administrator unlocks it")              \
    ROW(LATE, "late", LEAD_NONE, "%oVM %n on host %n is %s")                                       \
    ROW(GIVEN_UP, "given-up", LEAD_NONE,                                                           \
        "VM %n could not be started (attempts: %n); last failure: %s")                             \
    ROW(CANCELLED_BY, "cancelled-by", LEAD_NONE, "cancelled by %s")                                \
    ROW(QUARANTINED, "hosts-quarantined", LEAD_NONE,                                               \
        "the %n hosts that it may use are quarantined, host %n until %t: VMs failed or are "       \
        "stuck on them")                                                                           \
    ROW(DRAINED, "hosts-drained", LEAD_NONE,                                                       \
        "the hosts it may use are drained: an operator is emptying them")                          \
    ROW(HOSTS_TOO_SMALL, "hosts-too-small", LEAD_NONE,                                             \
        "no host it may use has enough CPU together with enough memory: at most %c CPU, and at "   \
        "most %n MB, %v requested")                                                                \
    ROW(MISSED, "missed", LEAD_NONE, "it could not be started before %t")                          \
    ROW(TIME_OVER, "time-over", LEAD_NONE, "its time is over")                                     \
    ROW(UNUSED, "unused", LEAD_NONE, "its VMs were unused, so it ended before its time")           \
    ROW(VMS_GONE, "vms-gone", LEAD_NONE, "its VMs were terminated in OpenNebula")                  \
    ROW(VMS_LOST, "vms-lost", LEAD_NONE, "OpenNebula no longer knows its VMs")                     \
    ROW(UNKNOWN, "unknown", LEAD_NONE,                                                             \
        "VM %n on host %n is UNKNOWN: OpenNebula cannot monitor it")                               \
    ROW(MALFORMED, "malformed", LEAD_NONE, "%s")                                                   \
    ROW(NOT_GRANTED, "not-granted", LEAD_NONE, "%s")                                               \
    ROW(NOT_UNDERSTOOD, "not-understood", LEAD_NONE, "%s")                                         \
    ROW(TEMPLATE_NOT_READ, "template-not-read", LEAD_NONE,                                         \
        "the template of VM %n has not been read from OpenNebula yet")                             \
    ROW(REQUIREMENT_MALFORMED, "requirement-malformed", LEAD_NONE, "%s")                           \
    ROW(NOT_SUPPORTED, "not-supported", LEAD_NONE, "%s")                                           \
    ROW(HOSTS_EXCLUDED, "hosts-excluded", LEAD_NONE, "%s")                                         \
    ROW(NO_NETWORK, "no-network", LEAD_NONE, "%s")                                                 \
    ROW(NO_DATASTORE, "no-datastore", LEAD_NONE, "%s")                                             \
    ROW(NO_OTHER_HOST, "no-other-host", LEAD_NONE, "VM %n must leave host %n: %s")                 \
    ROW(PAUSE, "pause", LEAD_NONE, "the start of VM %n failed, attempt %n")                        \
    ROW(RULE_BROKEN, "rule-broken", LEAD_NONE,                                                     \
        "VM %n on host %n breaks a rule of its VM group: %s")                                      \
    ROW(TURN, "turn", LEAD_WAITS,                                                                  \
        "for its turn: as many operations are in progress as %s allows (%n)")                      \
    ROW(NO_HOST_YET, "no-host-yet", LEAD_NONE, "no host has room for VM %n at present")            \
    ROW(RELEASED, "released", LEAD_NONE, "being released")                                         \
    ROW(BOOKING, "booking", LEAD_NONE, "%s")                                                       \
    ROW(IN_THE_WAY, "in-the-way", LEAD_NONE,                                                       \
        "lease %n, which is promised to start at %t, would not")                                   \
    ROW(NO_ROOM_YET, "no-room-yet", LEAD_NONE, "%s")

#define REASON_WORD(id, word, lead, template)     [REASON_##id] = (word),
#define REASON_SENTENCE(id, word, lead, template) [REASON_##id] = {lead, template},

const char *const reason_names[REASONS] = {REASON_ROWS(REASON_WORD)};

static const struct {
    enum reason_lead lead;
    const char *text;
} sentences[REASONS] = {REASON_ROWS(REASON_SENTENCE)};

bool reason_is_of_room(enum reason_id id)
{
    switch (id) {
    case REASON_PLANNED:
    case REASON_NO_ROOM_NOW:
    case REASON_ROOM_RESERVED:
    case REASON_ROOM_KEPT:
    case REASON_DEVICE_IN_USE:
    case REASON_TOPOLOGY_IN_USE:
    case REASON_NO_ROOM_WITH_DEVICE:
    case REASON_NO_ROOM_WITH_TOPOLOGY:
    case REASON_KEPT_APART:
    case REASON_KEPT_TOGETHER:
    case REASON_NO_ROOM_FOR_ALL:
        return true;
    default:
        return false;
    }
}

const char *reason_name(enum reason_id id)
{
    return reason_names[id];
}

const char *reason_word(const struct reason *reason)
{
    return reason->word ? reason->word : reason_name(reason->id);
}

enum reason_lead reason_lead(enum reason_id id)
{
    return sentences[id].lead;
}

static const char *why_it_stays(bool at_once, bool demands, bool ends_first)
{
    if (ends_first)
        return at_once ? "must leave its host%o%b, but migrating its VMs is estimated to take "
                         "longer than they still run"
                       : "must leave its host by %t%b, but migrating its VMs is estimated to take "
                         "longer than they still run";
    if (demands)
        return at_once ? "must leave its host%o%o%b, but no other host that it may use has enough "
                         "room and also meets its PCI device, CPU pinning and VM group "
                         "requirements for the rest of its lifetime"
                       : "must leave its host by %t%o%b, but no other host that it may use has "
                         "enough room and also meets its PCI device, CPU pinning and VM group "
                         "requirements for the rest of its lifetime";
    return at_once ? "must leave its host%o%b, but no other host that it may use has room for the "
                     "rest of its lifetime"
                   : "must leave its host by %t%b, but no other host that it may use has room for "
                     "the rest of its lifetime";
}

static const char *why_not_at_once(const int64_t *n, bool booked)
{
    if (n[3] && n[1] < 0)
        return booked ? "%v requested for an immediate start, but the room now free does not last: "
                        "host %o%n is booked for '%s' from %t on"
                      : "%v requested for an immediate start, but the room now free does not last: "
                        "host %o%n is drained from %t on";
    if (n[3])
        return "%v requested for an immediate start, but the room now free does not last: lease %n "
               "needs host %n from %t on";
    if (n[1] >= n[0])
        return "%v requested for an immediate start, but the room now free does not last long "
               "enough";
    return sentences[REASON_NO_ROOM_AT_ONCE].text;
}

static const char *which_are_drained(const struct reason *reason)
{
    const int64_t *n = reason->n;

    if (n[0] == 1)
        return n[2] ? "%ohost %n, the only one that it may use, is drained or quarantined: an "
                      "operator is emptying it"
                    : "%ohost %n, the only one that it may use, is drained: an operator is "
                      "emptying it";
    if (n[0] > 1)
        return n[2] ? "the %n hosts that it may use (host %n, ...) are drained or quarantined: an "
                      "operator is emptying them"
                    : "the %n hosts that it may use (host %n, ...) are drained: an operator is "
                      "emptying them";
    return reason->text && *reason->text ? "%s" : sentences[REASON_DRAINED].text;
}

static const char *why_it_is_late(const struct reason *reason)
{
    const int64_t *n = reason->n;
    bool no_room = n[1] <= n[0], more = reason->text && *reason->text;

    if (n[1] == INSTANT_NEVER)
        return "must end by %t, but has no known end";
    if (n[3])
        return "must end by %t, but the earliest possible end is %t: only %o%n VMs of group %s "
               "were submitted";
    if (n[2] && more)
        return no_room ? "no room in time for it to end by %t%o: its latest start is %t; %s"
                       : "must end by %t, but the earliest possible end is %t: its latest start "
                         "is %t; %s";
    if (n[2])
        return no_room ? "no room in time for it to end by %t%o: its latest start is %t"
                       : "must end by %t, but the earliest possible end is %t: its latest start "
                         "is %t";
    if (more)
        return no_room ? "no room in time for it to end by %t%o: %s"
                       : "must end by %t, but the earliest possible end is %t: %s";
    return no_room ? "no room in time for it to end by %t"
                   : sentences[REASON_DEADLINE_UNREACHABLE].text;
}

static const char *what_is_too_small(int64_t which)
{
    if (which == TOO_SMALL_CPU)
        return "no host it may use has enough CPU: at most %c CPU and %n MB, %v requested";
    if (which == TOO_SMALL_MEMORY)
        return "no host it may use has enough memory: at most %c CPU and %n MB, %v requested";
    return "no host it may use has enough CPU or memory: at most %c CPU and %n MB, %v requested";
}

static const char *what_allowed_hosts_hold(const int64_t *n)
{
    if (n[2] >= n[0])
        return "%v requested, but the enabled hosts that meet its requirements (%n) do not hold "
               "all of them when empty";
    if (n[1] == 0)
        return "%v requested, but no enabled host meets its requirements";
    if (n[2] == 0)
        return "%v requested, but none of the enabled hosts that meet its requirements (%n) is "
               "large enough for one";
    return sentences[REASON_NO_HOST_ALLOWED].text;
}

static const char *what_begins(const struct reason *reason)
{
    return reason->text && *reason->text ? "until %t, when booking '%s' begins"
                                         : "until %t, when the drain or booking of its host begins";
}

/* The next two: in place of the usual sentence where a number would make it wrong; NULL: the usual
 * one. */
static const char *sentence_of_room(const struct reason *reason)
{
    const int64_t *n = reason->n;

    if (reason->id == REASON_NO_ROOM_NOW && n[0] > 0 && n[1] >= n[0])
        return "for room: %v requested, but the room now free does not last long enough";
    if (reason->id == REASON_NO_ROOM_AT_ONCE)
        return why_not_at_once(n, reason->text && *reason->text);
    if (reason->id == REASON_NO_ROOM_AT_START && n[3] == 0)
        return "no room for %v from %t until %t%o%a";
    if (reason->id == REASON_ROOM_RESERVED && n[1] < 0)
        return reason->text && *reason->text
                   ? "for room: %v requested, but the room now free does not last: host %o%n is "
                     "booked for '%s' from %t on"
                   : "for room: %v requested, but the room now free does not last: host %o%n is "
                     "drained from %t on";
    if (reason->id == REASON_TOO_BIG && n[1] == 0)
        return "%v requested, but no host is large enough for one";
    if (reason->id == REASON_TOO_BIG && n[1] >= n[0]) /* VMs of several sizes */
        return "%v requested, but all hosts together do not hold all of them when empty";
    if (reason->id == REASON_NO_HOST_ALLOWED)
        return what_allowed_hosts_hold(n);
    if (reason->id == REASON_HOSTS_TOO_SMALL && n[3])
        return what_is_too_small(n[3]);
    if (reason->id == REASON_NO_DEVICE && n[1] == 1)
        return "none of the hosts that it may use (%n) has the PCI device that a VM requires "
               "(%o%p)";
    if (reason->id == REASON_DEVICE_IN_USE && n[2] == INSTANT_NEVER)
        return "the required PCI devices (%p) are in use on all hosts with enough room (%n), "
               "without a known end";
    if (reason->id == REASON_TOPOLOGY_IN_USE && n[1] == INSTANT_NEVER)
        return "the required CPUs, memory or pages of NUMA nodes are in use on all hosts with "
               "enough room (%n), without a known end";
    return NULL;
}

static const char *sentence_of_times(const struct reason *reason)
{
    const int64_t *n = reason->n;

    if (reason->id == REASON_NOT_READY && n[1])
        return what_begins(reason);
    if (reason->id == REASON_MISSED && reason->text && *reason->text)
        return "it could not be started before %t: %s";
    if (reason->id == REASON_START_PASSED && n[2])
        return n[3] ? "its start at %t has passed, and only %o%n of %n VMs of group %s were "
                      "submitted"
                    : "its start at %t has passed, and only %o%n VMs of group %s were submitted";
    if (reason->id == REASON_START_PASSED && reason->text && *reason->text)
        return "its start at %t has passed, and %o%s"; /* of an older store */
    if (reason->id == REASON_DEADLINE_MISSED && n[1] == INSTANT_NEVER)
        return "cancelled: must end by %t, but has no known end";
    if (reason->id == REASON_DEADLINE_UNREACHABLE)
        return why_it_is_late(reason);
    return NULL;
}

static const char *sentence_of(const struct reason *reason)
{
    const int64_t *n = reason->n;
    const char *room = sentence_of_room(reason), *times = sentence_of_times(reason);

    if (room || times)
        return room ? room : times;
    if (reason->id == REASON_GIVEN_UP && n[2])
        return "VM %n could not be started (attempts: %n); last failure: %o%s; the other VMs of "
               "its group are ended";
    if (reason->id == REASON_QUARANTINED && n[0] == 1)
        return "%ohost %n, the only one that it may use, is quarantined until %t: VMs failed or "
               "are stuck on it";
    if (reason->id == REASON_DRAINED)
        return which_are_drained(reason);
    if (reason->id == REASON_CANNOT_LEAVE && n[3] > 0)
        return "must leave its host%o%o%o%b: to be suspended at %t until another host that it may "
               "use has room";
    if (reason->id == REASON_CANNOT_LEAVE)
        return why_it_stays(n[0] == INSTANT_NONE, n[1] != 0, n[2] != 0);
    if (reason->id == REASON_LATE && reason->text && *reason->text == '\n')
        return "%s";
    if (reason->id == REASON_LATE && n[2] < 0) /* of an older store */
        return "%oVM %n is%o %s";
    if (reason->id == REASON_IN_THE_WAY && n[2])
        return "lease %n, which is promised to end by %t, would not";
    if (reason->id == REASON_GROUP_INCOMPLETE && n[1] == 0)
        return "for more VMs of its group: %v so far (group %s)";
    return sentences[reason->id].text;
}

/* --- display ---------------------------------------------------------------------------------- */

size_t reason_format_body(const struct reason *reason, char *buffer, size_t size,
                          void (*time_text)(int64_t instant, char *text, size_t size))
{
    char details[REASON_DETAILS_MAX];

    return reason_fill(sentence_of(reason), reason->n,
                       details_text(reason->text, details, sizeof details, time_text), buffer, size,
                       time_text);
}

static const char *const leads[] = {
    [LEAD_NONE] = "", [LEAD_WAITS] = "waits ", [LEAD_REFUSED] = "refused: "};

size_t reason_format(const struct reason *reason, char *buffer, size_t size,
                     void (*time_text)(int64_t instant, char *text, size_t size))
{
    const char *lead = leads[sentences[reason->id].lead];
    size_t length = (size_t)snprintf(buffer, size, "%s", lead);

    if (length >= size)
        return size ? size - 1 : 0;
    return length + reason_format_body(reason, buffer + length, size - length, time_text);
}
