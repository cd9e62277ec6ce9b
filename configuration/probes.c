/* Reads option accounting.probes. */
#include "configuration/probes.h"

#include <stdlib.h>
#include <string.h>

#include "core/accounting.h"
#include "util/memory.h"
#include "util/suggest.h"

#define COUNTER(name) (UINT32_C(1) << COUNTER_##name)

struct probe {
    const char *name;
    uint32_t counters;
};

static const struct probe probes[] = {
    {"ar", COUNTER(ACCEPTED_RESERVATIONS) | COUNTER(REJECTED_RESERVATIONS)},
    {"immediate", COUNTER(ACCEPTED_IMMEDIATE) | COUNTER(REJECTED_IMMEDIATE)},
    {"best-effort", COUNTER(BEST_EFFORT_COMPLETED) | COUNTER(QUEUE_SIZE)},
    {"cpu-utilization", COUNTER(CPU_UTILIZATION)},
    {"utilization", COUNTER(CPU_UTILIZATION)}, /* the name in Haizea's manual */
    {"disk-usage", COUNTER(DISK_USAGE)},
    {"lease", 0},
    {"lease-extras", 0},
    {"deadline", 0},
    {"price", 0},
};

static const struct probe *find(const char *name, struct suggestion *suggestion)
{
    suggestion_init(suggestion, name);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!strcmp(probes[i].name, name))
            return &probes[i];
        suggestion_offer(suggestion, probes[i].name);
    }
    return NULL;
}

int probes_read(const struct ini_entry *entry, uint32_t *left_out, struct error *err)
{
    char *names = memory_text(entry ? entry->value : ""), *rest = names;
    uint32_t kept = 0;
    int result = 0;

    for (char *name; result == 0 && (name = strsep(&rest, " \t,"));) {
        struct suggestion suggestion;
        const struct probe *probe = name[0] ? find(name, &suggestion) : NULL;

        if (probe)
            kept |= probe->counters;
        else if (name[0])
            result = ini_error(entry, err, "unknown accounting probe '%.60s'%s", name,
                               suggestion_text(&suggestion));
    }
    free(names);
    *left_out = ((UINT32_C(1) << ACCOUNTING_COUNTERS) - 1) & ~kept;
    return result;
}
