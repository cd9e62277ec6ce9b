/* engine_state.h: the state of an engine, for the files of core/ that make up the scheduler.
 *
 * Each part is described in the one file that writes it; other files read it. The parts, from the
 * lowest: slot table, bookings, mapper, placing, preemption, scheduling, requests, engine. A file
 * calls only files of its own part and below (test/layers.sh).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/host_binding.h"
#include "core/leases.h"
#include "core/mapper.h"
#include "core/queue.h"
#include "core/reservations.h"
#include "core/slot_table.h"

struct image_transfers;

/* Updated as events occur, read by the driver. */
struct figures {
    size_t unfinished[LEASE_KINDS]; /* leases by kind */
    int64_t cpu_total;
    int64_t *disk_used; /* MB on each host: disk_files.h */
    uint64_t attempts;  /* leases tried */
};

enum engine_stage { ENGINE_NEW, ENGINE_BEGUN, ENGINE_STEPPED };

struct engine {
    struct site site;
    struct engine_settings settings;
    const struct policy_hooks *hooks;
    bool *closed; /* hosts that take no new VMs; NULL: none */
    int64_t now;
    enum engine_stage stage;

    struct slot_table *table;
    struct slot_table *empty;  /* the site without leases; NULL until needed: scheduling_pass.c */
    struct bookings bookings;  /* reservations.c */
    struct lease_table leases; /* leases.c */
    struct queues queues;      /* queue.c, scheduling_pass.c */
    struct mapper mapper;      /* mapper.c */
    struct image_transfers *images; /* preparation.c */
    struct host_binding binding;    /* host_binding.c */
    struct figures figures;
    struct fair_share *shares; /* NULL: no fair share; reservations.c */
    int64_t next_move_look;    /* next search for better hosts; INSTANT_NONE: no lease may move;
                                * opportunistic.c */

    bool has_leaving; /* adopted leases must leave their hosts: opportunistic.c */

    struct engine_outputs *outputs; /* of the step under way: outputs.c */
    struct engine_outputs adopted;  /* caused by adoptions: output by the first step */
    struct reservation_list due;    /* scratch of engine.c: reservations of this instant */
    uint32_t *host_slot;            /* scratch, one entry per host: HOST_NONE whenever not in use */
};
