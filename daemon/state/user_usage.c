/* Computes the usage of users from their accounts in the store and from running VMs. */
#include "daemon/state/user_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/usage.h"
#include "daemon/state/lease_state.h"
#include "daemon/store/awake.h"
#include "util/map.h"
#include "util/memory.h"

#define ACCOUNT "usage " /* prefix of the facts' names */

enum { ACCOUNT_TEXT_MAX = 64 };

static int64_t cpu_of(const struct store *store, const struct lease_record *lease)
{
    size_t n;
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);
    int64_t cpu = 0;

    for (size_t i = 0; i < n; i++)
        cpu += vms[i]->cpu;
    return cpu;
}

/* Uncharged seconds of the lease's run time. */
static int64_t uncharged(const struct lease_record *lease, int64_t now)
{
    int64_t run = store_has_run(lease, now);

    return run > lease->charged ? run - lease->charged : 0;
}

static void read_account(const char *value, struct usage *usage)
{
    char *end;

    *usage = (struct usage){.used = strtod(value, &end)};
    usage->at = strtoll(end, NULL, 10);
    if (!(usage->used >= 0 && usage->used <= 1e18))
        usage->used = 0;
}

/* --- all accounts ----------------------------------------------------------------------------- */

static struct usage *account_of(struct map *accounts, int32_t uid, int32_t gid)
{
    return map_value(accounts, map_add(accounts, (int64_t)gid << 32 | (uint32_t)uid));
}

static void add_account(void *context, const char *name, const char *value)
{
    int32_t uid, gid;

    if (sscanf(name, ACCOUNT "%" SCNd32 " %" SCNd32, &uid, &gid) == 2)
        read_account(value, account_of(context, uid, gid));
}

struct used *usage_now(const struct store *store, const struct fair_share_settings *settings,
                       int64_t now, size_t *n)
{
    size_t n_leases;
    const struct lease_record *const *leases = store_leases(store, &n_leases);
    struct map accounts;
    struct used *all;

    map_init(&accounts, sizeof(struct usage));
    store_each_fact(store, ACCOUNT, add_account, &accounts);
    for (size_t i = 0; i < n_leases; i++) {
        int64_t span = uncharged(leases[i], now);

        if (span > 0)
            usage_add(account_of(&accounts, leases[i]->uid, leases[i]->gid), settings->half_life,
                      cpu_of(store, leases[i]), now - span, now);
    }
    *n = accounts.n;
    all = memory_new(accounts.n, sizeof *all);
    for (uint32_t i = 0; i < accounts.n; i++) {
        int64_t key = map_key(&accounts, i);

        all[i] = (struct used){(int32_t)(uint32_t)key, (int32_t)(key >> 32),
                               usage_until(map_value(&accounts, i), settings->half_life, now)};
    }
    map_finish(&accounts);
    return all;
}

struct fair_share *usage_shares(const struct store *store,
                                const struct fair_share_settings *settings, int64_t now)
{
    struct fair_share *shares = fair_share_create(settings);
    size_t n;
    struct used *all = usage_now(store, settings, now, &n);

    for (size_t i = 0; i < n; i++)
        share_use(shares, fair_share_of(shares, all[i].uid, all[i].gid), all[i].used, now);
    free(all);
    return shares;
}

/* --- charging --------------------------------------------------------------------------------- */

void usage_charge_lease(struct store *store, const struct fair_share_settings *settings,
                        const struct lease_record *lease, int64_t now)
{
    char name[ACCOUNT_TEXT_MAX], value[ACCOUNT_TEXT_MAX];
    int64_t span = uncharged(lease, now);
    struct usage usage = {0};
    const char *known;

    if (settings->by == FAIR_SHARE_NO || span == 0)
        return;
    snprintf(name, sizeof name, ACCOUNT "%" PRId32 " %" PRId32, lease->uid, lease->gid);
    known = store_fact(store, name);
    if (known)
        read_account(known, &usage);
    usage_add(&usage, settings->half_life, cpu_of(store, lease), now - span, now);
    snprintf(value, sizeof value, "%.17g %" PRId64, usage.used, usage.at);
    store_set_fact(store, name, value);
    lease_note_charged(store, lease, lease->charged + span);
}

void usage_charge(struct store *store, const struct fair_share_settings *settings, int64_t now)
{
    size_t n;
    const struct lease_record *const *leases = store_awake_leases(store, &n);

    for (size_t i = 0; i < n && settings->by != FAIR_SHARE_NO; i++)
        if (leases[i]->since == INSTANT_NONE)
            usage_charge_lease(store, settings, leases[i], now);
}
