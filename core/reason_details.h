/* reason_details.h: what a reason says beyond its numbers.
 *
 * Each detail is a word with numbers and at most one name, which a user or OpenNebula gave. A
 * reason has them in its text, in a line each; the sentence is made where it is shown. Words are
 * stable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DETAIL_NUMBERS = 5, DETAIL_NAME_MAX = 96, REASON_DETAILS_MAX = 640 /* a sentence */ };

enum detail_id {
    DETAIL_LATE_VM,        /* n[0] a VM on n[1], or -1; name: its state */
    DETAIL_LATE_VM_STARTS, /* n[0] a VM that is to start on host n[1]; name: its state */
    DETAIL_DEPARTING,      /* n[0] a VM that has not left host n[1]; name: its state */

    /* Hosts that cannot be used: n[0] of n[1] hosts each */
    DETAIL_NO_HOSTS,  /* OpenNebula has none */
    DETAIL_NONE_LEFT, /* none of n[0] hosts can be used, for the causes that follow */
    DETAIL_OUT_OF_SERVICE,
    DETAIL_NOT_PERMITTED,
    DETAIL_OTHER_DATASTORE, /* they do not have that of the VM's disks */
    DETAIL_NO_DATASTORE,    /* none that the VM may use */
    DETAIL_DATASTORES_FULL, /* n[2] MB are needed */
    DETAIL_NO_NETWORKS,
    DETAIL_ROLE_EXCLUDES, /* n[2] a VM group; name: the role */
    DETAIL_AUTOMATIC,     /* n[2]: 1: it changes all the time; name: OpenNebula's requirement, or
                           * "" */
    DETAIL_REQUIREMENT,   /* n[2] likewise; name: the VM's requirement */

    /* More about requirements */
    DETAIL_UNKNOWN_ATTRIBUTE, /* name: an attribute that no host has */
    DETAIL_SUGGESTION,        /* name: one that hosts have */
    DETAIL_PART_UNMET,       /* name: a part that no host meets; n[0]: 1: it is negated; n[1]: 1: it
                              * changes all the time */
    DETAIL_EACH_PART_MET,    /* but no host meets all */
    DETAIL_TOO_LONG,         /* the waiting VMs of user n[0] have more than n[1] bytes of them */
    DETAIL_TOO_LONG_OF_NICS, /* likewise */

    /* Networks that cannot be used: n[0] of n[1] each */
    DETAIL_NO_VIRTUAL_NETWORKS, /* OpenNebula has none */
    DETAIL_NIC, /* none of n[2] networks suits NIC n[0] of n[1], for the causes that follow */
    DETAIL_NETWORK_ELSEWHERE,
    DETAIL_NETWORK_NOT_PERMITTED,
    DETAIL_NETWORK_UNSUITABLE,
    DETAIL_NETWORK_FULL,
    DETAIL_TOO_MANY_NICS,    /* more than n[0] automatic ones */
    DETAIL_TOO_FEW_NETWORKS, /* for n[0] NICs; n[1]: 1: they must have different ones */

    /* Datastores and hosts; amounts in MB */
    DETAIL_IMAGES_FULL,          /* datastore n[0] has no room for n[1]; n[2] are free */
    DETAIL_HOST_NO_DATASTORE,    /* host n[0] has none that the VM may use */
    DETAIL_HOST_DATASTORES_FULL, /* none of host n[0] has room for n[1]; of n[2], datastore n[3] has
                                  * the most, n[4] */
    DETAIL_ARRIVALS,             /* a VM on its way to host n[0] is excluded */
    DETAIL_HOST_GONE,            /* host n[0] */

    /* The hosts that count for a lease without room, and drains and bookings of them */
    DETAIL_ONLY_HOST, /* n[0], of n[1] hosts, for the causes that follow */
    DETAIL_HOSTS,     /* n[0] of n[1], likewise */
    DETAIL_QUARANTINED,
    DETAIL_NO_DEVICE,     /* n[2] as packed by reason_of_device() */
    DETAIL_ONLY_HOST_HAS, /* host n[0] has the devices */
    DETAIL_HOSTS_HAVE,    /* n[0] of n[1] hosts have them */
    DETAIL_HOST_DRAINED,  /* n[0], until n[1] (INSTANT_NEVER: no end) */
    DETAIL_HOST_BOOKED,   /* n[0], until n[1]; name: the booking */
    DETAIL_HOSTS_CLOSED,  /* n[0] of n[1] hosts are drained or booked: host n[2] until n[3] */

