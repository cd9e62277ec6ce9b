/* Documents of hosts and their monitoring; capacity without reserved parts. */
#include <stdlib.h>

#include "sandbox/hardware.h"
#include "sandbox/host.h"

static int64_t reserved(const struct oned *oned, const struct oned_host *host, const char *name,
                        int64_t total)
{
    const char *value = oned_attributes_get(&host->template, name);
    const struct oned_thing *cluster = oned_cluster(oned, host->cluster);
    double number;
    char *end;

    if ((!value || !*value) && cluster)
        value = oned_attributes_get(&cluster->template, name);
    if (!value)
        return 0;
    number = strtod(value, &end);
    if (end == value || number < -1e15 || number > 1e15)
        return 0;
    if (*end == '%')
        return (int64_t)((double)total * number / 100);
    return (int64_t)number;
}

int64_t oned_host_max_cpu(const struct oned *oned, const struct oned_host *host)
{
    if (host->known_cpu == 0)
        return 0;
    return host->known_cpu - reserved(oned, host, "RESERVED_CPU", host->known_cpu);
}

int64_t oned_host_max_memory(const struct oned *oned, const struct oned_host *host)
{
    if (host->known_memory == 0)
        return 0;
    return host->known_memory - reserved(oned, host, "RESERVED_MEM", host->known_memory);
}

static void write_share(const struct oned *oned, const struct oned_host *host,
                        struct oned_text *text)
{
    bool known = host->monitored > 0;

    oned_text_put(text, "<HOST_SHARE>");
    oned_text_number(text, "MEM_USAGE", host->memory_usage);
    oned_text_number(text, "CPU_USAGE", host->cpu_usage);
    oned_text_number(text, "TOTAL_MEM", host->known_memory);
    oned_text_number(text, "TOTAL_CPU", host->known_cpu);
    oned_text_number(text, "MAX_MEM", oned_host_max_memory(oned, host));
    oned_text_number(text, "MAX_CPU", oned_host_max_cpu(oned, host));
    oned_text_number(text, "RUNNING_VMS", (int64_t)host->vm_count);
    oned_text_number(text, "VMS_THREAD", 1);
    oned_text_put(text, "<DATASTORES>");
    oned_text_cdata_number(text, "DISK_USAGE", 0);
    oned_text_cdata_number(text, "FREE_DISK", known ? 2038280 : 0);
    oned_text_cdata_number(text, "MAX_DISK", known ? 2048000 : 0);
    oned_text_cdata_number(text, "USED_DISK", known ? 9720 : 0);
    oned_text_put(text, "</DATASTORES>");
    oned_hardware_document(oned, host, text);
    oned_text_put(text, "</HOST_SHARE>");
}

void oned_host_document(const struct oned *oned, const struct oned_host *host, bool alone,
                        struct oned_text *text)
{
    const struct oned_thing *cluster = oned_cluster(oned, host->cluster);

    oned_text_put(text, "<HOST>");
    oned_text_number(text, "ID", host->id);
    oned_text_element(text, "NAME", host->name);
    oned_text_number(text, "STATE", host->state);
    oned_text_number(text, "PREV_STATE", host->state);
    oned_text_cdata(text, "IM_MAD", host->im_mad);
    oned_text_cdata(text, "VM_MAD", host->vm_mad);
    oned_text_number(text, "CLUSTER_ID", host->cluster);
    oned_text_element(text, "CLUSTER", cluster ? cluster->name : "");
    write_share(oned, host, text);
    oned_text_put(text, "<VMS>");
    for (size_t i = 0; i < host->vm_count; i++)
        oned_text_number(text, "ID", host->vms[i]);
    oned_text_put(text, "</VMS><TEMPLATE>");
    oned_attributes_write(&host->template, text);
    oned_text_put(text, "</TEMPLATE>");
    if (alone && host->monitored > 0)
        oned_host_monitoring(oned, host, text);
    else
        oned_text_put(text, "<MONITORING/>");
    oned_text_put(text, "</HOST>");
}

/* Hosts that can be reached report every ten seconds. */
static int64_t last_report(const struct oned *oned, const struct oned_host *host)
{
    int64_t now = oned_seconds(oned);

    if (host->state != HOST_MONITORED && host->state != HOST_DISABLED)
        return host->monitored;
    return host->monitored + (now - host->monitored) / 10 * 10;
}

/* The usage is that of the VMs running on the host, plus a little for the host itself. */
void oned_host_monitoring(const struct oned *oned, const struct oned_host *host,
                          struct oned_text *text)
{
    int64_t cpu = host->total_cpu / 100, memory = host->total_memory / 100;

    if (host->monitored == 0)
        return;
    for (size_t i = 0; i < host->vm_count; i++) {
        const struct oned_vm *vm = oned_vm(oned, host->vms[i]);

        if (vm->state == VM_ACTIVE && vm->lcm == LCM_RUNNING) {
            cpu += vm->cpu;
            memory += vm->memory;
        }
    }
    cpu = cpu > host->total_cpu ? host->total_cpu : cpu;
    memory = memory > host->total_memory ? host->total_memory : memory;
    oned_text_put(text, "<MONITORING>");
    oned_text_number(text, "TIMESTAMP", last_report(oned, host));
    oned_text_number(text, "ID", host->id);
    oned_text_put(text, "<CAPACITY>");
    oned_text_cdata_number(text, "FREE_CPU", host->total_cpu - cpu);
    oned_text_cdata_number(text, "FREE_MEMORY", host->total_memory - memory);
    oned_text_cdata_number(text, "USED_CPU", cpu);
    oned_text_cdata_number(text, "USED_MEMORY", memory);
    oned_text_put(text, "</CAPACITY><SYSTEM>");
    oned_text_cdata_number(text, "NETRX", host->monitored % 100000);
    oned_text_cdata_number(text, "NETTX", host->monitored % 100000 + 50000);
    oned_text_put(text, "</SYSTEM></MONITORING>");
}
