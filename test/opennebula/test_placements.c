/* What OpenNebula's own schedulers thought of hosts and datastores, and the choices of their first
 * cycle (placements/README.md): Galerna must allow the same ones, like them in the same order, take
 * VMs in the same order, and send each to a host that stock ranks as high, except where
 * doc/differences-from-opennebula.md says otherwise. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/eligibility.h"
#include "adapters/opennebula/lease_spec.h"
#include "util/memory.h"

#define PLACEMENTS RECORDINGS "/../placements"

#define EVERY_VM (-1)

struct site {
    struct host_pool hosts;
    struct vm_pool vms;
    struct cluster_pool clusters;
    struct datastore_pool datastores;
    struct network_pool networks;
    struct user_pool users;
    struct acl acl;
    struct eligibility *eligibility;

    struct eligibility_settings settings;
    char rank[200], datastore_rank[200], different[16];
    unsigned most_per_host, most; /* MAX_HOST, MAX_DISPATCH; 0: no limit */
    /* What this cycle has sent to each host. */
    int64_t *cpu, *memory;
    unsigned *sent;
    unsigned n_sent;
    const struct vm *last; /* sent before */
    char *text;            /* of expected.txt */
};

/* What is known to differ: the hosts a VM may have and their order, or the choice among them. */
enum part { MATCHES = 1, CHOICE = 2 };

static const struct {
    const char *recording;
    int32_t vm; /* EVERY_VM */
    unsigned parts;
    const char *why;
} differences[] = {
    {"req-malformed", 13, MATCHES | CHOICE, "a blank requirement is no requirement"},
    {"rank-arith", 36, MATCHES | CHOICE, "W ^ 2 is no rank; it was taken for W"},
    {"rank-arith", 41, CHOICE, "ranks beyond 32 bits"},
    {"rank-arith", 42, CHOICE, "ranks beyond 32 bits"},
    {"req-stray-character", 1, MATCHES | CHOICE, "ID % 2 is no rank; it was taken for ID"},
    {"ds-packing", 6, CHOICE, "the fullest datastore after what this plan has put there"},
    {"ds-local", EVERY_VM, MATCHES, "room on the hosts' own disks counts when hosts are chosen"},
    {"nic-auto", 8, MATCHES, "two NICs and one network: found when hosts are chosen"},
    {"nic-auto", 15, MATCHES, "five NICs and four networks: the same"},
    {"limit-max-vm", EVERY_VM, MATCHES, "all VMs are considered"},
};

static bool differs(const char *recording, int32_t vm, enum part part)
{
    recording = strrchr(recording, '/') ? strrchr(recording, '/') + 1 : recording;
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (!strcmp(differences[i].recording, recording) && (differences[i].parts & part) &&
            (differences[i].vm == vm || differences[i].vm == EVERY_VM))
            return true;
    return false;
}

