/* lease_spec.h: the lease described by a VM's template (HAIZEA or GALERNA attribute).
 *
 * HAIZEA=[START, DURATION, GROUP, GROUP_SIZE, GROUP_TIMEOUT, DEADLINE, EARLIEST, LATEST and the
 * terms of core/lease_terms.h], in USER_TEMPLATE or TEMPLATE; case is ignored. GALERNA overrides
 * HAIZEA, and USER_TEMPLATE overrides TEMPLATE. The user's text is only a request; rights.h grants
 * or refuses it.
 */
#pragma once

#include "adapters/opennebula/pool.h"
#include "core/lease.h"

enum {
    LEASE_SPEC_GROUP_MAX = 64,
    LEASE_SPEC_TEXT_MAX = 256,
    LEASE_SPEC_GROUP_SIZE_MOST = 100000,
};

struct lease_spec {
    bool present; /* the VM has the attribute; otherwise the fields have the given defaults */
    enum lease_kind kind; /* START=now: immediate; a time: reservation; best_effort or no START:
                             deadline if there is a DEADLINE or LATEST, else best effort */
    int64_t start;        /* of a reservation, seconds since 1970; else INSTANT_NONE */
    int64_t earliest;     /* of best effort and deadline: not before; INSTANT_NONE: no such spec */
    int64_t deadline;     /* of a deadline lease: ended by then (LATEST: that and its
                             duration); else INSTANT_NONE */
    bool relative_start, relative_earliest, relative_deadline; /* written as "+hh:mm:ss" */
    int64_t duration; /* seconds, 1 or more, or SPAN_UNLIMITED */
    LEASE_TERM_MEMBERS;
    unsigned given; /* bits 1 << enum term_id: terms given by the VM, not by defaults. PREEMPTIBLE
                       and TERMS are given together */
    char group[LEASE_SPEC_GROUP_MAX]; /* "": the VM is a lease by itself */
    uint32_t group_size;              /* 0: not given */
    int64_t group_timeout; /* seconds after which an incomplete group counts as complete; -1: not
                              given */
};

struct lease_spec_defaults {
    bool preemptible; /* of VMs without the term */
    int64_t duration; /* of VMs without the term, or SPAN_UNLIMITED */
    int64_t ahead;    /* seconds by which the clock of vm->stime is ahead of this machine's */
};

/* Reads the spec of a VM in extended form. Relative times ("+hh:mm:ss" or "+d:hh:mm:ss") start at
 * the VM's creation (vm->stime, converted to this machine's clock); absolute times ("YYYY-MM-DD
 * hh:mm:ss", also with T in between, without seconds, or with Z or +hh:mm at the end) are local
 * times of the daemon unless they have a zone. 0, or -1 with the wrong attribute, its value
 * (shortened, printable) and the expected value in `reason`. Wrong attributes are not guessed.
 * doc/man/galerna-template.5.scd has all attributes. O(attributes). */
int lease_spec_read(const struct vm *vm, const struct lease_spec_defaults *defaults,
                    struct lease_spec *spec, char reason[LEASE_SPEC_TEXT_MAX]);
