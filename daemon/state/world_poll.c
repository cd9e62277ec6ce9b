/* Polls the data of OpenNebula that may have changed. */
#include "daemon/state/world.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/state/world_inside.h"
#include "util/memory.h"
#include "util/mix.h"

#define LOG_SUBSYSTEM LOG_OF_OPENNEBULA

enum { MISSED_LISTS = 2 /* a VM that so many lists in a row do not include may not exist */ };

/* --- a poll ----------------------------------------------------------------------------------- */

static void keep_first_failure(struct world *world, const char *why)
{
    if (!world->failed)
        snprintf(world->error, sizeof world->error, "%s", why);
    world->failed = true;
}

static void poll_begin(struct world *world, enum poll_kind kind);
static bool poll_second_stage(struct world *world);
static void report_lost(struct world *world);

static void take_hosts(struct world *world)
{
    if (!world->hosts_next)
        return;
    world->hosts_next->number = ++world->n_snapshots;
    hosts_release(world->hosts);
    world->hosts = world->hosts_next;
    world->hosts_next = NULL;
    observations_review(world);
}

static void take_vmgroups(struct world *world, bool ok)
{
    if (ok && world->vmgroups_next) {
        vmgroups_release(world->vmgroups);
        world->vmgroups = world->vmgroups_next;
        world->in_vmgroups = world->vmgroups->pool.n_members > 0;
    } else {
        vmgroups_release(world->vmgroups_next);
    }
    world->vmgroups_next = NULL;
}

static void poll_finish(struct world *world)
{
    bool ok = !world->failed;

    take_hosts(world);
    take_vmgroups(world, ok);
    if (ok && world->kind == POLL_FULL && world->site_next) {
        site_release(world->site);
        world->site = world->site_next;
        world->site->digest = site_digest(world->site);
        world->site_next = NULL;
        world->site_asked = world->asked;
    }
    if (ok)
        full_forms_take(world);
    else
        full_forms_finish(&world->full_next);
    site_release(world->site_next);
    world->site_next = NULL;
    if (ok && world->kind == POLL_FULL) {
        promises_review(world);
        addresses_review(world);
    }
    if (ok && world->kind == POLL_FULL) {
        world->said_before = world->said;
        world->said.n = 0;
    }
    world->polling = false;
    report_lost(world);
    world->polled(world->context, world->kind, ok, world->error);
    if (world->next && !world->polling) {
        world->next = false;
        poll_begin(world, world->next_kind);
    }
}

static void answer_in(struct world *world)
{
    if (--world->open > 0)
        return;
    if (!world->failed && !world->second_stage) {
        world->second_stage = true;
        if (poll_second_stage(world))
            return;
    }
    poll_finish(world);
}

static bool is_said(const struct said *said, uint64_t digest)
{
    for (size_t i = 0; i < said->n; i++)
        if (said->digests[i] == digest)
            return true;
    return false;
}

/* Logs a warning once as long as it stays the same, not in each poll: the VM may be any user's. */
static void warn_once(struct world *world, const char *text)
{
    uint64_t digest = mix_text(MIX_BEGIN, text);

    if (is_said(&world->said, digest))
        return;
    if (!is_said(&world->said_before, digest))
        log_warning("%s", text);
    if (world->said.n < SAID_MAX)
        world->said.digests[world->said.n++] = digest;
}

static void note_left_out(struct world *world, const struct pool_errors *errors, const char *what)
{
    char text[512];

    if (errors->n) {
        snprintf(text, sizeof text, "%zu of the %s left out: %s", errors->n, what, errors->first);
        warn_once(world, text);
    }
    if (errors->n_unsized) {
        snprintf(text, sizeof text,
                 "the size of %zu VM%s cannot be read, and nothing else is placed on %s: %s",
                 errors->n_unsized, errors->n_unsized == 1 ? "" : "s",
                 errors->n_unsized == 1 ? "its host" : "their hosts", errors->unsized);
        warn_once(world, text);
    }
}

/* Records the error of a failed answer. True: the answer is complete. */
static bool arrived(struct world *world, const struct cloud_answer *answer)
{
    if (answer->error)
        keep_first_failure(world, answer->error);
    return !answer->error;
}

