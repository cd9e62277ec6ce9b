/* eligibility.c: what requirements and ranks cost.
 *
 *   bench-eligibility [HOSTS [VMS]]
 *
 * Each of VMS VMs has a requirement of three terms and a rank of its own, on HOSTS hosts with some
 * twenty attributes. Prints processor time for the table of attributes, for the VMs, for the same
 * VMs again, and for as many VMs that all ask for the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/opennebula/eligibility.h"
#include "bench/processor_time.h"
#include "util/memory.h"

enum { ATTRIBUTES = 24, TEXT_LENGTH = 48 };

static char *text_of(const char *format, unsigned long number)
{
    char *text = memory_new(TEXT_LENGTH, 1);

    /* The formats are this file's own. */
    snprintf(text, TEXT_LENGTH, format, number);
    return text;
}

static void make_host(struct host *host, unsigned long i)
{
    static const char *const further[] = {
        "ARCH",    "CPUSPEED", "HYPERVISOR", "IM_MAD",    "VM_MAD",    "MODELNAME", "STATE",
        "CLUSTER", "MAX_CPU",  "MAX_MEM",    "CPU_USAGE", "MEM_USAGE", "USED_CPU",  "USED_MEMORY"};
    struct attributes *attributes = &host->attributes;

    host->id = (int32_t)i;
    host->state = HOST_ON;
    host->running_vms = (int64_t)(i % 13);
    attributes->items = memory_new(ATTRIBUTES, sizeof *attributes->items);
    attributes->items[attributes->n++] = (struct attribute){"ID", text_of("%lu", i)};
    attributes->items[attributes->n++] = (struct attribute){"NAME", text_of("host-%lu", i)};
    attributes->items[attributes->n++] = (struct attribute){"RACK", text_of("r%lu", i / 40)};
    attributes->items[attributes->n++] =
        (struct attribute){"FREE_MEMORY", text_of("%lu", 1000000 + i * 7919 % 60000000)};
    attributes->items[attributes->n++] =
        (struct attribute){"FREE_CPU", text_of("%lu", i * 31 % 6400)};
    attributes->items[attributes->n++] = (struct attribute){"RUNNING_VMS", text_of("%lu", i % 13)};
    for (size_t k = 0; k < sizeof further / sizeof *further; k++)
        attributes->items[attributes->n++] =
            (struct attribute){further[k], text_of("some value %lu", (i + k) % 50)};
}

struct request {
    struct vm vm;
    struct attribute attributes[2];
};

static void make_request(struct request *request, unsigned long i)
{
    char *requirement = memory_new(128, 1), *rank = memory_new(128, 1);

    snprintf(requirement, 128, "RACK=\"r%lu*\" & FREE_MEMORY>%lu | NAME!=\"host-%lu\"", i % 10,
             1000000 + i * 100, i);
    snprintf(rank, 128, "FREE_CPU*%lu + FREE_MEMORY/1024 - %lu*RUNNING_VMS", i + 1, i % 100 + 1);
    request->attributes[0] = (struct attribute){"SCHED_REQUIREMENTS", requirement};
    request->attributes[1] = (struct attribute){"SCHED_RANK", rank};
    request->vm = (struct vm){.id = (int32_t)i,
                              .history = {.sequence = -1},
                              .is_extended = true,
                              .user_template = {request->attributes, 2, 0}};
}

static void ask(struct eligibility *eligibility, const struct request *requests, size_t n,
                const char *what)
{
    double begin = processor_ms(), cost;
    size_t hosts = 0;

    for (size_t i = 0; i < n; i++) {
        struct eligible eligible;

        eligibility_of(eligibility, &requests[i].vm, &eligible);
        hosts += eligible.n_hosts;
    }
    cost = processor_ms() - begin;
    printf("%-34s %9.3f ms %9.3f us each, %zu hosts each\n", what, cost, cost * 1e3 / (double)n,
           hosts / n);
}

static void finish(struct host_pool *hosts, struct request *requests, size_t n)
{
    for (size_t i = 0; i < hosts->n; i++) {
        for (size_t k = 0; k < hosts->items[i].attributes.n; k++)
            memory_free(hosts->items[i].attributes.items[k].value);
        free(hosts->items[i].attributes.items);
    }
    for (size_t i = 0; i < n; i++) {
        memory_free(requests[i].attributes[0].value);
        memory_free(requests[i].attributes[1].value);
    }
    free(hosts->items);
    free(requests);
}

int main(int argc, char **argv)
{
    size_t n_hosts = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    size_t n_vms = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const struct eligibility_settings settings = {.policy = HOST_POLICY_LOAD_AWARE};
    struct host_pool hosts = {.items = memory_new(n_hosts, sizeof(struct host)), .n = n_hosts};
    struct request *requests = memory_new(n_vms, sizeof *requests), *same;
    struct eligibility *eligibility;
    struct error err = {0};
    double begin;

    if (n_hosts == 0 || n_vms == 0) {
        fprintf(stderr, "usage: bench-eligibility [HOSTS [VMS]]\n");
        return 64;
    }
    for (size_t i = 0; i < n_hosts; i++)
        make_host(&hosts.items[i], i);
    for (size_t i = 0; i < n_vms; i++)
        make_request(&requests[i], i);
    same = memory_new(n_vms, sizeof *same);
    for (size_t i = 0; i < n_vms; i++)
        same[i] = requests[0];
    begin = processor_ms();
    eligibility = eligibility_create(&(struct eligibility_site){.hosts = &hosts}, &settings, &err);
    if (!eligibility) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    printf("%zu hosts, %zu VMs\n%-34s %9.3f ms\n", n_hosts, n_vms, "table of attributes",
           processor_ms() - begin);
    ask(eligibility, requests, n_vms, "a requirement and a rank of its own");
    ask(eligibility, requests, n_vms, "the same VMs again");
    ask(eligibility, same, n_vms, "all VMs ask for the same");
    begin = processor_ms();
    eligibility_destroy(eligibility);
    printf("%-34s %9.3f ms\n", "freeing it", processor_ms() - begin);
    free(same);
    finish(&hosts, requests, n_vms);
    return EXIT_SUCCESS;
}
