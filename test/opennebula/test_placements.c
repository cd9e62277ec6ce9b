/* What OpenNebula's own scheduler thought of hosts and datastores (placements/README.md): Galerna
 * must allow the same ones and like them in the same order, but where
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
#include "util/memory.h"

#define PLACEMENTS RECORDINGS "/../placements"

struct site {
    struct host_pool hosts;
    struct vm_pool vms;
    struct cluster_pool clusters;
    struct datastore_pool datastores;
    struct user_pool users;
    struct acl acl;
    struct eligibility *eligibility;
};

/* What is known to differ: the VM's hosts and their order are not compared. */
static const struct {
    const char *recording;
    int32_t vm;
    const char *why;
} differences[] = {
    {"req-malformed", 13, "a blank requirement is no requirement"},
    {"rank-arith", 36, "W ^ 2 is no rank; it was taken for W"},
    {"req-stray-character", 1, "ID % 2 is no rank; it was taken for ID"},
    {"ds-requirements", -1, "its default datastore policy is fixed priority"},
    {"ds-local", 9, "it was sent in the next cycle, when what had been sent before was forgotten"},
};

static bool differs(const char *recording, int32_t vm)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (!strcmp(differences[i].recording, recording) && differences[i].vm == vm)
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

static void site_read(struct site *site, const char *recording, const char *policy_line)
{
    struct eligibility_settings settings = {0};
    struct error err = {0};
    char rank[200] = "";

    READ(site, recording, hosts, host_pool_parse);
    READ(site, recording, vms, vm_pool_parse);
    READ(site, recording, clusters, cluster_pool_parse);
    READ(site, recording, datastores, datastore_pool_parse);
    READ(site, recording, users, user_pool_parse);
    READ(site, recording, acl, acl_parse);
    assert_true(sscanf(policy_line, "policy %u %199[^\n]", (unsigned *)&settings.policy, rank) >=
                1);
    if (strstr(rank, " scale "))
        settings.memory_scale = strtod(strstr(rank, " scale ") + 7, NULL);
    rank[strcspn(rank, " ")] = '\0';
    settings.rank = rank;
    site->eligibility = eligibility_create(&site->hosts, &site->datastores, &site->clusters,
                                           &site->users, &site->acl, &settings, &err);
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
    user_pool_finish(&site->users);
    acl_finish(&site->acl);
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

    return (filter->rank ? filter->rank[place] : 0) + filter->rank_per_vm * host->running_vms;
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
        bool allowed = eligible.filter && eligible.filter->allowed[i] && has_room(host, vm);

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
    if (!differs(recording, id))
        compare_hosts(recording, site, vm, &scores);
}

/* Of the hosts that the VM may have, the best with room on a datastore. -1: none. */
static int32_t best_host(const struct site *site, const struct vm *vm, int32_t *datastore)
{
    struct eligible eligible;
    int32_t best = -1, chosen;
    int64_t rank = 0;
    char reason[256];

    eligibility_of(site->eligibility, vm, &eligible);
    *datastore = -1;
    for (uint32_t i = 0; eligible.filter && i < site->hosts.n; i++) {
        int32_t id = site->hosts.items[i].id;

        if (!eligible.filter->allowed[i] ||
            (best >= 0 && rank_of(eligible.filter, &site->hosts, id) <= rank))
            continue;
        chosen = eligibility_datastore(site->eligibility, vm, i, reason, sizeof reason);
        if (chosen < 0)
            continue;
        best = id;
        rank = rank_of(eligible.filter, &site->hosts, id);
        *datastore = chosen;
    }
    return best;
}

/* "sent VM host ID": in this order, each after those before it took their room; -1: not sent. */
static void compare_sent(const char *recording, struct site *site, const char *line)
{
    int32_t id, expected, host, datastore;
    const struct vm *vm;

    assert_int_equal(sscanf(line, "sent %d host %d", &id, &expected), 2);
    vm = vm_pool_find(&site->vms, id);
    assert_non_null(vm);
    host = best_host(site, vm, &datastore);
    if (host != expected)
        fail_msg("%s: VM %d sent to host %d, not %d", recording, id, host, expected);
    if (host >= 0)
        eligibility_promise(site->eligibility, datastore,
                            (uint32_t)(host_pool_find(&site->hosts, host) - site->hosts.items),
                            eligibility_room_needed(site->eligibility, vm));
}

static void compare(const char *recording)
{
    struct site site = {0};
    size_t length, vms = 0;
    char *text = read_text(recording, "expected.txt", &length), *rest = text;
    const char *line = strsep(&rest, "\n");

    site_read(&site, recording, line);
    while ((line = strsep(&rest, "\n")))
        if (*line) {
            if (strncmp(line, "sent", 4) == 0)
                compare_sent(recording, &site, line);
            else
                compare_vm(recording, &site, line);
            vms++;
        }
    assert_true(vms > 3);
    free(text);
    site_finish(&site);
}

static void hosts_are_those_of_the_stock_scheduler(void **state)
{
    struct dirent **entries;
    int n = scandir(PLACEMENTS, &entries, NULL, alphasort), recordings = 0;

    (void)state;
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.' && !strchr(entries[i]->d_name, '.')) {
            compare(entries[i]->d_name);
            recordings++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(recordings, 13);
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

    (void)state;
    site_read(&site, "ds-requirements", "policy 1");
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
        cmocka_unit_test(hosts_are_those_of_the_stock_scheduler),
        cmocka_unit_test(datastores_are_those_of_the_stock_scheduler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