static void short_vms_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (arrived(world, answer))
        note_left_out(world, &answer->vms.errors, "VMs");
    for (size_t i = 0; i < answer->vms.n; i++)
        observation_see(world, &answer->vms.items[i], world->asked);
    if (!answer->more)
        answer_in(world);
}

static void full_vms_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (arrived(world, answer)) {
        note_left_out(world, &answer->vms.errors, "VMs");
        for (size_t i = 0; i < answer->vms.n; i++)
            observation_see(world, &answer->vms.items[i], world->asked);
        full_forms_add(&world->full_next, &answer->vms, world->asked);
        answer->vms = (struct vm_pool){0};
    }
    if (!answer->more)
        answer_in(world);
}

static void hosts_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (arrived(world, answer)) {
        hosts_release(world->hosts_next);
        world->hosts_next = memory_new(1, sizeof *world->hosts_next);
        *world->hosts_next = (struct hosts_seen){.references = 1, .pool = answer->hosts};
        answer->hosts = (struct host_pool){0};
        for (size_t i = 0; i < world->hosts_next->pool.n; i++) {
            world->hosts_next->cpu += world->hosts_next->pool.items[i].cpu;
            world->hosts_next->memory += world->hosts_next->pool.items[i].memory;
        }
        note_left_out(world, &world->hosts_next->pool.errors, "hosts");
    }
    answer_in(world);
}

static void vmgroups_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (arrived(world, answer)) {
        world->vmgroups_next = memory_new(1, sizeof *world->vmgroups_next);
        *world->vmgroups_next = (struct vmgroups_seen){.references = 1, .pool = answer->vmgroups};
        answer->vmgroups = (struct vmgroup_pool){0};
        note_left_out(world, &world->vmgroups_next->pool.errors, "VM groups");
    }
    answer_in(world);
}

/* Measurements only improve plans: the poll is complete without them. */
static void uses_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (answer->error)
        log_warning("cannot read the resource usage of VMs: %s", answer->error);
    note_left_out(world, &answer->uses.errors, "figures of VMs");
    vm_use_pool_finish(&world->uses);
    world->uses = answer->uses;
    answer->uses = (struct vm_use_pool){0};
    world->uses_asked = world->asked;
    answer_in(world);
}

static void note_leadership(struct world *world, const struct cloud_leadership *leadership,
                            int64_t asked)
{
    if (asked < world->leader_checked) /* a slow poll: there is a newer answer */
        return;
    if (leadership->leads != world->leadership.leads && world->leader_checked)
        log_warning("oned %s now (%s)", leadership->leads ? "leads" : "does not lead",
                    leadership->role);
    world->leadership = *leadership;
    world->leader_checked = asked;
}

static void leader_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (answer->error)
        world->leadership.leads = false;
    else
        note_leadership(world, &answer->leadership, world->leader_asked);
    world->leader_told(world->leader_context);
}

void world_check_leader(struct world *world, void (*told)(void *context), void *context)
{
    world->leader_told = told;
    world->leader_context = context;
    world->leader_asked = clock_monotonic();
    cloud_ask(
        world->settings.cloud,
        &(struct cloud_question){.subject = CLOUD_LEADERSHIP, .told = leader_in, .context = world});
}

int64_t world_leader_checked(const struct world *world)
{
    return world->leader_checked;
}

static void leadership_in(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    if (arrived(world, answer))
        note_leadership(world, &answer->leadership, world->asked);
    answer_in(world);
}

#define DEFINE_SITE_ANSWER(member, type)                                                           \
    static void member##_in(void *context, struct cloud_answer *answer)                            \
    {                                                                                              \
        struct world *world = context;                                                             \
                                                                                                   \
        if (arrived(world, answer)) {                                                              \
            world->site_next->member = answer->member;                                             \
            answer->member = (struct type){0};                                                     \
        }                                                                                          \
        answer_in(world);                                                                          \
    }

DEFINE_SITE_ANSWER(datastores, datastore_pool)
DEFINE_SITE_ANSWER(networks, network_pool)
DEFINE_SITE_ANSWER(clusters, cluster_pool)
DEFINE_SITE_ANSWER(users, user_pool)
DEFINE_SITE_ANSWER(acl, acl)

static void ask(struct world *world, enum cloud_subject subject, cloud_told *told)
{
    world->open++;
    cloud_ask(world->settings.cloud,
              &(struct cloud_question){.subject = subject, .told = told, .context = world});
}

