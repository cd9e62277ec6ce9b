/* world_inside.h: shared by the files of the world. */
#pragma once

#include "daemon/state/world.h"
#include "util/map.h"

/* Extended forms are kept per answer: those of pending and of wanted VMs. */
struct form_pool {
    struct vm_pool pool;
    int64_t asked;
};

struct full_forms {
    struct form_pool *pools;
    size_t n, allocated;
};

enum { SAID_MAX = 16 };

/* Warnings already logged about answers. */
struct said {
    uint64_t digests[SAID_MAX];
    size_t n;
};

struct world {
    struct world_settings settings;
    world_polled *polled;
    void *context;

    struct map observations; /* struct vm_observation by id */
    int32_t *leaving;        /* VMs to be dropped as soon as no host lists them */
    size_t n_leaving, leaving_allocated;
    int32_t *changed_vms; /* VMs whose observations have changed; some twice */
    size_t n_changed_vms, changed_vms_allocated;
    uint64_t n_changes;     /* number of changes so far */
    size_t n_in_transition; /* of the observations */
    int32_t *forms;         /* VMs with an extended form, ascending ... */
    size_t n_forms, forms_allocated;
    bool forms_listed;  /* ... if they have not changed since */
    bool forms_are_new; /* forms arrived after the last call of world_forms() */
    size_t n_dropped;   /* calls of world_drop_form() */

    struct hosts_seen *hosts;
    struct site_seen *site;
    struct vmgroups_seen *vmgroups;
    bool in_vmgroups;                /* a VM is in a VM group */
    int64_t site_asked, site_wanted; /* site_wanted: it must not be older than that */
    struct full_forms full, full_next;
    int32_t *wanted;
    size_t n_wanted;
    bool wants_uses;
    struct vm_use_pool uses;
    int64_t uses_asked;

    struct room_promise *promises;
    size_t n_promises, promises_allocated;
    struct address_promise *addresses;
    size_t n_addresses, addresses_allocated;
    int32_t *refusing; /* hosts that refused a VM while they counted VMs that are not there */
    size_t n_refusing, refusing_allocated;
    bool promises_changed; /* since they were last stored */

    struct cloud_leadership leadership;
    int64_t leader_checked, leader_asked;
    void (*leader_told)(void *context); /* NULL: no caller waits for it */
    void *leader_context;
    int64_t look_asked;
    void (*look_seen)(void *context, bool ok);
    void *look_context;

    /* The poll in progress. */
    enum poll_kind kind, next_kind;
    bool polling, next, failed, second_stage;
    bool refreshing; /* pending VMs are requested during a full poll */
    int64_t refreshed;
    size_t open; /* number of requests without an answer */
    int64_t asked;
    char error[256];
    struct said said, said_before; /* since the last full poll, and between the last two */
    struct site_seen *site_next;
    struct hosts_seen *hosts_next;
    struct vmgroups_seen *vmgroups_next;
    struct absent_vm *absent; /* VMs that a complete list did not include: do they exist? */
    size_t n_absent, n_lost, n_unanswered; /* of them: do not exist; error in the answer */
    uint64_t n_snapshots;
};

/* --- world_room.c --- */
/* Drop the promises that the new snapshot includes. */
void promises_review(struct world *world);

/* --- world_site.c --- */
/* O(attributes of all objects). */
uint64_t site_digest(const struct site_seen *site);

/* --- world_addresses.c --- */
/* Drop the promises that the networks' figures include. */
void addresses_review(struct world *world);

/* --- world_vms.c --- */
/* The observation of a VM, created if there is none. */
struct vm_observation *observation_make(struct world *world, int32_t id);
void observation_finish(struct vm_observation *observed); /* frees what belongs to it */
/* After an update of the hosts: drop the leaving VMs that are no longer listed. */
void observations_review(struct world *world);
/* The VM's observation has changed. */
void observation_is_new(struct world *world, int32_t id);
/* Update a VM's observation from an answer; ignored if older than the observation. */
void observation_see(struct world *world, const struct vm *vm, int64_t asked);
/* oned does not know the VM: it counts as one that was terminated. Ignored if older than the
 * observation. */
void observation_lose(struct world *world, int32_t id, int64_t asked);
void full_forms_finish(struct full_forms *full);
void full_forms_add(struct full_forms *full, const struct vm_pool *pool, int64_t asked);
/* Use the poll's forms, and those requested after the poll began; free the others. */
void full_forms_take(struct world *world);
/* Use the forms of another answer. */
void full_forms_use(struct world *world, const struct form_pool *forms);