    /* Why VMs leave or cannot leave their hosts */
    DETAIL_REBALANCED,       /* its cluster */
    DETAIL_FOR_LEASE,        /* n[0] starts there */
    DETAIL_BOOKING_ENDS,     /* name: the booking, which has let it in */
    DETAIL_HOST_IS_BOOKED,   /* name: the booking */
    DETAIL_HOST_IS_DRAINED,  /* n[0] */
    DETAIL_HOST_IS_DISABLED, /* n[0], and VM n[1] is marked RESCHED */
    DETAIL_RESCHED,          /* VM n[0] is */
    DETAIL_MIGRATION_FAILED,
    DETAIL_NO_OTHER_HOST, /* meets its requirements */

    /* Rules of VM groups */
    DETAIL_ROLE,     /* of VM group n[0]; name: the role */
    DETAIL_VM_GROUP, /* an unknown one */
    DETAIL_NEAR,     /* VM n[0] on host n[1] */
    DETAIL_TOO_MANY_RULES,
    DETAIL_TOO_MANY_GROUPS, /* it is in n[0] VM groups, n[1] are read at most */
    DETAIL_GROUP_NOT_READ,  /* VM group n[0] */
    DETAIL_RULE_EXCLUDES,   /* the VM's host; VM group n[0]; name: the role */
    DETAIL_RULE_APART,      /* from VM n[1]; VM group n[0]; name: the role */
    DETAIL_RULE_TOGETHER,   /* with VM n[1], likewise */

    /* Bookings; name: the booking */
    DETAIL_NO_BOOKING,
    DETAIL_NOT_ADMITTED, /* followed by user and group */
    DETAIL_USER,         /* name: the user */
    DETAIL_USER_GROUP,   /* name: the group */
    DETAIL_NO_END,       /* the lease has none, but the booking has */
    DETAIL_BOOKING_TOO_SHORT,
    DETAIL_NOT_BOOKED_FROM, /* n[0] for as long as the lease runs */

    /* Rights of users; of each limit n[0] the request, n[1] the limit */
    DETAIL_NOT_ALLOWED, /* by the site's rules, for the cause that follows */
    DETAIL_NO_RESERVATIONS,
    DETAIL_NO_IMMEDIATE,
    DETAIL_NO_DEADLINE,
    DETAIL_TERM_LIMIT,  /* name: the attribute; n[2]: 1: both numbers in thousandths */
    DETAIL_TERM_DENIED, /* name: attribute=value */
    DETAIL_RIGHT,       /* name: the right that decides about the term */
    DETAIL_RIGHT_OF,    /* name: the same, of an owner who follows */
    DETAIL_OWNER,       /* name */
    DETAIL_NOT_PREEMPTIBLE,
    DETAIL_MAX_AHEAD, /* name: the attribute */
    DETAIL_MAX_RESERVATIONS,
    DETAIL_MAX_CLOUD_TIME,
    DETAIL_MAX_SHARE,      /* n[0] percent at n[1], n[2] are allowed n[3] seconds ahead, or (-1)
                            * while others wait */
    DETAIL_SHARE_OF_VMS,   /* n[0] of its n[1] VMs are possible */
    DETAIL_SHARE_POSSIBLE, /* from n[0] on */
    DETAIL_MAX_DURATION,
    DETAIL_MAX_CHANGES,
    DETAIL_MAX_EXTENSION,
    DETAIL_CHANGE_BEFORE,
    DETAIL_MAX_VMS,
    DETAIL_ONLY_OPERATORS_BOOK,
    DETAIL_MAX_BOOKED_HOSTS,
    DETAIL_MAX_BOOKED_TIMES,
    DETAIL_MAX_BOOKED_DURATION,
    DETAILS
};

struct detail {
    enum detail_id id;
    int64_t n[DETAIL_NUMBERS];
    const char *name; /* NULL: none */
};

/* By id: the stable words. */
extern const char *const detail_words[DETAILS];

/* Append the detail to the text, "" at first; one that has no room is left out. */
void details_add(char *text, size_t size, const struct detail *detail);

/* Append all details of another text, as far as there is room. */
void details_append(char *text, size_t size, const char *more);

/* Read the next detail of *text and move *text behind it. False: there is none. */
bool details_next(const char **text, struct detail *detail, char name[DETAIL_NAME_MAX]);

/* How many numbers the detail has. */
size_t details_numbers(enum detail_id id);

/* The sentence of a text with details, in the buffer; any other text, or NULL, is returned. */
const char *details_text(const char *text, char *buffer, size_t size,
                         void (*time_text)(int64_t instant, char *text, size_t size));
