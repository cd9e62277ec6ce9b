/* reason.h: why a lease waits, was refused or was disturbed.
 *
 * A reason is an id with up to four numbers, cheap to store at each decision; the sentence is made
 * when it is shown. Ids and their words are stable: programs may rely on them.
 */
#ifndef GALERNA_CORE_REASON_H
#define GALERNA_CORE_REASON_H

#include <stddef.h>
#include <stdint.h>

enum reason_id {
    REASON_NONE,
    REASON_NO_ROOM_NOW,           /* n[0] VMs asked for, n[1] fit now: waits in the queue */
    REASON_PLANNED,               /* will start at n[0] */
    REASON_REFUSED_BY_POLICY,     /* text holds the module's sentence */
    REASON_TOO_BIG,               /* never fits: n[0] VMs, n[1] is the most the empty site holds */
    REASON_NO_ROOM_AT_START,      /* reservation: n[0] VMs from n[1] to n[2] do not fit, n[3] do */
    REASON_START_PASSED,          /* reservation: n[0] start, n[1] now */
    REASON_DEADLINE_UNREACHABLE,  /* n[0] deadline, n[1] earliest possible end (NEVER: none) */
    REASON_IMAGE_TOO_LATE,        /* the image would arrive at n[0], the start is n[1] */
    REASON_SHORTER_THAN_SHUTDOWN, /* n[0] duration, n[1] shutdown time */
    REASON_SUSPENDED_FOR,         /* n[0] the lease it made room for, n[1] when */
    REASON_REQUEUED_FOR,      /* stopped, work lost: n[0] the lease it made room for, n[1] when */
    REASON_CANCELLED_FOR,     /* ended by its terms: n[0] the lease it made room for, n[1] when */
    REASON_SUSPENDED_PLANNED, /* its gap ended: n[0] when */
    REASON_CANCELLED,         /* on request */
    REASON_ENDED_EARLY,       /* n[0] seconds run, n[1] seconds asked for */
    REASON_FAILED,            /* text says what */
    REASON_DEADLINE_MISSED,   /* best-effort with a deadline: n[0] deadline, n[1] earliest end */
    REASON_NO_ROOM_AT_ONCE,   /* immediate: n[0] VMs asked for, n[1] fit now */
    REASON_NOT_READY,         /* must not start before n[0] */
    REASON_NO_HOST_ALLOWED,   /* n[0] VMs requested; the n[1] open hosts allowed by its requirements
                               * hold n[2] of them when empty */
    REASON_TEXT,              /* a driver's own: text is the sentence */
    REASON_MOVED, /* running, being moved to better hosts: n[0] when, n[1] seconds in total if it
                   * stayed, n[2] if it moves, n[3] percent gained */
    REASON_OTHERS_WOULD_BE_LATE, /* n[0] VMs at n[1] would have room, but n[2] leases would miss
                                    their deadlines */
    /* Of the live driver: */
    REASON_VM_FAILED,         /* n[0] the VM, n[1] its host, n[2] attempts; text: its state, why */
    REASON_COMMAND_REFUSED,   /* n[0] the VM; text: which command, and what OpenNebula says */
    REASON_PARKED,            /* a user stopped or held its VMs */
    REASON_ENDS_SOON,         /* at n[0] */
    REASON_GROUP_INCOMPLETE,  /* n[0] VMs are there of n[1] (0: not said); text: the group */
    REASON_LOCKED,            /* n[0] the VM */
    REASON_LATE,              /* n[0] seconds after its start n[1], a VM, is on n[2], a host; text:
                                 its state, and which VM has not left the host */
    REASON_GIVEN_UP,          /* n[0] a VM that failed, n[1] attempts; text: the last failure */
    REASON_CANCELLED_BY,      /* text: by which user */
    REASON_QUARANTINED,       /* all hosts it may use are quarantined */
    REASON_HOSTS_TOO_SMALL,   /* the largest host has n[0] CPU (1/100) and n[1] MB; n[2] VMs */
    REASON_MISSED,            /* not started before n[0], the end of its time or its deadline */
    REASON_TIME_OVER,         /* it has run for its duration, or until its end */
    REASON_VMS_GONE,          /* its VMs were terminated in OpenNebula */
    REASON_UNKNOWN,           /* n[0] a VM that is UNKNOWN, n[1] its host */
    REASON_MALFORMED,         /* text: which of its attributes cannot be read, and why */
    REASON_NOT_GRANTED,       /* text: what its owner may not request */
    REASON_NOT_UNDERSTOOD,    /* text: what the planner found wrong */
    REASON_TEMPLATE_NOT_READ, /* n[0] the VM */
    REASON_REQUIREMENT_MALFORMED, /* text: the requirement, and what is wrong with it */
    REASON_NOT_SUPPORTED,         /* text: what of the VM cannot be placed */
    REASON_HOSTS_EXCLUDED,        /* text: how many hosts each of its conditions excludes */
    REASON_NO_DATASTORE,          /* text: why each datastore of its host cannot be used */
    REASON_PAUSE,                 /* n[0] the VM, n[1] attempts that failed */
    REASONS
};

struct reason {
    enum reason_id id;
    int64_t n[4];
    const char *text; /* for the ids that hold a sentence; owned by the engine, else NULL */
    const char *word; /* the policy module's own word, owned likewise; NULL: the id's */
};

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

/* Write the sentence; times are written with time_text(instant, buffer). Returns its length. */
size_t reason_format(const struct reason *reason, char *buffer, size_t size,
                     void (*time_text)(int64_t instant, char *text, size_t size));
/* The same without the prefix. */
size_t reason_format_body(const struct reason *reason, char *buffer, size_t size,
                          void (*time_text)(int64_t instant, char *text, size_t size));

#endif
