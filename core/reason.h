/* reason.h: why a lease waits, was refused or was disturbed.
 *
 * A reason is an id with up to four numbers, cheap to store at each decision; the sentence is
 * formatted for display. Ids and their words are stable: programs may rely on them. Its text is a
 * name or an error, or has details (reason_details.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reason_id {
    REASON_NONE,
    REASON_NO_ROOM_NOW, /* n[0] VMs requested, n[1] fit now: waits in the queue; this and other
                         * reasons about room: with details of the hosts, or NULL */
    REASON_PLANNED,     /* will start at n[0]; until n[3], if not 0, lease n[1] has host n[2], or
                         * (-1) it is booked (text: the booking) or drained */
    REASON_REFUSED_BY_POLICY, /* text: the module's name and sentence */
    REASON_TOO_BIG,           /* never fits: n[0] VMs, n[1] is the most the empty site holds */
    REASON_NO_ROOM_AT_START,  /* reservation: of n[0] VMs from n[1] to n[2], only n[3] fit */
    /* Demands beyond amounts (demand.h); PCI devices are packed by reason_of_device(): */
    REASON_NO_DEVICE,       /* none of n[0] hosts it may use has n[1] devices n[2] of a VM */
    REASON_NO_TOPOLOGY,     /* none of n[0] hosts it may use has the NUMA nodes for a VM */
    REASON_DEVICE_IN_USE,   /* devices n[0] are in use on n[1] hosts with room and such devices,
                             * until n[2] or later */
    REASON_TOPOLOGY_IN_USE, /* the same for NUMA nodes: on n[0] hosts with room, until n[1] or later
                             */
    REASON_NO_ROOM_WITH_DEVICE,   /* no host with the devices n[0] has room; details: how many */
    REASON_NO_ROOM_WITH_TOPOLOGY, /* no host with such NUMA nodes has room */
    REASON_KEPT_APART,      /* n[0] hosts with room have VMs that it must be apart from; n[1] one of
                             * their leases */
    REASON_KEPT_TOGETHER,   /* no room beside VMs with which it must share a host; n[0] one of their
                             * leases */
    REASON_NO_ROOM_FOR_ALL, /* no room on one host for all VMs that must be together */
    REASON_START_PASSED,    /* reservation: n[0] start, n[1] now; or only n[2] of n[3] VMs (0:
                             * number unknown) of the group in the text were submitted */
    REASON_DEADLINE_UNREACHABLE,  /* n[0] deadline, n[1] earliest possible end (NEVER: none), n[2]
                                   * latest start, or 0; n[3] VMs of the group in the text were
                                   * submitted, or 0; then details of drains, or NULL */
    REASON_IMAGE_TOO_LATE,        /* the image would arrive at n[0], the start is n[1] */
    REASON_SHORTER_THAN_SHUTDOWN, /* n[0] duration, n[1] shutdown time */
    REASON_SUSPENDED_FOR,         /* n[0] the lease it made room for, n[1] since when */
    REASON_REQUEUED_FOR,      /* stopped, work lost: n[0] the lease it made room for, n[1] when */
    REASON_CANCELLED_FOR,     /* ended by its terms: n[0] the lease it made room for, n[1] when */
    REASON_SUSPENDED_PLANNED, /* its gap ended: n[0] when */
    REASON_CANCELLED,         /* on request */
    REASON_ENDED_EARLY,       /* n[0] seconds run, n[1] seconds requested */
    REASON_FAILED,            /* text: the failure */
    REASON_DEADLINE_MISSED,   /* best-effort with a deadline: n[0] deadline, n[1] earliest end */
    REASON_NO_ROOM_AT_ONCE,   /* immediate: n[0] VMs requested, n[1] fit now; with n[3], as
                               * REASON_ROOM_RESERVED */
    REASON_NOT_READY,         /* must not start before n[0] */
    REASON_NO_HOST_ALLOWED,   /* n[0] VMs requested; the n[1] open hosts allowed by its requirements
                               * hold n[2] of them when empty */
    REASON_TEXT,              /* an error: text is the sentence */
    REASON_MOVED, /* running, being moved to better hosts: n[0] when, n[1] seconds in total without
                   * the move, n[2] with it, n[3] percent gained */
    REASON_ROOM_RESERVED, /* all n[0] VMs requested fit now, but lease n[1] needs host n[2] from
                           * n[3] on, or (n[1]: -1) the host is booked (text: the booking) or
                           * drained: waits in the queue */
    REASON_ROOM_KEPT,     /* n[0] VMs requested; room is kept for lease n[1] of higher priority, for
                           * example on host n[2]: waits in the queue */
    REASON_OTHERS_WOULD_BE_LATE, /* n[0] VMs at n[1] would have room, but n[2] leases would miss
                                    their deadlines */
    REASON_LEAVES, /* running; moves off host n[0], which it must leave, at n[1]; n[3]: the time at
                    * which lease n[2] gets the host; 0: another reason */
    REASON_CANNOT_LEAVE, /* running on a host that it must leave by n[0] (INSTANT_NONE: at once): no
                          * other host has room, or (n[1]: 1) meets its demands beyond room, for its
                          * run time, or (n[2]: 1) it ends before its VMs could have moved. n[3] >
                          * 0: the time of its suspension; details: why it must leave */
    /* Reasons of the live driver: */
    REASON_VM_FAILED,        /* n[0] the VM, n[1] its host, n[2] attempts; text: its state, why */
    REASON_COMMAND_REFUSED,  /* n[0] the VM; text: the command and OpenNebula's error */
    REASON_PARKED,           /* a user stopped or held its VMs */
    REASON_ON_HOLD,          /* on request, until it is released */
    REASON_ENDS_SOON,        /* at n[0] */
    REASON_GROUP_INCOMPLETE, /* n[0] of n[1] VMs are there (n[1] 0: number unknown); text: the
                              * group */
    REASON_LOCKED,           /* n[0] the VM */
    REASON_LATE,             /* n[0] seconds after its start; VM n[1] is on, or is to start on, host
                              * n[2], or -1; details */
    REASON_GIVEN_UP,         /* n[0] a VM that failed, n[1] attempts, n[2]: 1: the other VMs of its
                              * group are ended; text: the last failure */
    REASON_CANCELLED_BY,     /* text: the user */
    REASON_QUARANTINED,      /* all n[0] hosts it may use are quarantined, the first of them, host
                              * n[1], until n[2] */
    REASON_DRAINED,          /* all n[0] hosts it may use are drained, the first of them host n[1],
                              * or (n[2]: 1) drained or quarantined */
    REASON_HOSTS_TOO_SMALL,  /* hosts have at most n[0] CPU (1/100) and n[1] MB; n[2] VMs; n[3]
                              * TOO_SMALL_...: the insufficient resource; 0: no host has enough of
                              * both */
    REASON_MISSED,           /* not started before n[0], the end of its time or its latest start;
                              * text: NULL, or what it waited for */
    REASON_TIME_OVER,        /* it has run for its duration, or until its end */
    REASON_UNUSED,           /* its VMs were idle for long */
    REASON_VMS_GONE,         /* its VMs were terminated in OpenNebula */
    REASON_VMS_LOST,         /* OpenNebula no longer knows its VMs */
    REASON_UNKNOWN,          /* n[0] a VM that is UNKNOWN, n[1] its host */
    REASON_MALFORMED,        /* text: the malformed attribute, and why */
    REASON_NOT_GRANTED,      /* details: the right that its owner lacks, or why its booking does
                              * not admit it */
    REASON_NOT_UNDERSTOOD,   /* text: the error found by the planner */
    REASON_TEMPLATE_NOT_READ,     /* n[0] the VM */
    REASON_REQUIREMENT_MALFORMED, /* text: the requirement and its error */
    REASON_NOT_SUPPORTED,         /* details: the unsupported part of the VM */
    REASON_HOSTS_EXCLUDED,        /* details: how many hosts each of its conditions excludes */
    REASON_NO_NETWORK,    /* details: why each network of its host's cluster cannot be used */
    REASON_NO_DATASTORE,  /* details: why each datastore of its host cannot be used */
    REASON_NO_OTHER_HOST, /* n[0] a VM that must leave its host n[1]; details: why it cannot */
    REASON_PAUSE,         /* n[0] the VM, n[1] attempts that failed */
    REASON_RULE_BROKEN,   /* n[0] a running VM, n[1] its host; details: the rule it breaks */
    REASON_TURN, /* OpenNebula carries out n[0] operations, the maximum; text: the option that sets
                  * it */
    REASON_NO_HOST_YET, /* its group starts, but no host has room for its VM n[0] */
    REASON_RELEASED,    /* its VMs are being released */
    REASON_BOOKING,     /* details: why it may not use hosts of the booking that it names */
    REASON_IN_THE_WAY, /* lease n[0] would miss its promise: its start, or (n[2]: 1) end, at n[1] */
    REASON_NO_ROOM_YET, /* it has a planned start; details: the lack in datastores or networks */
    REASONS
};

