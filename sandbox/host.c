/* Hosts: capacity as OpenNebula counts it, monitoring, documents. */
#include "sandbox/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sandbox/hook.h"
#include "util/memory.h"
#include "util/search.h"

enum { KB_IN_GB = 1 << 20, MILLISECOND = 1000 };

/* "c16m64" in a name: 16 cores and 64 GB. */
static void read_capacity(const char *name, struct oned_host *host)
{
    int cores, memory;

    for (const char *c = name; *c; c++)
        if (*c == 'c' && sscanf(c, "c%dm%d", &cores, &memory) == 2 && cores > 0 && memory > 0) {
            host->total_cpu = cores * 100;
            host->total_memory = (int64_t)memory * KB_IN_GB;
            return;
        }
}

static int64_t monitor_time(const struct oned *oned, const struct oned_host *host)
{
    int64_t time = host->times[ONED_MONITOR];

    return time == ONED_INHERIT ? oned->options.times[ONED_MONITOR] : time;
}

static void await_monitoring(struct oned *oned, struct oned_host *host)
{
    int64_t time = monitor_time(oned, host);

    host->due = time == ONED_NEVER ? 0 : oned_now(oned) + time * MILLISECOND;
    oned_touch(oned, KIND_HOST, host->id);
}

struct oned_host *oned_host_add(struct oned *oned, const char *name, int cluster)
{
    struct oned_host *host = memory_new(1, sizeof *host);

    host->name = memory_text(name);
    host->im_mad = memory_text("dummy");
    host->vm_mad = memory_text("dummy");
    host->cluster = cluster;
    host->state = HOST_INIT;
    host->total_cpu = oned->options.host_cpu;
    host->total_memory = oned->options.host_memory;
    for (int i = 0; i < ONED_PHASES; i++)
        host->times[i] = ONED_INHERIT;
    read_capacity(name, host);
    oned_attributes_add(&host->template, "RESERVED_CPU", "");
    oned_attributes_add(&host->template, "RESERVED_MEM", "");
    oned_attributes_add(&host->template, "IM_MAD", "dummy");
    oned_attributes_add(&host->template, "VM_MAD", "dummy");
    host->id = oned_pool_add(oned, KIND_HOST, host, -1);
    await_monitoring(oned, host);
    return host;
}

/* The state of VMs on a failed host is unknown. */
static void change_vms(struct oned *oned, const struct oned_host *host, int from, int to)
{
    for (size_t i = 0; i < host->vm_count; i++) {
        struct oned_vm *vm = oned_vm(oned, host->vms[i]);

        if (vm->state != VM_ACTIVE || vm->lcm != from)
            continue;
        vm->lcm = to;
        oned_touch(oned, KIND_VM, vm->id);
    }
}

void oned_host_monitor(struct oned *oned, struct oned_host *host)
{
    struct oned_attributes *template = &host->template;

    oned_attributes_set(template, "ARCH", "x86_64");
    oned_attributes_set(template, "CPUSPEED", "3200");
    oned_attributes_set(template, "HOSTNAME", host->name);
    oned_attributes_set(template, "HYPERVISOR", "dummy");
    oned_attributes_set(template, "MODELNAME", "Fake CPU");
    if (oned->options.version >= ONED_7_4) {
        oned_attributes_set_number(template, "TOTALCPU", host->total_cpu);
        oned_attributes_set_number(template, "TOTALMEMORY", host->total_memory);
    }
    oned_attributes_remove(template, "ERROR");
    host->monitored = oned_seconds(oned);
    host->due = 0;
    if (host->state != HOST_OFFLINE) {
        host->known_cpu = host->total_cpu;
        host->known_memory = host->total_memory;
    }
    if (host->state == HOST_ERROR)
        change_vms(oned, host, LCM_UNKNOWN, LCM_RUNNING);
    if (host->state == HOST_INIT || host->state == HOST_ERROR)
        host->state = HOST_MONITORED;
    oned_touch(oned, KIND_HOST, host->id);
    oned_hook_host(oned, host);
}

void oned_host_set_status(struct oned *oned, struct oned_host *host, int status)
{
    static const int states[] = {HOST_INIT, HOST_DISABLED, HOST_OFFLINE};

    host->state = states[status];
    host->due = 0;
    if (host->state == HOST_OFFLINE) {
        host->known_cpu = host->known_memory = 0;
        oned_attributes_remove(&host->template, "TOTALCPU");
        oned_attributes_remove(&host->template, "TOTALMEMORY");
    }
    oned_touch(oned, KIND_HOST, host->id);
    oned_hook_host(oned, host);
    if (host->state == HOST_INIT)
        await_monitoring(oned, host);
}

void oned_host_break(struct oned *oned, struct oned_host *host)
{
    time_t now = (time_t)oned_seconds(oned);
    char date[32], text[512];
    struct tm broken;

    localtime_r(&now, &broken);
    strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &broken);
    snprintf(text, sizeof text, "%s : Error monitoring Host %.300s (%d): ", date, host->name,
             host->id);
    oned_attributes_set(&host->template, "ERROR", text);
    host->state = HOST_ERROR;
    host->due = 0;
    change_vms(oned, host, LCM_RUNNING, LCM_UNKNOWN);
    oned_touch(oned, KIND_HOST, host->id);
    oned_hook_host(oned, host);
}

int64_t oned_hosts_advance(struct oned *oned)
{
    int64_t now = oned_now(oned), next = INT64_MAX;

    for (int id = 0; id < oned->pools[KIND_HOST].count; id++) {
        struct oned_host *host = oned_host(oned, id);

        if (!host || host->due == 0)
            continue;
        if (host->due <= now)
            oned_host_monitor(oned, host);
        else if (host->due < next)
            next = host->due;
    }
    return next;
}

const char *oned_host_lacks(const struct oned *oned, const struct oned_host *host,
                            const struct oned_vm *vm, char *text, size_t size)
{
    int64_t cpu = oned_host_max_cpu(oned, host) - host->cpu_usage;
    int64_t memory = oned_host_max_memory(oned, host) - host->memory_usage;

    if (vm->cpu <= cpu && vm->memory <= memory)
        return NULL;
    if (vm->cpu > cpu)
        snprintf(text, size, "Not enough CPU: %" PRId64 "/%" PRId64, vm->cpu, cpu);
    else
        snprintf(text, size, "Not enough memory: %" PRId64 "/%" PRId64, vm->memory, memory);
    return text;
}

void oned_host_charge(struct oned *oned, struct oned_host *host, const struct oned_vm *vm)
{
    size_t position =
        search_place(&vm->id, host->vms, host->vm_count, sizeof *host->vms, search_by_id);

    MEMORY_GROW(host->vms, host->vms_allocated, host->vm_count + 1);
    memmove(&host->vms[position + 1], &host->vms[position],
            (host->vm_count - position) * sizeof *host->vms);
    host->vms[position] = vm->id;
    host->vm_count++;
    host->cpu_usage += vm->cpu;
    host->memory_usage += vm->memory;
    oned_touch(oned, KIND_HOST, host->id);
}

void oned_host_release(struct oned *oned, struct oned_host *host, const struct oned_vm *vm)
{
    size_t position =
        search_place(&vm->id, host->vms, host->vm_count, sizeof *host->vms, search_by_id);

    if (position == host->vm_count || host->vms[position] != vm->id)
        return;
    host->vm_count--;
    memmove(&host->vms[position], &host->vms[position + 1],
            (host->vm_count - position) * sizeof *host->vms);
    host->cpu_usage -= vm->cpu;
    host->memory_usage -= vm->memory;
    oned_touch(oned, KIND_HOST, host->id);
}