static char *read_text(const char *recording, const char *name, size_t *length)
{
    char path[512], *text;
    FILE *file;
    long size;

    snprintf(path, sizeof path, "%s/%s/%s", PLACEMENTS, recording, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    text = memory_new((size_t)size + 1, 1);
    *length = fread(text, 1, (size_t)size, file);
    assert_int_equal(*length, size);
    fclose(file);
    return text;
}

#define READ(site, recording, pool, parse)                                                         \
    do {                                                                                           \
        struct error fault = {0};                                                                  \
        size_t length;                                                                             \
        char *text = read_text(recording, #pool ".xml", &length);                                  \
        if (parse(&(site)->pool, text, length, &fault) < 0)                                        \
            fail_msg("%s: %s: %s", recording, #pool, fault.text);                                  \
        free(text);                                                                                \
    } while (0)

/* One setting of the head of expected.txt; false: the first line behind it. */
static bool read_setting(struct site *site, const char *recording, const char *line)
{
    struct eligibility_settings *settings = &site->settings;
    unsigned number;

    if (sscanf(line, "policy %u %199s", &number, site->rank) >= 1)
        settings->policy = (enum host_policy)number;
    else if (sscanf(line, "scale %lf", &settings->memory_scale) == 1)
        return true;
    else if (sscanf(line, "datastores %u %199s", &number, site->datastore_rank) >= 1)
        settings->datastore_policy = (enum placement_policy)number;
    else if (sscanf(line, "networks %u %15s", &number, site->different) >= 1) {
        settings->network_policy = (enum placement_policy)number;
        settings->different_networks = strcmp(site->different, "different") == 0;
        READ(site, recording, networks, network_pool_parse);
    } else if (sscanf(line, "limit %u %u", &site->most_per_host, &site->most) == 2)
        return true;
    else
        return false;
    return true;
}

static void site_read(struct site *site, const char *recording)
{
    READ(site, recording, hosts, host_pool_parse);
    READ(site, recording, vms, vm_pool_parse);
    READ(site, recording, clusters, cluster_pool_parse);
    READ(site, recording, datastores, datastore_pool_parse);
    READ(site, recording, users, user_pool_parse);
    READ(site, recording, acl, acl_parse);
    site->cpu = memory_new(site->hosts.n, sizeof *site->cpu);
    site->memory = memory_new(site->hosts.n, sizeof *site->memory);
    site->sent = memory_new(site->hosts.n, sizeof *site->sent);
}

static void site_begin(struct site *site, const char *recording)
{
    struct error err = {0};

    site->settings.rank = site->rank;
    site->settings.datastore_rank = site->datastore_rank;
    site->eligibility =
        eligibility_create(&(struct eligibility_site){.hosts = &site->hosts,
                                                      .datastores = &site->datastores,
                                                      .networks = &site->networks,
                                                      .clusters = &site->clusters,
                                                      .users = &site->users,
                                                      .acl = &site->acl},
                           &site->settings, &err);
    if (!site->eligibility)
        fail_msg("%s: %s", recording, err.text);
}

static void site_finish(struct site *site)
{
    eligibility_destroy(site->eligibility);
    host_pool_finish(&site->hosts);
    vm_pool_finish(&site->vms);
    cluster_pool_finish(&site->clusters);
    datastore_pool_finish(&site->datastores);
    network_pool_finish(&site->networks);
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
    free(site->cpu);
    free(site->memory);
    free(site->sent);
    free(site->text);
}

/* "3:0.25 1:-1 ..." */
struct scores {
    int32_t ids[32];
    double scores[32];
    size_t n;
};

static void read_scores(const char *text, struct scores *scores)
{
    int used;

    scores->n = 0;
    while (scores->n < 32 && sscanf(text, " %d:%lf%n", &scores->ids[scores->n],
                                    &scores->scores[scores->n], &used) == 2) {
        text += used;
        scores->n++;
    }
}

/* A VM that is marked RESCHED goes to another host than its own. */
static bool must_leave(const struct vm *vm, const struct host *host)
{
    return vm->resched && vm->history.host == host->id;
}

static bool has_room(const struct host *host, const struct vm *vm)
{
    return host->cpu - host->cpu_usage >= vm->cpu &&
           host->memory - host->memory_usage >= vm->memory;
}

static bool is_listed(const struct scores *scores, int32_t id)
{
    for (size_t i = 0; i < scores->n; i++)
        if (scores->ids[i] == id)
            return true;
    return false;
}

static int64_t rank_of(const struct host_filter *filter, const struct host_pool *hosts, int32_t id)
{
    const struct host *host = host_pool_find(hosts, id);
    size_t place = (size_t)(host - hosts->items);

    return (filter->rank ? host_rank_of(filter->rank, (uint32_t)place) : 0) +
           filter->rank_per_vm * host->running_vms;
}

static void compare_hosts(const char *recording, const struct site *site, const struct vm *vm,
                          const struct scores *expected)
{
    struct eligible eligible;

    eligibility_of(site->eligibility, vm, &eligible);
    if (eligible.n_hosts == 0 && !eligible.reason[0])
        fail_msg("%s: VM %d has no host and no reason", recording, vm->id);
    for (size_t i = 0; i < site->hosts.n; i++) {
        const struct host *host = &site->hosts.items[i];
        bool allowed = eligible.filter && host_filter_allows(eligible.filter, i) &&
                       has_room(host, vm) && !must_leave(vm, host);

        if (allowed != is_listed(expected, host->id))
            fail_msg("%s: VM %d on host %d: %d (%s)", recording, vm->id, host->id, allowed,
                     eligible.reason);
    }
    for (size_t i = 1; i < expected->n; i++) {
        int64_t first = rank_of(eligible.filter, &site->hosts, expected->ids[i - 1]);
        int64_t second = rank_of(eligible.filter, &site->hosts, expected->ids[i]);

        if (expected->scores[i - 1] > expected->scores[i] && first <= second)
            fail_msg("%s: VM %d: host %d before host %d, but ranks %lld and %lld", recording,
                     vm->id, expected->ids[i - 1], expected->ids[i], (long long)first,
                     (long long)second);
    }
}

static void compare_vm(const char *recording, const struct site *site, const char *line)
{
    struct scores scores;
    const char *hosts = strstr(line, "hosts");
    int32_t id;
    const struct vm *vm;

    assert_int_equal(sscanf(line, "vm %d", &id), 1);
    vm = vm_pool_find(&site->vms, id);
    assert_non_null(vm);
    assert_non_null(hosts);
    read_scores(hosts + 5, &scores);
    if (!differs(recording, id, MATCHES))
        compare_hosts(recording, site, vm, &scores);
}

/* --- the choices of the first cycle ----------------------------------------------------------- */

/* Room and limits after what this cycle has sent already. */
static bool takes_one_more(const struct site *site, size_t place, const struct vm *vm)
{
    const struct host *host = &site->hosts.items[place];

    return !must_leave(vm, host) && host->cpu - host->cpu_usage - site->cpu[place] >= vm->cpu &&
           host->memory - host->memory_usage - site->memory[place] >= vm->memory &&
           (site->most_per_host == 0 || site->sent[place] < site->most_per_host);
}

/* The best rank among the hosts that can take the VM now; false: none can. */
static bool best_rank(const struct site *site, const struct vm *vm, const struct eligible *eligible,
                      int64_t *rank)
{
    struct nic_choice choices[VM_NICS_MAX];
    char reason[256];
    bool any = false;

    for (uint32_t i = 0; eligible->filter && i < site->hosts.n; i++) {
        int64_t its = rank_of(eligible->filter, &site->hosts, site->hosts.items[i].id);

        if (!host_filter_allows(eligible->filter, i) || !takes_one_more(site, i, vm) ||
            eligibility_datastore(site->eligibility, vm, i, reason, sizeof reason) < 0 ||
            eligibility_networks(site->eligibility, vm, i, choices, reason, sizeof reason) < 0 ||
            (any && its <= *rank))
            continue;
        *rank = its;
        any = true;
    }
    return any;
}

/* Does stock score the two alike, in the list of that name of the VM's line? */
static bool is_tied(const struct site *site, int32_t vm, const char *list, int32_t one,
                    int32_t other)
{
    const char *line, *at;
    struct scores scores;
    double first = 1, second = -1;
    char start[32];

    snprintf(start, sizeof start, "\nvm %d ", vm);
    line = strstr(site->text, start);
    at = line ? strstr(line, list) : NULL;
    if (!at || at > strchr(line + 1, '\n'))
        return false;
    read_scores(at + strlen(list), &scores);
    for (size_t i = 0; i < scores.n; i++) {
        first = scores.ids[i] == one ? scores.scores[i] : first;
        second = scores.ids[i] == other ? scores.scores[i] : second;
    }
    return first == second;
}

/* " nic NIC:NETWORK ..." of a line: the networks that the VM gets. */
static void compare_networks(const char *recording, struct site *site, const struct vm *vm,
                             uint32_t place, const char *line)
{
    struct nic_choice choices[VM_NICS_MAX];
    char reason[256], list[16];
    int32_t nic, network;
    size_t n = 0;
    int used;

    if (eligibility_networks(site->eligibility, vm, place, choices, reason, sizeof reason) < 0)
        fail_msg("%s: VM %d: %s", recording, vm->id, reason);
    for (line = strstr(line, " nic ");
         line && sscanf(line, " nic %d:%d%n", &nic, &network, &used) == 2; line += used, n++) {
        assert_true(n < vm->n_nics);
        assert_int_equal(choices[n].nic, nic);
        snprintf(list, sizeof list, "nic %d", nic);
        if (choices[n].network != network &&
            !is_tied(site, vm->id, list, choices[n].network, network) &&
            !differs(recording, vm->id, CHOICE))
            fail_msg("%s: NIC %d of VM %d in network %d, not %d", recording, nic, vm->id,
                     choices[n].network, network);
        eligibility_promise_address(site->eligibility, network);
    }
    assert_int_equal(n, vm->n_nics);
}

static int64_t priority_of(const struct vm *vm)
{
    const struct lease_spec_defaults defaults = {.duration = SPAN_UNLIMITED};
    struct lease_spec spec;
    char reason[LEASE_SPEC_TEXT_MAX];

    assert_int_equal(lease_spec_read(vm, &defaults, &spec, reason), 0);
    return spec.priority;
}

static void compare_order(const char *recording, struct site *site, const struct vm *vm)
{
    const struct vm *before = site->last;

    site->last = vm;
    if (before && (priority_of(before) < priority_of(vm) ||
                   (priority_of(before) == priority_of(vm) && before->id > vm->id)))
        fail_msg("%s: VM %d is sent before VM %d", recording, before->id, vm->id);
}

/* "sent ID host HOST datastore DATASTORE": in this order. */
static void compare_sent(const char *recording, struct site *site, const char *line)
{
    int32_t id, host, datastore, chosen;
    const struct vm *vm;
    struct eligible eligible;
    uint32_t place;
    int64_t rank = 0;
    char reason[256];

    assert_int_equal(sscanf(line, "sent %d host %d datastore %d", &id, &host, &datastore), 3);
    vm = vm_pool_find(&site->vms, id);
    assert_non_null(vm);
    place = (uint32_t)(host_pool_find(&site->hosts, host) - site->hosts.items);
    compare_order(recording, site, vm);
    eligibility_of(site->eligibility, vm, &eligible);
    if (!differs(recording, id, CHOICE)) {
        if (!best_rank(site, vm, &eligible, &rank) || !host_filter_allows(eligible.filter, place) ||
            rank_of(eligible.filter, &site->hosts, host) != rank)
            fail_msg("%s: VM %d is sent to host %d, whose rank is not %lld", recording, id, host,
                     (long long)rank);
    }
    chosen = eligibility_datastore(site->eligibility, vm, place, reason, sizeof reason);
    if (chosen != datastore && !is_tied(site, id, "datastores", chosen, datastore) &&
        !differs(recording, id, CHOICE))
        fail_msg("%s: VM %d on datastore %d, not %d (%s)", recording, id, chosen, datastore,
                 reason);
    compare_networks(recording, site, vm, place, line);
    eligibility_promise(site->eligibility, datastore, place,
                        eligibility_room_needed(site->eligibility, vm));
    site->cpu[place] += vm->cpu;
    site->memory[place] += vm->memory;
    site->sent[place]++;
    site->n_sent++;
}

/* "left ID": all others were sent, and nothing can take it, unless no more were sent at all. */
static void compare_left(const char *recording, const struct site *site, const char *line)
{
    const struct vm *vm;
    struct eligible eligible;
    int64_t rank;
    int32_t id;

    assert_int_equal(sscanf(line, "left %d", &id), 1);
    vm = vm_pool_find(&site->vms, id);
    assert_non_null(vm);
    eligibility_of(site->eligibility, vm, &eligible);
    if (!differs(recording, id, CHOICE) && (site->most == 0 || site->n_sent < site->most) &&
        best_rank(site, vm, &eligible, &rank))
        fail_msg("%s: VM %d is left, and a host could take it", recording, id);
}

static void compare(const char *recording)
{
    struct site site = {0};
    size_t length, vms = 0;
    char *text = read_text(recording, "expected.txt", &length), *rest = text;
    const char *line = strsep(&rest, "\n");

    site_read(&site, recording);
    site.text = read_text(recording, "expected.txt", &length);
    while (line && read_setting(&site, recording, line))
        line = strsep(&rest, "\n");
    site_begin(&site, recording);
    for (; line && *line; line = strsep(&rest, "\n"), vms++) {
        if (strncmp(line, "sent", 4) == 0)
            compare_sent(recording, &site, line);
        else if (strncmp(line, "left", 4) == 0)
            compare_left(recording, &site, line);
        else
            compare_vm(recording, &site, line);
    }
    assert_true(vms > 3);
    free(text);
    site_finish(&site);
}

/* All recordings of a folder; how many. */
static int compare_all(const char *folder)
{
    struct dirent **entries;
    char path[600];
    int n, recordings = 0;

    snprintf(path, sizeof path, "%s/%s", PLACEMENTS, folder);
    n = scandir(path, &entries, NULL, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        if (!strchr(entries[i]->d_name, '.')) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            compare(path);
            recordings++;
        }
        free(entries[i]);
    }
    free(entries);
    return recordings;
}

static void choices_are_those_of_mm_sched(void **state)
{
    assert_int_equal(compare_all("."), 23);
}

static void choices_are_those_of_rank(void **state)
{
    assert_int_equal(compare_all("7.4"), 21);
}

static void assert_datastore(const struct site *site, int32_t vm_id, int32_t expected)
{
    char reason[256];
    const struct vm *vm = vm_pool_find(&site->vms, vm_id);
    struct eligible eligible;
    int32_t chosen;

    eligibility_of(site->eligibility, vm, &eligible);
    chosen = eligibility_datastore(site->eligibility, vm, 0, reason, sizeof reason);
    if (chosen != expected)
        fail_msg("VM %d: datastore %d, not %d (%s)", vm_id, chosen, expected, reason);
    assert_int_equal(expected < 0, reason[0] != '\0');
}

static void datastores_are_those_of_the_stock_scheduler(void **state)
{
    struct site site = {0};

    site_read(&site, "ds-requirements");
    site.settings.policy = HOST_POLICY_STRIPING;
    site.settings.datastore_policy = PLACEMENT_STRIPING;
    site_begin(&site, "ds-requirements");
    assert_datastore(&site, 1, 0);
    assert_datastore(&site, 2, 102); /* of 101 and 102, the one with more room */
    assert_datastore(&site, 3, 100);
    assert_datastore(&site, 5, 100);
    assert_datastore(&site, 6, 101);
    assert_datastore(&site, 9, -1);
    assert_datastore(&site, 10, -1);
    assert_datastore(&site, 11, -1);
    assert_datastore(&site, 12, 102);
    assert_datastore(&site, 13, -1);
    /* Promised room is gone. */
    eligibility_promise(site.eligibility, 100, 0,
                        eligibility_room_needed(site.eligibility, vm_pool_find(&site.vms, 9)));
    assert_datastore(&site, 3, 100);
    assert_datastore(&site, 0, 102);
    site_finish(&site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_those_of_mm_sched),
        cmocka_unit_test(choices_are_those_of_rank),
        cmocka_unit_test(datastores_are_those_of_the_stock_scheduler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