static void ask_for_ids(struct world *world, const int32_t *ids, size_t n)
{
    for (size_t first = 0; first < n; first += CLOUD_IDS_MAX) {
        size_t left = n - first;

        world->open++;
        cloud_ask(world->settings.cloud,
                  &(struct cloud_question){.subject = CLOUD_SOME,
                                           .ids = ids + first,
                                           .n_ids = left < CLOUD_IDS_MAX ? left : CLOUD_IDS_MAX,
                                           .told = full_vms_in,
                                           .context = world});
    }
}

static void poll_begin(struct world *world, enum poll_kind kind)
{
    world->polling = true;
    world->failed = world->second_stage = false;
    world->kind = kind;
    world->asked = clock_monotonic();
    world->open = 1;
    if (world->settings.check_leader)
        ask(world, CLOUD_LEADERSHIP, leadership_in);
    else
        world->leadership.leads = true;
    if (kind == POLL_FULL) {
        ask(world, CLOUD_HOSTS, hosts_in);
        ask(world, CLOUD_VMS, short_vms_in);
        if (world->wants_uses)
            ask(world, CLOUD_USES, uses_in);
        if (!world->site || world->wants_uses || /* clusters have the rebalancing settings */
            world->site_wanted > world->site_asked ||
            world->asked - world->site_asked >= world->settings.site_interval) {
            world->site_next = memory_new(1, sizeof *world->site_next);
            world->site_next->references = 1;
            ask(world, CLOUD_DATASTORES, datastores_in);
            ask(world, CLOUD_NETWORKS, networks_in);
            ask(world, CLOUD_CLUSTERS, clusters_in);
            ask(world, CLOUD_USERS, users_in);
            ask(world, CLOUD_RULES, acl_in);
        }
    }
    ask(world, CLOUD_WAITING, full_vms_in);
    answer_in(world);
}

/* A VM missing from the list is not gone while a host still lists it. */
static bool is_on_a_host(const struct world *world, int32_t id)
{
    const struct hosts_seen *seen = world->hosts_next ? world->hosts_next : world->hosts;

    for (size_t i = 0; seen && i < seen->pool.n; i++)
        for (size_t j = 0; j < seen->pool.items[i].n_vms; j++)
            if (seen->pool.items[i].vms[j] == id)
                return true;
    return false;
}

struct absent_vm {
    struct world *world;
    int32_t id;
};

static void absent_in(void *context, struct cloud_answer *answer)
{
    const struct absent_vm *vm = context;
    struct world *world = vm->world;
    const struct vm_observation *observed = world_vm(world, vm->id);

    if (answer->no_vm) {
        world->n_lost += !observed || !observed->lost; /* it may be asked for twice */
        observation_lose(world, vm->id, world->asked);
    } else if (answer->error && world->n_unanswered++ == 0) {
        log_warning_of(-1, vm->id, "VM %d is not listed, and cannot be read: %s", vm->id,
                       answer->error);
    }
    if (!answer->more)
        answer_in(world);
}

/* A restored database may lack many VMs at once. */
static void report_lost(struct world *world)
{
    if (world->n_lost)
        log_warning("OpenNebula no longer knows %zu VM%s that galernad knows: %s as terminated "
                    "(a VM was purged, or the database restored from an older copy)",
                    world->n_lost, world->n_lost == 1 ? "" : "s",
                    world->n_lost == 1 ? "it counts" : "they count");
    world->n_lost = 0;
}

/* Must oned be asked whether the VM exists? A list says too little to take it for terminated: it
 * also lacks VMs that galernad may not see. An oned that does not lead may lag behind. */
static bool may_be_lost(const struct world *world, int32_t id)
{
    const struct vm_observation *observed = world_vm(world, id);

    return world->kind == POLL_FULL && world->leadership.leads &&
           (!observed || (observed->present && observed->missing >= MISSED_LISTS)) &&
           !is_on_a_host(world, id);
}

