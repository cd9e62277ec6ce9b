/* enactor_inside.h: what the files of the enactor share. */
#ifndef GALERNA_DAEMON_ENACTOR_INSIDE_H
#define GALERNA_DAEMON_ENACTOR_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/cloud.h"
#include "daemon/live/world.h"
#include "daemon/store/store.h"

/* What a host holds by what was seen and what is on its way. */
struct host_usage {
    int64_t cpu, memory;
    int busy;  /* VMs that are being commanded or on their way to another state */
    int stuck; /* those of them whose time is long over: not counted in busy */
    int stuck_booting;
    bool awaited; /* a VM waits for room here */
};

/* What was logged last of a VM, whatever its numbers. */
struct complaint {
    enum reason_id id;
    char quote[STORE_TEXT_MAX];
    int64_t at;
    size_t repeated;
};

struct enactor {
    struct daemon *daemon;
    const struct hosts_seen *hosts; /* of this cycle */
    struct host_usage *usage;
    size_t usage_allocated;
    int64_t busy;
    bool limited;

    int32_t *commands; /* VMs whose command is to be sent */
    size_t n_commands, commands_allocated;
    int32_t *watched;
    size_t n_watched, watched_allocated;
    int64_t next_time; /* seconds since 1970 */
    struct complaint complaint;
    size_t in_flight;
    struct sent *sent; /* a list of them */
};

/* --- enactor_send.c --- */
/* Free what waits for an answer. */
void enactor_forget_sent(struct enactor *enactor);

/* --- enactor_stuck.c --- */
/* On its way to another state for longer than `stuck-after` and than three times what such
 * operations took so far. It is set apart: the limits are for what moves. */
bool enactor_is_stuck(const struct enactor *enactor, const struct vm_observation *observed);
/* Quarantine the hosts where several VMs are stuck. */
void enactor_note_stuck(struct enactor *enactor, int64_t now);
/* A host is quarantined from now on. */
void enactor_tell_quarantine(struct enactor *enactor, int32_t host, const char *why, int64_t now);

/* --- enactor_failures.c --- */
/* The VM failed to start where it was sent: remembered once per failure. True: time to recover it.
 */
bool enactor_note_failure(struct enactor *enactor, const struct vm_record *vm,
                          const struct vm_observation *observed, int64_t now);
/* Say how often the last complaint was repeated, when that is due. */
void enactor_tell_repeated(struct enactor *enactor, int64_t now);
/* oned refused a command. */
void enactor_note_refusal(struct enactor *enactor, const struct vm_record *vm,
                          const struct cloud_reply *reply, int64_t now);

#endif