enum { TOO_SMALL_CPU = 1, TOO_SMALL_MEMORY = 2 };

struct reason {
    enum reason_id id;
    int64_t n[4];
    const char *text; /* for ids with a text, owned by the engine; else NULL */
    const char *word; /* the policy module's own word, owned by the engine; NULL: the id's word */
};

/* Vendor, device and class of a PCI device in one number; values above 16 bits mean any. `more`: an
 * address or profile is also demanded. */
int64_t reason_of_device(uint32_t vendor, uint32_t device, uint32_t class_id, bool more);

/* Is the reason about VMs that a VM must be apart from or together with? A driver can add details.
 */
static inline bool reason_is_of_company(enum reason_id id)
{
    return id == REASON_KEPT_APART || id == REASON_KEPT_TOGETHER || id == REASON_NO_ROOM_FOR_ALL;
}

/* Is the reason a present lack of room, so that the lease waits for others to leave? */
bool reason_is_of_room(enum reason_id id);

/* By id: the stable words. */
extern const char *const reason_names[REASONS];

/* Prefix of a sentence. Callers that print "Waiting" or "Refused" themselves write only the
 * body. */
enum reason_lead { LEAD_NONE, LEAD_WAITS, LEAD_REFUSED };

enum reason_lead reason_lead(enum reason_id id);

/* The id's stable word, such as "no-room-now". */
const char *reason_name(enum reason_id id);

/* The module's own word, or else the id's. */
const char *reason_word(const struct reason *reason);

/* Writes the sentence, with times written by time_text(). Returns its length. */
size_t reason_format(const struct reason *reason, char *buffer, size_t size,
                     void (*time_text)(int64_t instant, char *text, size_t size));
/* The same without the prefix. */
size_t reason_format_body(const struct reason *reason, char *buffer, size_t size,
                          void (*time_text)(int64_t instant, char *text, size_t size));