static void ask_for_absent(struct world *world, const int32_t *ids, size_t n)
{
    free(world->absent);
    world->absent = memory_new(CLOUD_IDS_MAX, sizeof *world->absent);
    world->n_absent = world->n_unanswered = 0;
    for (size_t i = 0; i < n && world->n_absent < CLOUD_IDS_MAX; i++)
        if (may_be_lost(world, ids[i]))
            world->absent[world->n_absent++] = (struct absent_vm){world, ids[i]};
    for (size_t i = 0; i < world->n_absent; i++) {
        world->open++;
        cloud_ask(world->settings.cloud, &(struct cloud_question){.subject = CLOUD_HISTORY,
                                                                  .ids = &world->absent[i].id,
                                                                  .n_ids = 1,
                                                                  .told = absent_in,
                                                                  .context = &world->absent[i]});
    }
}

/* Must the VM be read in full? Yes if it never was, if this poll replaces a form that no cycle has
 * used yet (a plan is being made), if its times are unknown, or if a full list did not include
 * it. */
static bool needs_full_form(struct world *world, struct vm_observation *observed)
{
    bool shown = observed->asked >= world->asked; /* or since then */
    bool seen = observed->full_seen && !(observed->full && world->forms_are_new);

    if (world->kind != POLL_FULL)
        return false;
    if (shown)
        return (!seen && observed->state != VM_PENDING) || !observed->has_times;
    if (observed->present && !is_on_a_host(world, observed->id)) {
        observed->missing++;
        observation_is_new(world, observed->id);
    }
    return observed->present;
}

static bool poll_second_stage(struct world *world)
{
    size_t n = 0, allocated = 0;
    int32_t *ids = NULL;

    world->open = 1;
    for (uint32_t i = 0; i < world->observations.n; i++) {
        struct vm_observation *observed = map_value(&world->observations, i);

        if (!needs_full_form(world, observed))
            continue;
        MEMORY_GROW(ids, allocated, n + 1);
        ids[n++] = observed->id;
    }
    for (size_t i = 0; i < world->n_wanted; i++) {
        MEMORY_GROW(ids, allocated, n + 1);
        ids[n++] = world->wanted[i];
    }
    if (n)
        ask_for_ids(world, ids, n);
    ask_for_absent(world, ids, n);
    free(ids);
    /* Requested after the pending VMs, so the groups of all VMs read are included. */
    if (world->in_vmgroups || world->site_next)
        ask(world, CLOUD_VMGROUPS, vmgroups_in);
    if (--world->open > 0)
        return true;
    return false;
}

/* --- a notice during a full poll -------------------------------------------------------------- */

static void remember(struct world *world, enum poll_kind kind)
{
    if (!world->next || kind == POLL_FULL)
        world->next_kind = kind;
    world->next = true;
}

static void waiting_refreshed(void *context, struct cloud_answer *answer)
{
    struct world *world = context;

    world->refreshing = answer->more;
    if (answer->error) {
        if (world->polling)
            remember(world, POLL_NOTICE);
        else
            poll_begin(world, POLL_NOTICE); /* reports the error */
        return;
    }
    note_left_out(world, &answer->vms.errors, "VMs");
    for (size_t i = 0; i < answer->vms.n; i++)
        observation_see(world, &answer->vms.items[i], world->refreshed);
    full_forms_add(&world->full, &answer->vms, world->refreshed);
    answer->vms = (struct vm_pool){0};
    full_forms_use(world, &world->full.pools[world->full.n - 1]);
    if (answer->more)
        return;
    world->polled(world->context, POLL_NOTICE, true, "");
}

/* A notice does not wait for the end of a full poll. */
static void refresh_waiting(struct world *world)
{
    world->refreshing = true;
    world->refreshed = clock_monotonic();
    cloud_ask(world->settings.cloud, &(struct cloud_question){.subject = CLOUD_WAITING,
                                                              .told = waiting_refreshed,
                                                              .context = world});
}

void world_poll(struct world *world, enum poll_kind kind)
{
    if (!world->polling)
        poll_begin(world, kind);
    else if (kind == POLL_NOTICE && world->kind == POLL_FULL && world->site && !world->refreshing)
        refresh_waiting(world);
    else
        remember(world, kind);
}

bool world_polling(const struct world *world)
{
    return world->polling;
}

bool world_want_site(struct world *world)
{
    if (world->site_wanted > world->site_asked)
        return false;
    world->site_wanted = clock_monotonic();
    return true;
}

int64_t world_site_asked(const struct world *world)
{
    return world->site_asked;
}
