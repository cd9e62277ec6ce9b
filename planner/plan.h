/* plan.h: an engine with the objects it refers to, and its construction from facts. */
#pragma once

#include "core/host_filter.h"
#include "planner/planning.h"
#include "planner/wire_units.h"

struct plan {
    struct engine *engine;
    size_t n_hosts, n_places; /* places: the hosts, then the insides of booked hosts */
    uint32_t *host_of;        /* by place: the host itself, or the host of the inside */
    struct set_objects objects;
    size_t filters_allocated, demands_allocated;
    struct plan_column {
        const void *numbers;        /* one for each host; ranks refer to them */
        struct rank_values *values; /* NULL: not needed yet, or too many */
        bool has_values;            /* if there are not too many */
    } * columns;
    size_t n_columns, columns_allocated;
    const uint64_t **bitmaps; /* a bit for each place; filters refer to them */
    size_t n_bitmaps, bitmaps_allocated;
    struct kept_list kept; /* the hosts' units, filters, demands, units held by VMs, and the
                              frames that bitmaps point into */
};

/* A VM of a group that must start on another host. */
struct displaced_vm {
    int64_t lease;
    uint32_t vm;
    bool is_homeless; /* the VM has no host, so its lease is not in the engine yet */
    const struct host_filter *filter;
    struct node_set nodes; /* one VM */
    int64_t until;
};

/* State while a plan is built. */
struct plan_building {
    struct plan *plan;
    const struct policy_hooks *hooks;
    struct policy_host *policies; /* receives each site; NULL: none */
    int64_t now;
    struct displaced_vm *displaced;
    size_t n_displaced, displaced_allocated;
    struct plan_relocation *relocations;
    size_t n_relocations, relocations_allocated;
    struct wire_writer exceptions;
    size_t n_exceptions;
    int64_t n_blocks;
};

/* The host of a place, by galernad's numbers. */
uint32_t plan_host_of(const struct plan *plan, uint32_t place);
void plan_finish(struct plan *plan); /* frees the contents; the structure may be used again */

/* Read settings and hosts, and create an engine that begins at building->now. */
int plan_make_engine(struct plan_building *building, struct wire_reader *reader, struct error *err);
/* Read columns, bitmaps, filters and demands and add them to the existing ones. The bitmaps stay in
 * the frame. */
void plan_read_objects(struct plan *plan, struct wire_reader *reader);
/* Read adoptions and add them to the engine. Group members that must move get other hosts, a
 * limited number per plan: after each, the engine is rebuilt from `site` (where plan_make_engine()
 * began to read), and everything is adopted again. -1 with err: the adoptions are malformed, or the
 * engine cannot be created. */
int plan_adopt(struct plan_building *building, struct wire_reader *reader,
               const struct wire_reader *site, struct error *err);
void plan_building_finish(struct plan_building *building);
